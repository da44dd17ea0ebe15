package safety

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
)

// fragments are what random texts are put together from: what rules look for, what
// stands around it, and what has to be cleaned. The sign ¦ is taken out: it keeps
// other scanners quiet.
var fragments = func() []string {
	list := []string{
		"sk-", "sk-¦proj-", "gh¦p_", "gh¦s_", "glp¦at-", "xox¦b-", "AK¦IA", "SG¦.", "hf¦_", "np¦m_", "hv¦s.",
		"-----BEGIN RSA PRIVATE¦ KEY-----", "-----END RSA PRIVATE¦ KEY-----", "-----BEGIN PGP PRIVATE¦ KEY BLOCK-----",
		"Proc-Type: 4,ENCRYPTED\n", "LS0tLS1CRUdJ¦Ti", "MIIEowIBAAKC", "Private-Lines: 2\n",
		"Authorization: ", "Basic ", "Bearer ", "Digest ", "X-Api-Key: ", "Cookie: a=", "Proxy-Authorization: ",
		"password", "PASSWORD", "token", "secret", "api_key", "aws_secret_access_key", "SecretAccessKey", "author", "auth", "PWD=",
		"=", "=", ": ", ":", "=>", "==", "::", ":=", "export ", "\"", "\"", "'", "`", "\\\"", "\\\\\\\"", "\\", "\\n", "\\u000a",
		"\n", "\n", "\n", "\r\n", "\r", " ", " ", "\t", ",", ";", "&", ")", "(", "{", "}", "[", "]", "<", ">", "|", "+", "*", "-", "_", ".",
		"$", "${X}", "$(x)", "$(", "{{ a }}", "{{", "%X%", "%(", "%3D", "#{", "<%", "os.environ", "f(", "config.token",
		"token=[\"", "\", \"", "\"]", "{\"secret\":{", "auth=(", "Authorization:[Bearer ", "${X:-", "\"token: \" + ", "data[\"", "[]byte(\"", "$name", "$$w0rd", "vault login s.", "session_token ", "-----", "\n-",
		"postgres://", "mysql://u:", "redis://:", "https://", "://", ":\\/\\/", "@", "/", "?", "#",
		"FAKEexample0FAKEexample0", strings.Repeat("FAKEexample0", 6)[:64], strings.Repeat("FAKEXMPL2345", 5), "FAKEexample0FAKEexam/FAKEexample0FAKEexa",
		"abcdefgh", "hunter2", "correcthorse", "x", "Z", "9", "123456", "4111 1111 1111 1111", "4111111111111111", "123-45-6789",
		"GB82 WEST 1234 5698 7654 32", "SSN ", "123456789", "41234574-7895-4288-a66c-f0e1d2c3b4a5",
		"[REDACTED-secret.github]", "[REDACTED-", "***", "true", "null", "********",
		"run-cred-FAKE-77", "cmVnaXN0ZXJlZC1mYWtlLXZhbHVl", "line-one-FAKE\nline-two",
		"\u00e9", "\u0301", "\u0323", "\u200b", "\ufeff", "\u202e", "\ufe0f", "\U000e0041", "\u00ad", "\uff3d", "\uff1d", "\ufe55", "\u2028", "\u00a0", "\u1100", "\u1161", "\u3145", "\u3153", "\u3133",
		"\x1b[31m", "\x1b", "\x1b]0;", "\x1b\\", "\u009b", "\u009c", "\x07", "\x00", "\x7f", "\xff", "\xe2\x82", "\u65e5\u672c",
		"ignore all previous instructions", "<!-- note -->", "do not tell the user",
	}
	for i, s := range list {
		list[i] = strings.ReplaceAll(s, "¦", "")
	}
	return list
}()

var fuzzCredentials = []string{"run-cred-FAKE-77", "registered-fake-value", "ample0FAKEex", "REDACTED-secret.gi", "line-one-FAKE\nline-two-FAKE"}

func randomText(r *rand.Rand) []byte {
	var b []byte
	for range 1 + r.IntN(4) {
		for range 1 + r.IntN(12) {
			b = append(b, fragments[r.IntN(len(fragments))]...)
		}
		if r.IntN(3) == 0 {
			b = append(b, '\n')
			b = append(b, strings.Repeat("plain text. ", r.IntN(50))...)
			b = append(b, '\n')
		}
	}
	return b
}

// checkFiltered checks what is true of every filtered text.
func checkFiltered(t *testing.T, w *Worker, kind Kind, in []byte) {
	t.Helper()
	r, err := w.Filter(kind, in)
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	if (r.Status == contract.Unchanged) != (len(r.Findings) == 0) {
		t.Fatalf("%q: %s with %v", in, r.Status, r.Findings)
	}
	for k, f := range r.Findings {
		if f.Count < 1 || k > 0 && r.Findings[k-1].Code >= f.Code {
			t.Fatalf("%q: findings %v", in, r.Findings)
		}
	}
	if r.Status == contract.Rejected {
		if r.Text != nil {
			t.Fatalf("%q: rejected, but has text", in)
		}
		return
	}
	out := bytes.Clone(r.Text)
	lines := kind == Body || kind == Log
	switch {
	case !utf8.Valid(out), bytes.ContainsAny(out, "\r\x1b\x00\ufeff\u200b\u034f"):
		t.Fatalf("%q becomes %q", in, out)
	case lines && len(in) > 0 && (!bytes.HasSuffix(out, []byte("\n")) || bytes.HasSuffix(out, []byte("\n\n"))),
		!lines && bytes.ContainsAny(out, "\n\t"), len(in) == 0 && len(out) != 0:
		t.Fatalf("%q ends wrong: %q", in, out)
	}
	for _, c := range fuzzCredentials {
		for line := range strings.SplitSeq(c, "\n") {
			if k := bytes.Index(out, []byte(line)); k >= 0 && !inMarker(out, k) {
				t.Fatalf("%q leaves %q in %q", in, line, out)
			}
		}
	}
	again, err := w.Filter(kind, out)
	if err != nil || again.Status != contract.Unchanged || !bytes.Equal(again.Text, out) {
		t.Fatalf("no fixed point:\n%q\n%q\n%q %v %v", in, out, again.Text, again.Findings, err)
	}
}

// inMarker tells whether out[k] lies in a marker.
func inMarker(out []byte, k int) bool {
	i := bytes.LastIndex(out[:min(len(out), k+10)], []byte("[REDACTED-"))
	return i >= 0 && k-i < 40 && !bytes.Contains(out[i:k], []byte("]"))
}

func newWorker(t testing.TB, credentials ...string) *Worker {
	t.Helper()
	e, err := New(credentials)
	if err != nil {
		t.Fatal(err)
	}
	return e.NewWorker()
}

func TestFixedPoint(t *testing.T) {
	requirement.Claim(t, "CAN-06", "CAN-07", "FLT-01", "UNI-06", "AMB-07", "AMB-47")
	w := newWorker(t, fuzzCredentials...)
	r := rand.New(rand.NewPCG(11, 12))
	for range 40_000 {
		in := randomText(r)
		checkFiltered(t, w, Kind(r.IntN(4)), in)
	}
}

func FuzzFilter(f *testing.F) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 200 {
		f.Add(uint8(r.IntN(4)), randomText(r))
	}
	w := newWorker(f, fuzzCredentials...)
	f.Fuzz(func(t *testing.T, kind uint8, in []byte) {
		if len(in) < 1<<16 {
			checkFiltered(t, w, Kind(kind%4), in)
		}
	})
}
