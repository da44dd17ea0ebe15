package pipe

import (
	"context"
	"fmt"
	"io"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// Limits of what is read from files.
const (
	MaxDocumentBytes = contract.MaxSourceBytes // of a document that fetch passes on
	MaxDocumentSum   = 256 << 20               // bytes of all files of a command line
	MaxDocuments     = 1 << 17                 // documents in them
)

var errTooLong = fmt.Errorf("over %d bytes", MaxDocumentSum)

// DocumentInput reads the files of a command line.
type DocumentInput struct {
	Call  *cli.Call
	stdin bool // was read
	sum   int  // bytes so far
}

// Read gives a file, or stdin for -. An error that ends the command is a *fault.Error or
// that of the context; any other concerns this file alone and does not repeat its name.
func (in *DocumentInput) Read(name string) ([]byte, error) {
	var raw []byte
	var err error
	switch {
	case name != "-":
		raw, err = ReadFile(in.Call.Context, name)
	case in.stdin:
		return nil, cli.Usagef("- is given twice")
	default:
		in.stdin = true
		raw, err = readAll(in.Call.Env.Stdin)
	}
	if in.sum += len(raw); in.sum > MaxDocumentSum {
		return nil, TooLarge(name, fmt.Sprintf("the files have more than %d bytes together", MaxDocumentSum))
	}
	return raw, err
}

// TooLarge is the failure of documents that are over a limit of this program.
func TooLarge(name, detail string) error {
	return &fault.Error{Exit: fault.Environment, File: name, Rule: "input.too-large", Detail: detail}
}

// ReadFile reads a file of at most MaxDocumentSum bytes. Its error does not repeat the
// path.
func ReadFile(ctx context.Context, name string) ([]byte, error) {
	f, err := OpenInput(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads at most MaxDocumentSum bytes; more are an error.
func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxDocumentSum+1))
	if err == nil && len(b) > MaxDocumentSum {
		err = errTooLong
	}
	return b, err
}
