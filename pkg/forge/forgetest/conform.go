package forgetest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"snapline/pkg/contract"
)

// Conform is what every adapter must pass. The subject should serve a rich entity:
// several pages of every list, nested pages, checks with logs, people and bots.
//
//   - the same bytes on every run;
//   - the token goes to the API alone and appears in no output or error;
//   - each answer of the run, hit once by each fault, gives a run that heals, a gap
//     or an abort: never a shorter list without a trace;
//   - the same for faults that last;
//   - cancellation at any request ends the run without a trailer.
//
// extra are faults of the adapter's own protocol.
func Conform(t *testing.T, s Subject, extra ...NamedFault) {
	if s.MaxWait == 0 {
		s.MaxWait = 10 * time.Minute
	}
	base := s.Run(context.Background(), t, &Net{})
	whole := base.Lines(t)
	keys := distinctKeys(base.Requests)
	t.Logf("%d requests, %d lines", len(base.Requests), bytes.Count(base.Stream, []byte("\n")))

	t.Run("determinism", func(t *testing.T) {
		for range 3 {
			if again := s.Run(context.Background(), t, &Net{}); !bytes.Equal(again.Stream, base.Stream) {
				t.Fatalf("another run gave other bytes:\n%s\n%s", base.Stream, again.Stream)
			}
		}
	})
	t.Run("token", func(t *testing.T) { tokenStays(t, s, base) })
	for _, f := range append(slices.Clone(Faults), extra...) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			s := s
			if f.Slow {
				s.Timeout = 30 * time.Millisecond
			}
			for i, key := range keys {
				if f.Slow && i%5 != 0 {
					continue
				}
				// What heals by another try must be tried for good too; what did not is
				// the same for good.
				if walk(t, s, base, whole, key, f, false) {
					walk(t, s, base, whole, key, f, true)
				}
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		for _, key := range keys {
			ctx, cancel := context.WithCancel(context.Background())
			net := &Net{Fault: func(k string, _ int) Fault {
				if k == key {
					cancel()
				}
				return nil
			}}
			o := s.Run(ctx, t, net)
			cancel()
			if o.Err == nil && !bytes.Equal(o.Stream, base.Stream) {
				t.Errorf("cancelled at %s: another stream without an error", short(key))
			}
		}
	})
}

func distinctKeys(requests []Seen) []string {
	var keys []string
	for _, r := range requests {
		if k := r.Key(); len(keys) == 0 || keys[len(keys)-1] != k {
			keys = append(keys, k)
		}
	}
	return keys
}

// walk hits one request with one fault, once or for good, and compares. It reports
// whether the run gave the whole stream all the same.
func walk(t *testing.T, s Subject, base Outcome, whole *Stream, key string, f NamedFault, lasting bool) (healed bool) {
	t.Helper()
	net := &Net{}
	api := s.apiHost(t)
	net.Fault = func(k string, nth int) Fault {
		if k != key || nth > 0 && !lasting {
			return nil
		}
		return func(r *http.Request, good *http.Response) (*http.Response, error) {
			if f.JSONOnly && !strings.Contains(good.Header.Get("Content-Type"), "json") {
				return good, nil
			}
			return f.Fault(r, good)
		}
	}
	o := s.Run(context.Background(), t, net)
	where := fmt.Sprintf("%s at %s", f.Name, short(key))
	for _, r := range o.Requests {
		if u, _ := url.Parse(r.URL); u.Host != api && leaks(r.Header) {
			t.Errorf("%s: the token went to %s", where, u.Host)
		}
	}
	if hidden(o) != "" {
		t.Errorf("%s: the token is in the output: %s", where, hidden(o))
	}
	if o.Err != nil {
		if bytes.Contains(o.Stream, []byte(`"type":"end"`)) {
			t.Errorf("%s: an error after a finished stream: %v", where, o.Err)
		}
		return false
	}
	if bytes.Equal(o.Stream, base.Stream) {
		return true
	}
	for _, complaint := range Compare(whole, o.Lines(t)) {
		t.Errorf("%s: %s\n%s", where, complaint, o.Stderr)
	}
	return false
}

// Compare says what part is missing from got, compared with the whole stream, without
// a trace: a gap of its scope, an unverified role, a missing log. Nothing may be in got
// that is not in whole.
func Compare(whole, got *Stream) []string {
	var complaints []string
	more := func(scope string) bool {
		for k, n := range got.Gaps {
			if strings.HasPrefix(k, scope+"/") && n > whole.Gaps[k] {
				return true
			}
		}
		return false
	}
	check := func(scope string, want, have []string) {
		for _, id := range want {
			if !slices.Contains(have, id) && !more(scope) {
				complaints = append(complaints, scope+": "+id+" is missing without a gap")
			}
		}
		for _, id := range have {
			if !slices.Contains(want, id) {
				complaints = append(complaints, scope+": "+id+" is new")
			}
		}
	}
	if a, b := text(whole.Header), text(got.Header); a != b {
		complaints = append(complaints, "the header differs: "+a+" became "+b)
	}
	for _, r := range got.Records {
		if w := whole.Record(r.ID); w != nil && text(w) != text(r) {
			complaints = append(complaints, string(r.Kind)+" "+r.ID+" differs: "+text(w)+" became "+text(r))
		}
	}
	check("comments", whole.IDs("comment"), got.IDs("comment"))
	check("reviews", whole.IDs("review"), got.IDs("review"))
	threads := func(s *Stream) (ids []string) {
		for _, t := range s.Threads {
			ids = append(ids, text(t))
		}
		return ids
	}
	wantThreads, haveThreads := threads(whole), threads(got)
	if len(got.IDs("comment")) > 0 || !more("comments") {
		check("reviews", wantThreads, haveThreads)
	}
	checks := func(s *Stream) (ids []string) {
		for _, c := range s.Checks {
			ids = append(ids, text(c))
		}
		return ids
	}
	check("checks", checks(whole), checks(got))
	logs := func(s *Stream) (keys []string) {
		for _, l := range s.Logs {
			keys = append(keys, l.RecordKey)
		}
		return keys
	}
	if !more("checks") {
		check("check_logs", logs(whole), logs(got))
	}
	for _, l := range got.Logs {
		for _, w := range whole.Logs {
			if w.RecordKey == l.RecordKey && l.Content.Form == w.Content.Form && !bytes.Equal(w.Content.Bytes, l.Content.Bytes) {
				complaints = append(complaints, "check_logs: other bytes")
			}
		}
	}
	for _, a := range got.Actors {
		if w := whole.Actor(a.ID); w != nil && a.RoleVerified && (w.Role == nil || *w.Role != *a.Role) {
			complaints = append(complaints, "actors: "+a.ID+" has another verified role")
		}
	}
	return complaints
}

// text shows a line with everything it points to.
func text(l contract.Line) string {
	b, err := json.Marshal(l)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func short(key string) string {
	key = strings.Join(strings.Fields(key), " ")
	if len(key) > 300 {
		key = key[:80] + " ... " + key[len(key)-200:]
	}
	return key
}

func (s Subject) apiHost(t testing.TB) string {
	t.Helper()
	return s.Driver.Endpoint(s.target(t)).Base.Host
}

// forms are the shapes in which a token could leak.
func forms() []string {
	return []string{Token, base64.StdEncoding.EncodeToString([]byte(Token)), base64.RawURLEncoding.EncodeToString([]byte(Token)), url.QueryEscape(Token)}
}

func leaks(h http.Header) bool {
	for _, values := range h {
		for _, v := range values {
			for _, form := range forms() {
				if strings.Contains(v, form) {
					return true
				}
			}
		}
	}
	return false
}

func hidden(o Outcome) string {
	text := string(o.Stream) + o.Stderr
	if o.Err != nil {
		text += o.Err.Error()
	}
	for _, form := range forms() {
		if i := strings.Index(text, form); i >= 0 {
			return text[max(0, i-40):min(len(text), i+40)]
		}
	}
	return ""
}

func tokenStays(t *testing.T, s Subject, base Outcome) {
	t.Helper()
	api := s.apiHost(t)
	sent := 0
	for _, r := range base.Requests {
		u, err := url.Parse(r.URL)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case u.Host == api && leaks(r.Header):
			sent++
		case u.Host == api:
			t.Errorf("no token with %s", short(r.Key()))
		case leaks(r.Header) || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "":
			t.Errorf("a credential went to %s", u.Host)
		}
		if strings.Contains(r.URL+r.Body, Token) {
			t.Errorf("the token is in an address or body: %s", u.Host)
		}
	}
	if sent == 0 {
		t.Error("the token was never sent")
	}
	if h := hidden(base); h != "" {
		t.Errorf("the token is in the output: %s", h)
	}
}
