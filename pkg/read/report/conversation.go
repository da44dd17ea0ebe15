package report

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// conversation orders the records by time, the entity's first, with the records of a
// thread together: under their review, or where the thread's first record stands.
func (p *Page) conversation() {
	rows := make([]*tree.ManifestRecord, 0, len(p.Index.Records))
	for i := range p.Index.Records {
		if row := &p.Index.Records[i]; row.Kind != contract.KindCheck {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b *tree.ManifestRecord) int { return rank(a) - rank(b) })

	threadOf, ofReview := p.assign()
	reviews := map[string]*tree.Review{}
	for i := range p.Singletons.Relations.Reviews {
		reviews[p.Singletons.Relations.Reviews[i].RecordKey] = &p.Singletons.Relations.Reviews[i]
	}
	shown := map[*Thread]bool{}
	for _, row := range rows {
		thread := threadOf[row.RecordKey]
		switch {
		case thread == nil:
			record := p.record(row)
			record.Review = reviews[row.RecordKey]
			p.Conversation = append(p.Conversation, &Item{Record: record, Threads: ofReview[row.RecordKey]})
		case !shown[thread]:
			shown[thread] = true
			if !p.underReview(thread.Thread) {
				p.Conversation = append(p.Conversation, &Item{Threads: []*Thread{thread}})
			}
		}
	}
}

func rank(row *tree.ManifestRecord) int {
	if row.Kind == contract.KindEntity {
		return 0
	}
	return 1
}

// assign gives each comment of a thread to its thread, the first one that names it, and
// each thread to its review.
func (p *Page) assign() (threadOf map[string]*Thread, ofReview map[string][]*Thread) {
	threadOf, ofReview = map[string]*Thread{}, map[string][]*Thread{}
	for i := range p.Singletons.Relations.Threads {
		thread := p.thread(&p.Singletons.Relations.Threads[i])
		for _, key := range thread.RecordKeys {
			row := p.Tree.Record(key)
			if row == nil || row.Kind != contract.KindComment || threadOf[key] != nil {
				continue
			}
			threadOf[key] = thread
			thread.Records = append(thread.Records, p.record(row))
		}
		if len(thread.Records) > 0 && p.underReview(thread.Thread) {
			ofReview[thread.ReviewRecordKey] = append(ofReview[thread.ReviewRecordKey], thread)
		}
	}
	return threadOf, ofReview
}

// underReview reports whether the tree has the review of a thread.
func (p *Page) underReview(t *tree.Thread) bool {
	row := p.Tree.Record(t.ReviewRecordKey)
	return row != nil && row.Kind == contract.KindReview
}

func (p *Page) thread(t *tree.Thread) *Thread {
	thread := &Thread{Thread: t, Link: p.links[t.ThreadKey]}
	if state := p.Tree.ThreadState(t.ThreadKey); state != nil {
		thread.State = *state
	}
	if by := thread.State.ResolvedByActorID; by != nil && *by != nil {
		person := p.person(**by)
		thread.ResolvedBy = &person
	}
	return thread
}

func (p *Page) record(row *tree.ManifestRecord) *Record {
	return &Record{Row: row, Author: p.person(author(row)), Link: p.links[row.RecordKey], page: p}
}

// Body is the text of the record, "" for one that was rejected.
func (r *Record) Body() (string, error) { return r.page.Body(r.Row) }

// Rejected reports whether the filters kept the text out of the tree.
func (r *Record) Rejected() bool { return r.Row.ContentPath == "" }

// Lines is where the thread stands in its file, in words: "" when the forge says
// nothing.
func (t *Thread) Lines() string {
	line, start := t.Line, t.StartLine
	if line == 0 {
		line, start = t.OriginalLine, t.OriginalStartLine
	}
	switch {
	case line == 0:
		return ""
	case start != 0 && start != line:
		return "lines " + number(start) + " to " + number(line)
	}
	return "line " + number(line)
}
