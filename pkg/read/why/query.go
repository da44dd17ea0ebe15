package why

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"snapline/pkg/contract/pattern"
)

// query is what somebody asks for.
type query struct {
	id     string   // node id, thread id or other exact identifier, or a key
	number string   // database id or number, decimal
	kinds  []string // that the form of an address allows; nil: any
	form   int      // of the fragment, an index of fragments from 1; 0: none
	url    string   // the whole address
	entity bool     // an address without a fragment may mean the entity
}

// fragments are the anchors that forges give to objects, and what they mark.
var fragments = []struct {
	form  *pattern.Pattern
	kinds []string
}{
	{pattern.New(`^issuecomment-([0-9]+)$`), []string{"comment", "review"}},
	{pattern.New(`^r([0-9]+)$`), []string{"comment"}},
	{pattern.New(`^pullrequestreview-([0-9]+)$`), []string{"review"}},
	{pattern.New(`^note_([0-9]+)$`), []string{"comment"}},
	{pattern.New(`^issue-([0-9]+)$`), []string{"entity"}},
}

// jobs are the ends of the addresses of checks.
var jobs = pattern.New(`/(?:runs|jobs?|builds)/([0-9]+)$`)

var decimal = pattern.New(`^[1-9][0-9]*$`)

// parse understands identifiers, keys, numbers, fragments and addresses.
func parse(text string) query {
	text = strings.TrimSpace(text)
	address, fragment, _ := strings.Cut(text, "#")
	if !strings.Contains(text, "#") && fragmentOf(text) != nil {
		address, fragment = "", text
	}
	q := query{}
	if f := fragmentOf(fragment); f != nil {
		q = *f
	}
	u, err := url.Parse(address)
	switch {
	case address == "" && fragment != "":
	case err == nil && u.Scheme == "https" && u.Host != "":
		u.RawQuery, u.User = "", nil
		q.url = strings.TrimSuffix(u.String(), "/")
		if fragment != "" {
			q.url += "#" + fragment
		}
		if m := jobs.FindStringSubmatch(strings.TrimSuffix(u.Path, "/")); m != nil && q.number == "" {
			q.number, q.kinds = m[1], []string{"check", "log of check"}
		}
		q.entity = fragment == ""
	case decimal.MatchString(text):
		q.id, q.number = text, text
	default:
		q.id = text
	}
	return q
}

func fragmentOf(fragment string) *query {
	fragment = strings.TrimPrefix(fragment, "discussion_")
	for i, f := range fragments {
		if m := f.form.FindStringSubmatch(fragment); m != nil {
			return &query{number: m[1], kinds: f.kinds, form: i + 1}
		}
	}
	return nil
}

// means reports whether the query means an object.
func (q query) means(s *seen) bool {
	switch {
	case q.id != "" && (s.id == q.id || s.key == q.id || s.name == q.id):
		return true
	case q.url != "" && s.url == q.url:
		return true
	case q.number == "" || q.kinds != nil && !slices.Contains(q.kinds, s.kind):
		return false
	}
	if _, fragment, _ := strings.Cut(s.url, "#"); q.form != 0 {
		if own := fragmentOf(fragment); own != nil {
			return own.form == q.form && own.number == q.number
		}
	} else if own := fragmentOf(fragment); own != nil && own.number == q.number {
		return true
	}
	if m := jobs.FindStringSubmatch(s.url); m != nil && m[1] == q.number {
		return true
	}
	return s.id == q.number || databaseID(s.id) == q.number
}

// databaseID gives the number inside a GitHub node id, "" if it has none: the new form
// ends in a MessagePack array of numbers, the old one in decimal digits.
func databaseID(id string) string {
	if _, packed, ok := strings.Cut(id, "_"); ok {
		b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(packed, "="))
		if err != nil || len(b) < 2 || b[0]&0xf0 != 0x90 {
			return ""
		}
		return lastNumber(b[1:], int(b[0]&0x0f))
	}
	b, err := base64.StdEncoding.DecodeString(id)
	if err != nil {
		return ""
	}
	digits := strings.TrimLeft(string(b), "0123456789")
	if !strings.HasPrefix(digits, ":") {
		return ""
	}
	digits = strings.TrimLeft(digits, ":ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	if !decimal.MatchString(digits) {
		return ""
	}
	return digits
}

// lastNumber reads n unsigned MessagePack integers, which must be all of b, and gives the
// last.
func lastNumber(b []byte, n int) string {
	var last uint64
	for range n {
		if len(b) == 0 {
			return ""
		}
		width := map[byte]int{0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8}[b[0]]
		switch {
		case b[0] < 0x80:
			last, b = uint64(b[0]), b[1:]
			continue
		case width == 0 || len(b) < 1+width:
			return ""
		}
		last = 0
		for _, c := range b[1 : 1+width] {
			last = last<<8 | uint64(c)
		}
		b = b[1+width:]
	}
	if len(b) != 0 || n == 0 {
		return ""
	}
	return strconv.FormatUint(last, 10)
}
