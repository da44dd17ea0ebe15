package audit

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"snapline/pkg/check/textrule"
	"snapline/pkg/contract"
	"snapline/pkg/safety"
)

// pair holds an object of the output against itself in the input.
func (c *comparison) pair(before, after contract.Line) error {
	if c.position == filtered {
		c.shorten(before)
	}
	switch b := before.(type) {
	case *contract.Actor:
		return c.actorPair(b, after.(*contract.Actor))
	case *contract.Record:
		return c.recordPair(b, after.(*contract.Record))
	case *contract.Thread:
		c.threadPair(b, after.(*contract.Thread))
	case *contract.Check:
		return c.checkPair(b, after.(*contract.Check))
	case *contract.Run:
		return c.runPair(b, after.(*contract.Run))
	case *contract.Log:
		l := after.(*contract.Log)
		delete(c.awaited, l.RecordKey)
		return c.contentPair(contract.Describe(l), safety.Log, b.Content, l.Content, b.Filter, l.Filter, c.bounds().MaxLogBytes)
	}
	return nil
}

// same compares two lines after the members that the stage may change were taken out
// of both.
func (c *comparison) same(name string, before, after any) {
	if !reflect.DeepEqual(before, after) {
		c.add(ruleChanged, name, "a member differs that this stage does not change")
	}
}

// headers: what names the snapshot stays; filter may change the threshold, title and
// labels, bound cuts title and labels.
func (c *comparison) headers() error {
	b, a := *c.before, *c.header
	b.Stages, a.Stages = nil, nil
	if c.position == filtered {
		a.FilterVersion, a.CredentialsRegistered = "", 0
		if b.Collection != nil {
			judged := *b.Collection // filter may judge by another threshold
			judged.HumanMinRole = a.Collection.HumanMinRole
			b.Collection = &judged
		}
	}
	if b.Family == contract.FamilyEntity {
		if err := c.titleAndLabels(); err != nil {
			return err
		}
	}
	if b.Acquisition != nil && a.Acquisition != nil {
		was := *b.Acquisition
		b.Acquisition = &was
		for _, s := range [][2]*string{
			{&was.Address, &a.Acquisition.Address},
			{&was.ProfileName, &a.Acquisition.ProfileName},
			{&was.RequestID, &a.Acquisition.RequestID},
		} {
			if c.left(*s[0], *s[1]) {
				*s[0] = ""
			}
		}
	}
	b.EntityFilter, a.EntityFilter = nil, nil
	b.Entity.Title, a.Entity.Title, b.Entity.Labels, a.Entity.Labels = "", "", nil, nil
	if !reflect.DeepEqual(b, a) {
		c.add(ruleHeader, "", "a member of the header differs that this stage does not change")
	}
	return nil
}

// left reports whether a stage may have left an optional structural string of the input
// out: only filter may, and only one that it would change.
func (c *comparison) left(before, after string) bool {
	if c.position != filtered || before == "" || after != "" {
		return false
	}
	if !c.exact() {
		return true
	}
	v, err := textrule.FixedPoint(c.scanner, safety.Structural, []byte(before))
	return err == nil && v.Fault != textrule.None
}

func (c *comparison) titleAndLabels() error {
	switch {
	case c.position == bounded:
		return c.boundedHeader()
	case c.exact():
		return c.filteredHeader()
	}
	c.claimed("title", c.before.Entity.Title, c.header.Entity.Title, c.header.EntityFilter)
	return nil
}

// exact reports whether a text of the output follows from the input alone: registered
// credentials, which only the filter knew, are redacted too.
func (c *comparison) exact() bool {
	return c.position == bounded || c.header.CredentialsRegistered == 0
}

// claimed: where it cannot be told what a display string must be, one that says it is
// unchanged must be that.
func (c *comparison) claimed(name, before, after string, is *contract.Filter) {
	if is.Status == contract.Unchanged && before != after {
		c.add(ruleText, name, "it differs and its status is unchanged")
	}
}

func (c *comparison) actorPair(before, after *contract.Actor) error {
	b, a := *before, *after
	if c.position == bounded {
		b.BotRole = nil
	}
	if a.Kind == contract.Unknown {
		c.unknown[a.ID] = c.header.Entity.AuthorID != nil && *c.header.Entity.AuthorID == a.ID
	}
	var err error
	switch name := contract.Describe(after); {
	case c.position == bounded:
		err = c.boundedLogin(name, before, after)
	case c.exact():
		err = c.filteredLogin(name, before, after)
	default:
		c.claimed(name, orEmpty(b.Login), orEmpty(a.Login), a.LoginFilter)
	}
	b.Login, a.Login, b.LoginFilter, a.LoginFilter = nil, nil, nil, nil
	c.same(contract.Describe(after), b, a)
	return err
}

func (c *comparison) recordPair(before, after *contract.Record) error {
	b, a := *before, *after
	scope := recordScope(a.Kind)
	if a.Content.Form == contract.FormText {
		c.present[a.RecordKey] = a.Kind
	} else if a.Filter != nil && a.Filter.Status == contract.Rejected {
		c.rejected[scope]++
	}
	c.reference(a.AuthorID)
	c.reference(a.DismissedBy)
	if c.position == bounded {
		b.Edited, b.EditorID = false, nil
	}
	err := c.contentPair(contract.Describe(after), safety.Body, b.Content, a.Content, b.Filter, a.Filter, c.bounds().MaxRecordBytes)
	b.Content, a.Content, b.Filter, a.Filter = contract.Content{}, contract.Content{}, nil, nil
	if c.left(b.URL, a.URL) {
		b.URL = ""
	}
	c.same(contract.Describe(after), b, a)
	return err
}

func recordScope(k contract.Kind) contract.Scope {
	switch k {
	case contract.KindComment:
		return contract.ScopeComments
	case contract.KindReview:
		return contract.ScopeReviews
	case contract.KindCheck:
		return contract.ScopeChecks
	case contract.KindEntity, contract.KindThread:
	}
	return contract.ScopeEntity
}

func (c *comparison) reference(id *string) {
	if id == nil {
		return
	}
	if _, ok := c.unknown[*id]; ok {
		c.unknown[*id] = true
	}
}

// oversize: the text is over the bound, or grows beyond its limit (AMB-100), which does not
// depend on credentials.
func (c *comparison) oversize(name string, kind safety.Kind, text []byte) error {
	if int64(len(text)) > c.bounds().MaxSourceBytes {
		return nil
	}
	r, err := c.scanner.Filter(kind, text)
	if err != nil {
		return c.component(name, err)
	}
	if !r.Oversize {
		c.add(ruleText, name, "marked oversize and is not")
	}
	return nil
}

// contentPair: what stands in the output is what this stage makes of the input.
func (c *comparison) contentPair(name string, kind safety.Kind, before, after contract.Content, was, is *contract.Filter, limit int64) error {
	text := before.Form == contract.FormText || before.Form == contract.FormBytes
	switch {
	case !text:
		if before.Form != after.Form || before.Missing != after.Missing {
			c.add(ruleChanged, name, "content that the input does not have")
		}
		if was != nil && is != nil && !sameFilter(*was, *is) {
			c.add(ruleChanged, name, "the findings are not those of the input")
		}
		return nil
	case after.Form == contract.FormOversize:
		return c.oversize(name, kind, before.Bytes)
	case c.position == bounded:
		return c.boundedText(name, before.Bytes, after.Bytes, *was, *is, limit)
	case !c.exact():
		if is.Status == contract.Unchanged && !bytes.Equal(after.Bytes, normalized(before.Bytes)) {
			c.add(ruleText, name, "it differs and its status is unchanged")
		}
		return nil
	}
	r, err := c.scanner.Filter(kind, before.Bytes)
	if err != nil {
		return c.component(name, err)
	}
	if r.Status != is.Status || !bytes.Equal(r.Text, after.Bytes) || !slices.Equal(r.Findings, is.Findings) {
		c.add(ruleText, name, "text or filter do not follow from the input's")
	}
	return nil
}

// normalized is text with LF line ends and one LF at its end unless it is empty.
func normalized(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	s := strings.ReplaceAll(strings.ReplaceAll(string(b), "\r\n", "\n"), "\r", "\n")
	return []byte(strings.TrimRight(s, "\n") + "\n")
}

// threadPair: filter passes a thread on as it is; bound cuts what is not there and
// nothing else (THR-08, AMB-17, AMB-55).
func (c *comparison) threadPair(before, after *contract.Thread) {
	b, a := *before, *after
	c.reference(a.ResolvedByActorID)
	if c.position == bounded {
		b.RecordKeys = retained(b.RecordKeys, func(key string) bool { return c.present[key] == contract.KindComment })
		b.Replies = retained(b.Replies, func(r contract.Reply) bool {
			return slices.Contains(b.RecordKeys, r.RecordKey) && slices.Contains(b.RecordKeys, r.ParentRecordKey)
		})
		if c.present[b.ReviewRecordKey] != contract.KindReview {
			b.ReviewID, b.ReviewRecordKey = "", ""
		}
	}
	if !slices.Equal(b.RecordKeys, a.RecordKeys) || !slices.Equal(b.Replies, a.Replies) || b.ReviewID != a.ReviewID {
		c.add(ruleReference, contract.Describe(after), "its references are not those of the input whose objects are there")
	}
	b.RecordKeys, b.Replies, b.ReviewID, b.ReviewRecordKey = nil, nil, "", ""
	a.RecordKeys, a.Replies, a.ReviewID, a.ReviewRecordKey = nil, nil, "", ""
	if c.left(b.URL, a.URL) {
		b.URL = ""
	}
	c.same(contract.Describe(after), b, a)
}

func retained[T any](list []T, keep func(T) bool) []T {
	var out []T
	for _, v := range list {
		if keep(v) {
			out = append(out, v)
		}
	}
	return out
}

func (c *comparison) checkPair(before, after *contract.Check) error {
	b, a := *before, *after
	if a.Filter != nil && a.Filter.Status == contract.Rejected {
		if c.position == bounded {
			c.rejected[contract.ScopeChecks]++
			if b.RejectedAs != "" && b.RejectedAs != contract.UnsafeContent {
				c.add(ruleChanged, contract.Describe(after), "only a check that is unsafe keeps a row")
			}
		}
	} else {
		c.present[a.RecordKey] = contract.KindCheck
		c.awaited[a.RecordKey] = c.header.Collection.CheckLogSelection.Selects(&a)
	}
	err := c.namePair(contract.Describe(after), b.Name, a.Name, b.Filter, a.Filter)
	b.Name, a.Name, b.Filter, a.Filter, b.RejectedAs, a.RejectedAs = "", "", nil, nil, "", ""
	if c.left(b.URL, a.URL) {
		b.URL = ""
	}
	c.same(contract.Describe(after), b, a)
	return err
}

func (c *comparison) runPair(before, after *contract.Run) error {
	b, a := *before, *after
	if c.position == bounded {
		b.PublisherID = nil
		b.ResultRecordKeys = retained(b.ResultRecordKeys, func(key string) bool { return c.present[key] != "" })
		if !slices.Equal(b.ResultRecordKeys, a.ResultRecordKeys) {
			c.add(ruleReference, contract.Describe(after), "its results are not those of the input whose records are there")
		}
		b.ResultRecordKeys, a.ResultRecordKeys = nil, nil
	}
	err := c.namePair(contract.Describe(after), b.Agent, a.Agent, b.Filter, a.Filter)
	b.Agent, a.Agent, b.Filter, a.Filter, b.RejectedAs, a.RejectedAs = "", "", nil, nil, "", ""
	if len(b.ResultRecordKeys)+len(a.ResultRecordKeys) == 0 {
		b.ResultRecordKeys, a.ResultRecordKeys = nil, nil
	}
	c.same(contract.Describe(after), b, a)
	return err
}

// namePair: a rejected object has no name, whatever the input's was.
func (c *comparison) namePair(name, before, after string, was, is *contract.Filter) error {
	switch {
	case c.position == bounded:
		return c.boundedName(name, before, after, *was, *is)
	case c.exact():
		return c.filteredName(name, before, after, *is)
	case is.Status != contract.Rejected:
		c.claimed(name, before, after, is)
	}
	return nil
}

// document: bound changes none, filter only what its status says.
func (c *comparison) document(before, after *contract.Document) {
	if before.Format != after.Format {
		c.add(ruleChanged, contract.Describe(after), "a member differs that this stage does not change")
	}
	if after.Filter != nil && after.Filter.Status == contract.Rejected {
		c.rejected[contract.ScopeDocuments]++
		return
	}
	if (c.position == bounded || after.Filter.Status == contract.Unchanged) && before.SHA256 != after.SHA256 {
		c.add(ruleText, contract.Describe(after), "its bytes differ and nothing says so")
	}
}
