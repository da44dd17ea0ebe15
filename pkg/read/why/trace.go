// Package why answers why something is not, or not as it was written, in a tree: where it
// came in, which stage took it away or changed it, by which rule, and how often that
// happened. It looks at the streams of the stages and, for the reasons, runs the stages
// again: each is a pure function of its input. It never gives a rejected text, nor any
// other.
package why

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/stage/bound"
	"snapline/pkg/stage/filter"
	"snapline/pkg/stream"
)

// Source is a stream that can be opened again and again.
type Source struct {
	Name string
	Open func(context.Context) (io.ReadCloser, error)
}

// Config says how the stages are run again.
type Config struct {
	Filter filter.Config // HumanMinRole "": as a later stream says, or else the profile
	// CredentialsGiven says that the caller named run credentials.
	CredentialsGiven bool
}

// Trace is what the stages did to every object.
type Trace struct {
	views   [3]*view
	sources [3]*Source
	config  Config
	guessed bool // filter was run again without the credentials of the run
}

// stages are the stages by their place in views.
const (
	fetched = iota
	filtered
	bounded
)

// view is what is known of one stage's stream.
type view struct {
	header  *contract.Snapshot
	objects map[string]*seen
	order   []*seen
	gaps    map[contract.Gap]int64
	digest  string
	input   string
	abort   *contract.Abort
	failure *fault.Error              // why the stage, run again, came to no end
	notices map[string][]fault.Notice // by object
}

// seen is an object as a stream has it, without its texts.
type seen struct {
	name, kind, id, key, url string
	line                     int64
	form                     contract.Form
	missing                  contract.GapCode
	filters                  []*contract.Filter
	records                  int // of a thread
	rejectedAs               contract.GapCode
}

// New reads the streams and runs the stages for their reasons. Streams may be those of one,
// two or three stages in any order; those after fetch's that are not there are made.
func New(ctx context.Context, sources []Source, config Config) (*Trace, error) {
	t := &Trace{config: config}
	for i := range sources {
		if err := t.place(ctx, &sources[i]); err != nil {
			return nil, err
		}
	}
	if err := t.agree(); err != nil {
		return nil, err
	}
	for p := fetched; p <= bounded; p++ {
		if t.sources[p] == nil && (p == fetched || t.views[p-1] == nil) || p > fetched && t.views[p-1] != nil && t.views[p-1].ended() {
			continue
		}
		if err := t.look(ctx, p); err != nil {
			return nil, err
		}
	}
	return t, t.chained()
}

// ended reports whether nothing comes after this stage.
func (v *view) ended() bool { return v.abort != nil || v.failure != nil }

// place finds out which stage wrote a stream.
func (t *Trace) place(ctx context.Context, s *Source) error {
	in, closeIn, err := openReader(ctx, s, 0)
	if err != nil {
		return err
	}
	defer closeIn()
	header, err := in.Header()
	var abort *stream.AbortError
	if errors.As(err, &abort) {
		return &fault.Error{Exit: fault.Input, File: s.Name, Rule: "why.stream", Detail: "the stream is an abort line alone, of stage " + abort.Abort.Stage}
	}
	if err != nil {
		return err
	}
	p := header.Position() - 1
	if t.sources[p] != nil {
		return &fault.Error{Exit: fault.Usage, File: s.Name, Rule: "why.stream", Detail: "two streams of stage " + contract.StageNames[p]}
	}
	t.sources[p] = s
	t.views[p] = &view{header: header}
	return nil
}

func openReader(ctx context.Context, s *Source, position int) (*stream.Reader, func(), error) {
	in, err := s.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	return stream.NewReader(in, stream.ReaderOptions{Name: s.Name, Position: position}), func() { _ = in.Close() }, nil
}

// agree holds the options against what the streams say of the run, and takes the threshold
// from there. Only filter knew the credentials: without them its work is not done again.
func (t *Trace) agree() error {
	for p := filtered; p <= bounded; p++ {
		if t.views[p] == nil {
			continue
		}
		h := t.views[p].header
		if h.CredentialsRegistered != t.config.Filter.Credentials && (t.config.CredentialsGiven || t.sources[filtered] == nil && t.sources[fetched] != nil) {
			return &fault.Error{
				Exit: fault.Usage, File: t.sources[p].Name, Rule: "why.credentials",
				Detail: fmt.Sprintf("the run had %d registered credentials, here are %d", h.CredentialsRegistered, t.config.Filter.Credentials),
				Hint:   "give --credentials-file and --credential-env as the run had them",
			}
		}
		t.guessed = h.CredentialsRegistered != t.config.Filter.Credentials
		if t.config.Filter.HumanMinRole == "" && h.Collection != nil {
			t.config.Filter.HumanMinRole = h.Collection.HumanMinRole
		}
	}
	for p := range t.views {
		t.views[p] = nil
	}
	return nil
}

// chained refuses streams of different runs.
func (t *Trace) chained() error {
	for p := filtered; p <= bounded; p++ {
		a, b := t.views[p-1], t.views[p]
		if a != nil && b != nil && a.digest != "" && b.input != "" && a.digest != b.input {
			return &fault.Error{
				Exit: fault.Input, Rule: "why.chain",
				Detail: "the streams of " + contract.StageNames[p-1] + " and " + contract.StageNames[p] + " are not of one run",
				Hint:   "give the captures of one run, and --credentials-file, --credential-env and --human-min-role as it had them",
			}
		}
	}
	return nil
}

// look reads the stream of a stage and, if its input is there, runs the stage for its
// reasons. A stream that is not there is what that run writes.
func (t *Trace) look(ctx context.Context, p int) error {
	v := &view{objects: map[string]*seen{}, gaps: map[contract.Gap]int64{}, notices: map[string][]fault.Notice{}}
	t.views[p] = v
	again := p > fetched && t.views[p-1] != nil
	if t.sources[p] != nil {
		in, closeIn, err := openReader(ctx, t.sources[p], p+1)
		if err != nil {
			return err
		}
		defer closeIn()
		if err := v.read(in); err != nil {
			return err
		}
		if again {
			return t.settle(p, t.run(ctx, p, io.Discard, fault.Collect(v.note)))
		}
		return nil
	}
	return t.pipe(ctx, p, fault.Collect(v.note), v.read)
}

// pipe runs a stage and gives its output to read. The stage's own failure ends the trace
// here and is part of it; only a failure of the streams is an error.
func (t *Trace) pipe(ctx context.Context, p int, log *fault.Log, read func(*stream.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from, to := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := t.run(ctx, p, to, log)
		_ = to.CloseWithError(err)
		done <- err
	}()
	err := read(stream.NewReader(from, stream.ReaderOptions{Name: contract.StageNames[p], Position: p + 1}))
	_ = from.Close()
	// A stage whose reader left has not failed.
	if failure := <-done; failure != nil && fault.ExitOf(failure) != fault.Quiet {
		return t.settle(p, failure)
	}
	return err
}

// settle takes that a stage aborted as part of the trace; any other error is one.
func (t *Trace) settle(p int, err error) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Exit == fault.Aborted {
		t.views[p].failure = f
		return nil
	}
	return err
}

// run runs a stage on the stream of the one before it.
func (t *Trace) run(ctx context.Context, p int, w io.Writer, log *fault.Log) error {
	stage := func(in *stream.Reader) error {
		out := stream.NewWriter(w)
		if p == filtered {
			return filter.Run(ctx, in, out, t.config.Filter, log)
		}
		return bound.Run(ctx, in, out, log)
	}
	if t.sources[p-1] == nil {
		return t.pipe(ctx, p-1, nil, stage)
	}
	in, closeIn, err := openReader(ctx, t.sources[p-1], p)
	if err != nil {
		return err
	}
	defer closeIn()
	return stage(in)
}

// note takes a diagnostic of the stage. It names its object as contract.Name does, perhaps
// with its address behind.
func (v *view) note(n fault.Notice) {
	name, _, _ := strings.Cut(n.Record, ` "`)
	v.notices[name] = append(v.notices[name], n)
}

// read takes what a stream says of its objects.
func (v *view) read(in *stream.Reader) error {
	header, err := in.Header()
	if err != nil {
		return v.stopped(err)
	}
	v.header = header
	if header.Family == contract.FamilyEntity {
		e := &header.Entity
		v.add(&seen{name: "entity " + e.ID, kind: "entity", id: e.ID, url: contract.WebURL(header), line: 1, filters: []*contract.Filter{header.EntityFilter}})
	}
	checks := map[string]string{}
	for {
		l, err := in.Next()
		if errors.Is(err, io.EOF) {
			v.digest, v.input = in.Digest(), in.InputDigest()
			return nil
		}
		if err != nil {
			return v.stopped(err)
		}
		s := &seen{name: contract.Name(l), kind: string(l.LineType()), url: contract.WebURL(l), line: in.Line()}
		switch l := l.(type) {
		case *contract.Actor:
			s.id, s.filters = l.ID, []*contract.Filter{l.LoginFilter}
		case *contract.Record:
			s.kind, s.id, s.key, s.form, s.filters = string(l.Kind), l.ID, l.RecordKey, l.Content.Form, []*contract.Filter{l.Filter}
		case *contract.Thread:
			s.id, s.key, s.records = l.ID, l.ThreadKey, len(l.RecordKeys)
		case *contract.Check:
			checks[l.RecordKey] = l.ID
			s.id, s.key, s.filters, s.rejectedAs = l.ID, l.RecordKey, []*contract.Filter{l.Filter}, l.RejectedAs
		case *contract.Run:
			s.id, s.filters, s.rejectedAs = l.ID, []*contract.Filter{l.Filter}, l.RejectedAs
		case *contract.Log:
			s.id = checks[l.RecordKey]
			s.name, s.kind, s.key = "log of check "+s.id, "log of check", l.RecordKey
			s.form, s.missing, s.filters = l.Content.Form, l.Content.Missing, []*contract.Filter{l.Filter}
		case *contract.Document:
			s.id, s.filters = l.Name, []*contract.Filter{l.Filter}
		case *contract.Gap:
			v.gaps[contract.Gap{Scope: l.Scope, Code: l.Code}] += l.Count
			continue
		}
		v.add(s)
	}
}

// stopped takes an abort line as what the stream says.
func (v *view) stopped(err error) error {
	var abort *stream.AbortError
	if errors.As(err, &abort) {
		v.abort = &abort.Abort
		return nil
	}
	return err
}

// add takes an object; the header and the record of the entity are one.
func (v *view) add(s *seen) {
	if known := v.objects[s.name]; known != nil {
		known.line, known.key, known.form = s.line, s.key, s.form
		known.filters = append(known.filters, s.filters...)
		if s.url != "" {
			known.url = s.url
		}
		return
	}
	v.objects[s.name] = s
	v.order = append(v.order, s)
}
