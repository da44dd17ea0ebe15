package msp

import (
	"slices"
	"strings"

	"snapline/pkg/family/document"
)

// Result names the verdict on one document.
type Result string

// The results.
const (
	Valid     Result = "valid"
	Invalid   Result = "invalid"
	ItemsOnly Result = "items-only" // the genesis rung, tolerated
	NoState   Result = "no-state"   // a frame that carries no state: nothing is wrong
)

// Report is the verdict on one document.
type Report struct {
	Format   string
	Result   Result
	Findings []document.Finding
}

// modes tells what a served history has, by its mode.
var modes = map[string]struct{ items, snapshot, anchor bool }{
	"none":             {},
	"inline":           {items: true},
	"snapshot":         {snapshot: true},
	"anchoredSnapshot": {snapshot: true, anchor: true},
}

// statePlace is where a frame has its state.
const statePlace = "/result/history/snapshot/state"

// Check judges one document: strict JSON, the schema, the envelope of a frame, and,
// when nothing of that is wrong, whether it contradicts itself. tolerant accepts the
// genesis rung as items only. An empty format is found out.
func Check(raw []byte, format string, tolerant bool) Report {
	r := judge(raw, format, tolerant)
	document.Locate(raw, r.Findings)
	return r
}

func judge(raw []byte, format string, tolerant bool) Report {
	v, faults := document.Parse(raw, document.Options{})
	if faults != nil {
		return Report{Format: format, Result: Invalid, Findings: document.Unreadable(faults)}
	}
	d := &doc{value: v, state: v}
	if format == "" {
		format = formatOf(v)
	}
	r := Report{Format: format, Result: Valid}
	if format == Frame {
		d.place = statePlace
		d.state = v.At("result", "history", "snapshot", "state")
		if v.At("result", "history") == nil {
			d.add(document.Note, "no-state", "", v, "the frame carries no history")
			return Report{format, NoState, d.findings}
		}
	}
	d.findings, _ = formats()[format].Check(v, "")
	if format == Frame {
		d.envelope()
	}
	rung := d.state.Is(document.Object) && d.isGenesisRung()
	if rung {
		d.genesisRung(tolerant)
	}
	d.disputed()
	switch {
	case document.Has(d.findings, document.Error):
		r.Result = Invalid
		d.findings = slices.DeleteFunc(d.findings, func(f document.Finding) bool {
			return f.Level == document.Warning || f.Code == "integer-range"
		})
	case rung:
		r.Result = ItemsOnly
	case format == Frame && !d.state.Is(document.Object):
		r.Result = NoState
		d.add(document.Note, "no-state", "/result/history/snapshot", v.At("result", "history"), "the frame carries no state")
	default:
		d.contradictions()
		if format == Frame {
			d.session()
		}
	}
	r.Findings = d.findings
	return r
}

// doc is one document while it is judged. state is nil in a frame without one.
type doc struct {
	value    *document.Value
	state    *document.Value
	place    string // of the state
	findings []document.Finding
}

func (d *doc) add(level document.Level, code, place string, v *document.Value, format string, args ...any) {
	d.findings = append(d.findings, document.NewFinding(level, code, place, v.Start, format, args...))
}

// envelope holds history against its mode. An unknown mode promises nothing. A newer
// schema version ends the judgement of the state.
func (d *doc) envelope() {
	history := d.value.At("result", "history")
	items, snapshot, mode := history.Member("items"), history.Member("snapshot"), history.Member("mode")
	if newer(d.value) {
		d.findings = slices.DeleteFunc(d.findings, func(f document.Finding) bool {
			return strings.HasPrefix(f.Place, statePlace+"/")
		})
		d.add(document.Error, "schema-version", "/result/history/snapshot/schemaVersion", snapshot.Member("schemaVersion"),
			"newer than version %d: the state is not interpreted", schemaVersion)
		d.state = nil
	}
	if !mode.Is(document.String) {
		return
	}
	want, known := modes[mode.Text]
	if !known {
		return
	}
	given := func(v *document.Value) bool { return v.Kind != document.Null }
	if items != nil && given(items) != want.items {
		d.add(document.Error, "mode-items", "/result/history/items", items, "items is not null exactly for mode inline")
	}
	if snapshot == nil {
		return
	}
	if given(snapshot) != want.snapshot {
		d.add(document.Error, "mode-snapshot", "/result/history/snapshot", snapshot, "snapshot is not null exactly for the two snapshot modes")
	}
	if snapshot.Is(document.Object) && want.snapshot && (snapshot.Member("anchor") != nil) != want.anchor {
		d.add(document.Error, "anchor-presence", "/result/history/snapshot/anchor", snapshot, "anchor is present exactly for mode anchoredSnapshot")
	}
}

// isGenesisRung recognises the state that one serving path is known to give: of the
// members that the schema knows, items and nothing else. A newer member that does not fit
// is an unknown one.
func (d *doc) isGenesisRung() bool {
	known := 0
	for i := range d.state.Members {
		name := d.state.Members[i].Name
		if formats()[State].Properties[name] != nil && !d.unfit(d.place+"/"+name) {
			known++
		}
	}
	return known == 1 && d.state.Member("items") != nil
}

// unfit reports whether the member at the place, or something in it, is a newer member
// that does not fit.
func (d *doc) unfit(place string) bool {
	return slices.ContainsFunc(d.findings, func(f document.Finding) bool {
		return f.Code == document.NewerMemberType && (f.Place == place || strings.HasPrefix(f.Place, place+"/"))
	})
}

// genesisRung names the defect before the members that are missing because of it, or
// in their place, there as a warning if nothing else is wrong. Nothing is filled in:
// null and 0 would be claims.
func (d *doc) genesisRung(tolerant bool) {
	level := document.Note
	if tolerant {
		d.findings = slices.DeleteFunc(d.findings, func(f document.Finding) bool {
			return f.Code == "missing" && strings.LastIndexByte(f.Place, '/') == len(d.place)
		})
		if !document.Has(d.findings, document.Error) {
			level = document.Warning
		}
	}
	f := document.NewFinding(level, "genesis-rung", d.place, d.state.Start,
		"items alone: a known defect of the path that served this, and of no writer")
	d.findings = slices.Insert(d.findings, 0, f)
}

// disputed adds to a null name that hosts may follow a text that allows it.
func (d *doc) disputed() {
	for i := range d.findings {
		if f := &d.findings[i]; f.Code == document.NewerMemberType && f.Place == d.place+"/name" && d.state.Member("name").Is(document.Null) {
			f.Detail += "; disputed: the protocol's description allows it, its schema does not"
		}
	}
}
