package check

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/disk/seal"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
)

// Sealed is a verified tree as a tar that nobody can change any more. Its bytes depend
// on the tree alone: paths in order, fixed modes, owners and times.
type Sealed struct {
	*seal.File
	Digest string // SHA-256 of the tar
	Report *Report
}

// Seal copies the tree at path into sealed memory and then verifies the copy: what is
// judged is what is handed on, whatever happens to the tree meanwhile (VER-05,
// VER-06). The copy is of use only if the report has no findings. The caller closes
// it.
func Seal(ctx context.Context, path string, o Options) (sealed *Sealed, err error) {
	list := &finding.List{}
	d, err := OpenDisk(disk.OS{}, path, o.Modes, uint32(os.Geteuid()), list)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	file, err := seal.New("snapline-context")
	if err != nil {
		return nil, unenforceable(err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	s := &Sealed{File: file, Report: &Report{}}
	source := &archive{file: file, places: map[string]extent{}}
	if d.Usable() {
		if err := source.copyTree(d, o.IndexSHA256); err != nil {
			return nil, err
		}
	}
	if s.Digest, err = file.Seal(); err != nil {
		return nil, unsealed(err)
	}
	if d.Usable() {
		if err := judge(ctx, d, source, o, list, s.Report); err != nil {
			return nil, err
		}
	}
	s.Report.Findings = list.Sorted()
	return s, nil
}

// unenforceable: where the copy cannot be made immutable nothing starts (ABT-09).
func unenforceable(err error) error {
	return &fault.Error{Exit: fault.Aborted, Rule: "seal.unenforceable", Detail: "the upload copy cannot be made immutable here", Cause: err}
}

// unsealed is the failure of Seal: a file that was changed is not one that cannot be made.
func unsealed(err error) error {
	if errors.Is(err, seal.ErrChanged) {
		return &fault.Error{Exit: fault.Aborted, Rule: "seal.changed", Detail: "another process changed the copy while it was written", Cause: err}
	}
	return unenforceable(err)
}

// archive is the tar while it is written, and then the source that is judged.
type archive struct {
	file   *seal.File
	places map[string]extent
	moved  map[string]bool
	buffer []byte
}

type extent struct{ offset, size int64 }

// copyTree writes the index and every file that it lists, with one byte more than
// listed where there is one, so that the judge sees the excess. An index with another
// digest is copied alone: nothing that it says is looked at.
func (a *archive) copyTree(d *Disk, digest string) error {
	index, err := d.Read(tree.IndexPath, maxDocument)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrMoved) || errors.Is(err, ErrClosed) {
		return nil // the judge says so
	}
	if err != nil {
		return environment(tree.IndexPath, err)
	}
	sizes := map[string]int64{tree.IndexPath: int64(len(index.Bytes))}
	if index.Digest == digest {
		var listed struct{ Files []tree.File }
		// What cannot be decoded the judge will refuse.
		_ = json.Unmarshal(index.Bytes, &listed)
		for _, f := range listed.Files {
			sizes[f.Path] = f.Bytes
		}
	}
	a.moved = map[string]bool{}
	w := tar.NewWriter(a.file)
	if err := w.WriteHeader(entry("./", tar.TypeDir, 0o555, 0)); err != nil {
		return unenforceable(err)
	}
	made := map[string]bool{}
	for _, p := range sortedKeys(sizes) {
		c, err := d.Read(p, sizes[p])
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrClosed):
			continue
		case errors.Is(err, ErrMoved):
			a.moved[p] = true
			continue
		case err != nil:
			return environment(p, err)
		}
		for _, dir := range tree.Directories(p) {
			if !made[dir] {
				made[dir] = true
				if err := w.WriteHeader(entry(dir+"/", tar.TypeDir, 0o555, 0)); err != nil {
					return unenforceable(err)
				}
			}
		}
		if err := a.add(w, p, c.Bytes); err != nil {
			return unenforceable(err)
		}
	}
	if err := w.Close(); err != nil {
		return unenforceable(err)
	}
	return nil
}

func sortedKeys(m map[string]int64) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (a *archive) add(w *tar.Writer, path string, content []byte) error {
	if err := w.WriteHeader(entry(path, tar.TypeReg, 0o444, int64(len(content)))); err != nil {
		return err
	}
	a.places[path] = extent{a.file.Size(), int64(len(content))}
	_, err := w.Write(content)
	return err
}

func entry(name string, kind byte, mode, size int64) *tar.Header {
	return &tar.Header{Typeflag: kind, Name: name, Mode: mode, Size: size, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
}

// Read implements Source from the sealed bytes.
func (a *archive) Read(path string, size int64) (Content, error) {
	if a.moved[path] {
		return Content{}, ErrMoved
	}
	at, ok := a.places[path]
	if !ok {
		return Content{}, fs.ErrNotExist
	}
	n := min(at.size, size+1)
	if int64(cap(a.buffer)) < n {
		a.buffer = make([]byte, n)
	}
	b := a.buffer[:n]
	if _, err := io.ReadFull(io.NewSectionReader(a.file, at.offset, n), b); err != nil {
		return Content{}, err
	}
	sum := sha256.Sum256(b)
	return Content{Bytes: b, Digest: hex.EncodeToString(sum[:])}, nil
}
