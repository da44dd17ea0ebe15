package check

import (
	"errors"
	"io/fs"
	"strconv"

	"snapline/pkg/contract/tree"
)

// rebuild compares the tree with what a stream gives, file by file. Each file that
// differs is named with its first differing byte, so the first finding is the first
// difference in path order.
func (v *verifier) rebuild(build Rebuild) error {
	given := map[string]bool{}
	err := build(v.ctx, func(path string, content []byte) error {
		given[path] = true
		if path != tree.IndexPath && v.files[path] == nil {
			v.add(RuleRebuildOnly, path, "")
			return nil
		}
		c, err := v.source.Read(path, int64(len(content)))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrMoved), errors.Is(err, ErrClosed):
			return nil // has its own finding
		case err != nil:
			return environment(path, err)
		}
		if n := difference(c.Bytes, content); n >= 0 {
			v.add(RuleRebuild, path, "byte "+strconv.Itoa(n))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for path := range v.files {
		if !given[path] {
			v.add(RuleRebuildNone, path, "")
		}
	}
	return nil
}

// difference is the offset of the first byte in which a and b differ, -1 if none.
func difference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}
