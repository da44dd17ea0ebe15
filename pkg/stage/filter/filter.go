// Package filter is the second stage: it decides who may be heard and makes safe
// what is left. A fetch stream comes in; a filtered stream goes out, in which every
// body, log and display string went through the whole safety engine, structural
// strings are untouched, and records of people who may not be heard are gone.
//
// The stage is pure: the output is a function of the input stream and Config. It
// bounds nothing; what it drops it counts in a gap line or marks for bound to count.
package filter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
)

// Name is the stage's name in the stage chain and in diagnostics.
const Name = "filter"

// Config is what a run is given beyond its stream.
type Config struct {
	// Engine holds the rules and the registered run credentials.
	Engine *safety.Engine
	// Credentials is the number of registered run credentials.
	Credentials int64
	// HumanMinRole replaces collection.admission when it is not empty: triage or write.
	HumanMinRole string
	// Workers is the number of texts filtered at once, at least 1. It does not change
	// a byte of the output.
	Workers int
	// Explain adds the byte offsets of every finding to the diagnostics.
	Explain bool
	// Strict rejects a document in which a string that is never rewritten has a finding.
	Strict bool
	// Families are the document families that this program knows.
	Families map[contract.Family]document.Family
}

// Run filters one stream. Every changed or dropped object is named once in log. An
// error leaves the output without a trailer; one with a scope and code is a gap that
// aborts the assembly (ABT-02 to ABT-08). After an error in must not be used again: a
// read may still be waiting for its input.
func Run(ctx context.Context, in *stream.Reader, out *stream.Writer, cfg Config, log *fault.Log) error {
	read, err := in.Header()
	if err != nil {
		return err
	}
	header := clone(read) // the reader goes on by the header that it read
	first := names{}.item(header, in.Line())
	first.err = newText(cfg, header).header(&first, header, cfg)
	first.tell(log, cfg.Explain)
	if header.Acquisition != nil {
		out.Request(header.Acquisition.RequestID)
	}
	if first.err != nil {
		return first.err
	}
	if err := out.Write(header); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	gaps := gapCounts{}
	for b := range start(ctx, in, newAdmission(header), cfg, header) {
		for i := range b.items {
			it := &b.items[i]
			it.tell(log, cfg.Explain)
			if it.err != nil {
				return it.err
			}
			gaps.add(it.gap)
			if it.line != nil {
				if err := out.Write(it.line); err != nil {
					return err
				}
			}
			in.Recycle(&contract.Log{Content: it.memory})
		}
		if b.err != nil && !errors.Is(b.err, io.EOF) {
			return b.err
		}
		if b.err != nil {
			return finish(in, out, gaps)
		}
		b.release()
	}
	return context.Cause(ctx)
}

// finish writes what was counted and the trailer.
func finish(in *stream.Reader, out *stream.Writer, gaps gapCounts) error {
	for _, g := range gaps.lines() {
		if err := out.Write(g); err != nil {
			return err
		}
	}
	return out.End(in.Chain()...)
}

// clone gives a header that can be changed without changing h.
func clone(h *contract.Snapshot) *contract.Snapshot {
	c := *h
	c.Stages = slices.Clone(h.Stages)
	c.Entity.Labels = slices.Clone(h.Entity.Labels)
	if h.Collection != nil {
		collection := *h.Collection
		c.Collection = &collection
	}
	if h.Acquisition != nil {
		acquisition := *h.Acquisition
		c.Acquisition = &acquisition
	}
	return &c
}

// header filters the display strings of the header and stamps it.
func (t *text) header(it *item, h *contract.Snapshot, cfg Config) error {
	h.Stages = append(h.Stages, contract.Self(Name))
	h.FilterVersion = safety.Version
	h.CredentialsRegistered = cfg.Credentials
	if h.Family != contract.FamilyEntity {
		switch {
		case cfg.HumanMinRole != "":
			return fault.New(fault.Usage, "filter.no-admission", "--human-min-role needs a stream of an issue or change proposal")
		case cfg.Families[h.Family] == nil:
			return fault.New(fault.Input, "filter.family", "family %s is unknown here", fault.Quote(string(h.Family)))
		}
		return nil
	}
	if cfg.HumanMinRole != "" {
		h.Collection.HumanMinRole = cfg.HumanMinRole
	}
	if err := t.acquisition(it, h.Acquisition); err != nil {
		return err
	}
	if err := newLengths(h).header(it, h); err != nil {
		return err
	}
	if err := t.source(it, h); err != nil {
		return err
	}
	return t.entity(it, h)
}

// source scans the structural strings that no tree can be without (STR-02, STR-03,
// ABT-07). They are never rewritten; the reader has checked their form.
func (t *text) source(it *item, h *contract.Snapshot) error {
	for _, s := range []struct{ name, value string }{
		{"repository", h.Source.Repository},
		{"host", h.Source.Host},
		{"repository_id", h.Source.RepositoryID},
		{"entity id", h.Entity.ID},
	} {
		safe, err := t.safePath(it, s.value)
		if err != nil {
			return err
		}
		if !safe {
			return abort(it, "filter.unsafe-source", contract.UnsafeContent, "source "+s.name+" is unsafe", "")
		}
	}
	return nil
}

// entity filters title and labels into h and gives their summed outcome (AMB-31). An
// unusable title aborts (ABT-06); an unusable label is dropped (DSP-07, AMB-27).
func (t *text) entity(it *item, h *contract.Snapshot) error {
	sum := contract.Clean()
	title, err := t.display(it, "title", h.Entity.Title)
	if err != nil {
		return err
	}
	switch {
	case title.unusable != "":
		return abort(it, "filter.unusable-title", title.unusable, "the title cannot be made safe", "change the title at the forge")
	case title.value == "":
		return abort(it, "filter.empty-title", contract.InvalidMetadata, "the title is empty after filtering", "change the title at the forge")
	}
	h.Entity.Title = title.value
	sum.Add(title.filter)
	labels := h.Entity.Labels[:0]
	for i, l := range h.Entity.Labels {
		label, err := t.display(it, fmt.Sprintf("label %d", i+1), l)
		if err != nil {
			return err
		}
		if label.unusable == "" && label.value != "" {
			labels = append(labels, label.value)
		}
		sum.Add(optional(label))
	}
	h.Entity.Labels = labels
	h.EntityFilter = &sum
	return nil
}

// optional is the outcome of a display string whose loss costs nothing but itself.
func optional(d displayed) contract.Filter {
	if d.unusable != "" {
		d.filter.Status = contract.Modified
	}
	return d.filter
}

// abort is a gap of scope entity that ends the assembly (ABT-10).
func abort(it *item, rule string, code contract.GapCode, detail, hint string) *fault.Error {
	return &fault.Error{
		Exit: fault.Aborted, File: "stdin", Line: it.no, Record: it.object(), Rule: rule,
		Scope: string(contract.ScopeEntity), Code: string(code), Detail: detail, Hint: hint,
	}
}
