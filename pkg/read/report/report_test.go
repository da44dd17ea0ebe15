package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/read"
)

const golden = "../../../testdata/pipeline"

// goldenPage gives the page of a golden tree.
func goldenPage(t testing.TB, name string) *Page {
	t.Helper()
	dir := filepath.Join(golden, name, "4-emit")
	index, err := os.ReadFile(filepath.Join(dir, tree.IndexPath))
	if err != nil {
		t.Fatal(err)
	}
	s, err := check.Open(dir, tree.Digest(index))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	loaded, err := read.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	page, err := New(loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func goldenNames(t testing.TB) []string {
	t.Helper()
	dirs, err := filepath.Glob(golden + "/*/4-emit")
	if err != nil || len(dirs) < 6 {
		t.Fatalf("golden trees: %v, %v", dirs, err)
	}
	for i := range dirs {
		dirs[i] = filepath.Base(filepath.Dir(dirs[i]))
	}
	return dirs
}

// said collects what people wrote into a tree.
func said(t *testing.T, p *Page) []string {
	words := slices.Concat(p.Singletons.Entity.Labels, []string{p.Singletons.Entity.Title})
	for i := range p.Index.Records {
		body, err := p.Body(&p.Index.Records[i])
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, strings.Split(body, "\n")...)
	}
	for _, c := range p.Checks {
		log, err := p.Log(c.Row)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, strings.Split(log, "\n")...)
		if c.Metadata != nil {
			words = append(words, c.Metadata.Name)
		}
	}
	for _, person := range p.People {
		words = append(words, person.Login)
	}
	for _, r := range p.Singletons.Runs.Runs {
		words = append(words, r.Agent)
	}
	return words
}

// A job summary holds no line of a text or log, no title, label, login or name.
func TestMarkdownHoldsNobodysWords(t *testing.T) {
	const own = "comments reviews checks check build closed open merged"
	for _, name := range goldenNames(t) {
		p := goldenPage(t, name)
		var b bytes.Buffer
		if err := p.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		for _, word := range said(t, p) {
			if word = strings.TrimSpace(word); len(word) > 3 && strings.Contains(b.String(), word) && !strings.Contains(own+p.Index.Source.Repository, word) {
				t.Errorf("%s: the summary holds %q", name, word)
			}
		}
		for _, want := range []string{p.IndexSHA256, p.Index.CollectionProfile, p.Index.FilterVersion, p.Singletons.Entity.ID} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: the summary lacks %s", name, want)
			}
		}
		for _, g := range p.Index.Gaps {
			if want := fmt.Sprintf("| %s | %s | %d | %s |", g.Scope, g.Code, g.Count, g.Usability); !strings.Contains(b.String(), want) {
				t.Errorf("%s: the summary lacks %s", name, want)
			}
		}
	}
}

// Every record stands once in the conversation, in order, with the records of a thread
// together.
func TestConversationHoldsEveryRecordOnce(t *testing.T) {
	for _, name := range goldenNames(t) {
		p := goldenPage(t, name)
		var keys []string
		last := ""
		for i, item := range p.Conversation {
			first := item.Threads
			if item.Record != nil {
				keys = append(keys, item.Record.Row.RecordKey)
				if (item.Record.Row.Kind == contract.KindEntity) != (i == 0) {
					t.Errorf("%s: the entity is not first", name)
				}
				if i > 0 && item.Record.Row.CreatedAt < last {
					t.Errorf("%s: %s is out of order", name, item.Record.Row.ID)
				}
				last = max(last, item.Record.Row.CreatedAt)
				if i == 0 {
					last = ""
				}
			}
			for _, thread := range first {
				var got []string
				for _, r := range thread.Records {
					got = append(got, r.Row.RecordKey)
				}
				if !slices.Equal(got, thread.RecordKeys) {
					t.Errorf("%s: thread %s holds %v", name, thread.ID, got)
				}
				if item.Record != nil && thread.ReviewRecordKey != item.Record.Row.RecordKey {
					t.Errorf("%s: thread %s stands under another review", name, thread.ID)
				}
				keys = append(keys, got...)
			}
		}
		var want []string
		for _, r := range p.Index.Records {
			if r.Kind != contract.KindCheck {
				want = append(want, r.RecordKey)
			}
		}
		slices.Sort(keys)
		slices.Sort(want)
		if !slices.Equal(keys, want) {
			t.Errorf("%s: shown are %d records of %d", name, len(keys), len(want))
		}
	}
}

// The page of the same tree is the same page, and its one style is the one that its
// policy allows.
func TestPageIsDeterministic(t *testing.T) {
	for _, name := range goldenNames(t) {
		var a, b bytes.Buffer
		if err := goldenPage(t, name).WriteHTML(&a); err != nil {
			t.Fatal(err)
		}
		if err := goldenPage(t, name).WriteHTML(&b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two pages of one tree", name)
		}
		if n := strings.Count(a.String(), "<style"); n != 1 || strings.Contains(a.String(), "<script") || strings.Contains(a.String(), "ZgotmplZ") {
			t.Errorf("%s: %d styles, or a script, or an escape that the template refused", name, n)
		}
	}
}

func TestParts(t *testing.T) {
	for body, want := range map[string]string{
		"":                             "",
		"a\n":                          "prose a\n",
		"a\n```\nb\n```\nc\n":          "prose a\n|code ```\nb\n```\n|prose c\n",
		"```go\nb\n~~~\n````\nc\n":     "code ```go\nb\n~~~\n````\n|prose c\n",
		"~~~~\nb\n~~~\n~~~~\n":         "code ~~~~\nb\n~~~\n~~~~\n",
		"```\nnever closed":            "code ```\nnever closed",
		"a ``` b\n```x```\n``\nc":      "prose a ``` b\n```x```\n``\nc",
		"  ```\nx\n  ```  \n\n```\n\n": "code   ```\nx\n  ```  \n|prose \n|code ```\n\n",
	} {
		var got []string
		for _, p := range parts(body) {
			got = append(got, map[bool]string{true: "code ", false: "prose "}[p.code]+p.text)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q:\ngot  %q\nwant %q", body, s, want)
		}
	}
}

func TestMarked(t *testing.T) {
	f := tree.Filter{Findings: []tree.Finding{{Code: "secret.github", Count: 1}}}
	for text, want := range map[string]string{
		"a [REDACTED-secret.github] b":        "a <[REDACTED-secret.github]> b",
		"[REDACTED-secret.github]":            "<[REDACTED-secret.github]>",
		"[REDACTED-secret.aws] x":             "[REDACTED-secret.aws] x",
		"[REDACTED-secret.gith":               "[REDACTED-secret.gith",
		"[REDACTED-[REDACTED-secret.github]]": "[REDACTED-<[REDACTED-secret.github]>]",
	} {
		var got strings.Builder
		for _, r := range marked(text, f) {
			if r.Mark {
				r.Text = "<" + r.Text + ">"
			}
			got.WriteString(r.Text)
		}
		if got.String() != want {
			t.Errorf("%q: got %q", text, got.String())
		}
	}
}

func TestTail(t *testing.T) {
	many := strings.Repeat("0123456789\n", 100)
	long := strings.Repeat("é", tailBytes) + "\n"
	for _, c := range []struct{ name, log, want string }{
		{"nothing", "", ""},
		{"short", "a\nb\n", "a\nb\n"},
		{"many lines", many, many[:11*tailLines]},
		{"one long line", long, long[len(long)-tailBytes+1:]},
		{"a short line after a long one", long + "end\n", "end\n"},
		{"no last line feed", "a\nb", "a\nb"},
	} {
		if got := tail(c.log); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, len(got), len(c.want))
		}
	}
}

// Texts are cut into parts and runs that together are the text.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\n```\nb\n```\n", "[REDACTED-secret.github] ~~~\n", "```\n[REDACTED-secret.github"} {
		f.Add(s)
	}
	found := tree.Filter{Findings: []tree.Finding{{Code: "secret.github", Count: 1}}}
	f.Fuzz(func(t *testing.T, body string) {
		var whole strings.Builder
		for _, p := range newText("k", body, found).Parts {
			for _, r := range p.Runs {
				whole.WriteString(r.Text)
			}
		}
		if whole.String() != body {
			t.Errorf("%q became %q", body, whole.String())
		}
		if end := tail(body); !strings.HasSuffix(body, end) || len(end) > tailBytes {
			t.Errorf("the tail of %q is %q", body, end)
		}
	})
}

// What stayed and came is the later text, what stayed and went the earlier one.
func FuzzLines(f *testing.F) {
	for _, s := range [][2]string{{"", ""}, {"a\n", ""}, {"a\nb\nc\n", "a\nx\nc\n"}, {"a\nb", "b\na"}, {strings.Repeat("x\n", 3000), strings.Repeat("y\n", 3000)}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, old, text string) {
		var was, is strings.Builder
		for _, l := range lines(old, text) {
			if l.Op != "+" {
				was.WriteString(l.Text)
			}
			if l.Op != "-" {
				is.WriteString(l.Text)
			}
		}
		if was.String() != old || is.String() != text {
			t.Errorf("%q to %q became %q to %q", old, text, was.String(), is.String())
		}
	})
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ old, text, want string }{
		{"a\nb\nc\n", "a\nx\nc\n", " a\n|-b\n|+x\n| c\n"},
		{"a\nb\nc\nd\n", "b\nd\n", "-a\n| b\n|-c\n| d\n"},
		{"same\n", "same\n", " same\n"},
		{"a\n", "a\nb\n", " a\n|+b\n"},
	} {
		var got []string
		for _, l := range lines(c.old, c.text) {
			got = append(got, map[string]string{"": " "}[l.Op]+l.Op+l.Text)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q to %q: %q", c.old, c.text, s)
		}
	}
}

// anonymous are the parts of a page that another filter version or another run of the demo
// changes without changing what it looks like.
var anonymous = regexp.MustCompile(`[0-9a-f]{64}|[0-9a-f]{40}|snapline-[0-9a-z.-]+`)

// The pictures were made from the page that the shipped capture gives now. When this fails,
// scripts/pictures.sh makes them anew; look at them before they are committed.
func TestPicturesAreCurrent(t *testing.T) {
	var b bytes.Buffer
	if err := goldenPage(t, "pull-request").WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := anonymous.ReplaceAllStringFunc(b.String(), func(s string) string {
		if strings.HasPrefix(s, "snapline-") {
			return "snapline-1"
		}
		return strings.Repeat("0", len(s))
	})
	if path := os.Getenv("SNAPLINE_PICTURE"); path != "" {
		if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	made, err := os.ReadFile("../../../docs/pictures/report.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if now := tree.Digest([]byte(page)); strings.TrimSpace(string(made)) != now {
		t.Errorf("docs/pictures was made from page %s, and the page is %s: run scripts/pictures.sh", made, now)
	}
}
