package check

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"snapline/pkg/disk"
	"snapline/pkg/finding"
)

// Replayed holds the files at path against those that a replay gives and judges nothing
// else: each file that differs by its first byte, those that are missing and those that are
// too many. It works for every family.
func Replayed(ctx context.Context, path string, modes Modes, build Rebuild) ([]finding.Finding, error) {
	list := &finding.List{}
	d, err := OpenDisk(disk.OS{}, path, modes, uint32(os.Geteuid()), list)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if !d.Usable() {
		return list.Sorted(), nil
	}
	surplus := map[string]bool{}
	for _, p := range d.Files() {
		surplus[p] = true
	}
	add := func(r Rule, path, position string) { list.Add(r.at(path, position)) }
	err = build(ctx, func(path string, content []byte) error {
		delete(surplus, path)
		c, err := d.Read(path, int64(len(content)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			add(RuleMissingFile, path, "")
		case errors.Is(err, ErrMoved):
			add(RuleMoved, path, "")
		case errors.Is(err, ErrClosed): // its mode has a finding
		case err != nil:
			return environment(path, err)
		default:
			if n := difference(c.Bytes, content); n >= 0 {
				add(RuleRebuild, path, "byte "+strconv.Itoa(n))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for path := range surplus {
		add(RuleUnlistedFile, path, "")
	}
	return list.Sorted(), nil
}
