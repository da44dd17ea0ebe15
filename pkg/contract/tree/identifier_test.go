package tree

import (
	"regexp"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
)

func TestValidID(t *testing.T) {
	requirement.Claim(t, "ID-06", "ID-07", "ID-08", "ID-09")
	const none = ""
	for _, c := range []struct {
		id string
		// the forges that take it: g GitHub, l GitLab, f Forgejo, t GitLab thread
		forges string
	}{
		{"R_kgDOExample", "gt"},
		{"MDU6SXNzdWUx", "gt"},
		{"MDEyOk9yZw==", "g"},
		{"A", "gt"},
		{"A=", "g"},
		{"A-_b", "gt"},
		{"1", "glft"},
		{"10", "glft"},
		{"18446744073709551616", "glft"},
		{"0", "gt"},
		{"01", "gt"},
		{"6a9c1750b37d513a43987b574953fceb50b03ce7", "gt"},
		{"a.b:c", "t"},
		{"a:b=", none},
		{"-1", none},
		{"+1", none},
		{"1e3", "gt"},
		{"1.0", "t"},
		{"_a", none},
		{"=a", none},
		{".a", none},
		{":a", none},
		{"", none},
		{" 1", none},
		{"1 ", none},
		{"1\n", none},
		{"a/b", none},
		{"a\\b", none},
		{"a\x00b", none},
		{"a;b", none},
		{"a$b", none},
		{"a|b", none},
		{"é", none},
		{"\u0661", none}, // an Arabic digit
		{"1\u200b", none},
	} {
		for _, f := range []struct {
			letter string
			forge  contract.Forge
			kind   contract.Kind
		}{
			{"g", contract.GitHub, contract.KindComment},
			{"g", contract.GitHub, contract.KindThread},
			{"l", contract.GitLab, contract.KindComment},
			{"t", contract.GitLab, contract.KindThread},
			{"f", contract.Forgejo, contract.KindComment},
			{"f", contract.Forgejo, contract.KindThread},
		} {
			if got, want := ValidID(f.forge, f.kind, c.id), strings.Contains(c.forges, f.letter); got != want {
				t.Errorf("%s %s %q: %v, want %v", f.forge, f.kind, c.id, got, want)
			}
		}
		if got, want := ValidActorID(contract.GitLab, c.id), strings.Contains(c.forges, "l"); got != want {
			t.Errorf("GitLab actor %q: %v, want %v", c.id, got, want)
		}
		if got, want := ValidRunID(contract.GitHub, c.id), strings.Contains(c.forges, "g"); got != want {
			t.Errorf("GitHub run %q: %v, want %v", c.id, got, want)
		}
		if c.forges != none && !ValidStructuralID(c.id) {
			t.Errorf("%q is no structural id", c.id)
		}
		if ValidID("gitea", contract.KindComment, c.id) {
			t.Errorf("%q is an id of a forge that does not exist", c.id)
		}
	}
	// Against the patterns of the contract, byte by byte, in front and behind.
	for pattern, valid := range map[string]func(string) bool{
		`^[A-Za-z0-9][A-Za-z0-9._:=-]*$`: ValidStructuralID,
		`^[A-Za-z0-9][A-Za-z0-9_=-]*$`:   func(s string) bool { return ValidID(contract.GitHub, contract.KindCheck, s) },
		`^[A-Za-z0-9][A-Za-z0-9._:-]*$`:  func(s string) bool { return ValidID(contract.GitLab, contract.KindThread, s) },
		`^[1-9][0-9]*$`:                  func(s string) bool { return ValidID(contract.Forgejo, contract.KindReview, s) },
	} {
		p := regexp.MustCompile(pattern)
		for c := range 256 {
			for _, s := range []string{string([]byte{byte(c)}), "1" + string([]byte{byte(c)}), string([]byte{byte(c)}) + "1", "1" + string([]byte{byte(c)}) + "1"} {
				if got, want := valid(s), p.MatchString(s); got != want {
					t.Errorf("%s: %q: %v, want %v", pattern, s, got, want)
				}
			}
		}
	}
	if !ValidStructuralID("a:b=") || ValidStructuralID("a/b") || ValidStructuralID("1\n") {
		t.Error("structural ids")
	}
}

func TestValidHost(t *testing.T) {
	requirement.Claim(t, "SRC-02", "SRC-03")
	long := strings.Repeat("a", 63)
	for host, want := range map[string]bool{
		"github.com":                     true,
		"localhost":                      true,
		"a-b.example.org":                true,
		"127.0.0.1:3000":                 true,
		"xn--bcher-kva.example":          true,
		"git.example.com:1":              true,
		"git.example.com:80":             true,
		"git.example.com:442":            true,
		"git.example.com:443":            false,
		"git.example.com:444":            true,
		"git.example.com:4430":           true,
		"git.example.com:9999":           true,
		"git.example.com:59999":          true,
		"git.example.com:64999":          true,
		"git.example.com:65499":          true,
		"git.example.com:65529":          true,
		"git.example.com:65535":          true,
		"git.example.com:65536":          false,
		"git.example.com:65540":          false,
		"git.example.com:66000":          false,
		"git.example.com:70000":          false,
		"git.example.com:100000":         false,
		"git.example.com:0":              false,
		"git.example.com:08":             false,
		"git.example.com:0443":           false,
		"git.example.com:":               false,
		"git.example.com:+1":             false,
		"git.example.com:1:2":            false,
		"GitHub.com":                     false,
		"github.com.":                    false,
		".github.com":                    false,
		"git..com":                       false,
		"-a.com":                         false,
		"a-.com":                         false,
		"a_b.com":                        false,
		"":                               false,
		":80":                            false,
		"https://github.com":             false,
		"github.com/":                    false,
		"user@github.com":                false,
		"github.com\n":                   false,
		"[::1]":                          false,
		"bücher.example":                 false,
		long + ".com":                    true,
		long + "a.com":                   false,
		strings.Repeat("a.", 126) + "a":  true,
		strings.Repeat("a.", 126) + "aa": false,
	} {
		if got := ValidHost(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}

func TestValidRepository(t *testing.T) {
	requirement.Claim(t, "SRC-04", "SRC-05", "SRC-06")
	for _, c := range []struct {
		name     string
		two, any bool // GitHub and Forgejo; GitLab
	}{
		{"owner/project", true, true},
		{"o-w_n.er/pro.ject", true, true},
		{"Owner/project", false, true},
		{"owner/Project", false, true},
		{"group/sub group/project", false, true},
		{"group/sub/project", false, true},
		{"a/b/c/d/e", false, true},
		{"project", false, false},
		{"", false, false},
		{"/owner/project", false, false},
		{"owner/project/", false, false},
		{"owner//project", false, false},
		{"owner/..", false, false},
		{"./project", false, false},
		{"owner%2Fproject", false, false},
		{"owner/pro%20ject", false, false},
		{"owner/projekt-\u00e9", false, false},
		{"owner/project\n", false, false},
		{"owner/pro'ject", false, false},
		{"owner/pro\\ject", false, false},
	} {
		for forge, want := range map[contract.Forge]bool{contract.GitHub: c.two, contract.Forgejo: c.two, contract.GitLab: c.any} {
			if got := ValidRepository(forge, c.name); got != want {
				t.Errorf("%s %q: %v, want %v", forge, c.name, got, want)
			}
		}
	}
}

func TestValidSource(t *testing.T) {
	requirement.Claim(t, "SRC-01")
	if !ValidSource(exampleSource) {
		t.Error("the example is refused")
	}
	for name, change := range map[string]func(*contract.Source){
		"no forge":         func(s *contract.Source) { s.Forge = "" },
		"unknown forge":    func(s *contract.Source) { s.Forge = "gitea" },
		"forge's case":     func(s *contract.Source) { s.Forge = "GitHub" },
		"host":             func(s *contract.Source) { s.Host = "github.com:443" },
		"repository id":    func(s *contract.Source) { s.RepositoryID = "R.x" },
		"no repository id": func(s *contract.Source) { s.RepositoryID = "" },
		"repository":       func(s *contract.Source) { s.Repository = "Example/project" },
	} {
		s := exampleSource
		change(&s)
		if ValidSource(s) {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestValidPath(t *testing.T) {
	requirement.Claim(t, "STR-04", "STR-05")
	for path, want := range map[string]bool{
		"a": true, "cmd/main.go": true, ".github/workflows/ci.yml": true, "a b/c": true, "~x/$y/!z": true,
		"[id]/{slug}/(group)/@scope/a&b;c=d:e#f,g+h": true, "...": true, "..a": true, "a..": true, "-": true, " ": true,
		"": false, "/": false, "/a": false, "a/": false, "a//b": false, ".": false, "..": false, "./a": false, "a/.": false,
		"a/..": false, "../a": false, "a/../b": false, "a/./b": false, "a%b": false, "a%2e%2e": false, "a\\b": false,
		"a'b": false, "a\"b": false, "a`b": false, "a*b": false, "a?b": false, "a<b": false, "a|b": false, "a^b": false,
		"a\nb": false, "a\n": false, "a\tb": false, "a\x00": false, "a\x7f": false, "é": false, "a\u200bb": false, "a\u202eb": false,
		"a\ufeff": false, "a\ufe0f": false, "\xff": false,
	} {
		if got := ValidPath(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}

func TestValidHexadecimal(t *testing.T) {
	requirement.Claim(t, "CAN-03")
	digest := regexp.MustCompile(`^[0-9a-f]{64}$`)
	oid := regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	for _, n := range []int{0, 1, 39, 40, 41, 63, 64, 65, 128} {
		for _, fill := range []string{"0", "9", "a", "f", "g", "A", "F", "/", ":", "`", "\n", "\u0661"} {
			s := strings.Repeat("7", max(n-len(fill), 0)) + fill
			if got, want := ValidDigest(s), digest.MatchString(s); got != want {
				t.Errorf("digest %q: %v", s, got)
			}
			if got, want := ValidGitOID(s), oid.MatchString(s); got != want {
				t.Errorf("object id %q: %v", s, got)
			}
		}
	}
	if !ValidGitOID(strings.Repeat("0", 40)) || !ValidGitOID(strings.Repeat("f", 64)) || !ValidDigest(strings.Repeat("f", 64)) {
		t.Error("a legal one is refused")
	}
}

func TestValidFindingCode(t *testing.T) {
	requirement.Claim(t, "FLT-05")
	for code, want := range map[string]bool{
		"a": true, "unicode.control": true, "a0_-.": true, "": false, "A": false, "0a": false, ".a": false, "a b": false, "a\n": false, "é": false,
	} {
		if got := ValidFindingCode(code); got != want {
			t.Errorf("%q: %v, want %v", code, got, want)
		}
	}
}
