// Package report tells people what an agent saw: one page about one tree, as HTML to
// look at, as text for a terminal, as Markdown without a word of anybody's for job
// summaries. Everything on it was held against the root digest, everything that people
// wrote is shown as it is and does nothing.
package report

import (
	"cmp"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/read"
)

// Page is what a report says, in no format.
type Page struct {
	*read.Tree
	Gaps         *read.Gaps
	Head         string // captured head, "" when there are no checks
	Conversation []*Item
	Threads      Tally // of all threads
	Counts       []Count
	Checks       []Check
	People       []Person
	Changes      []Change
	Sizes        []Size
	links        Links
}

// Links are the web addresses of objects: of the entity, and by record or thread key. They come from
// the stream of the tree and not from the tree, which holds none.
type Links map[string]string

// EntityLink is the key of the entity's own address.
const EntityLink = "entity"

// Item is one turn of the conversation: a record, or a thread that has no review.
type Item struct {
	Record  *Record   // nil for a thread
	Threads []*Thread // of a review, in its order; one for a thread
}

// Record is one entity body, comment or review.
type Record struct {
	Row    *tree.ManifestRecord
	Review *tree.Review // nil for other kinds
	Author Person
	Link   string
	page   *Page
}

// Thread is a review thread and its records.
type Thread struct {
	*tree.Thread
	State      tree.ThreadStateRow
	ResolvedBy *Person // nil when unknown or not resolved
	Link       string
	Records    []*Record
}

// Person is an account as the tree knows it.
type Person struct {
	ID       string // "" for nobody
	Login    string // "" when withheld or unsafe
	Kind     contract.ActorKind
	Role     string // in words
	Records  int    // of which it is the author
	Verified bool
}

// Check is one check of the head.
type Check struct {
	read.Check
	Link   string
	Failed bool // its log is worth a look
	page   *Page
}

// Tally counts threads.
type Tally struct{ All, Open, Resolved, Outdated int }

// Count is how often something is there.
type Count struct {
	Name string
	N    int
}

// Change is one text or document that the filters or bounds changed or rejected.
type Change struct {
	Kind   string // of the object
	ID     string // "" for a document of the tree
	Anchor string // where on the page the text stands, "" if nowhere
	Link   string
	Filter tree.Filter
}

// Size is a size beside the bound that the profile sets for it.
type Size struct {
	Name         string
	Value, Bound int64
}

// New gathers what a report says about a tree. links may be nil.
func New(t *read.Tree, links Links) (*Page, error) {
	gaps, err := read.ReadGaps(t.Snapshot, read.Demands{})
	if err != nil {
		return nil, err
	}
	p := &Page{Tree: t, Gaps: gaps, Head: t.Head(), links: links}
	p.people()
	p.conversation()
	for _, c := range t.Checks {
		p.Checks = append(p.Checks, Check{c, links[c.Row.RecordKey], failed(c.Metadata), p})
	}
	p.changes()
	p.counts()
	return p, p.sizes()
}

// Name is what people call the entity: repository and number.
func (p *Page) Name() string {
	mark := tree.Mark(p.Index.Source.Forge, p.Singletons.Entity.Kind)
	return p.Index.Source.Repository + mark + number(p.Singletons.Entity.Number)
}

// Link is the web address of the entity, "" when no stream was given.
func (p *Page) Link() string { return p.links[EntityLink] }

// failed reports whether a check has a log that says why it failed.
func failed(m *tree.Check) bool {
	if m == nil {
		return false
	}
	never := m.NeverStarted != nil && *m.NeverStarted
	return contract.LogsFailed.Selects(&contract.Check{Status: m.Status, Conclusion: m.Conclusion, NeverStarted: never})
}

func (p *Page) people() {
	count := map[string]int{}
	for i := range p.Index.Records {
		if id := author(&p.Index.Records[i]); id != "" {
			count[id]++
		}
	}
	for i := range p.Singletons.Actors.Actors {
		person := newPerson(&p.Singletons.Actors.Actors[i])
		person.Records = count[person.ID]
		p.People = append(p.People, person)
	}
}

func newPerson(a *tree.Actor) Person {
	person := Person{ID: a.ID, Kind: a.Kind, Verified: a.RoleVerified}
	if a.Login != nil {
		person.Login = *a.Login
	}
	switch {
	case a.Kind == contract.Bot:
		person.Role = "registered bot"
	case a.RoleVerified && a.Role != nil:
		person.Role = *a.Role
	default:
		person.Role = "role not verified"
	}
	return person
}

// person gives an account by id. One without a row has no verified role.
func (p *Page) person(id string) Person {
	if a := p.Actor(id); a != nil {
		return newPerson(a)
	}
	if id == "" {
		return Person{Role: "account withheld by the forge"}
	}
	return Person{ID: id, Role: "role not verified"}
}

// author is the author's id, "" for none.
func author(row *tree.ManifestRecord) string {
	if row.AuthorID == nil || *row.AuthorID == nil {
		return ""
	}
	return **row.AuthorID
}

// Name is how a page calls the account.
func (p Person) Name() string { return cmp.Or(p.Login, p.ID, "nobody that the forge names") }

func (p *Page) counts() {
	kinds := map[contract.Kind]int{}
	rejected := 0
	for i := range p.Index.Records {
		row := &p.Index.Records[i]
		kinds[row.Kind]++
		if row.Filter.Status == contract.Rejected {
			rejected++
		}
	}
	for _, row := range p.Singletons.ThreadState.Threads {
		p.Threads.All++
		switch {
		case row.Resolved:
			p.Threads.Resolved++
		case !row.Outdated:
			p.Threads.Open++
		}
		if row.Outdated {
			p.Threads.Outdated++
		}
	}
	p.Counts = []Count{
		{"comments", kinds[contract.KindComment]},
		{"reviews", kinds[contract.KindReview]},
		{"review threads", p.Threads.All},
		{"threads to answer", p.Threads.Open},
		{"resolved threads", p.Threads.Resolved},
		{"outdated threads", p.Threads.Outdated},
		{"checks", kinds[contract.KindCheck]},
		{"agent runs", len(p.Singletons.Runs.Runs)},
		{"people and bots", len(p.People)},
		{"rejected records", rejected},
	}
}

// Outcomes counts the checks by outcome, in the order of outcome's table.
func (p *Page) Outcomes() []Count {
	count := map[string]int{}
	for _, c := range p.Checks {
		count[c.Outcome()]++
	}
	var list []Count
	for name, n := range count {
		list = append(list, Count{name, n})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Name, b.Name)) })
	return list
}

// Outcome is how the check ended or where it stands, in words.
func (c Check) Outcome() string {
	switch m := c.Metadata; {
	case m == nil:
		return "rejected"
	case m.Status != contract.Completed:
		return words(string(m.Status))
	case m.NeverStarted != nil && *m.NeverStarted:
		return words(string(m.Conclusion)) + ", never started"
	default:
		return words(string(m.Conclusion))
	}
}

// words turns a value of a closed vocabulary into words.
func words(s string) string { return strings.ReplaceAll(s, "_", " ") }

// changes lists what is not as it was written: records and checks, logs, then the
// documents that hold display strings.
func (p *Page) changes() {
	add := func(c Change) {
		if c.Filter.Status != contract.Unchanged {
			p.Changes = append(p.Changes, c)
		}
	}
	for i := range p.Index.Records {
		row := &p.Index.Records[i]
		add(Change{Kind: string(row.Kind), ID: row.ID, Anchor: anchor(row), Link: p.links[row.RecordKey], Filter: row.Filter})
		if f := p.File(row.LogPath); f != nil && f.Filter != nil {
			add(Change{Kind: "log of check", ID: row.ID, Anchor: p.logAnchor(row), Link: p.links[row.RecordKey], Filter: *f.Filter})
		}
	}
	for _, d := range []struct{ name, path string }{
		{"title, labels and author", tree.EntityPath},
		{"logins of actors", tree.ActorsPath},
		{"names of agents", tree.AgentRunsPath},
	} {
		if f := p.File(d.path); f != nil && f.Filter != nil {
			add(Change{Kind: d.name, Filter: *f.Filter})
		}
	}
}

// anchor is where a record stands on the page; a check has no place of its own.
func anchor(row *tree.ManifestRecord) string {
	if row.Kind == contract.KindCheck {
		return ""
	}
	return "r-" + row.RecordKey
}

// logAnchor is where the end of a log stands, "" for one that is not shown.
func (p *Page) logAnchor(row *tree.ManifestRecord) string {
	for _, c := range p.Checks {
		if c.Row == row && c.Failed {
			return "l-" + row.RecordKey
		}
	}
	return ""
}

// sizes measures what the profile bounds.
func (p *Page) sizes() error {
	var body, log int64
	kinds := map[contract.Kind]int64{}
	for i := range p.Index.Records {
		row := &p.Index.Records[i]
		kinds[row.Kind]++
		text, err := p.Body(row)
		if err != nil {
			return err
		}
		body = max(body, int64(len(text)))
		if f := p.File(row.LogPath); f != nil {
			log = max(log, f.Bytes)
		}
	}
	b := p.Singletons.Collection.Bounds
	for _, s := range []struct {
		scope contract.Scope
		size  Size
	}{
		{contract.ScopeComments, Size{"comments", kinds[contract.KindComment], b.MaxRecordsPerSource}},
		{contract.ScopeReviews, Size{"reviews", kinds[contract.KindReview], b.MaxRecordsPerSource}},
		{contract.ScopeChecks, Size{"checks", kinds[contract.KindCheck], b.MaxRecordsPerSource}},
		{contract.ScopeAgentRuns, Size{"agent runs", int64(len(p.Singletons.Runs.Runs)), b.MaxRecordsPerSource}},
		{contract.ScopeEntity, Size{"labels", int64(len(p.Singletons.Entity.Labels)), b.MaxLabels}},
		{contract.ScopeEntity, Size{"bytes of the longest text", body, b.MaxRecordBytes}},
		{contract.ScopeCheckLogs, Size{"bytes of the longest log", log, b.MaxLogBytes}},
		{contract.ScopeEntity, Size{"bytes of the longest display string", p.longestDisplay(), b.MaxMetadataStringBytes}},
	} {
		if slices.Contains(p.Singletons.Collection.IncludedSources, string(s.scope)) {
			p.Sizes = append(p.Sizes, s.size)
		}
	}
	return nil
}

func (p *Page) longestDisplay() int64 {
	longest := len(p.Singletons.Entity.Title)
	for _, l := range p.Singletons.Entity.Labels {
		longest = max(longest, len(l))
	}
	for _, person := range p.People {
		longest = max(longest, len(person.Login))
	}
	for _, c := range p.Checks {
		if c.Metadata != nil {
			longest = max(longest, len(c.Metadata.Name))
		}
	}
	for _, r := range p.Singletons.Runs.Runs {
		longest = max(longest, len(r.Agent))
	}
	return int64(longest)
}

// Total gives the number of files of the tree, its index included, and their bytes
// without the index.
func (p *Page) Total() (files int, bytes int64) {
	for i := range p.Index.Files {
		bytes += p.Index.Files[i].Bytes
	}
	return len(p.Index.Files) + 1, bytes
}
