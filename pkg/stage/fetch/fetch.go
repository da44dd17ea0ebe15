// Package fetch is the first stage: it acquires one entity from a forge and writes it
// as a stream. It knows no forge by name: an adapter delivers native objects, and this
// package owns what is the same for all forges. It changes no byte of content and
// judges nobody.
//
// Order of work: the entity in one answer; the header and the entity's record, flushed
// at once so that a refused pipe ends before a hundred requests; comments, reviews and
// threads; checks of the captured head; actors; and last, one at a time, the logs of
// the checks that the profile will keep.
package fetch

import (
	"context"
	"slices"
	"strings"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/stream"
)

// Name is the stage's name in the stage chain and in diagnostics.
const Name = "fetch"

// Config is what a run is given beyond its adapter.
type Config struct {
	Target     forge.Target
	Collection contract.Collection
	// ByKind, if set, holds the collections from which the kind of the entity chooses, for
	// a Target without a kind.
	ByKind map[contract.EntityKind]contract.Collection
	Bots   *Registry // nil: no bot is registered (AMB-40)
	// Runs are the agent-run receipts of a file; HasRuns tells an empty file from none
	// (AMB-76).
	Runs    []Receipt
	HasRuns bool
	// Acquisition is what the caller knows of the snapshot's origin. The stage adds Date
	// and leaves out an address that is none on the source's host.
	Acquisition contract.Acquisition
	// NotAfter, if not zero, is the moment whose state of the forge is read (AMB-93), in
	// whole seconds.
	NotAfter time.Time
	// Date, if set, gives the forge's clock at its first answer, zero if unknown.
	Date func() time.Time
	// Progress, if set, is told what is being read now.
	Progress func(what string)
}

// Run acquires the entity of cfg.Target through a and writes its stream. Failures of
// an optional source become gaps with one notice each (AMB-77); an error means that
// there is no snapshot.
func Run(ctx context.Context, a forge.Adapter, out *stream.Writer, cfg Config, log *fault.Log) error {
	r := &run{ctx: ctx, adapter: a, out: out, cfg: cfg, log: log, bounds: cfg.Collection.Bounds, gaps: map[gapKey]int64{}}
	return r.run()
}

// run is one acquisition.
type run struct {
	ctx     context.Context
	adapter forge.Adapter
	out     *stream.Writer
	cfg     Config
	log     *fault.Log
	bounds  contract.Bounds

	source  contract.Source
	entity  *forge.Entity
	actors  actorSet
	records []*contract.Record // comments and reviews
	threads []*contract.Thread
	checks  []checked
	runs    []*contract.Run
	gaps    map[gapKey]int64
}

func (r *run) run() error {
	r.progress("entity")
	if err := r.readEntity(); err != nil {
		return err
	}
	discussion, checks := r.ask()
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.discuss(discussion)
	r.readChecks(checks)
	r.readRuns()
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err := r.writeActors(); err != nil {
		return err
	}
	if err := r.writeMetadata(); err != nil {
		return err
	}
	if err := r.writeLogs(); err != nil {
		return err
	}
	for _, g := range r.gapLines() {
		if err := r.out.Write(g); err != nil {
			return err
		}
	}
	return r.out.End()
}

// ask reads discussion and checks at the same time, as neither needs the other.
func (r *run) ask() (d forge.Discussion, c forge.Checks) {
	r.progress("discussion and checks")
	forge.Parallel(2, func(i int) {
		if i == 0 {
			d = r.askDiscussion()
		} else {
			c = r.askChecks()
		}
	})
	return d, c
}

func (r *run) selected(s contract.Scope) bool { return r.cfg.Collection.Includes(s) }

func (r *run) progress(what string) {
	if r.cfg.Progress != nil {
		r.cfg.Progress(what)
	}
}

func (r *run) key(kind contract.Kind, id string) string { return tree.Key(r.source, kind, id) }

// writeMetadata writes everything between the actors and the logs, in stream order.
func (r *run) writeMetadata() error {
	slices.SortFunc(r.records, func(a, b *contract.Record) int {
		return order(a.CreatedAt, b.CreatedAt, a.RecordKey, b.RecordKey)
	})
	slices.SortFunc(r.threads, func(a, b *contract.Thread) int { return order(a.CreatedAt, b.CreatedAt, a.ID, b.ID) })
	slices.SortFunc(r.checks, func(a, b checked) int {
		return order(a.line.CreatedAt, b.line.CreatedAt, a.line.RecordKey, b.line.RecordKey)
	})
	var lines []contract.Line
	lines = append(lines, r.entityRecord())
	for _, l := range r.records {
		lines = append(lines, l)
	}
	for _, l := range r.threads {
		lines = append(lines, l)
	}
	for _, c := range r.checks {
		lines = append(lines, c.line)
	}
	for _, l := range r.runs {
		lines = append(lines, l)
	}
	for _, l := range lines {
		if err := r.out.Write(l); err != nil {
			return err
		}
	}
	return nil
}

// order compares by time, then by a tie-break, both bytewise.
func order(time1, time2, tie1, tie2 string) int {
	if c := strings.Compare(time1, time2); c != 0 {
		return c
	}
	return strings.Compare(tie1, tie2)
}
