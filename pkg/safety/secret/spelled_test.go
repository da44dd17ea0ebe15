package secret

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/requirement"
)

// randomCredential gives a credential of letters, digits and the signs that encoders escape,
// with at least one piece that nobody escapes.
func randomCredential(r *rand.Rand) string {
	const letters, signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", `+/=&%"'\<>?#@:;!$*() ~é`
	all := []rune(letters + letters + signs)
	var b strings.Builder
	for range 6 + r.IntN(30) {
		b.WriteRune(all[r.IntN(len(all))])
	}
	at := r.IntN(b.Len())
	s := b.String()
	for at > 0 && s[at]&0xC0 == 0x80 {
		at--
	}
	return strings.TrimSpace(s[:at] + fmt.Sprintf("k%04dQ", r.IntN(10000)) + s[at:])
}

// spellers spell a text in the ways of tools, with what may be escaped or not left to chance.
var spellers = map[string]func(r *rand.Rand, s string) string{
	"json": func(r *rand.Rand, s string) string {
		var b strings.Builder
		for _, c := range s {
			form := "\\u%04x"
			if r.IntN(2) == 0 {
				form = "\\u%04X"
			}
			switch {
			case c == '"' || c == '\\':
				b.WriteString("\\" + string(c))
			case c > 0x7F, strings.ContainsRune("+=&<>'", c) && r.IntN(2) == 0:
				fmt.Fprintf(&b, form, c)
			case c == '/' && r.IntN(2) == 0:
				b.WriteString(`\/`)
			default:
				b.WriteRune(c)
			}
		}
		return b.String()
	},
	"percent": func(r *rand.Rand, s string) string {
		var b strings.Builder
		for i := range len(s) {
			switch c := s[i]; {
			case is(c, alnum):
				b.WriteByte(c)
			case c == ' ' && r.IntN(2) == 0:
				b.WriteByte('+')
			case r.IntN(2) == 0:
				fmt.Fprintf(&b, "%%%02x", c)
			default:
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		return b.String()
	},
	"html": func(r *rand.Rand, s string) string {
		named := map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;"}
		var b strings.Builder
		for _, c := range s {
			switch {
			case named[c] != "":
				b.WriteString(named[c])
			case c < 0x80 && is(byte(c), alnum), r.IntN(3) == 0:
				b.WriteRune(c)
			case r.IntN(2) == 0:
				fmt.Fprintf(&b, "&#%d;", c)
			default:
				fmt.Fprintf(&b, "&#x%X;", c)
			}
		}
		return b.String()
	},
	"all": func(_ *rand.Rand, s string) string { return asciiEscapes(s) },
}

// asciiEscapes writes every character as an escape of JSON.
func asciiEscapes(s string) string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, "\\u%04x", c)
	}
	return b.String()
}

// TestSpelledCredentials looks for a credential in every spelling, and in JSON inside of JSON.
func TestSpelledCredentials(t *testing.T) {
	requirement.Claim(t, "SEC-01")
	r := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		credential := randomCredential(r)
		rules := New([]string{credential})
		for _, name := range slices.Sorted(maps.Keys(spellers)) {
			spelled := spellers[name](r, credential)
			frames := []string{"a " + spelled + " b"}
			if name == "json" {
				once := `{"a":"` + spelled + `","b":1}`
				frames = append(frames, once, `{"log":`+quoteJSON(once)+"}", `{"log":`+quoteJSON(`{"log":`+quoteJSON(once)+"}")+"}")
			}
			for _, text := range frames {
				got, _ := scan(rules, text)
				if !strings.Contains(got, Registered.Marker()) || leaves(got, spelled, 4) {
					t.Fatalf("%s: %q stays of %q in %q", name, credential, text, got)
				}
			}
		}
	}
}

// leaves tells whether n letters or digits in a row of the spelling are left in text. What
// stands around it has no digits and capitals.
func leaves(text, spelled string, n int) bool {
	for i := 0; i+n <= len(spelled); i++ {
		if s := spelled[i : i+n]; strings.ContainsAny(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") && strings.Contains(strings.ReplaceAll(text, Registered.Marker(), ""), s) {
			return true
		}
	}
	return false
}

// TestWrappedBase64 looks for a credential in base64 that is broken into lines of many widths.
func TestWrappedBase64(t *testing.T) {
	requirement.Claim(t, "SEC-01")
	r := rand.New(rand.NewPCG(7, 8))
	joints := map[string]func(n int) string{
		"bare":    func(int) string { return "\n" },
		"indent":  func(int) string { return "\n      " },
		"quote":   func(int) string { return "\n> " },
		"stamp":   func(n int) string { return fmt.Sprintf("\n2026-04-02T08:11:09.%07dZ ", n) },
		"escaped": func(int) string { return `\n` },
		"twice":   func(int) string { return `\\n` },
		"crlf":    func(int) string { return `\r\n` },
		"texts":   func(int) string { return "\" +\n  \"" },
	}
	for range 300 {
		credential := randomCredential(r) + randomCredential(r)
		rules := New([]string{credential})
		before := strings.Repeat("x", r.IntN(40))
		encoding := base64.StdEncoding
		if r.IntN(2) == 0 {
			encoding = base64.URLEncoding
		}
		encoded := encoding.EncodeToString([]byte(before + credential + strings.Repeat("y", r.IntN(40))))
		inner := base64Spelling(credential, len(before)%3)
		if encoding == base64.URLEncoding {
			inner = strings.NewReplacer("+", "-", "/", "_").Replace(inner)
		}
		width := 4 + r.IntN(73)
		for name, joint := range joints {
			var b strings.Builder
			for k := 0; k < len(encoded); k += width {
				if k > 0 {
					b.WriteString(joint(k))
				}
				b.WriteString(encoded[k:min(len(encoded), k+width)])
			}
			text := "data: \"" + b.String() + "\"\nend of it"
			got, _ := scan(rules, text)
			for k := range len(encoded) {
				got = strings.ReplaceAll(got, joint(k), "")
			}
			for k := 0; k+6 <= len(inner); k++ {
				if strings.Contains(got, inner[k:k+6]) {
					t.Fatalf("%s, width %d: %q of %q stays in\n%s\n%s", name, width, inner[k:k+6], inner, text, got)
				}
			}
			if !strings.Contains(got, "end of it") {
				t.Fatalf("%s, width %d: %s", name, width, got)
			}
		}
	}
}
