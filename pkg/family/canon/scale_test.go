package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"
)

// longChain gives a first state and n deltas, each linked to the one before. The states
// are written in canonical form, so that their hashes need no canonicalisation.
func longChain(n int) (set []Named, size int) {
	var sources []string
	for _, s := range bootstrap {
		sources = append(sources, `{"source_id":"`+s+`","source_type":"project_file","status":"inspected"}`)
	}
	hash := ""
	for seq := range n + 1 {
		last := ""
		if seq > 0 {
			last = `"last_state_hash":"` + hash + `",`
		}
		state := fmt.Sprintf(`{"active_l0_sources":[%s],"authorized_deltas":[],"last_persistent_artifacts":[],%s"open_conflicts":[],"pending_decisions":[],`+
			`"protocol":"canon-boundary-guard:gpt-project-adapter","protocol_version":"1.1","state_seq":%d,"updated_at":"2026-03-02T10:00:00Z"}`,
			strings.Join(sources, ","), last, seq)
		raw := state
		if seq > 0 {
			raw = fmt.Sprintf(`{"type":"CANON_STATE_DELTA","seq":%d,"timestamp":"2026-03-02T10:00:00Z","basis":{"previous_seq":%d,"previous_hash":"%s"},`+
				`"decision":{"mode":"B","summary":"a step","authorized_delta":"as said","affected_targets":[]},"current_state":%s,"operator_action_required":"none"}`,
				seq, seq-1, hash, state)
		}
		sum := sha256.Sum256([]byte(state))
		hash = "sha256:" + hex.EncodeToString(sum[:])
		set = append(set, Named{Name: fmt.Sprint(seq), Raw: []byte(raw)})
		size += len(raw)
	}
	return set, size
}

// A chain is judged in time linear in its bytes: one of ten times the length takes about
// ten times as long, and a change in it is found at its place.
func TestLongChain(t *testing.T) {
	judge := func(n int) time.Duration {
		set, size := longChain(n)
		start := time.Now()
		reports, c := Judge(set)
		took := time.Since(start)
		if c.Verdict != ChainValid || len(reports) != n+1 || c.Refusal != "" || len(c.Links) > 0 {
			t.Fatalf("%s %q: %+v", c.Describe(), c.Refusal, c.Links)
		}
		start = time.Now()
		for _, d := range set {
			sha256.Sum256(d.Raw)
		}
		t.Logf("%d deltas, %d bytes: %v, %.0f times SHA-256", n, size, took, float64(took)/float64(time.Since(start)))
		return took
	}
	judge(100)
	short, long := judge(2_000), judge(20_000)
	if long > 40*short {
		t.Errorf("ten times the deltas took %.0f times as long", float64(long)/float64(short))
	}
	set, _ := longChain(2_000)
	set[1_200].Raw = []byte(strings.Replace(string(set[1_200].Raw), "project_file", "local_file", 1))
	if _, c := Judge(set); c.Verdict != ChainBroken || c.FirstBadSeq != "1201" || c.Finding != "hash-mismatch" {
		t.Error(c.Describe())
	}
}

func BenchmarkChain(b *testing.B) {
	set, size := longChain(100_000)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		Judge(set)
	}
}
