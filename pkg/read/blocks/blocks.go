// Package blocks gives a view of a tree as content blocks for a prompt: one a record,
// in order, and behind them what can change without a record changing. Everything in them
// is untrusted data, whatever it says (VIEW-07, VIEW-08).
package blocks

import (
	"bytes"
	"strings"

	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/read"
)

// Kind is what a block holds.
type Kind string

// The kinds. Records come first and never change while their record does not; the other
// kinds change with every snapshot and come after (VIEW-02).
const (
	Record       Kind = "record"
	Omitted      Kind = "omitted" // how many records did not fit
	Gone         Kind = "gone"    // records of the earlier tree that have no text any more
	Authors      Kind = "authors" // logins and roles by Author-ID
	Relationship Kind = "relationship"
	History      Kind = "history"
	State        Kind = "state"
	Gaps         Kind = "gaps"
)

// Block is one content block.
type Block struct {
	Kind   Kind
	Path   string // of the file whose bytes the text is; "" for what no file holds
	SHA256 string // of the text
	Bytes  int64  // of the text
	text   []byte // nil: the file's
	head   string // before the file's bytes: who speaks
}

// Options say which blocks are wanted.
type Options struct {
	ViewPath      string     // order file of the view
	InlineAuthors bool       // who speaks stands at the head of each record
	MaxBytes      int64      // of all blocks as their format gives them; 0: no bound
	Since         *read.Tree // only what this earlier tree does not have; nil: everything
	Format        Format
}

// Prompt are the blocks of one view.
type Prompt struct {
	Blocks  []Block
	Records int  // how many of them, the first ones, are records
	Stable  bool // a later reply leaves all record blocks as they are
	// OmittedRecords and OmittedBytes count what did not fit into MaxBytes.
	OmittedRecords, OmittedBytes int64
	tree                         *read.Tree
	format                       Format
}

// New gives the blocks of a view. Records are those of the order file, in its order;
// with MaxBytes the newest that fit whole.
func New(t *read.Tree, o Options) (*Prompt, error) {
	p := &Prompt{tree: t, format: o.Format, Stable: !o.InlineAuthors}
	records, err := p.records(o)
	if err != nil {
		return nil, err
	}
	behind, err := p.behind(o)
	if err != nil {
		return nil, err
	}
	if o.MaxBytes > 0 {
		if records, behind, err = p.fit(records, behind, o.MaxBytes); err != nil {
			return nil, err
		}
	}
	p.Records = len(records)
	p.Blocks = append(records, behind...)
	return p, nil
}

// records gives the blocks of the view's records.
func (p *Prompt) records(o Options) ([]Block, error) {
	order, err := p.tree.Read(o.ViewPath)
	if err != nil {
		return nil, err
	}
	var list []Block
	for line := range strings.Lines(string(order)) { // a copy: the loop reads on
		path := strings.TrimSuffix(line, "\n")
		f, row := p.tree.File(path), p.tree.RecordAt(path)
		if f == nil || f.MediaType != tree.MediaMarkdown || row == nil {
			return nil, &fault.Error{Exit: fault.Aborted, File: o.ViewPath, Rule: check.RuleOrderForm.Name, Detail: check.RuleOrderForm.Meaning}
		}
		if o.Since != nil && same(o.Since, f) {
			continue
		}
		b := fileBlock(Record, f)
		if o.InlineAuthors {
			if err := p.introduce(&b, row); err != nil {
				return nil, err
			}
		}
		list = append(list, b)
	}
	return list, nil
}

func fileBlock(kind Kind, f *tree.File) Block {
	return Block{Kind: kind, Path: f.Path, SHA256: f.SHA256, Bytes: f.Bytes}
}

// same reports whether another tree has the same file.
func same(t *read.Tree, f *tree.File) bool {
	o := t.File(f.Path)
	return o != nil && o.SHA256 == f.SHA256
}

// introduce puts who speaks at the head of a record.
func (p *Prompt) introduce(b *Block, row *tree.ManifestRecord) error {
	var who *account
	if row.AuthorID != nil && *row.AuthorID != nil {
		who = accountOf(p.tree.Actor(**row.AuthorID))
	}
	line, err := canonicaljson.Marshal(who)
	if err != nil {
		return err
	}
	b.head = "Author: " + string(line) + "\n"
	text, err := p.text(b)
	if err != nil {
		return err
	}
	b.SHA256, b.Bytes = tree.Digest(text), int64(len(text))
	return nil
}

// account is who an Author-ID belongs to. A missing row has no verified role.
type account struct {
	Kind         contract.ActorKind `json:"kind,omitempty"`
	Login        *string            `json:"login"`
	Role         *string            `json:"role"`
	RoleVerified bool               `json:"role_verified"`
}

func accountOf(a *tree.Actor) *account {
	if a == nil {
		return &account{}
	}
	return &account{a.Kind, a.Login, a.Role, a.RoleVerified}
}

// after are the documents behind the records of every view.
var after = [...]struct {
	kind Kind
	path string
}{
	{Relationship, tree.ReviewsPath},
	{History, tree.AgentRunsPath},
	{State, tree.EntityPath},
	{State, tree.ThreadStatePath},
}

// behind gives the blocks behind the records: authors, relationships, history, mutable
// state (for the timeline that of checks too, without logs) and gaps.
func (p *Prompt) behind(o Options) ([]Block, error) {
	l := &list{since: o.Since}
	if o.Since != nil {
		if gone := goneSince(o.Since, p.tree); len(gone) > 0 {
			l.document(Gone, gone, nil)
		}
	}
	var earlier any
	if o.Since != nil {
		earlier = authors(o.Since)
	}
	l.document(Authors, authors(p.tree), earlier)
	for _, d := range after {
		l.file(d.kind, p.tree.File(d.path))
	}
	if o.ViewPath == tree.TimelinePath {
		// Checks belong to the whole and to no review; a check that never ran says so.
		for i := range p.tree.Index.Files {
			if f := &p.tree.Index.Files[i]; f.Role == tree.RoleCheckMetadata {
				l.file(State, f)
			}
		}
	}
	if o.Since != nil {
		earlier = o.Since.Index.Gaps
	}
	l.document(Gaps, p.tree.Index.Gaps, earlier)
	return l.blocks, l.err
}

// list collects blocks; what an earlier tree has too is left out.
type list struct {
	since  *read.Tree
	blocks []Block
	err    error
}

func (l *list) file(kind Kind, f *tree.File) {
	if f != nil && (l.since == nil || !same(l.since, f)) {
		l.blocks = append(l.blocks, fileBlock(kind, f))
	}
}

// document adds the canonical JSON of a value unless the earlier value has the same.
func (l *list) document(kind Kind, value, earlier any) {
	text, err := canonicaljson.Marshal(value)
	if err == nil && earlier != nil {
		var before []byte
		if before, err = canonicaljson.Marshal(earlier); bytes.Equal(before, text) {
			return
		}
	}
	if err != nil {
		l.err = err
		return
	}
	l.blocks = append(l.blocks, Block{Kind: kind, SHA256: tree.Digest(text), Bytes: int64(len(text)), text: text})
}

func authors(t *read.Tree) map[string]*account {
	all := map[string]*account{}
	for i := range t.Singletons.Actors.Actors {
		a := &t.Singletons.Actors.Actors[i]
		all[a.ID] = accountOf(a)
	}
	return all
}

// goneRecord names a record that has no text any more.
type goneRecord struct {
	ID        string        `json:"id"`
	Kind      contract.Kind `json:"kind"`
	RecordKey string        `json:"record_key"`
}

// goneSince lists the records whose text the earlier tree has and the later has not.
func goneSince(before, after *read.Tree) []goneRecord {
	var gone []goneRecord
	for i := range before.Index.Records {
		row := &before.Index.Records[i]
		if row.ContentPath == "" {
			continue
		}
		if now := after.Record(row.RecordKey); now == nil || now.ContentPath == "" {
			gone = append(gone, goneRecord{row.ID, row.Kind, row.RecordKey})
		}
	}
	return gone
}

// omission is the text of the block that counts what did not fit.
type omission struct {
	Bytes   int64 `json:"bytes"`
	Records int64 `json:"records"`
}

// fit keeps the newest records that fit, without a hole: the first that does not fit ends
// it, and all older ones are counted.
func (p *Prompt) fit(records, behind []Block, limit int64) ([]Block, []Block, error) {
	var whole, rest int64
	for i := range records {
		whole += p.format.size(&records[i])
		p.OmittedBytes += records[i].Bytes
	}
	for i := range behind {
		rest += p.format.size(&behind[i])
	}
	if whole+rest <= limit {
		p.OmittedBytes = 0
		return records, behind, nil
	}
	p.Stable = false
	p.OmittedRecords = int64(len(records))
	note, err := p.omitted()
	if err != nil {
		return nil, nil, err
	}
	left := limit - rest - p.format.size(&note)
	if left < 0 {
		return nil, nil, &fault.Error{
			Exit: fault.Usage, Rule: "blocks.max-bytes",
			Detail: "the blocks behind the records alone are larger", Hint: "give at least " + number(rest+p.format.size(&note)),
		}
	}
	first := len(records)
	for first > 0 && p.format.size(&records[first-1]) <= left {
		first--
		left -= p.format.size(&records[first])
		p.OmittedRecords--
		p.OmittedBytes -= records[first].Bytes
	}
	note, err = p.omitted()
	return records[first:], append([]Block{note}, behind...), err
}

func (p *Prompt) omitted() (Block, error) {
	l := &list{}
	l.document(Omitted, omission{p.OmittedBytes, p.OmittedRecords}, nil)
	if l.err != nil {
		return Block{}, l.err
	}
	return l.blocks[0], nil
}

// text gives the bytes of a block.
func (p *Prompt) text(b *Block) ([]byte, error) {
	if b.text != nil {
		return b.text, nil
	}
	text, err := p.tree.Text(b.Path)
	if err != nil || b.head == "" {
		return text, err
	}
	return []byte(strings.Join([]string{b.head, string(text)}, "")), nil
}
