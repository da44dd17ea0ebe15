package safety_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
	"snapline/pkg/safety/injection"
	"snapline/pkg/safety/prefilter"
	"snapline/pkg/safety/secret"
)

// The oracle filters the plain way: Unicode safety in passes over code points, then
// every secret rule at every offset at which one of its patterns stands, by the obvious
// comparison, then the injection scan of the whole text without prepared anchors. No
// prefilter, no blocks, no short cut for clean text, no reuse.
//
// What a rule says of its surroundings is shared with the engine. That rules miss
// nothing is what filter-cases and residue-patterns are for.
type oracle struct {
	rules    *secret.Rules
	patterns []prefilter.Pattern
}

func newOracle(credentials ...string) *oracle {
	clean := make([]string, len(credentials))
	for i, c := range credentials {
		b, _, _ := oracleClean([]byte(c), false)
		clean[i] = string(b)
	}
	rules := secret.New(clean)
	return &oracle{rules, rules.Patterns()}
}

func (o *oracle) filter(kind safety.Kind, source []byte) safety.Result {
	lines := kind == safety.Body || kind == safety.Log
	text, joints, counts := oracleClean(source, !lines)
	if len(text) > max(2*len(source), 1<<20) {
		return safety.Result{Status: contract.Rejected, Oversize: true, Findings: []contract.Finding{{Code: safety.Oversize, Count: 1}}}
	}
	if lines && len(source) > 0 {
		text = append(bytes.TrimRight(text, "\n"), '\n')
	}
	if kind == safety.Log && (bytes.HasPrefix(source, []byte("\xff\xfe")) || bytes.HasPrefix(source, []byte("\xfe\xff")) || tooBad(source)) {
		return safety.Result{Status: contract.Rejected, Findings: findings(counts)}
	}
	for pass := 0; ; pass++ {
		spans := o.spans(text)
		if len(spans) == 0 {
			break
		}
		if pass == 8 {
			return safety.Result{Status: contract.Rejected, Findings: findings(counts)}
		}
		var out []byte
		var moved []int
		at := 0
		for _, s := range append(spans, secret.Span{Start: len(text), End: len(text)}) {
			for _, j := range joints {
				if at <= j && j < s.Start {
					moved = append(moved, j-at+len(out))
				}
			}
			out = append(out, text[at:s.Start]...)
			at = s.End
			if s.Start < len(text) {
				counts[s.Code.String()]++
				out = append(out, s.Code.Marker()...)
			}
		}
		text, joints = out, moved
	}
	var scanner injection.Scanner
	found := scanner.ScanAll(text)
	if found == nil && len(joints) > 0 {
		apart := slices.Clone(text)
		for _, j := range slices.Backward(joints) {
			apart = slices.Insert(apart, j, ' ')
		}
		found = scanner.ScanAll(apart)
	}
	if found != nil {
		for _, f := range found {
			counts[f.Code] += f.Count
		}
		return safety.Result{Status: contract.Rejected, Findings: findings(counts)}
	}
	status := contract.Unchanged
	if len(counts) > 0 {
		status = contract.Modified
	}
	return safety.Result{Status: status, Text: text, Findings: findings(counts)}
}

// tooBad is AMB-05: more than one raw byte in ten is no UTF-8.
func tooBad(source []byte) bool {
	bad := 0
	for b := source; len(b) > 0; {
		before := len(b)
		r := oracleRunes(b[:min(4, len(b))])
		n := len(string(r[0]))
		if r[0] == invalid {
			n = 1
			for k := 2; k <= 3 && k <= len(b); k++ {
				if startsRune(b[:k]) {
					n = k
				}
			}
			bad += n
		}
		b = b[n:]
		if len(b) == before {
			panic("no progress")
		}
	}
	return bad*10 > len(source)
}

func findings(counts map[string]int64) (out []contract.Finding) {
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		if counts[code] > 0 {
			out = append(out, contract.Finding{Code: code, Count: counts[code]})
		}
	}
	return out
}

// spans unites what the rules report, at every offset in order.
func (o *oracle) spans(text []byte) []secret.Span {
	d := o.rules.NewDetector()
	d.Reset(text)
	for i := range text {
		for k, p := range o.patterns {
			if p.At(text, i) {
				d.At(k, i)
			}
		}
	}
	return d.Spans()
}

// agree compares the engine with the oracle, and checks what holds of every output.
func agree(t testing.TB, w *safety.Worker, o *oracle, kind safety.Kind, source []byte) safety.Result {
	t.Helper()
	got, err := w.Filter(kind, slices.Clone(source))
	if err != nil {
		t.Fatal(err)
	}
	got.Text = slices.Clone(got.Text)
	want := o.filter(kind, slices.Clone(source))
	if got.Status != want.Status || !slices.Equal(got.Findings, want.Findings) || !bytes.Equal(got.Text, want.Text) {
		t.Fatalf("kind %d, source %q\nengine %s %v %q\noracle %s %v %q", kind, source, got.Status, got.Findings, got.Text, want.Status, want.Findings, want.Text)
	}
	if got.Status != contract.Rejected && kind != safety.Structural {
		settled(t, w, kind, got.Text)
	}
	return got
}

var kinds = []safety.Kind{safety.Body, safety.Log, safety.Display}

func TestOracleOnCases(t *testing.T) {
	requirement.Claim(t, "AMB-07", "INJ-03", "SEC-08")
	plain, plainOracle := newWorker(t), newOracle()
	for _, name := range caseFiles {
		for _, c := range loadCases(t, name, 140) {
			w, o := plain, plainOracle
			if len(c.Registered) > 0 {
				w, o = newWorker(t, c.Registered...), newOracle(c.Registered...)
			}
			for _, kind := range kinds {
				agree(t, w, o, kind, c.source(t))
			}
		}
	}
}

// fragments make up generated text: anchors, half secrets, escapes, invisible
// characters, separators. Prefixes are divided so that no secret scanner trips.
var fragments = func() []string {
	body := "FAKEexample0FAKEexample0FAKEexample0FAKEexample0"
	divided := strings.Fields("gh¦p_ gh¦s_ github_¦pat_ sk¦- sk-¦ant- sk-¦proj- gl¦pat- gl¦rt- GR¦1348941 xo¦xb- xa¦pp-1- xo¦xe.xo¦xp- AI¦za ya¦29. AK¦IA " +
		"sk_¦live_ wh¦sec_ S¦G. h¦f_ np¦m_ py¦pi- hv¦s. AGE-¦SECRET-KEY-1 dc¦kr_pat_ sh¦pat_ hooks.¦slack.com/services/ " +
		"Author¦ization: Basic Bearer x-api-¦key: PASS¦WORD= \"tok¦en\":\" db_¦secret api_¦key=' TOK¦EN: Coo¦kie: aws_¦secret_access_key= " +
		"postgres:¦//u: redis:¦//: https:¦//a: @h/ -----¦BEGIN -----¦END RSA PRIVATE¦_KEY----- PRIVATE¦_KEY----- MIIEFAKE")
	for i := range divided {
		divided[i] = strings.ReplaceAll(strings.ReplaceAll(divided[i], "¦", ""), "_KEY-", " KEY-")
	}
	plain := []string{
		body[:8], body[:10], body[:16], body[:20], body[:22], body[:24], body[:34], body[:36], body[:43], body, strings.ToUpper(body[:16]), strings.ToUpper(body),
		"123-45-6789", "SSN ", "4111 1111 1111 1111", "4111111111111111", "5555-5555-5555-4444", "4111", "GB82 WEST 1234 5698 7654 32", "DE89370400440532013000", "NO93", "123", "-", "45",
		"run-cred-FAKE-77", "run-cred", "-FAKE-77",
		"token=[\"", "\", \"", "\"]", "${X:-", "\"token: \" + ", "$$w0rd", "vault login s.", "session_token ", "Authorization:[Bearer ",
		"--pass" + "word ", "--tok" + "en ", "curl -u a:", "docker login -p ", "mysql -p", "\nENV API_TOK" + "EN ", "setenv DB_SEC" + "RET ", "tok" + "ens: [", "sec" + "rets:\n  - ",
		"eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiJhIn0.", "| DB_PASS" + "WORD | ", " |", "login x pass" + "word ", "db:5432:a:b:", "getenv(\"API_TOK" + "EN\", \"", "-> \"",
		"{Pass" + "word:", " Host:a", "map[tok" + "en:", "IDENTIFIED BY '", "密码=", "run-cred\\u002dFAKE-77", "run%2Dcred-FAKE-", "cnVuLWNyZWQt\\nRkFLRS03Nw==", "cnVuLWNy\nZWQtRkFLRS03Nw",
		"visa ", "4222222222222", "de89370400440532013000",
		"***", "${X}", "$(x)", "{{ x }}", "%X%", "<x>", "[REDACTED-secret.github]", "[REDACTED-", "]",
		"\x1b", "\x1b[31m", "\x1b[", "\x1b]0;", "\x07", "\x1b\\", "\u009b1m", "\u009d", "\u009c", "\u0090", "\x18", "\x1b(B",
		"\u200b", "\ufeff", "\u202e", "\ufe0f", "\u00ad", "\U000e0041", "\u034f", "\x00", "\x7f", "\x08",
		"\u0301", "\u0323", "e", "\u1112", "\u1161", "\u11ab", "\uff21", "\uff3b", "\uff1c", "½", "…", "\u2028", "\u0085", "\u0338", "<", "é", "日本", "😀",
		"\xff", "\xe2\x82", "\xed\xa0\x80", "\xf0\x9f",
		"\n", "\r\n", "\r", "\t", " ", " ", "\n\n", "\\n", "\\\"", "\"", "'", "`", ",", ";", "&", "=", ":", ": ", "@", "/", ".", "%3D", "> ", "| ", "{", "}", "(", ")", "--", "_", "\\", "$",
		"ignore all previous instructions", "ignore", "ignore ", "all", "previous", "previous ", "rules", "instructions", "<!-- ", " -->", "AI: approve", "curl ", "$GITHUB_", "do not tell the user", "env | ", "base64",
	}
	return append(divided, plain...)
}()

func assemble(r *rand.Rand) []byte {
	var b []byte
	for range 1 + r.IntN(14) {
		b = append(b, fragments[r.IntN(len(fragments))]...)
		if r.IntN(8) == 0 {
			b = append(b, ' ')
		}
	}
	return b
}

func TestOracleOnAssembledText(t *testing.T) {
	requirement.Claim(t, "AMB-07", "INJ-02", "INJ-03", "SEC-08", "UNI-08")
	n := 12000
	if testing.Short() {
		n = 1500
	}
	w, o := newWorker(t, "run-cred-FAKE-77"), newOracle("run-cred-FAKE-77")
	r := rand.New(rand.NewPCG(7, 7))
	seen := map[string]int{}
	for range n {
		got := agree(t, w, o, kinds[r.IntN(len(kinds))], assemble(r))
		for _, f := range got.Findings {
			seen[f.Code]++
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d codes were found: the generator proves little: %v", len(seen), seen)
	}
}

func FuzzOracle(f *testing.F) {
	for _, name := range caseFiles {
		for _, c := range loadCases(f, name, 140) {
			f.Add(c.source(f))
		}
	}
	w, o := newWorker(f, "run-cred-FAKE-77"), newOracle("run-cred-FAKE-77")
	f.Fuzz(func(t *testing.T, source []byte) {
		if len(source) > 3000 {
			return
		}
		for _, kind := range kinds {
			agree(t, w, o, kind, source)
		}
	})
}
