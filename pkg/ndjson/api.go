package ndjson

import (
	"errors"
	"fmt"
	"io"

	"snapline/pkg/record"
)

// AbortError is what Reader.Next returns when the stream ends with an abort line.
// A stage returns it unchanged; the command frame forwards the line, prints
// nothing, and exits with its code.
type AbortError struct{ Abort record.Abort }

// Error implements error.
func (e *AbortError) Error() string {
	return fmt.Sprintf("the %s stage aborted with exit %d", e.Abort.Stage, e.Abort.Exit)
}

var errTodo = errors.New("being built")

// ReaderOptions tells a Reader what it reads.
type ReaderOptions struct {
	Name     string // for positions: "stdin" or the file as the user named it
	Position int    // the stage that must have written it last: 1 fetch, 2 filter, 3 bound; 0 any
}

// Reader reads one stream strictly. It takes plain, gzip and zstd input by its
// magic bytes. Every error but io.EOF and *AbortError is a *fault.Error with exit
// Input, file, line and the rule's stable name.
type Reader struct{}

// NewReader gives a Reader. It reads nothing until Header is called.
func NewReader(r io.Reader, o ReaderOptions) *Reader { return &Reader{} }

// Header reads and checks the first line. It returns *AbortError for a stream that
// is a single abort line.
func (r *Reader) Header() (*record.Snapshot, error) { return nil, errTodo }

// Next gives the next line after the header: never a header, end or abort. After a
// valid trailer it returns io.EOF, and only then Digest is defined. The line owns
// its memory.
func (r *Reader) Next() (record.Line, error) { return nil, errTodo }

// Recycle gives the memory of a line back to the reader; the line is dead then.
// Calling it is optional. It is safe for concurrent use.
func (r *Reader) Recycle(l record.Line) {}

// Line is the 1-based number of the line that was read last.
func (r *Reader) Line() int64 { return 0 }

// Digest is the lowercase hex SHA-256 of all bytes before the end line: what the
// next stage states as input_sha256. Defined after Next returned io.EOF.
func (r *Reader) Digest() string { return "" }

// Writer writes one stream. It counts and hashes what it writes. Lines over the cap
// are refused with an error before a byte of them is written.
type Writer struct{}

// NewWriter gives a Writer on w. Bytes are buffered; End and Abort flush.
func NewWriter(w io.Writer) *Writer { return &Writer{} }

// Write writes one line. The header must come first; End and Abort have their own
// methods.
func (w *Writer) Write(l record.Line) error { return errTodo }

// Begun reports whether the header was written.
func (w *Writer) Begun() bool { return false }

// Flush hands buffered lines to the underlying writer.
func (w *Writer) Flush() error { return errTodo }

// End writes the trailer and flushes. inputDigest is Reader.Digest of the stage's
// input, "" for fetch.
func (w *Writer) End(inputDigest string) error { return errTodo }

// Abort writes the abort line and flushes.
func (w *Writer) Abort(a record.Abort) error { return errTodo }

// AppendLine appends the JSON line of l, LF included, as the Writer would write it.
func AppendLine(dst []byte, l record.Line) []byte { return dst }

// AppendString appends s as a JSON string literal, quotes included, escaping only
// what JSON requires. s must be valid UTF-8.
func AppendString[T ~string | ~[]byte](dst []byte, s T) []byte { return dst }
