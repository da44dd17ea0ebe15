package stream

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"snapline/pkg/disk"
	"snapline/pkg/fault"
)

// Capture is a private file that keeps what a Writer writes. It is complete or it is
// not there: the bytes go to a temporary name beside it, and get theirs when the trailer
// is among them. A stream that aborts leaves no capture. A nil Capture captures nothing.
type Capture struct {
	path     string
	file     *disk.Private  // nil when nothing is left to tidy up
	pack     io.WriteCloser // compressor above file; nil for none
	finished bool           // with the trailer, closed, and at path if err is nil
	kept     bool
	err      error
}

// NewCapture starts a capture at path: mode 0600, compressed when path ends in .zst
// or .gz. It refuses with exit Usage a path that exists or lies in a Git work tree,
// since a capture holds unfiltered text, and one at which nothing can be made.
func NewCapture(path string) (*Capture, error) {
	file, err := disk.NewPrivate(path, disk.PrivateKind{Rule: RuleCapture, Name: "capture", Holds: "unfiltered text"})
	if err != nil {
		return nil, err
	}
	c := &Capture{path: path, file: file}
	switch {
	case strings.HasSuffix(path, ".zst"):
		c.pack, err = zstd.NewWriter(file, zstd.WithEncoderConcurrency(1))
	case strings.HasSuffix(path, ".gz"):
		c.pack = gzip.NewWriter(file)
	}
	if err != nil {
		c.Discard()
		return nil, captureFault(path, "the capture file cannot be made", err)
	}
	return c, nil
}

// failure is the error of the first write that failed.
func (c *Capture) failure() error {
	if c == nil {
		return nil
	}
	return c.err
}

// write adds bytes, unless the capture has failed or is finished.
func (c *Capture) write(p []byte) {
	if c == nil || c.err != nil || c.finished {
		return
	}
	var to io.Writer = c.file
	if c.pack != nil {
		to = c.pack
	}
	if _, err := to.Write(p); err != nil {
		c.err = captureFault(c.path, "the capture cannot be written", err)
	}
}

// finish adds the trailer and gives the complete file its name, without replacing a file
// that came there meanwhile.
func (c *Capture) finish(trailer []byte) error {
	if c.write(trailer); c.failure() != nil || c == nil {
		return c.failure()
	}
	var err error
	if c.pack != nil {
		err = c.pack.Close()
		c.pack = nil
	}
	c.err = c.file.Keep(err)
	c.finished = true
	return c.err
}

// Keep keeps the capture of a stream that has ended; that of another is an error.
func (c *Capture) Keep() error {
	if c.err == nil && !c.finished {
		c.err = captureFault(c.path, "the capture cannot be kept", errors.New("the stream has not ended"))
	}
	c.kept = c.err == nil
	return c.err
}

// Discard removes a capture that was not kept, and what was left to tidy up.
func (c *Capture) Discard() {
	if c.file == nil {
		return
	}
	if c.pack != nil {
		_ = c.pack.Close()
	}
	c.file.Discard()
	if c.finished && c.err == nil && !c.kept {
		_ = os.Remove(c.path)
	}
	c.file, c.pack = nil, nil
}

func captureFault(path, detail string, err error) error {
	return &fault.Error{Exit: fault.Environment, File: path, Rule: RuleCapture, Detail: detail, Cause: err}
}
