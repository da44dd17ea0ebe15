package disk

import "golang.org/x/sys/unix"

func renameNoReplace(fromDir int, from string, toDir int, to string) error {
	return unix.RenameatxNp(fromDir, from, toDir, to, unix.RENAME_EXCL)
}

// syncAll flushes every file system: Darwin has no call for a single one.
func syncAll(int) error { return unix.Sync() }
