package fetch

import (
	"context"
	"errors"

	"snapline/pkg/family"
	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/contract"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/stage/fetch"
	"snapline/pkg/stream"
)

// fetchDocuments makes the subcommand of fetch that reads documents of a family from
// files.
func fetchDocuments(p cli.Program, name contract.Family, split func([]byte) ([]document.Part, int)) *cli.Program {
	p.Arguments = "FILE..."
	p.MinArgs, p.MaxArgs = 1, -1
	p.Flags = append([]ucli.Flag{
		&ucli.Int64Flag{Name: "max-documents", Value: 200, Usage: "`COUNT` of documents that bound keeps"},
		&ucli.Int64Flag{Name: "max-document-bytes", Value: 16 << 20, Usage: "`SIZE` over which a document is left out"},
		&ucli.StringFlag{Name: "select", Value: "newest", Usage: "which `END` bound keeps: newest or oldest"},
	}, pipe.Flags()...)
	p.Values = map[string][]string{"select": {"newest", "oldest"}}
	p.Action = func(call *cli.Call) error {
		limits, err := documentLimits(call)
		if err != nil {
			return err
		}
		return pipe.Run(call, fetch.Name, call.Flags.String("capture"), func(_ context.Context, out *stream.Writer) error {
			files, err := documentFiles(call)
			if err != nil {
				return err
			}
			return fetch.Documents(files, out, fetch.DocumentConfig{Family: name, Limits: limits, Most: pipe.MaxDocuments, Split: split, Read: family.Readers[name]}, call.Log)
		})
	}
	return &p
}

func documentLimits(call *cli.Call) (contract.Limits, error) {
	l := contract.Limits{
		MaxDocuments:     call.Flags.Int64("max-documents"),
		MaxDocumentBytes: call.Flags.Int64("max-document-bytes"),
		Selection:        contract.Selection(call.Flags.String("select")),
	}
	switch {
	case l.MaxDocuments < 1:
		return l, cli.Usagef("--max-documents takes a number from 1 on")
	case l.MaxDocumentBytes < 1 || l.MaxDocumentBytes > pipe.MaxDocumentBytes:
		return l, cli.Usagef("--max-document-bytes takes a number from 1 to %d", pipe.MaxDocumentBytes)
	case l.Selection != contract.Newest && l.Selection != contract.Oldest:
		return l, cli.Usagef("--select takes newest or oldest")
	}
	return l, nil
}

// documentFiles reads the named files; - is stdin, once.
func documentFiles(call *cli.Call) ([]fetch.DocumentFile, error) {
	var files []fetch.DocumentFile
	in := pipe.DocumentInput{Call: call}
	for _, name := range call.Args {
		raw, err := in.Read(name)
		if name == "-" {
			name = "stdin"
		}
		var end *fault.Error
		switch {
		case errors.As(err, &end):
			return nil, err
		case err != nil:
			return nil, pipe.Unreadable(name, err)
		}
		files = append(files, fetch.DocumentFile{Name: name, Raw: raw})
	}
	return files, nil
}
