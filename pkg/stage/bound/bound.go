package bound

import (
	"context"
	"errors"
	"io"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
)

// stage is the state of one run.
type stage struct {
	header  *contract.Snapshot
	write   func(contract.Line) error
	recycle func(contract.Line) // gives the memory of a line back that is not needed any more
	worker  scanner
	log     *fault.Log
	missing missing

	// The retention windows.
	comments  *window[placed]
	reviews   *window[placed]
	checks    *window[*contract.Check]
	runs      *window[*contract.Run]
	documents *window[*contract.Document]
	completed int // part of the stream whose windows were written last

	sequence int                      // of comments and reviews together
	entity   bool                     // the entity record was written
	present  map[string]contract.Kind // written objects that have their text, by key
	logged   map[string]string        // names of present checks whose selected log has not come yet, by key
	unknown  map[string]bool          // actors of unknown kind: referenced by a written line?
}

// Run bounds the stream of in, which filter wrote, and writes it to out with its
// trailer. An error means that out has no trailer: the caller ends it with an abort
// line. It needs no credentials: a rescan looks for injection only (INJ-04).
func Run(ctx context.Context, in *stream.Reader, out *stream.Writer, log *fault.Log) error {
	header, err := in.Header()
	if err != nil {
		return err
	}
	out.Request(in.RequestID())
	engine, err := safety.New(nil)
	if err != nil {
		return err
	}
	// The header goes on at once, so that a pipe whose end refuses it ends before fetch
	// has asked for the rest.
	write := func(l contract.Line) error {
		if err := out.Write(l); err != nil || l.LineType() != contract.TypeSnapshot {
			return err
		}
		return out.Flush()
	}
	s := &stage{write: write, recycle: in.Recycle, worker: engine.NewWorker(), log: log}
	if err := s.run(ctx, header, in.Next); err != nil {
		return err
	}
	return out.End(in.Chain()...)
}

// run is Run without framing: lines come from next until io.EOF.
func (s *stage) run(ctx context.Context, header *contract.Snapshot, next func() (contract.Line, error)) error {
	if err := s.begin(header); err != nil {
		return err
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := next()
		if errors.Is(err, io.EOF) {
			return s.finish()
		}
		if err != nil {
			return err
		}
		if err := s.line(line); err != nil {
			return err
		}
	}
}

func (s *stage) begin(header *contract.Snapshot) error {
	if !safety.Supported(header.FilterVersion) {
		return &fault.Error{
			Exit: fault.Input, Rule: "stream.filter-version",
			Detail: "the stream was filtered by version " + fault.Quote(header.FilterVersion) + ", this program knows " + safety.Version,
			Hint:   "use the five programs of one release",
		}
	}
	s.missing = missing{}
	s.present = map[string]contract.Kind{}
	s.logged = map[string]string{}
	s.unknown = map[string]bool{}
	copied := *header // the reader goes on with its own
	header = &copied
	header.Stages = append(slices.Clone(header.Stages), contract.Self("bound"))
	s.header = header
	if header.Family != contract.FamilyEntity {
		s.documents = newWindow[*contract.Document](header.Limits.MaxDocuments, header.Limits.Selection)
		return s.write(header)
	}
	limit, selection := header.Collection.Bounds.MaxRecordsPerSource, header.Collection.RecordSelection
	s.comments, s.reviews = newWindow[placed](limit, selection), newWindow[placed](limit, selection)
	s.checks = newWindow[*contract.Check](limit, selection)
	s.runs = newWindow[*contract.Run](limit, selection)
	if err := s.boundEntity(); err != nil {
		return err
	}
	return s.write(header)
}

// line handles one line. The first line of a later part of the stream completes the
// parts before it.
func (s *stage) line(line contract.Line) error {
	switch l := line.(type) {
	case *contract.Gap:
		s.missing.add(l.Scope, l.Code, l.Count)
		return nil
	case *contract.Actor:
		return s.actor(l)
	case *contract.Record:
		return s.record(l)
	case *contract.Thread:
		if err := s.complete(recordPart); err != nil {
			return err
		}
		return s.thread(l)
	case *contract.Check:
		if old, dropped := s.checks.offer(l); dropped {
			s.miss(checkName(old), contract.ScopeChecks, contract.ProfileBound)
		}
		return nil
	case *contract.Run:
		if old, dropped := s.runs.offer(l); dropped {
			s.miss(runName(old), contract.ScopeAgentRuns, contract.ProfileBound)
		}
		return nil
	case *contract.Log:
		if err := s.complete(runPart); err != nil {
			return err
		}
		return s.checkLog(l)
	case *contract.Document:
		if old, dropped := s.documents.offer(l); dropped {
			s.miss(documentName(old), contract.ScopeDocuments, contract.ProfileBound)
		}
		return nil
	}
	return &fault.Error{
		Exit: fault.Input, Rule: "stream.type",
		Detail: "a line of type " + fault.Quote(string(line.LineType())) + " does not belong here",
	}
}

// The parts of a stream that are selected as a whole.
const (
	recordPart = iota + 1
	checkPart
	runPart
)

// complete writes the windows up to part, each once, in stream order.
func (s *stage) complete(part int) error {
	if s.header.Family != contract.FamilyEntity {
		return nil
	}
	flush := [...]func() error{recordPart: s.flushRecords, checkPart: s.flushChecks, runPart: s.flushRuns}
	for s.completed < part {
		s.completed++
		if err := flush[s.completed](); err != nil {
			return err
		}
	}
	return nil
}

// finish writes what is left and then every gap line (GAP-03, GAP-04).
func (s *stage) finish() error {
	if err := s.complete(runPart); err != nil {
		return err
	}
	if s.documents != nil {
		if err := s.flushDocuments(); err != nil {
			return err
		}
	}
	s.countAbsentLogs()
	s.countUnknownActors()
	for _, gap := range s.missing.lines() {
		if gap.Count > maxCount { // many lines together
			return fault.New(fault.Input, "stream.number", "gap lines add up to more than 2^53-1")
		}
		if err := s.write(gap); err != nil {
			return err
		}
	}
	return nil
}
