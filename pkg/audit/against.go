package audit

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/stream"
)

// The rules of a stream against the stream that its stage read.
const (
	ruleChain     = "against.chain"          // not the next stage's output of this input
	ruleInput     = "against.input-digest"   // the trailer names another input
	ruleHeader    = "against.header"         // a member of the header that the stage may not change
	ruleInvented  = "against.invented"       // an object that the input does not have
	ruleChanged   = "against.changed"        // a member that the stage may not change
	ruleText      = "against.text"           // text that does not follow from the input's
	ruleDropped   = "against.dropped"        // objects that are gone without a gap
	ruleGapAdded  = "against.gap-invented"   // a gap for which nothing is gone
	ruleGapLost   = "against.gap-lost"       // a gap of the input that is gone
	ruleReference = "against.reference-lost" // a reference that was cut although its object is there
)

// Against judges a stream and holds it against the one that its stage read. Both are
// in the same order, so they are read side by side and neither is held.
func Against(ctx context.Context, in *stream.Reader, name string, input *stream.Reader, inputName string, o Options) (*Report, error) {
	a, err := newAuditor(in, name, o)
	if err != nil {
		return nil, err
	}
	before, err := input.Header()
	if err != nil {
		return nil, stopped(err)
	}
	c := &comparison{
		auditor: a, before: before, input: side{in: input, gaps: map[contract.Gap]int64{}}, output: side{in: in, gaps: map[contract.Gap]int64{}},
		present: map[string]contract.Kind{}, dropped: map[contract.Scope]int64{}, rejected: map[contract.Scope]int64{},
		awaited: map[string]bool{}, unknown: map[string]bool{}, short: map[string]bool{},
	}
	if !c.chain() {
		// Nothing can be said about the lines of streams that do not belong together.
		return c.drain(ctx)
	}
	if err := c.headers(); err != nil {
		return nil, err
	}
	if err := c.merge(ctx); err != nil {
		return nil, err
	}
	c.end()
	if in.InputDigest() != input.Digest() {
		c.add(ruleInput, "", "input_sha256 is not the digest of %s", inputName)
	}
	c.gaps()
	return c.report(), nil
}

// side is one of the two streams: its lines without gaps, which are summed.
type side struct {
	in   *stream.Reader
	line contract.Line // nil at the end
	gaps map[contract.Gap]int64
}

// place is where a line belongs in a stream: its part, then its order key.
type place struct {
	part       int
	first, key string
	number     int // of a log's check
}

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.part, o.part), cmp.Compare(p.number, o.number), strings.Compare(p.first, o.first), strings.Compare(p.key, o.key))
}

// next reads to the next line that is no gap.
func (s *side) next() error {
	for {
		l, err := s.in.Next()
		if errors.Is(err, io.EOF) {
			s.line = nil
			return nil
		}
		if err != nil {
			return stopped(err)
		}
		if g, ok := l.(*contract.Gap); ok {
			s.gaps[contract.Gap{Scope: g.Scope, Code: g.Code}] += g.Count
			continue
		}
		s.line = l
		return nil
	}
}

// placeOf gives the place of a line. checks numbers the checks of the input, in order.
func (c *comparison) placeOf(l contract.Line) place {
	switch l := l.(type) {
	case *contract.Actor:
		return place{part: 1, key: l.ID}
	case *contract.Record:
		if l.Kind == contract.KindEntity {
			return place{part: 2}
		}
		return place{part: 3, first: l.CreatedAt, key: l.RecordKey}
	case *contract.Thread:
		return place{part: 4, first: l.CreatedAt, key: l.ID}
	case *contract.Check:
		return place{part: 5, first: l.CreatedAt, key: l.RecordKey}
	case *contract.Run:
		return place{part: 6, first: l.CompletedAt, key: l.ID}
	case *contract.Log:
		return place{part: 7, number: c.checks[l.RecordKey], key: l.RecordKey}
	}
	return place{}
}

// comparison is the state of one Against.
type comparison struct {
	*auditor
	before        *contract.Snapshot
	input, output side
	checks        map[string]int // checks of the input, numbered from 1

	present  map[string]contract.Kind // objects of the output that have their text, by key
	awaited  map[string]bool          // retained checks whose log has not come yet; true if it is selected
	unknown  map[string]bool          // actors of unknown kind; true once referenced
	short    map[string]bool          // checks that are gone, whose logs go with them
	dropped  map[contract.Scope]int64
	rejected map[contract.Scope]int64 // rejected rows of the output
	labels   int64                    // labels that max_labels dropped
}

// chain: the same family, and one stage more.
func (c *comparison) chain() bool {
	ok := c.before.Family == c.header.Family && len(c.header.Stages) == len(c.before.Stages)+1
	for i := range c.before.Stages {
		ok = ok && c.before.Stages[i] == c.header.Stages[i]
	}
	if !ok {
		c.add(ruleChain, "", "the stream must be the output of the stage that read the other one")
	}
	return ok
}

// drain judges the stream alone.
func (c *comparison) drain(ctx context.Context) (*Report, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.output.next(); err != nil {
			return nil, err
		}
		if c.output.line == nil {
			c.end()
			return c.report(), nil
		}
		if err := c.line(c.output.line); err != nil {
			return nil, err
		}
	}
}

// merge reads both streams side by side.
func (c *comparison) merge(ctx context.Context) error {
	if c.header.Family != contract.FamilyEntity {
		return c.mergeDocuments(ctx)
	}
	c.checks = map[string]int{}
	if err := errors.Join(c.output.next(), c.nextInput()); err != nil {
		return err
	}
	for c.input.line != nil || c.output.line != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		order := c.order()
		var err error
		switch {
		case order < 0:
			c.gone(c.input.line)
		case order > 0:
			err = c.line(c.output.line)
			c.add(ruleInvented, contract.Describe(c.output.line), "the input does not have it")
		default:
			if err = c.line(c.output.line); err == nil {
				err = c.pair(c.input.line, c.output.line)
			}
		}
		if err != nil {
			return err
		}
		if order <= 0 {
			c.input.in.Recycle(c.input.line)
			if err := c.nextInput(); err != nil {
				return err
			}
		}
		if order >= 0 {
			c.output.in.Recycle(c.output.line)
			if err := c.output.next(); err != nil {
				return err
			}
		}
	}
	return nil
}

// order tells which of the two lines comes first.
func (c *comparison) order() int {
	switch {
	case c.input.line == nil:
		return 1
	case c.output.line == nil:
		return -1
	}
	return c.placeOf(c.input.line).compare(c.placeOf(c.output.line))
}

func (c *comparison) nextInput() error {
	if err := c.input.next(); err != nil {
		return err
	}
	if l, ok := c.input.line.(*contract.Check); ok {
		c.checks[l.RecordKey] = len(c.checks) + 1
	}
	return nil
}

// mergeDocuments reads two streams of documents side by side: the output's are a part
// of the input's, in the same order.
func (c *comparison) mergeDocuments(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.output.next(); err != nil {
			return err
		}
		after, more := c.output.line.(*contract.Document)
		if more {
			if err := c.line(after); err != nil {
				return err
			}
		}
		found := false
		for !found {
			if err := c.input.next(); err != nil {
				return err
			}
			before, ok := c.input.line.(*contract.Document)
			if !ok {
				break
			}
			if found = more && before.Name == after.Name; found {
				c.document(before, after)
			} else {
				c.dropped[contract.ScopeDocuments]++
			}
		}
		switch {
		case more && !found:
			c.add(ruleInvented, contract.Describe(after), "the input does not have it, or not here")
		case !more:
			return nil
		}
	}
}
