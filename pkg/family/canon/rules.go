package canon

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"snapline/pkg/contract/pattern"

	"snapline/pkg/family/document"
	"snapline/pkg/fault"
)

// Use says what an operator may use a document for.
type Use string

// The uses. A document that is invalid, or that the protocol refuses as a source, is text
// to read and no field of it may flow into a state (CBG-81, CBG-82, CBG-84).
const (
	Source      Use = "recovery-source"
	SourceNoted Use = "recovery-source-with-findings"
	TextOnly    Use = "text-only"
)

// refusing are the protocol findings with which a valid document is no recovery source.
var refusing = map[string]bool{
	"first-install-l0-empty":         true,
	"first-install-l0-missing":       true,
	"first-install-l0-not-inspected": true,
	"l0-empty":                       true,
	blockingDecision:                 true,
}

// refusal gives the first of the findings that refuses recovery, or "".
func refusal(findings []document.Finding) string {
	for _, f := range findings {
		if refusing[f.Code] {
			return f.Code
		}
	}
	return ""
}

// Report is the verdict on one document.
type Report struct {
	Format   string
	Use      Use
	Findings []document.Finding // in document order within each level
}

// Valid reports whether schema and cross rule hold.
func (r *Report) Valid() bool { return !document.Has(r.Findings, document.Error) }

// Refusal gives the protocol finding by which a valid document is no recovery source, or
// "".
func (r *Report) Refusal() string { return refusal(r.Findings) }

// doc is one document while it is judged. value is nil when it is unreadable.
type doc struct {
	raw      []byte
	format   string
	value    *document.Value
	findings []document.Finding
}

func (d *doc) report() Report {
	document.Locate(d.raw, d.findings)
	r := Report{Format: d.format, Use: Source, Findings: d.findings}
	switch {
	case document.Has(d.findings, document.Error), refusal(d.findings) != "":
		r.Use = TextOnly
	case document.Has(d.findings, document.Protocol):
		r.Use = SourceNoted
	}
	return r
}

// read judges the document: strict JSON, the schema, the cross rule, then the protocol's
// prose, which only a valid document is held against. An empty format is found out.
func (d *doc) read() {
	v, faults := document.Parse(d.raw, tolerating)
	if faults != nil {
		d.findings = document.Unreadable(faults)
		return
	}
	d.value = v
	if d.format == "" {
		d.format = formatOf(v)
	}
	d.findings, _ = formats()[d.format].Check(v, "")
	if d.format == Delta {
		d.crossRule()
	}
	if document.Has(d.findings, document.Error) {
		d.findings = slices.DeleteFunc(d.findings, func(f document.Finding) bool { return f.Code == "integer-range" })
		return
	}
	d.protocol()
}

func (d *doc) add(level document.Level, code, place string, v *document.Value, format string, args ...any) {
	d.findings = append(d.findings, document.NewFinding(level, code, place, v.Start, format, args...))
}

// crossRule holds seq against current_state.state_seq, as exact integers in any
// notation.
func (d *doc) crossRule() {
	seq, state := integer(d.value.Member("seq")), d.value.Member("current_state")
	if seq == nil || !state.Is(document.Object) {
		return
	}
	at := state.Member("state_seq")
	if n := integer(at); n == nil || n.Cmp(seq) != 0 {
		if at == nil {
			at = state
		}
		d.add(document.Error, "seq-mismatch", "/current_state/state_seq", at, "seq and current_state.state_seq must be one number")
	}
}

func integer(v *document.Value) *big.Int {
	if !v.Is(document.Number) {
		return nil
	}
	n, _ := document.Integer(v.Text)
	return n
}

// bootstrap lists the surfaces that the first state must have inspected.
var bootstrap = [...]string{
	"canon-boundary-guard-gpt/SKILL.md",
	"canon-boundary-guard-gpt/references/protocol.md",
	"canon-boundary-guard-gpt/references/gpt-project-adapter.md",
	"canon-boundary-guard-gpt/references/state-and-recovery.md",
	"canon-boundary-guard-gpt/schemas/SESSION_STATE.schema.json",
}

var (
	hashForm = pattern.New(`^sha256:[0-9a-f]{64}$`)
	timeForm = pattern.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
)

// state gives the SESSION_STATE of a document and its place.
func (d *doc) state() (*document.Value, string) {
	if d.format == Delta {
		return d.value.Member("current_state"), "/current_state"
	}
	return d.value, ""
}

// protocol holds a valid document against the rules that no schema has.
func (d *doc) protocol() {
	state, place := d.state()
	if d.format == Delta {
		d.timestamp(d.value.Member("timestamp"), "/timestamp")
		d.basis(state)
		d.targets(state)
	}
	d.timestamp(state.Member("updated_at"), place+"/updated_at")
	d.sources(state, place)
	for _, l := range lists {
		d.list(state, place, l.name, l.id, l.at)
	}
	d.hash(state.Member("last_state_hash"), place+"/last_state_hash")
}

func (d *doc) timestamp(v *document.Value, place string) {
	if _, err := time.Parse(time.RFC3339, v.Text); err != nil || !timeForm.MatchString(v.Text) {
		d.add(document.Protocol, "timestamp-format", place, v, "not an RFC 3339 date-time with an offset")
	}
}

func (d *doc) hash(v *document.Value, place string) {
	if v != nil && !hashForm.MatchString(v.Text) {
		d.add(document.Protocol, "hash-format", place, v, "sha256: and 64 lower-case hexadecimal digits are expected")
	}
}

func (d *doc) basis(state *document.Value) {
	basis := d.value.Member("basis")
	previous, seq := integer(basis.Member("previous_seq")), integer(d.value.Member("seq"))
	if new(big.Int).Add(previous, big.NewInt(1)).Cmp(seq) != 0 {
		d.add(document.Protocol, "basis-not-previous", "/basis/previous_seq", basis.Member("previous_seq"), "not seq - 1")
	}
	before, last := basis.Member("previous_hash"), state.Member("last_state_hash")
	d.hash(before, "/basis/previous_hash")
	if before != nil && last != nil && before.Text != last.Text {
		d.add(document.Protocol, "hash-fields-disagree", "/current_state/last_state_hash", last,
			"differs from basis.previous_hash: both name the state before")
	}
}

func (d *doc) targets(state *document.Value) {
	known := map[string]bool{}
	for _, from := range [...]struct{ list, member string }{
		{"active_l0_sources", "source_id"},
		{"last_persistent_artifacts", "artifact_id"},
		{"last_persistent_artifacts", "path_or_label"},
	} {
		entries := state.Member(from.list).Members
		for i := range entries {
			if m := entries[i].Member(from.member); m != nil {
				known[m.Text] = true
			}
		}
	}
	targets := d.value.At("decision", "affected_targets").Members
	for i := range targets {
		if !known[targets[i].Text] {
			d.add(document.Protocol, "target-unmapped", "/decision/affected_targets/"+strconv.Itoa(i), &targets[i],
				"no source or artifact of current_state has this name")
		}
	}
}

// lists are the arrays of a state whose entries have an id, and where they have one the
// member that holds their time.
var lists = [...]struct{ name, id, at string }{
	{"authorized_deltas", "delta_id", "authorized_at"},
	{"open_conflicts", "conflict_id", ""},
	{"pending_decisions", "decision_id", ""},
	{"last_persistent_artifacts", "artifact_id", "created_at"},
}

// list checks the time and the uniqueness of id of each entry (CBG-54, CBG-55).
func (d *doc) list(state *document.Value, place, list, id, at string) {
	seen := map[string]bool{}
	entries := state.Member(list).Members
	for i := range entries {
		here := place + "/" + list + "/" + strconv.Itoa(i)
		if at != "" {
			d.timestamp(entries[i].Member(at), here+"/"+at)
		}
		if v := entries[i].Member(id); seen[v.Text] {
			d.add(document.Protocol, "duplicate-id", here+"/"+id, v, "an earlier entry of %s has this %s", list, id)
		} else {
			seen[v.Text] = true
		}
	}
}

// sources checks active_l0_sources: unique, named, and complete at the first install.
func (d *doc) sources(state *document.Value, place string) {
	list := state.Member("active_l0_sources")
	place += "/active_l0_sources"
	first := integer(state.Member("state_seq")).Sign() == 0
	if len(list.Members) == 0 {
		code := "l0-empty"
		if first {
			code = "first-install-l0-empty"
		}
		d.add(document.Protocol, code, place, list, "no source is registered")
		return
	}
	entry := map[string]int{} // of each source_id: the first that is not inspected, else the last
	status := func(i int) string { return list.Members[i].Member("status").Text }
	for i := range list.Members {
		id := list.Members[i].Member("source_id")
		at := place + "/" + strconv.Itoa(i) + "/source_id"
		_, again := entry[id.Text]
		switch {
		case id.Text == "":
			d.add(document.Protocol, "l0-empty-id", at, id, "a source without a name")
		case again:
			d.add(document.Protocol, "l0-duplicate-id", at, id, "an earlier source has this source_id")
		}
		if !again || status(entry[id.Text]) == "inspected" {
			entry[id.Text] = i
		}
	}
	for _, surface := range bootstrap {
		i, listed := entry[surface]
		switch {
		case !listed && first:
			d.add(document.Protocol, "first-install-l0-missing", place, list, "%s is missing%s", surface, nearMatch(list, surface))
		case !listed:
			d.add(document.Note, "l0-bootstrap-absent", place, list, "%s is absent%s", surface, nearMatch(list, surface))
		case first && status(i) != "inspected":
			d.add(document.Protocol, "first-install-l0-not-inspected", place+"/"+strconv.Itoa(i)+"/status",
				list.Members[i].Member("status"), "%s is not inspected", surface)
		}
	}
}

// nearMatch names a source that lists the surface under another root.
func nearMatch(list *document.Value, surface string) string {
	_, tail, _ := strings.Cut(surface, "/")
	for i := range list.Members {
		if id := list.Members[i].Member("source_id").Text; id == tail || strings.HasSuffix(id, "/"+tail) {
			return "; " + fault.Quote(id) + " may be it"
		}
	}
	return ""
}
