package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"syscall"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// Writer writes one stream. It counts and hashes what it writes. Lines over the cap
// are refused with an error before a byte of them is written. Its errors are
// *fault.Error: exit Quiet when nobody reads the output any more, else Environment.
type Writer struct {
	w       io.Writer
	pending []byte // encoded and hashed, not yet written
	hash    hash.Hash
	lines   int64
	header  *contract.Snapshot
	capture *Capture
	closed  bool
	request string // for the abort line
	sum     string // of all lines before the trailer, once it is written
	err     error
}

const (
	flushAt     = 64 << 10 // pending bytes that are written at once
	keptPending = 64 << 20 // a larger buffer is not kept for the next line
)

// NewWriter gives a Writer on w. Bytes are buffered; End and Abort flush.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, hash: sha256.New()}
}

// Tee writes everything into c too. A capture that fails ends the stream: Write and End
// give its error, the lines before it are whole, and Abort can follow. It is complete and has
// its name before the trailer is written, so that nobody reads a stream to its end whose
// stage fails for its capture. Keep and Discard are the caller's.
func (w *Writer) Tee(c *Capture) { w.capture = c }

// Write writes one line. The header must come first; End and Abort have their own
// methods.
func (w *Writer) Write(l contract.Line) error {
	switch t := l.LineType(); {
	case t == contract.TypeEnd || t == contract.TypeAbort:
		return w.misuse("End and Abort write the last line")
	case w.closed:
		return w.misuse("the stream has ended")
	case (w.header == nil) != (t == contract.TypeSnapshot):
		return w.misuse("the first line, and only it, is the header")
	case w.capture.failure() != nil:
		return w.capture.failure()
	}
	if h, ok := l.(*contract.Snapshot); ok {
		if n := h.Position(); n < 1 || n > len(contract.StageNames) {
			return w.misuse("the header names no stage")
		}
		kept := *h
		w.header = &kept
	}
	return w.line(l)
}

// Flush hands buffered lines to the underlying writer.
func (w *Writer) Flush() error {
	w.write(w.pending)
	if cap(w.pending) > keptPending {
		w.pending = nil
	}
	w.pending = w.pending[:0]
	return w.err
}

func (w *Writer) write(b []byte) {
	if w.err != nil || len(b) == 0 {
		return
	}
	w.capture.write(b)
	n, err := w.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	w.err = writeFault(err)
}

// End writes the trailer and flushes. earlier is Reader.Chain of the stage's input,
// nothing for fetch.
func (w *Writer) End(earlier ...string) error {
	switch {
	case w.closed || w.header == nil:
		return w.misuse("there is no stream to end")
	case len(earlier) != w.header.Position()-1:
		return w.misuse("the digests of the streams before it are stated by filter and bound")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	w.sum = hex.EncodeToString(w.hash.Sum(nil))
	trailer := &contract.End{Lines: w.lines, SHA256: w.sum, Chain: earlier}
	if len(earlier) > 0 {
		trailer.InputSHA256 = earlier[len(earlier)-1]
	}
	if err := w.line(trailer); err != nil {
		return err
	}
	if err := w.capture.finish(w.pending); err != nil {
		w.pending = w.pending[:0]
		return err
	}
	w.closed = true
	return w.Flush()
}

// Written gives how many lines the stream has, the trailer included, and the digest that
// the trailer states, "" for a stream without one.
func (w *Writer) Written() (lines int64, digest string) { return w.lines, w.sum }

// Request names the request that the stream answers, for its abort line; "" is none.
func (w *Writer) Request(id string) { w.request = id }

// Abort writes the abort line and flushes. It may be the only line.
func (w *Writer) Abort(a contract.Abort) error {
	if w.closed {
		return w.misuse("the stream has ended")
	}
	w.closed = true
	if a.RequestID == "" {
		a.RequestID = w.request
	}
	if err := w.line(&a); err != nil {
		return err
	}
	return w.Flush()
}

// line encodes and writes one line.
func (w *Writer) line(l contract.Line) error {
	if w.err != nil {
		return w.err
	}
	start := len(w.pending)
	e := encoder{buf: w.pending, pos: 1}
	if w.header != nil {
		e.pos = w.header.Position()
	}
	findType(l.LineType()).write(&e, l)
	w.pending = e.buf[:start]
	if e.err != nil {
		return e.err
	}
	if most := lineCap(l.LineType(), w.header); int64(len(e.buf)-start+len(e.literal)) > most {
		f := fault.New(fault.Environment, RuleLineCap, "the line would have more than %d bytes", most)
		f.Record = contract.Describe(l)
		return f
	}
	w.pending = append(e.buf, '\n')
	w.lines++
	if e.literal != nil {
		behind := w.pending[e.split:]
		w.hash.Write(w.pending[start:e.split])
		w.hash.Write(e.literal)
		w.hash.Write(behind)
		w.write(w.pending[:e.split])
		w.write(e.literal)
		w.pending = w.pending[:copy(w.pending, behind)]
		return w.err
	}
	w.hash.Write(w.pending[start:])
	if len(w.pending) >= flushAt {
		return w.Flush()
	}
	return w.err
}

func (w *Writer) misuse(detail string) error {
	return fault.New(fault.Environment, RuleUsage, "%s", detail)
}

func writeFault(err error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return err
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return &fault.Error{Exit: fault.Quiet, Rule: RuleWrite, Detail: "nobody reads the output any more", Cause: err}
	}
	return &fault.Error{Exit: fault.Environment, Rule: RuleWrite, Detail: "the output cannot be written", Cause: err}
}
