package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// OS is the file system of the process.
type OS struct{}

// Dir implements FS.
func (OS) Dir(path string) (Dir, error) {
	fd, err := open(unix.AT_FDCWD, path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	return &osDir{fd}, nil
}

type osDir struct{ fd int }

func (d *osDir) Info() (Info, error) { return fstat(d.fd) }

func (d *osDir) Stat(name string) (Info, error) {
	if err := checkName("stat", name); err != nil {
		return Info{}, err
	}
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return Info{}, pathError("stat", name, err)
	}
	return newInfo(&st), nil
}

func (d *osDir) Names() ([]string, error) {
	// A second handle, so that reading twice starts at the beginning.
	fd, err := open(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, pathError("list", ".", err)
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

func (d *osDir) Dir(name string) (Dir, error) {
	if err := checkName("open", name); err != nil {
		return nil, err
	}
	fd, err := open(d.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &osDir{fd}, nil
}

func (d *osDir) Open(name string) (File, error) {
	if err := checkName("open", name); err != nil {
		return nil, err
	}
	fd, err := open(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &osFile{fd, name}, nil
}

func (d *osDir) Mkdir(name string) (Dir, error) {
	if err := checkName("mkdir", name); err != nil {
		return nil, err
	}
	if err := retry(func() error { return unix.Mkdirat(d.fd, name, uint32(DirMode)) }); err != nil {
		return nil, pathError("mkdir", name, err)
	}
	sub, err := d.openMade(name)
	if err != nil {
		_ = unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR)
		return nil, err
	}
	return sub, nil
}

// openMade opens a directory that was just made. The umask may have taken bits away
// and a setgid parent may have added one; the mode is set on the handle.
func (d *osDir) openMade(name string) (Dir, error) {
	sub, err := d.Dir(name)
	if errors.Is(err, fs.ErrPermission) {
		if err = retry(func() error { return unix.Fchmodat(d.fd, name, uint32(DirMode), 0) }); err != nil {
			return nil, pathError("chmod", name, err)
		}
		sub, err = d.Dir(name)
	}
	if err != nil {
		return nil, err
	}
	fd := sub.(*osDir).fd
	if err := retry(func() error { return unix.Fchmod(fd, uint32(DirMode)) }); err != nil {
		_ = sub.Close()
		return nil, pathError("chmod", name, err)
	}
	return sub, nil
}

func (d *osDir) Create(name string) (File, error) {
	if err := checkName("create", name); err != nil {
		return nil, err
	}
	fd, err := open(d.fd, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, uint32(FileMode))
	if err != nil {
		return nil, pathError("create", name, err)
	}
	if err := retry(func() error { return unix.Fchmod(fd, uint32(FileMode)) }); err != nil {
		_ = unix.Close(fd)
		_ = unix.Unlinkat(d.fd, name, 0)
		return nil, pathError("chmod", name, err)
	}
	return &osFile{fd, name}, nil
}

func (d *osDir) Rename(old string, to Dir, name string) error {
	if err := checkName("rename", old); err != nil {
		return err
	}
	if err := checkName("rename", name); err != nil {
		return err
	}
	target, ok := to.(*osDir)
	if !ok {
		return &fs.PathError{Op: "rename", Path: name, Err: ErrNotPrivate}
	}
	err := retry(func() error { return renameNoReplace(d.fd, old, target.fd, name) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		err = ErrNoReplace
	}
	return pathError("rename", name, err)
}

func (d *osDir) Remove(name string) error {
	if err := checkName("remove", name); err != nil {
		return err
	}
	return pathError("remove", name, retry(func() error { return unix.Unlinkat(d.fd, name, 0) }))
}

func (d *osDir) RemoveDir(name string) error {
	if err := checkName("remove", name); err != nil {
		return err
	}
	return pathError("remove", name, retry(func() error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) }))
}

func (d *osDir) Sync() error {
	return pathError("sync", ".", retry(func() error { return syncAll(d.fd) }))
}

func (d *osDir) Close() error { return pathError("close", ".", unix.Close(d.fd)) }

type osFile struct {
	fd   int
	name string
}

func (f *osFile) Read(p []byte) (int, error) {
	var n int
	err := retry(func() (err error) { n, err = unix.Read(f.fd, p); return err })
	switch {
	case err != nil:
		return 0, pathError("read", f.name, err)
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f *osFile) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		var n int
		err := retry(func() (err error) { n, err = unix.Write(f.fd, p[written:]); return err })
		if err != nil {
			return written, pathError("write", f.name, err)
		}
		written += n
	}
	return written, nil
}

func (f *osFile) Info() (Info, error) { return fstat(f.fd) }

func (f *osFile) Lock() (bool, error) {
	err := retry(func() error { return unix.Flock(f.fd, unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, pathError("lock", f.name, err)
}

func (f *osFile) Close() error { return pathError("close", f.name, unix.Close(f.fd)) }

func open(dir int, path string, flags int, mode uint32) (fd int, err error) {
	err = retry(func() error {
		fd, err = unix.Openat(dir, path, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

func fstat(fd int) (Info, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return Info{}, pathError("stat", ".", err)
	}
	return newInfo(&st), nil
}

func newInfo(st *unix.Stat_t) Info {
	mode := uint32(st.Mode)
	info := Info{
		Mode:  fs.FileMode(mode & 0o777),
		Size:  st.Size,
		Links: uint64(st.Nlink),
		UID:   st.Uid,
		Dev:   uint64(st.Dev),
		Inode: st.Ino,
	}
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		info.Kind = Regular
	case unix.S_IFDIR:
		info.Kind = Directory
	case unix.S_IFLNK:
		info.Kind = Symlink
	}
	for _, b := range specialBits {
		if mode&b.bit != 0 {
			info.Mode |= b.mode
		}
	}
	return info
}

var specialBits = [...]struct {
	bit  uint32
	mode fs.FileMode
}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}}

// retry repeats a call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
