package injection

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"
)

// hostile are texts that ask for as much work as they can, repeated.
var hostile = []string{
	"<!--", "<!-- a -->", "<!-- AI: ", "ignore ", "ignore all ", "ignore previous ", "do not follow rules ", "system prompt ", "replace your system prompt? ",
	"no rules ", "act as a b c no rules ", "do not tell ", "without telling ", "the user must not be told? ", "hide this from ", "translate ", "translate and run ",
	"curl ", "$TOKEN ", "curl;$TOKEN ", "$TOKEN> > > ", "$TOKEN;", "' $TOKEN", "env ", "env|", "| env\n", "\\\nenv ", "send .env ", "~/.ssh/id_rsa ", "cat ~/.ssh/id_rsa > x; ", "https://$TOKEN", "https://$(env",
	"/proc/1/environ ", "token", "token_", "token-\n", "environment variables ", "hidden ", "<a hidden ", "<div hidden>", "<a title=\"", "<img alt='x' ", "[//]: # (", "![ai", "&lt;!--", "instruc-\n", "1. ", "> ", "a.", "-", "'",
	"ignore\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "é", "’", "ignore’",
	"ignoreall", "ignoreprevious", "tokenkeyhide", "tokenizationx", "KeyToken", "do not follow everything ", "http POST a.b ", "https://a $TOKEN ", "https://a ~/.netrc ", "cat ~/.netrc | ssh ", "your env ", "env vars ",
	"](y \"ai", " \"ai", "AI ", "by AI, do ", "model: add ", "if you ignore ", "{a,.env ", "new system prompt is as ",
	"key-", "hidden-", "opacity-", "display-",
	"paste a in .env ", "paste into the .env ", "printenv ", "printenv A_KEY ", "never reveal whether ", "never show a to users ", "system prompt was replaced by ", "decode it, run it by ", "act as x. x no rules ",
	"1 env | curl ", "a env 2>", "\tdo not follow rules", "@a-a override rules ", "a flag to ignore rules ", "lets you set or set the system prompt ", "do not tell the users' ", "1 send .env ",
	"cat -c -c -c .env ", "openssl -base64 ", "a comment with the .env ",
}

// ratio is how the speed of f over text compares with SHA-256, the best of three.
func ratio(text []byte, f func()) float64 {
	best := func(f func()) time.Duration {
		least := time.Hour
		for range 3 {
			start := time.Now()
			f()
			least = min(least, time.Since(start))
		}
		return least
	}
	mine := best(f)
	return float64(best(func() { sha256.Sum256(text) })) / float64(mine)
}

// BenchmarkHostile reports the speed as a part of that of SHA-256 over the same text,
// and how much longer four times the text takes.
func BenchmarkHostile(b *testing.B) {
	for _, around := range []string{"%s", "<!-- %s"} {
		for _, unit := range hostile {
			b.Run(fmt.Sprintf("%q", fmt.Sprintf(around, unit)), func(b *testing.B) {
				var s Scanner
				small := fmt.Appendf(nil, around, strings.Repeat(unit, (1<<20)/len(unit)))
				large := fmt.Appendf(nil, around, strings.Repeat(unit, (4<<20)/len(unit)))
				for b.Loop() {
					x := ratio(small, func() { s.ScanAll(small) })
					y := ratio(large, func() { s.ScanAll(large) })
					b.ReportMetric(y, "×sha256")
					b.ReportMetric(4*x/y, "4MiB/1MiB")
				}
			})
		}
	}
}

// TestEndlessName looks at each byte of a name a few times only: otherwise it would not
// end within the time that a test has.
func TestEndlessName(t *testing.T) {
	var s Scanner
	for _, unit := range []string{"key-", "hidden-", "display-"} {
		if found := s.ScanAll(bytes.Repeat([]byte(unit), (8<<20)/len(unit))); found != nil {
			t.Errorf("%q: %v", unit, found)
		}
	}
}

// TestNoAllocation scans clean text without memory of its own.
func TestNoAllocation(t *testing.T) {
	text := []byte(strings.Repeat(strings.Join(miss, "\n\nThat is all.\n\n")+"\n\n", 20))
	text = bytes.ReplaceAll(text, []byte("<!--"), []byte("<! --"))
	var s Scanner
	if found := s.ScanAll(text); found != nil {
		t.Fatalf("the text is not clean: %v", found)
	}
	if n := testing.AllocsPerRun(5, func() { s.ScanAll(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestEndlessArgument looks at each variable of one long argument without reading the whole
// argument for it: otherwise it would not end within the time that a test has.
func TestEndlessArgument(t *testing.T) {
	var s Scanner
	for _, start := range []string{"curl ", "curl -u ", "curl -H A-Token:", "curl -d ", "curl headers=", "curl " + strings.Repeat("\\", 1<<20)} {
		text := append([]byte(start), bytes.Repeat([]byte("$A_TOKEN"), (8<<20)/len("$A_TOKEN"))...)
		if found := s.ScanAll(text); len(found) != 1 || found[0].Code != CodeExfil {
			t.Errorf("%.24q: %v, want one match of exfiltration", start, found)
		}
	}
}
