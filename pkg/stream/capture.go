package stream

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	file     *os.File       // nil when nothing is left to tidy up
	pack     io.WriteCloser // compressor above file; nil for none
	finished bool           // with the trailer, closed, and at path if err is nil
	kept     bool
	err      error
}

// NewCapture starts a capture at path: mode 0600, compressed when path ends in .zst
// or .gz. It refuses with exit Usage a path that exists or lies in a Git work tree,
// since a capture holds unfiltered text, and one at which nothing can be made.
func NewCapture(path string) (*Capture, error) {
	root, err := disk.GitWorkTree(path)
	if err != nil {
		return nil, unmade(path, err)
	}
	if root != "" {
		return nil, refused(path, "a capture holds unfiltered text and cannot lie in a Git work tree",
			"name a file outside of it, for example below the runner's temporary directory")
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return nil, unmade(path, err)
		}
		return nil, refused(path, "the file exists, and a capture replaces nothing", "name a new file")
	}
	var salt [8]byte
	_, _ = rand.Read(salt[:]) // never fails
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+hex.EncodeToString(salt[:])+".tmp")
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, unmade(path, err)
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
		return nil, unmade(path, err)
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
	if err = errors.Join(err, c.file.Close()); err == nil {
		// A hard link, unlike a rename, never replaces.
		err = os.Link(c.file.Name(), c.path)
	}
	if err != nil {
		c.err = captureFault(c.path, "the capture cannot be kept", err)
	}
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
	_ = c.file.Close()
	_ = os.Remove(c.file.Name())
	if c.finished && c.err == nil && !c.kept {
		_ = os.Remove(c.path)
	}
	c.file, c.pack = nil, nil
}

func refused(path, detail, hint string) error {
	return &fault.Error{Exit: fault.Usage, File: path, Rule: RuleCapture, Detail: detail, Hint: hint}
}

// unmade is the error of a capture that cannot be started: one of usage at a path at
// which nothing can be made.
func unmade(path string, err error) error {
	const detail = "the capture file cannot be made"
	if errno, no := disk.NoPlace(err); no {
		return &fault.Error{Exit: fault.Usage, File: path, Rule: RuleCapture, Detail: detail, Cause: errno, Hint: "name another file"}
	}
	return captureFault(path, detail, err)
}

func captureFault(path, detail string, err error) error {
	return &fault.Error{Exit: fault.Environment, File: path, Rule: RuleCapture, Detail: detail, Cause: err}
}
