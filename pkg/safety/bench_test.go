package safety

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/cpu"
)

// Speed is a ratio: how many times as fast as crypto/sha256 over the same bytes, both
// measured in one process, in turns, on one thread. Compare figures only with a
// processor that has SHA extensions.

var benchText = flag.String("bench-text", "", "directory of *.log, *.txt and *.md to measure on instead of text of the toolchain")

// reportCPU logs what the ratio depends on. Where the system does not tell, the line
// says so.
func reportCPU(b *testing.B) {
	b.Helper()
	info, _ := os.ReadFile("/proc/cpuinfo")
	model, sha := "unknown processor", "unknown"
	for line := range strings.Lines(string(info)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch strings.TrimSpace(name) {
		case "model name":
			model = strings.TrimSpace(value)
		case "flags", "Features":
			sha = fmt.Sprint(strings.Contains(value, " sha_ni") || strings.Contains(value, " sha2"))
		}
	}
	b.Logf("%s, %s, SHA extensions %s, AVX2 %v, BMI2 %v", runtime.GOARCH, model, sha, cpu.X86.HasAVX2, cpu.X86.HasBMI2)
}

// ratio runs work in turns with sha256 and gives the median of the speed ratios.
func ratio(b *testing.B, pieces [][]byte, work func([]byte)) float64 {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	hash := func() time.Duration {
		start := time.Now()
		for _, p := range pieces {
			sha256.Sum256(p)
		}
		return time.Since(start)
	}
	for _, p := range pieces {
		work(p)
	}
	var ratios []float64
	before := hash()
	for b.Loop() {
		start := time.Now()
		for _, p := range pieces {
			work(p)
		}
		took := time.Since(start)
		after := hash()
		ratios = append(ratios, float64(before+after)/2/float64(took))
		before = after
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

func filterAll(b *testing.B, w *Worker, kind Kind) func([]byte) {
	return func(p []byte) {
		if _, err := w.Filter(kind, p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEngine(b *testing.B) {
	for _, c := range []struct {
		name  string
		kind  Kind
		piece int
		text  []byte
	}{
		{"clean-log", Log, 1 << 20, logText(false)},
		{"ansi-log", Log, 1 << 20, logText(true)},
		{"markdown", Body, 8 << 10, markdownText()},
	} {
		b.Run(c.name, func(b *testing.B) {
			if len(c.text) == 0 {
				b.Skip("no text to measure on")
			}
			reportCPU(b)
			w := newWorker(b)
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			b.ReportMetric(ratio(b, cut(c.text, c.piece), filterAll(b, w, c.kind)), "x-sha256")
		})
	}
}

// cut gives pieces of about n bytes that end with a line.
func cut(text []byte, n int) [][]byte {
	var out [][]byte
	for len(text) > n {
		k := bytes.LastIndexByte(text[:n], '\n') + 1
		if k == 0 {
			k = n
		}
		out = append(out, text[:k:k])
		text = text[k:]
	}
	return out
}

const benchSize = 8 << 20

// benchCorpus gives the text of the files below root whose names end like one of suffixes,
// in the order of their names, over and over to benchSize.
func benchCorpus(root string, suffixes ...string) []byte {
	var all []byte
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && len(all) < benchSize && slices.Contains(suffixes, filepath.Ext(path)) {
			text, _ := os.ReadFile(path)
			all = append(endWithNewline(all), text...)
		}
		return nil
	})
	if all = endWithNewline(all); len(all) == 0 {
		return nil
	}
	return bytes.Repeat(all, benchSize/len(all)+1)[:benchSize]
}

func endWithNewline(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return b
}

// toolchainText gives text that comes with the toolchain.
func toolchainText() []byte {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil
	}
	return benchCorpus(filepath.Join(strings.TrimSpace(string(goroot)), "src", "runtime"), ".go", ".md")
}

// logText gives the logs of -bench-text as they are, or without what has to be
// cleaned; else lines of the toolchain's text behind timestamps, some with colours.
func logText(colours bool) []byte {
	if *benchText != "" {
		text := benchCorpus(*benchText, ".log", ".txt")
		if !colours {
			text = slices.DeleteFunc(text, func(c byte) bool { return c < 0x20 && c != '\t' && c != '\n' || c >= 0x7F })
		}
		return text
	}
	var out []byte
	n := 0
	for line := range bytes.Lines(toolchainText()) {
		n++
		out = fmt.Appendf(out, "2026-03-11T%02d:%02d:%02d.%07dZ ", n/3600%24, n/60%60, n%60, n*7919%10000000)
		if colours && n%4 == 0 {
			out = append(out, "\x1b[36;1m"...)
		}
		for _, c := range line {
			if c >= 0x20 && c < 0x7F || c == '\t' {
				out = append(out, c)
			}
		}
		if colours && n%4 == 0 {
			out = append(out, "\x1b[0m"...)
		}
		if out = append(out, '\n'); len(out) >= benchSize {
			break
		}
	}
	return out
}

// markdownText gives the Markdown of -bench-text as it is, or prose of several scripts
// between lines of the toolchain's text.
func markdownText() []byte {
	if *benchText != "" {
		return benchCorpus(*benchText, ".md")
	}
	prose := []string{
		"## Résumé of the change — “quoted”, naïve café\n\nThe über-test fails… see § 4 and the table → below.\n\n",
		"- Проверка запуска не прошла: сервер вернул ошибку, смотрите журнал сборки.\n",
		"* 実行に失敗しました。ログを確認してください（詳細は下記）。\n",
		"> Die Prüfung läuft; größere Änderungen müssen warten. ✅ 🎉\n\n",
		"| naïve | façade | 日本語 | ½ | ™ |\n|---|---|---|---|---|\n",
	}
	var out []byte
	n := 0
	for line := range bytes.Lines(toolchainText()) {
		if n++; n%5 == 0 {
			out = append(out, prose[n/5%len(prose)]...)
		}
		if out = append(out, line...); len(out) >= benchSize {
			break
		}
	}
	return out
}

// hostile gives the texts that make filters slow, each on one line.
var hostile = []struct{ name, unit string }{
	{"capitals", "A"},
	{"underscores", "_"},
	{"dotted", "a."},
	{"digits", "7"},
	{"card-digits", "4111 1111 1111 111"},
	{"quotes", "\""},
	{"sk", "sk-"},
	{"github", "gh¦p_"},
	{"half-token", "gh¦p_FAKEexample0FAKEexample0FAKEexamp "},
	{"age-plugin", "AGE-PLU¦GIN-"},
	{"access-id", "AK¦IAFAKEXMPL2345FAKE "},
	{"label", "-----BEGIN RSA PRIVATE¦ KEY-----"},
	{"label-line", "-----BEGIN RSA PRIVATE¦ KEY----- x: "},
	{"encoded-label", "LS0tLS1CRUdJ¦Ti"},
	{"headless", "MIIEowIBAAKC"},
	{"comment", "<!--"},
	{"element", "<div hidden>"},
	{"database", "postgres://"},
	{"database-user", "postgres://u:"},
	{"database-host", "postgres://u@h!"},
	{"web", "https://u:p"},
	{"ignore", "ignore "},
	{"key", "key"},
	{"secret", "secret "},
	{"ssn", "SSN 123"},
	{"csi", "\x1b["},
	{"osc", "\x1b]"},
	{"osc-open", "\x1b]a\x1b\u200b"},
	{"accent", "\u0301"},
	{"accents-mixed", "\u0301\u0323"},
	{"split-accent", "e\u200b\u0301"},
	{"wide", "\ufdfa"},
	{"assignment", "NAME_TOKEN=value;"},
	{"redacted", "NAME_TOKEN=abcdefgh1;"},
	{"nested-assignment", "token="},
	{"nested-colon", "token:"},
	{"nested-quote", "token=\"token='"},
	{"escaped-quote", "token=\\\""},
	{"command", "token=$("},
	{"template", "token={{"},
	{"brackets", "token=]"},
	{"list", "token=["},
	{"list-of-texts", "token=[\"a\","},
	{"tuple", "token=(x,"},
	{"call", "token=f("},
	{"subscript", "token=a[\""},
	{"variable", "token=${"},
	{"template-call", "token={a("},
	{"template-literal", "token= `${"},
	{"dollars", "$a"},
	{"fallback", "token=${X:-"},
	{"angle", "token=<a"},
	{"element-value", "<password>a"},
	{"resource", "token=arn:"},
	{"resource-secret", "arn:secret:"},
	{"subscript-reference", "token=\"${a[\""},
	{"open-quote", "token=\"a "},
	{"sum", "token = a+b("},
	{"literal", "\"token: \""},
	{"literal-joined", "'token=' + "},
	{"vault", "vault s."},
	{"session", "session_token"},
	{"header", "Authorization: "},
	{"header-quoted", "\"Authorization: a "},
	{"header-scheme", "Authorization: Bearer x "},
	{"header-literal", "Authorization: a\\\" 'b "},
	{"header-list", "Authorization:[a"},
	{"header-texts", "\"Authorization\":[\"a b\","},
	{"cookie", "Cookie: a="},
	{"marker", "[REDACTED-secret.github]"},
	{"marker-start", "[REDACTED-"},
	{"flag", "--password a "},
	{"flag-word", "--token "},
	{"flag-list", "\"--token\", "},
	{"program", "curl -u a:b "},
	{"program-name", "curl "},
	{"program-glued", "mysql -p"},
	{"login", "docker login -p a "},
	{"creds", "--creds a:"},
	{"openssl", " -pass pass:"},
	{"jwt", "eyJ"},
	{"jwt-parts", "eyJhbGciOiJIUzI1NiJ9."},
	{"jwt-open", "eyJh "},
	{"pgpass", "h:5432:d:u:"},
	{"cell", "| DB_PASS¦WORD | "},
	{"netrc", "login a password "},
	{"field", "{Password:a "},
	{"fields", " Password:a"},
	{"env-word", "ENV TOKEN a "},
	{"native", "密码="},
	{"identified", "identified by "},
	{"default-call", "getenv(\"TOKEN\","},
	{"default-or", "token || "},
	{"plural", "tokens: ["},
	{"plural-bare", "tokens: [a,"},
	{"replaced", "password=\"abcdefgh1\" -> "},
	{"function", "token = (a, "},
	{"path-value", "token=/a/"},
	{"rules-value", "token='required|"},
	{"iban-small", "de36 "},
	{"escaped-credential", "hostile-credential-FAKE-\\u0030"},
	{"escape", "\\u0068"},
	{"wrapped-credential", "aG9zdGlsZS1jcmVkZW50\\n"},
	{"registered", "hostile-credential-FAKE-0000000000000000000"},
	{"self-similar", "ababababababababababababababababababababababab"},
}

func hostileText(unit string, n int) []byte {
	unit = strings.ReplaceAll(unit, "¦", "")
	return append(bytes.Repeat([]byte(unit), n/len(unit)), '\n')
}

// hostileCredentials are one byte longer than the text that is repeated.
var hostileCredentials = []string{"hostile-credential-FAKE-00000000000000000000", strings.Repeat("ab", 40) + "c"}

// BenchmarkHostile reports how much longer 16 MiB takes than 4 MiB (linear is 4), each
// at its best, and the speed.
func BenchmarkHostile(b *testing.B) {
	for _, h := range hostile {
		b.Run(h.name, func(b *testing.B) {
			w := newWorker(b, hostileCredentials...)
			filter := filterAll(b, w, Body)
			best := map[int]time.Duration{}
			work := func(p []byte) {
				start := time.Now()
				filter(p)
				if took := time.Since(start); best[len(p)] == 0 || took < best[len(p)] {
					best[len(p)] = took
				}
			}
			small, large := hostileText(h.unit, 4<<20), hostileText(h.unit, 16<<20)
			speed := ratio(b, [][]byte{small, large}, work)
			b.ReportMetric(speed, "x-sha256")
			b.ReportMetric(float64(best[len(large)])/float64(best[len(small)]), "growth")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// TestHostileTexts runs the same texts at a size that a test can afford.
func TestHostileTexts(t *testing.T) {
	w := newWorker(t, hostileCredentials...)
	for _, h := range hostile {
		if _, err := w.Filter(Body, hostileText(h.unit, 1<<16)); err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
	}
}
