package stream

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"snapline/pkg/fault"
)

const (
	// maxWindow takes every zstd level up to 19 and the default of both tools.
	maxWindow = 8 << 20
	// A compressed input may grow to freeOutput bytes, and beyond that to
	// maxExpansion times what was read. Real captures stay under 100.
	freeOutput   = 64 << 20
	maxExpansion = 256
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// Compressed reports whether an input that begins with head is gzip or zstd.
func Compressed(head []byte) bool {
	return bytes.HasPrefix(head, gzipMagic) || bytes.HasPrefix(head, zstdMagic) || skippable(head)
}

// source counts what is read from below and keeps its error apart from those of a
// decoder above.
type source struct {
	r    io.Reader
	read int64
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// input gives plain bytes, whatever the compression (by magic bytes).
type input struct {
	source source
	plain  io.Reader
	packed bool
	output int64
	close  func()
}

// open peeks at the input and sets the decoder up.
func (in *input) open() error {
	below := bufio.NewReaderSize(&in.source, 64<<10)
	in.plain = below
	head, err := below.Peek(4)
	if len(head) == 0 && err != nil {
		return in.fault(err)
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(below)
		if err != nil {
			return in.fault(err)
		}
		in.plain, in.packed = z, true
	case bytes.HasPrefix(head, zstdMagic), skippable(head):
		// One goroutine is faster here than several, and none must be left behind.
		z, err := zstd.NewReader(below, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return in.fault(err)
		}
		in.plain, in.packed, in.close = z, true, z.Close
	}
	return nil
}

// skippable reports the magic of a zstd skippable frame, with which seekable and
// parallel zstd files may start.
func skippable(head []byte) bool {
	return len(head) == 4 && head[0]&0xf0 == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18
}

// Read gives plain bytes; every error but io.EOF is a fault.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.plain.Read(p)
	if in.packed {
		in.output += int64(n)
		if in.output > freeOutput && in.output-freeOutput > maxExpansion*in.source.read {
			e := broken(RuleExpansion, "the compressed input grows to more than %d times its size", maxExpansion)
			e.Hint = "unpack it first if you trust where it comes from"
			return 0, e
		}
	}
	if err != nil && err != io.EOF {
		err = in.fault(err)
	}
	return n, err
}

func (in *input) fault(err error) error {
	switch {
	case in.source.err != nil:
		err = in.source.err
		fallthrough
	case errors.Is(err, io.ErrNoProgress):
		return &fault.Error{Exit: fault.Environment, Rule: RuleRead, Detail: "the input cannot be read", Cause: err}
	case err == io.EOF && in.source.read == 0:
		return io.EOF
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrFrameSizeExceeded):
		e := broken(RuleCompressionWindow, "the compressed input needs a window over %d bytes", maxWindow)
		e.Hint = "compress it without --long and --ultra"
		return e
	}
	e := broken(RuleCompression, "the compressed input is cut or damaged")
	e.Cause = err
	return e
}

// done releases the decoder.
func (in *input) done() {
	if in.close != nil {
		in.close()
		in.close = nil
	}
}

// Plain gives the plain bytes of an input, whatever its compression, by the rules of a
// stream's input.
func Plain(r io.Reader) (io.ReadCloser, error) {
	p := &plain{in: input{source: source{r: r}}}
	return p, p.in.open()
}

type plain struct{ in input }

func (p *plain) Read(b []byte) (int, error) { return p.in.Read(b) }

func (p *plain) Close() error {
	p.in.done()
	return nil
}
