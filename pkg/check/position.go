package check

import "strconv"

// at builds a JSON pointer from a base, an index and member names.
func at(base string, i int, members ...string) string {
	p := base + "/" + strconv.Itoa(i)
	for _, m := range members {
		p += "/" + m
	}
	return p
}

// line is the position of a line of a text file, counted from 1.
func line(i int) string { return "line " + strconv.Itoa(i) }
