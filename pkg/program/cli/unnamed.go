package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/fault"
)

// given is a value that stands on the command line and where.
type given struct{ value, place string }

type givens []given

// standing lists the values of args: a secret that was pasted into the wrong place is
// one of them.
func standing(p *Program, args []string) givens {
	var all givens
	rest := false
	for i, arg := range args {
		place := fmt.Sprintf("argument %d", i+1)
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		flag := !rest && len(arg) > 1 && arg[0] == '-'
		switch {
		case arg == "--" && !rest:
			rest = true
		case flag && hasValue && findFlag(p, name) != nil:
			all = append(all, given{value, "--" + name})
		case !flag:
			if i > 0 && !rest {
				before := strings.TrimLeft(args[i-1], "-")
				if f := findFlag(p, before); f != nil && before != args[i-1] && takesValue(f) {
					place = "--" + before
				}
			}
			all = append(all, given{arg, place})
		}
	}
	return all
}

// Named gives path if something exists there, else where it stands on the command
// line: no message repeats what may be a secret (AMB-96).
func (c *Call) Named(path string) string { return c.givens.named(path) }

func (all givens) named(path string) string {
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	for _, g := range all {
		if g.value == path {
			return g.place
		}
	}
	return path
}

// partOf reports whether path, at which nothing exists, is a value of the command line, or
// one of a directory above or below it.
func (all givens) partOf(path string) bool {
	if _, err := os.Lstat(path); err == nil {
		return false
	}
	path = filepath.Clean(path)
	return slices.ContainsFunc(all, func(g given) bool {
		value := filepath.Clean(g.value)
		return strings.HasPrefix(value, path) || strings.HasPrefix(path, value)
	})
}

// unnamed gives err without a path of the command line at which nothing exists.
func (all givens) unnamed(err error) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	quiet := *e
	quiet.File = all.named(e.File)
	var path *fs.PathError
	var inner *fault.Error
	switch {
	case e.Cause == nil:
	case errors.As(e.Cause, &inner):
		quiet.Cause = all.unnamed(inner)
	case errors.As(e.Cause, &path) && all.partOf(path.Path):
		quiet.Cause = path.Err
	}
	return &quiet
}

// nearest asks whether the flag of p was meant that differs from name in at most a third
// of its letters; "" if there is none.
func nearest(p *Program, name string) string {
	best, distance := "", len(name)
	for _, f := range slices.Concat(p.Flags, commonFlags(), []ucli.Flag{&ucli.BoolFlag{Name: "help"}}) {
		for _, candidate := range f.Names() {
			if d := edits(candidate, name); 3*d <= len(candidate) && d < distance {
				best, distance = candidate, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean --" + best + "?"
}

// edits counts the letters to insert, delete or replace that turn a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
