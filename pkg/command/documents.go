package command

import (
	"errors"
	"fmt"
	"io"
	"os"

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

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			return nil, pe.Err // without the path, which the message has
		}
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxDocumentFile+1))
	if err == nil && len(b) > maxDocumentFile {
		err = errTooLong
	}
	return b, err
}
