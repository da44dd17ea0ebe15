package check

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
)

// Modes are the permission bits that a tree must have.
type Modes uint8

// The modes: the private host tree (LIF-01) and the agent's copy (LIF-02).
const (
	HostModes    Modes = iota // 0700 directories, 0600 files
	SandboxModes              // 0555 directories, 0444 files
	AnyModes                  // for readers of single files, who trust digests alone
)

func (m Modes) bits(k disk.Kind) fs.FileMode {
	switch {
	case m == HostModes && k == disk.Directory:
		return disk.DirMode
	case m == HostModes:
		return disk.FileMode
	case k == disk.Directory:
		return 0o555
	}
	return 0o444
}

// Source gives the bytes of a tree that is being verified.
type Source interface {
	// Read gives a file's bytes and their digest. It reads at most size+1 bytes: a
	// longer result shows that the file is longer. The bytes are valid until the
	// next Read. fs.ErrNotExist means that there is no such file, ErrMoved that it
	// is no longer what was listed, ErrClosed that its mode, which has a finding, keeps
	// the caller out.
	Read(path string, size int64) (Content, error)
}

// Content is a file as read.
type Content struct {
	Bytes  []byte
	Digest string // lowercase hex SHA-256 of Bytes
}

// Errors of a Source.
var (
	ErrMoved  = errors.New("changed while it was read")
	ErrClosed = errors.New("its mode keeps the caller out")
)

// maxDepth is the number of directories above the deepest file of a tree.
const maxDepth = 2

// Disk is a tree on disk, held by its root's handle: whatever is renamed above it,
// reads stay inside. Directories and files are opened one component at a time and no
// link is followed (VER-04).
type Disk struct {
	root    disk.Dir
	modes   Modes
	entries map[string]disk.Info // regular files
	dirs    map[string]bool      // real directories but the root
	list    *finding.List

	// The directory opened last: records of one directory follow each other.
	openPath string
	openDir  disk.Dir
	buffer   []byte
}

// OpenDisk opens a tree's root and lists it. The parent is resolved once, links and
// all, and must belong to the caller or be sticky (AMB-69) where modes are judged: whoever
// takes only bytes of a known digest does not care whose directory they come from. From the
// root down only real directories and regular files with one link and the exact mode are in
// order.
// Everything else becomes a finding in list. The error is for an environment that
// does not let the tree be read.
func OpenDisk(fsys disk.FS, path string, modes Modes, caller uint32, list *finding.List) (*Disk, error) {
	d := &Disk{modes: modes, entries: map[string]disk.Info{}, dirs: map[string]bool{}, list: list}
	parentPath, name := filepath.Split(filepath.Clean(path))
	if name == "" || name == "." || name == ".." {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, environment(path, err)
		}
		parentPath, name = filepath.Split(absolute)
	}
	parent, err := fsys.Dir(cmp.Or(parentPath, "."))
	if err != nil {
		return nil, environment(path, err)
	}
	defer parent.Close()
	info, err := parent.Info()
	if err != nil {
		return nil, environment(path, err)
	}
	if !trustedParent(info, modes, caller) {
		d.add(RuleParent, "", "")
	}
	info, err = parent.Stat(name)
	if err != nil {
		return nil, environment(path, err)
	}
	if info.Kind != disk.Directory {
		d.add(RuleRoot, "", "")
		return d, nil
	}
	if d.root, err = parent.Dir(name); err != nil {
		if isLoop(err) {
			d.add(RuleRoot, "", "")
			return d, nil
		}
		return nil, environment(path, err)
	}
	if err := d.walk(d.root, ""); err != nil {
		_ = d.root.Close()
		return nil, environment(path, err)
	}
	return d, nil
}

// trustedParent reports whether nobody but the caller, or for the agent's copy root,
// can put another directory in the root's place.
func trustedParent(parent disk.Info, modes Modes, caller uint32) bool {
	if modes == AnyModes || parent.UID == caller || parent.Mode&fs.ModeSticky != 0 {
		return true
	}
	return modes != HostModes && parent.UID == 0 && parent.Mode&0o022 == 0
}

// Usable reports whether the root is a directory that can be judged at all.
func (d *Disk) Usable() bool { return d.root != nil }

// Close releases the handles.
func (d *Disk) Close() {
	if d.openDir != nil {
		_ = d.openDir.Close()
		d.openDir = nil
	}
	if d.root != nil {
		_ = d.root.Close()
		d.root = nil
	}
}

func (d *Disk) add(rule Rule, path, position string) { d.list.Add(rule.at(path, position)) }

// walk judges dir and everything below it.
func (d *Disk) walk(dir disk.Dir, path string) error {
	info, err := dir.Info()
	if err != nil {
		return err
	}
	d.judgeMode(info, path)
	names, err := dir.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		below := name
		if path != "" {
			below = path + "/" + name
		}
		info, err := dir.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			d.add(RuleMoved, below, "")
			continue
		case err != nil:
			return err
		}
		switch info.Kind {
		case disk.Symlink:
			d.add(RuleSymlink, below, "")
		case disk.Special:
			d.add(RuleSpecial, below, "")
		case disk.Regular:
			d.judgeMode(info, below)
			if info.Links != 1 {
				d.add(RuleHardLink, below, "")
			}
			d.entries[below] = info
		case disk.Directory:
			if err := d.descend(dir, name, below, info); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Disk) descend(dir disk.Dir, name, below string, info disk.Info) error {
	if strings.Count(below, "/") >= maxDepth {
		d.add(RuleExtraDirectory, below, "")
		return nil
	}
	sub, err := dir.Dir(name)
	switch {
	case isLoop(err) || errors.Is(err, fs.ErrNotExist):
		d.add(RuleMoved, below, "")
		return nil
	case errors.Is(err, fs.ErrPermission) && !d.inOrder(info):
		d.judgeMode(info, below)
		return nil
	case err != nil:
		return err
	}
	defer sub.Close()
	d.dirs[below] = true
	return d.walk(sub, below)
}

func (d *Disk) inOrder(info disk.Info) bool {
	return d.modes == AnyModes || info.Mode == d.modes.bits(info.Kind)
}

func (d *Disk) judgeMode(info disk.Info, path string) {
	if !d.inOrder(info) {
		f := RuleMode.at(path, "")
		f.Detail += fmt.Sprintf(": %04o, not %04o", unixMode(info.Mode), unixMode(d.modes.bits(info.Kind)))
		d.list.Add(f)
	}
}

func unixMode(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	for _, special := range [...]struct {
		mode fs.FileMode
		bit  uint32
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if m&special.mode != 0 {
			bits |= special.bit
		}
	}
	return bits
}

// Files lists the regular files below the root, in no order.
func (d *Disk) Files() []string {
	paths := make([]string, 0, len(d.entries))
	for p := range d.entries {
		paths = append(paths, p)
	}
	return paths
}

// Directories lists the real directories below the root.
func (d *Disk) Directories() []string {
	paths := make([]string, 0, len(d.dirs))
	for p := range d.dirs {
		paths = append(paths, p)
	}
	return paths
}

// Read implements Source.
func (d *Disk) Read(path string, size int64) (Content, error) {
	listed, ok := d.entries[path]
	if !ok {
		return Content{}, fs.ErrNotExist
	}
	dir, name, err := d.directory(path)
	if err != nil {
		return Content{}, moved(err)
	}
	f, err := dir.Open(name)
	switch {
	case errors.Is(err, fs.ErrPermission) && !d.inOrder(listed):
		return Content{}, ErrClosed
	case err != nil:
		return Content{}, moved(err)
	}
	defer f.Close()
	info, err := f.Info()
	if err != nil {
		return Content{}, err
	}
	// As it was listed: the same file with the same links, mode and owner.
	if listed.Size = info.Size; info != listed {
		return Content{}, ErrMoved
	}
	if err := d.fill(f, size+1); err != nil {
		return Content{}, err
	}
	sum := sha256.Sum256(d.buffer)
	return Content{Bytes: d.buffer, Digest: hex.EncodeToString(sum[:])}, nil
}

// fill reads at most limit bytes into the buffer. It grows with what is there, not
// with what was declared.
func (d *Disk) fill(r io.Reader, limit int64) error {
	d.buffer = d.buffer[:0]
	for int64(len(d.buffer)) < limit {
		if len(d.buffer) == cap(d.buffer) {
			d.buffer = append(d.buffer, make([]byte, max(32<<10, cap(d.buffer)))...)[:len(d.buffer)]
		}
		room := d.buffer[len(d.buffer):cap(d.buffer)]
		if int64(len(room)) > limit-int64(len(d.buffer)) {
			room = room[:limit-int64(len(d.buffer))]
		}
		n, err := r.Read(room)
		d.buffer = d.buffer[:len(d.buffer)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// directory opens the directory of a file, one component at a time.
func (d *Disk) directory(path string) (disk.Dir, string, error) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return d.root, path, nil
	}
	if d.openDir != nil && d.openPath == path[:i] {
		return d.openDir, path[i+1:], nil
	}
	if d.openDir != nil {
		_ = d.openDir.Close()
		d.openDir = nil
	}
	at := d.root
	for n, component := range strings.Split(path[:i], "/") {
		next, err := at.Dir(component)
		if n > 0 {
			_ = at.Close()
		}
		if err != nil {
			return nil, "", err
		}
		at = next
	}
	d.openDir, d.openPath = at, path[:i]
	return at, path[i+1:], nil
}

// moved tells a component that became a link or went away from a disk that fails.
func moved(err error) error {
	if isLoop(err) || errors.Is(err, fs.ErrNotExist) {
		return ErrMoved
	}
	return err
}

// isLoop reports whether an open met something that is not the kind it wanted: a
// link, or a file in a directory's place.
func isLoop(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EMLINK)
}

func environment(path string, err error) error {
	return &fault.Error{Exit: fault.Environment, File: path, Detail: "the tree cannot be read", Cause: err}
}

// wantedDirectories gives every directory that the named files need.
func wantedDirectories(paths []string) map[string]bool {
	dirs := map[string]bool{}
	for _, p := range paths {
		for _, dir := range tree.Directories(p) {
			dirs[dir] = true
		}
	}
	return dirs
}
