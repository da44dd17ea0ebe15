package check

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"snapline/pkg/disk"
	"snapline/pkg/disk/seal"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
)

// maxTar bounds the tar of a tree, in bytes: an index, and as many records and logs as a
// tree can list.
const maxTar = 8 << 30

// Unpack makes the agent's copy of a tree at dir, which must not exist: directories 0555,
// files 0444 (LIF-02, AMB-99). The bytes are those of a sealed copy that was verified
// before anything is written. A report with findings means that nothing was.
func Unpack(dir string, sealed *Sealed) error {
	if len(sealed.Report.Findings) > 0 {
		return nil
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return &fault.Error{Exit: fault.Usage, File: dir, Rule: "unpack.exists", Detail: "the directory cannot be made; it must not exist", Cause: err}
	}
	if err := extract(dir, sealed); err != nil {
		return errors.Join(&fault.Error{Exit: fault.Environment, File: dir, Rule: "unpack.write", Detail: "the copy cannot be written", Cause: err}, discard(dir))
	}
	return nil
}

// extract writes the files of a verified tar and closes the directories behind them.
func extract(dir string, sealed *Sealed) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var made []string
	archive := tar.NewReader(io.NewSectionReader(sealed, 0, sealed.Size()))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(header.Name, "./"), "/")
		switch {
		case name == "":
		case header.Typeflag == tar.TypeDir:
			made = append(made, name)
			err = root.Mkdir(name, 0o700)
		default:
			err = writeFile(root, name, archive)
		}
		if err != nil {
			return err
		}
	}
	slices.Reverse(made)
	for _, name := range append(made, ".") {
		if err := root.Chmod(name, 0o555); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(root *os.Root, name string, content io.Reader) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Chmod(0o444), file.Close())
}

// discard removes a copy that was not finished.
func discard(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	}) // what cannot be opened is told by the removal
	return os.RemoveAll(dir)
}

// SealTar reads the tar of a tree, as Seal makes it, into sealed memory and verifies the
// tree in it. The caller closes it.
func SealTar(ctx context.Context, in io.Reader, o Options) (sealed *Sealed, err error) {
	file, err := seal.New("snapline-context")
	if err != nil {
		return nil, unenforceable(err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	n, err := io.Copy(file, io.LimitReader(in, maxTar+1))
	if err != nil {
		return nil, &fault.Error{Exit: fault.Environment, File: "stdin", Rule: "unpack.read", Detail: "the archive cannot be read", Cause: err}
	}
	if n > maxTar {
		return nil, foreignTar("it is too long")
	}
	s := &Sealed{File: file, Report: &Report{}}
	if s.Digest, err = file.Seal(); err != nil {
		return nil, unsealed(err)
	}
	source := &archive{file: file, places: map[string]extent{}}
	list := &finding.List{}
	d := &Disk{entries: map[string]disk.Info{}, dirs: map[string]bool{}, list: list, modes: AnyModes}
	if err := source.list(d); err != nil {
		return nil, err
	}
	if err := judge(ctx, d, source, o, list, s.Report); err != nil {
		return nil, err
	}
	s.Report.Findings = list.Sorted()
	return s, nil
}

// list finds the files and directories of a tar and tells d of them. Only what Seal writes
// is taken: regular files and directories, each once, below the root.
func (a *archive) list(d *Disk) error {
	section := io.NewSectionReader(a.file, 0, a.file.Size())
	archive := tar.NewReader(section)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return foreignTar("it is broken")
		}
		name := strings.TrimSuffix(strings.TrimPrefix(header.Name, "./"), "/")
		_, file := d.entries[name]
		switch {
		case name == "" && header.Typeflag == tar.TypeDir:
		case !fs.ValidPath(name) || file || d.dirs[name]:
			return foreignTar("a name is not one of a tree, or is there twice")
		case header.Typeflag == tar.TypeDir:
			d.dirs[name] = true
		case header.Typeflag == tar.TypeReg:
			at, err := section.Seek(0, io.SeekCurrent)
			if err != nil {
				return err
			}
			a.places[name] = extent{at, header.Size}
			d.entries[name] = disk.Info{Kind: disk.Regular, Links: 1}
		default:
			return foreignTar("it holds something that is no file")
		}
	}
}

// foreignTar is the error of an archive that Seal did not make.
func foreignTar(detail string) error {
	return &fault.Error{Exit: fault.Input, File: "stdin", Rule: "unpack.archive", Detail: "this is no archive of a tree: " + detail, Hint: "verify seal DIR --index-sha256 DIGEST -- COMMAND hands one to COMMAND"}
}
