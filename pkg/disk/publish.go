package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"snapline/pkg/fault"
)

// Publication is a tree that is built in a private place and appears at its path by
// one rename, or not at all. Call Discard in every case; it removes what is private
// and never what is published.
type Publication struct {
	out       string // as given
	name      string // last component of out
	parent    Dir
	run       *runDir
	root      Dir            // of the tree
	dirs      map[string]Dir // open directories of the tree by path; see directory
	last      string         // the one second-level directory that is open
	built     bool           // the private tree exists under BuildName
	published bool
}

// Begin checks that a tree may appear at out and makes its private place. It refuses
// (exit Usage) a path that exists, that lies in a Git work tree, at which nothing can be
// made, whose parent is missing or is neither the caller's nor sticky (AMB-69). If the parent is a run
// directory the tree is built in it; otherwise in a run directory of its own beside
// out.
func Begin(fsys FS, out string) (p *Publication, err error) {
	name := filepath.Base(out)
	if out == "" || checkName("create", name) != nil || strings.HasSuffix(out, "/.") || strings.HasSuffix(out, "/..") {
		return nil, refuse(out, "out.name", "the path must end in the name of the directory to create", "")
	}
	if err := refuseWorkTree(out); err != nil {
		return nil, err
	}
	parent, err := fsys.Dir(filepath.Dir(filepath.Clean(out)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(out, "out.parent", "the directory above does not exist", "make it first, with mode 0700")
	}
	if err != nil {
		return nil, unusable(out, "the directory above cannot be opened", err)
	}
	p = &Publication{out: out, name: name, parent: parent, dirs: map[string]Dir{}}
	if err := p.begin(); err != nil {
		return nil, errors.Join(err, p.Discard())
	}
	return p, nil
}

func refuseWorkTree(out string) error {
	workTree, err := GitWorkTree(out)
	if err != nil {
		return unusable(out, "it cannot be told whether the path lies in a Git work tree", err)
	}
	if workTree == "" {
		return nil
	}
	return refuse(out, "out.git-work-tree", "the path lies inside the Git work tree "+fault.Printable(workTree, 256)+
		", where a collector of artifacts would find the tree", `use: emit --out "$(mktemp -d)/context"`)
}

func (p *Publication) begin() error {
	info, err := p.parent.Info()
	if err != nil {
		return trouble(p.out, "the directory above cannot be read", err)
	}
	if info.UID != userID() && info.Mode&fs.ModeSticky == 0 {
		return refuse(p.out, "out.parent", "the directory above belongs to someone else and is not sticky", `use: emit --out "$(mktemp -d)/context"`)
	}
	if _, err := p.parent.Stat(p.name); err == nil {
		return refuse(p.out, "out.exists", "the path exists; --out must not exist", "name a path that does not exist")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return unusable(p.out, "it cannot be told whether the path exists", err)
	}
	if p.run, err = p.openRunDir(); err != nil {
		return trouble(p.out, "the run directory cannot be made", err)
	}
	p.root, err = p.run.dir.Mkdir(BuildName)
	if errors.Is(err, fs.ErrExist) {
		return refuse(p.out, "out.in-use", "another emit works in this run directory or was killed in it", "one run directory a snapshot: make a new one")
	}
	if err != nil {
		return trouble(p.out, "the private directory cannot be made", err)
	}
	p.built = true
	return nil
}

// openRunDir gives the parent if it is a run directory, else one that is made in it.
// The lock of a harness that holds none is taken.
func (p *Publication) openRunDir() (*runDir, error) {
	lock, is, err := asRunDir(p.parent)
	switch {
	case err != nil:
		return nil, err
	case !is:
		return makeRunDir(p.parent)
	}
	if got, err := lock.Lock(); err != nil || !got {
		return &runDir{dir: p.parent}, errors.Join(err, lock.Close())
	}
	return &runDir{dir: p.parent, lock: lock}, nil
}

// WriteFile creates a file of the tree, with the directories above it, mode FileMode
// and DirMode. path is relative to the tree and slash-separated.
func (p *Publication) WriteFile(path string, data []byte) error {
	dir, name := p.root, path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		var err error
		if dir, err = p.directory(path[:i]); err != nil {
			return trouble(p.out, "a directory of the tree cannot be made", err)
		}
		name = path[i+1:]
	}
	f, err := dir.Create(name)
	if err != nil {
		return trouble(p.out, "a file of the tree cannot be made", err)
	}
	if err := errors.Join(writeAll(f, data), f.Close()); err != nil {
		return trouble(p.out, "a file of the tree cannot be written", err)
	}
	return nil
}

// directory gives the open directory at path, making it if need be. First-level
// directories stay open; of the deeper ones, which may be many, only the last.
func (p *Publication) directory(path string) (Dir, error) {
	if dir := p.dirs[path]; dir != nil {
		return dir, nil
	}
	parent, name := p.root, path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		var err error
		if parent, err = p.directory(path[:i]); err != nil {
			return nil, err
		}
		name = path[i+1:]
		if last := p.dirs[p.last]; last != nil && !strings.HasPrefix(path, p.last+"/") {
			delete(p.dirs, p.last)
			if err := last.Close(); err != nil {
				return nil, err
			}
		}
		p.last = path
	}
	dir, err := parent.Mkdir(name)
	if errors.Is(err, fs.ErrExist) {
		dir, err = parent.Dir(name)
	}
	if err != nil {
		return nil, err
	}
	p.dirs[path] = dir
	return dir, nil
}

// Publish makes the tree appear at its path, whole, if nothing has appeared there
// since Begin. If durable, the content is flushed to the disk first.
func (p *Publication) Publish(durable bool) error {
	if durable {
		if err := p.root.Sync(); err != nil {
			return trouble(p.out, "the tree cannot be flushed to the disk", err)
		}
	}
	err := p.run.dir.Rename(BuildName, p.parent, p.name)
	switch {
	case err == nil:
		p.built, p.published = false, true
		return nil
	case errors.Is(err, fs.ErrExist):
		return &fault.Error{Exit: fault.Environment, File: p.out, Rule: "out.exists", Detail: "something has appeared at the path meanwhile; it is left alone"}
	case errors.Is(err, ErrNoReplace):
		return &fault.Error{
			Exit: fault.Environment, File: p.out, Rule: "out.no-replace", Detail: "the file system cannot rename without replacing",
			Hint: "put --out on a local file system",
		}
	}
	// A rename may have happened although it failed, on a network for example.
	return errors.Join(trouble(p.out, "the tree cannot be renamed to the path", err), p.takeBack())
}

// Withdraw takes a published tree back: nobody can trust it if its receipt could not
// be delivered. Discard removes it then.
func (p *Publication) Withdraw() error {
	if !p.published {
		return nil
	}
	if err := p.takeBack(); err != nil {
		return trouble(p.out, "the published tree cannot be taken back; remove it", err)
	}
	return nil
}

// takeBack moves what is at the path back to its private name if it is this tree.
func (p *Publication) takeBack() error {
	mine, err := p.root.Info()
	if err != nil {
		return err
	}
	now, err := p.parent.Stat(p.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !now.Same(mine) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.parent.Rename(p.name, p.run.dir, BuildName); err != nil {
		return err
	}
	p.built, p.published = true, false
	return nil
}

// Discard removes everything that is not published and closes all handles. An error
// names what may be left: something private, never at the path. Calling it again does
// nothing.
func (p *Publication) Discard() error {
	var errs []error
	for _, dir := range p.dirs {
		errs = append(errs, dir.Close())
	}
	p.dirs = nil
	if p.root != nil {
		errs = append(errs, p.root.Close())
		p.root = nil
	}
	if p.built {
		errs = append(errs, removeTree(p.run.dir, BuildName, maxDepth))
		p.built = false
	}
	if p.run != nil {
		errs = append(errs, p.run.close(p.parent))
		p.run = nil
	}
	if p.parent != nil {
		errs = append(errs, p.parent.Close())
		p.parent = nil
	}
	if err := errors.Join(errs...); err != nil {
		return trouble(p.out, "the private directory cannot be removed wholly; 'emit scavenge' will", err)
	}
	return nil
}

func refuse(out, rule, detail, hint string) error {
	return &fault.Error{Exit: fault.Usage, File: out, Rule: rule, Detail: detail, Hint: hint}
}

// unusable refuses a path at which nothing can be made; any other err is trouble.
func unusable(out, detail string, err error) error {
	if errno, no := NoPlace(err); no {
		return &fault.Error{Exit: fault.Usage, File: out, Rule: "out.path", Detail: "no directory can be made at this path", Cause: errno, Hint: "name another path"}
	}
	return trouble(out, detail, err)
}

func trouble(out, detail string, err error) error {
	return &fault.Error{Exit: fault.Environment, File: out, Rule: "out.write", Detail: detail, Cause: err}
}
