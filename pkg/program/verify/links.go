package verify

import (
	"errors"
	"io"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/canon"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/read/report"
	"snapline/pkg/stage/emit"
)

// links gives the web addresses that the bounded stream in a file states. It must be the
// stream of the tree: it is read a second time and built anew, and its root has to be the
// digest. The addresses themselves are in no tree and rest on the stream alone.
func links(call *cli.Call, path, digest string) (report.Links, error) {
	if path == "-" {
		return nil, cli.Usagef("--stream is read twice and cannot be stdin")
	}
	in, closeStream, err := openStream(call, path, 3)
	if err != nil {
		return nil, err
	}
	defer closeStream()
	header, err := in.Header()
	if err != nil {
		return nil, upstreamFailure(err)
	}
	all := report.Links{}
	note := func(key string, line contract.Line) {
		if address := contract.WebURL(line); address != "" {
			all[key] = address
		}
	}
	note(report.EntityLink, header)
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all, sameRoot(call, path, digest, in.Digest())
		}
		if err != nil {
			return nil, upstreamFailure(err)
		}
		switch l := line.(type) {
		case *contract.Record:
			note(l.RecordKey, l)
			if l.Kind == contract.KindEntity && all[report.EntityLink] == "" {
				note(report.EntityLink, l)
			}
		case *contract.Thread:
			note(l.ThreadKey, l)
		case *contract.Check:
			note(l.RecordKey, l)
		}
	}
}

// sameRoot builds the tree of a stream and compares its root, and that the file was the
// same when it was read before.
func sameRoot(call *cli.Call, path, digest, streamDigest string) error {
	in, closeStream, err := openStream(call, path, 3)
	if err != nil {
		return err
	}
	defer closeStream()
	root := ""
	err = emit.Build(call.Context, in, sinkFunc(func(path string, content []byte) error {
		if path == tree.IndexPath {
			root = tree.Digest(content)
		}
		return nil
	}), canon.Rejudge)
	if err != nil {
		return upstreamFailure(err)
	}
	if root != digest || in.Digest() != streamDigest {
		return &fault.Error{
			Exit: fault.Aborted, File: path, Rule: "report.stream", Detail: "the stream is not that of the tree",
			Hint: "give the bounded stream that emit read",
		}
	}
	return nil
}
