// Package pattern holds regular expressions that are compiled when they are first used: a
// program that starts builds nothing that its run may not need.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. It is safe for concurrent use.
type Pattern struct {
	text     string
	compiled func() *regexp.Regexp
}

// New gives the pattern of an expression. One that does not compile panics when it is first
// used; the tests use every one.
func New(text string) *Pattern {
	return &Pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// MatchString reports whether s has a match.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// Match reports whether b has a match.
func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

// FindStringSubmatch gives the first match and its groups, or nil.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// String gives the expression.
func (p *Pattern) String() string { return p.text }
