package command

import (
	"context"
	"fmt"
	"io"

	"snapline/pkg/contract"
	"snapline/pkg/family/canon"
	"snapline/pkg/family/document"
	"snapline/pkg/family/msp"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// families are the document families that this program knows.
var families = map[contract.Family]document.Family{
	contract.FamilyCanon: canon.Read,
	contract.FamilyMSP:   msp.Read,
}

// Limits of what is read from files.
const (
	maxDocumentFile = contract.MaxSourceBytes // bytes of a file
	maxDocumentSum  = 256 << 20               // bytes of all files of a command line
	maxDocuments    = 1 << 16                 // documents in them
)

var errTooLong = fmt.Errorf("over %d bytes", maxDocumentFile)

// documentInput reads the files of a command line.
type documentInput struct {
	call  *cli.Call
	stdin bool // was read
	sum   int  // bytes so far
}

// read gives a file, or stdin for -. An error that ends the command is a *fault.Error or
// that of the context; any other concerns this file alone and does not repeat its name.
func (in *documentInput) read(name string) ([]byte, error) {
	var raw []byte
	var err error
	switch {
	case name != "-":
		raw, err = readFile(in.call.Context, name)
	case in.stdin:
		return nil, cli.Usagef("- is given twice")
	default:
		in.stdin = true
		raw, err = readAll(in.call.Env.Stdin)
	}
	if in.sum += len(raw); in.sum > maxDocumentSum {
		return nil, tooLarge(name, fmt.Sprintf("the files have more than %d bytes together", maxDocumentSum))
	}
	return raw, err
}

// tooLarge is the failure of documents that are over a limit of this program.
func tooLarge(name, detail string) error {
	return &fault.Error{Exit: fault.Environment, File: name, Rule: "input.too-large", Detail: detail}
}

// readFile reads a file of at most maxDocumentFile bytes. Its error does not repeat the
// path.
func readFile(ctx context.Context, name string) ([]byte, error) {
	f, err := openInput(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads at most maxDocumentFile bytes; more are an error.
func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxDocumentFile+1))
	if err == nil && len(b) > maxDocumentFile {
		err = errTooLong
	}
	return b, err
}
