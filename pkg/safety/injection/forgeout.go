package injection

import (
	"bytes"
	"slices"
)

// What is written to a forge is read by everybody: its programs are ways out.

// forgeCommands are the commands that write, by their words, with the options of which
// one must be there if any are named.
var forgeCommands = []struct {
	program string
	subject []string
	verb    []string
	options []string
}{
	{"gh", []string{"issue", "pr", "discussion"}, []string{"comment", "create", "edit", "review", "close", "reopen", "merge"}, nil},
	{"gh", []string{"gist"}, []string{"create", "edit"}, nil},
	{"gh", []string{"release"}, []string{"create", "edit", "upload"}, nil},
	{"gh", []string{"variable"}, []string{"set"}, nil},
	{"gh", []string{"repo"}, []string{"edit", "create"}, []string{"-d", "--description"}},
	{"gh", []string{"secret"}, []string{"set"}, []string{"-R", "--repo", "-o", "--org"}},
	{"gh", []string{"api"}, nil, []string{"-f", "-F", "--field", "--raw-field", "--input"}},
	{"glab", []string{"mr", "issue", "incident"}, []string{"note", "create", "update", "comment", "close"}, nil},
	{"glab", []string{"snippet", "release"}, []string{"create", "upload"}, nil},
	{"glab", []string{"variable"}, []string{"set", "update"}, []string{"-R", "--repo", "-g", "--group"}},
	{"glab", []string{"api"}, nil, []string{"-f", "-F", "--field", "--raw-field", "--input"}},
	{"tea", []string{"comment", "c"}, nil, nil},
	{"tea", []string{"issue", "issues", "i", "pr", "pull", "pulls", "release", "releases"}, []string{"create", "edit", "c", "comment", "review"}, nil},
	{"hub", []string{"issue", "pr", "gist", "release"}, []string{"create", "update", "comment", "edit"}, nil},
	{"hub", []string{"pull-request"}, nil, nil},
	{"hub", []string{"api"}, nil, []string{"-f", "-F", "--field", "--raw-field", "--input"}},
	{"git", []string{"commit", "tag", "notes"}, nil, nil},
}

// posts reports whether the command of a forge's program at writes something that others
// read. Words of the command stand in front of its options, or behind a few.
func posts(text []byte, at span) bool {
	var spaceOfWords [3][]byte // so that nothing is allocated for a word that is no forge's
	var spaceOfOptions [maxWords][]byte
	words, options := commandWords(text, at, spaceOfWords[:0], spaceOfOptions[:0])
	if len(words) < 2 {
		return false
	}
	for _, c := range forgeCommands {
		if string(words[0]) != c.program || !slices.Contains(c.subject, string(words[1])) {
			continue
		}
		if c.verb != nil && (len(words) < 3 || !slices.Contains(c.verb, string(words[2]))) {
			continue
		}
		if c.options == nil || slices.ContainsFunc(options, func(o []byte) bool { return hasOption(o, c.options) }) {
			return true
		}
	}
	return false
}

// maxWords bounds the arguments of a command that are told apart.
const maxWords = 64

// commandWords gives the first words of a command that are no options and no values of
// options, and its options. A value of an option that is no literal, as in -R "$REPO",
// makes the option none. They go behind words and options, which are empty.
func commandWords(text []byte, at span, words, options [][]byte) ([][]byte, [][]byte) {
	rest := text[at.start:min(at.end, at.start+maxPart)]
	for range maxWords {
		rest = bytes.TrimLeft(rest, " \t\n\\")
		n := bytes.IndexAny(rest, " \t\n")
		if n < 0 {
			n = len(rest)
		}
		if n == 0 {
			break
		}
		word := rest[:n]
		rest = rest[n:]
		switch {
		case word[0] == '-':
			value := bytes.TrimLeft(rest, " \t\n\\\"'")
			if k := bytes.IndexByte(word, '='); k > 0 {
				value = bytes.TrimLeft(word[k+1:], "\"'")
			}
			if len(value) == 0 || value[0] != '$' || len(word) == 2 && word[1]|0x20 == 'f' {
				options = append(options, word)
			}
		case len(words) < 3 && len(options) == 0:
			words = append(words, word)
		}
	}
	return words, options
}

// hasOption reports whether a word is one of the options, or one with its value.
func hasOption(word []byte, options []string) bool {
	name, _, _ := bytes.Cut(word, []byte("="))
	return slices.Contains(options, string(name))
}

// handedOver reports whether the file at is what a program is handed: an argument of its own
// that begins at start, or what a command in an argument reads. A message that names a
// file hands nothing on.
func handedOver(text []byte, start int, at span) bool {
	before := bytes.TrimRight(text[min(start, at.start):at.start], "\"'@")
	if len(before) == 0 || before[len(before)-1] == '=' {
		end := at.end
		for end < len(text) && quoteByte(text[end]) {
			end++
		}
		return end == len(text) || isSpace(text[end]) || bytes.IndexByte([]byte(";&|)"), text[end]) >= 0
	}
	before = bytes.TrimRight(before, " ")
	if bytes.HasSuffix(before, []byte("<")) {
		return true
	}
	for i := len(before); ; i-- {
		if i == 0 || !wordByte[before[i-1]] {
			return isReader(before[i:]) && i > 0 && (before[i-1] == '(' || before[i-1] == '`')
		}
	}
}
