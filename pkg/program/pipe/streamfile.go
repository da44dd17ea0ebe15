package pipe

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"snapline/pkg/contract"
	"snapline/pkg/program/cli"
	"snapline/pkg/stream"
)

// StreamFile is what a stream in a file says of itself, checked to its end.
type StreamFile struct {
	Header *contract.Snapshot
	Chain  []string // digests of the streams of the run up to this one, which is the last
	SHA256 string   // of the bytes of the file, as they are stored
}

// ReadStream reads the stream in a file, plain or compressed. One that ends without a
// result is a *stream.AbortError.
func ReadStream(call *cli.Call, name string) (*StreamFile, error) {
	f, err := OpenInput(call.Context, name)
	if err != nil {
		return nil, Unreadable(name, err)
	}
	defer f.Close()
	hash := sha256.New()
	stored := io.TeeReader(f, hash)
	in := stream.NewReader(stored, stream.ReaderOptions{Name: name})
	header, err := in.Header()
	for err == nil {
		var line contract.Line
		if line, err = in.Next(); err == nil {
			in.Recycle(line)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, stored); err != nil {
		return nil, Unreadable(name, err)
	}
	return &StreamFile{Header: header, Chain: in.Chain(), SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}
