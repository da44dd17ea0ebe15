package command

import (
	"context"
	"fmt"
	"io"

	"snapline/pkg/canonguard"
	"snapline/pkg/document"
	"snapline/pkg/msp"
	"snapline/pkg/record"
)

// families are the document families that this program knows.
var families = map[record.Family]document.Family{
	record.FamilyCanon: canonguard.Read,
	record.FamilyMSP:   msp.Read,
}

// Limits of what is read from files, in bytes.
const (
	maxDocumentFile = document.MaxBytes
	maxDocumentSum  = 256 << 20
)

var errTooLong = fmt.Errorf("over %d bytes", maxDocumentFile)

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
