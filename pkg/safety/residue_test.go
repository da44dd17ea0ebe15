package safety_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
)

// residuePattern is one line of testdata/residue-patterns/patterns.txt.
type residuePattern struct {
	name, check string
	re          *regexp.Regexp
}

func residuePatterns(t testing.TB) []residuePattern {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "residue-patterns", "patterns.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []residuePattern
	for line := range strings.Lines(strings.ReplaceAll(string(data), divider, "")) {
		name, re, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("no tab in %q", line)
		}
		name, check, _ := strings.Cut(name, "[")
		out = append(out, residuePattern{name, strings.TrimSuffix(check, "]"), regexp.MustCompile(re)})
	}
	if len(out) < 80 {
		t.Fatalf("%d patterns, want at least 80", len(out))
	}
	return out
}

// left gives what the pattern finds in a filtered text.
func (p *residuePattern) left(text []byte) []byte {
	for _, m := range p.re.FindAllSubmatch(text, -1) {
		value := m[len(m)-1]
		switch p.check {
		case "luhn":
			if !luhnValid(value) {
				continue
			}
		case "mod97":
			if !mod97Valid(value) {
				continue
			}
		case "name":
			if bytes.Count(value, value[:1]) == len(value) || !bytes.ContainsAny(value, "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ") {
				continue // a mask or a number
			}
			spelt := bytes.ReplaceAll(bytes.ToLower(m[0]), []byte("_"), nil)
			if bytes.Count(spelt, bytes.ToLower(value)) > 1 {
				continue // the name over again: "refresh_token": "refreshToken"
			}
		}
		return m[0]
	}
	return nil
}

func luhnValid(number []byte) bool {
	sum, double := 0, false
	for _, c := range slices.Backward(number) {
		if c < '0' || c > '9' {
			continue
		}
		d := int(c - '0')
		if double {
			d = d*2/10 + d*2%10
		}
		sum += d
		double = !double
	}
	return sum%10 == 0
}

func mod97Valid(number []byte) bool {
	rest := 0
	for _, c := range slices.Concat(number[4:], number[:4]) {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest == 1
}

func clean(t *testing.T, w *safety.Worker, patterns []residuePattern, name string, source []byte) safety.Result {
	t.Helper()
	r, err := w.Filter(safety.Body, source)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status == contract.Rejected {
		return r
	}
	for i := range patterns {
		if rest := patterns[i].left(r.Text); rest != nil {
			t.Errorf("%s: %s is left: %q", name, patterns[i].name, rest)
		}
	}
	return r
}

func TestNoResidueInCases(t *testing.T) {
	requirement.Claim(t, "SEC-02", "SEC-03", "SEC-04", "SEC-05", "SEC-06", "SEC-07", "UNI-06")
	w, patterns := newWorker(t), residuePatterns(t)
	for _, name := range caseFiles {
		for _, c := range loadCases(t, name, 140) {
			if c.Tier != "extra" {
				clean(t, w, patterns, c.ID, c.source(t))
			}
		}
	}
}

// TestNoResidueInGeneratedText makes texts of each pattern, alone and in company, in
// surroundings that hide edges, whole and with something invisible inside.
func TestNoResidueInGeneratedText(t *testing.T) {
	requirement.Claim(t, "SEC-02", "SEC-03", "SEC-04", "SEC-05", "SEC-06", "SEC-07", "SEC-08", "UNI-06")
	w, patterns := newWorker(t), residuePatterns(t)
	r := rand.New(rand.NewPCG(3, 5))
	before := []string{"", " ", "\n", "x: ", "(", "\"", "'", "> ", "\\n", "%3D", "a=", "https://h.example/?q=", "`", "2026-03-11T08:14:22.0000000Z ", "\x1b[32m", "\t"}
	after := []string{"", " ", "\n", ". Next", ", ", ")", "\"", "'", "\\n", "&x=1", "`", "\x1b[0m", "\r\n"}
	hidden := []string{"\u200b", "\u00ad", "\x1b[1m", "\ufeff", "\x00", "\U000e0041", "\u2060"}
	made := 0
	for i := range patterns {
		p := &patterns[i]
		if p.check == "luhn" || p.check == "mod97" {
			continue // what a generator makes has no check digit
		}
		tree, err := syntax.Parse(p.re.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 60 {
			secret := generate(r, tree)
			if !p.re.MatchString(secret) || strings.HasPrefix(p.name, "unicode-") && n > 10 {
				continue
			}
			made++
			if n%3 == 1 && len(secret) > 4 {
				at := 1 + r.IntN(len(secret)-1)
				for secret[at]&0xc0 == 0x80 {
					at--
				}
				secret = secret[:at] + hidden[r.IntN(len(hidden))] + secret[at:]
			}
			text := before[r.IntN(len(before))] + secret + after[r.IntN(len(after))]
			if strings.HasPrefix(p.re.String(), "(?m)^") {
				text = "\n" + secret + "\n"
			}
			if n%4 == 3 {
				other := patterns[r.IntN(len(patterns))]
				if tree, err := syntax.Parse(other.re.String(), syntax.Perl); err == nil {
					text += before[r.IntN(len(before))] + generate(r, tree) + after[r.IntN(len(after))]
				}
			}
			clean(t, w, patterns, fmt.Sprintf("%s in %q", p.name, text), []byte(text))
		}
	}
	if made < 3000 {
		t.Errorf("only %d texts were made", made)
	}
}

// generate gives a random text that the expression matches, if its assertions allow.
func generate(r *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		var all []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= min(re.Rune[i+1], re.Rune[i]+300); c++ {
				if unicode.IsPrint(c) || !unicode.IsLetter(c) {
					all = append(all, c)
				}
			}
		}
		return string(all[r.IntN(len(all))])
	case syntax.OpCapture:
		return generate(r, re.Sub[0])
	case syntax.OpConcat:
		var b strings.Builder
		for _, s := range re.Sub {
			b.WriteString(generate(r, s))
		}
		return b.String()
	case syntax.OpAlternate:
		return generate(r, re.Sub[r.IntN(len(re.Sub))])
	case syntax.OpStar:
		return repeat(r, re.Sub[0], 0, 3)
	case syntax.OpPlus:
		return repeat(r, re.Sub[0], 1, 4)
	case syntax.OpQuest:
		return repeat(r, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 20
		}
		return repeat(r, re.Sub[0], re.Min, min(most, re.Min+20))
	}
	return ""
}

func repeat(r *rand.Rand, re *syntax.Regexp, least, most int) string {
	var b strings.Builder
	for range least + r.IntN(most-least+1) {
		b.WriteString(generate(r, re))
	}
	return b.String()
}
