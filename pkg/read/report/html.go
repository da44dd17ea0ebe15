package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/read"
	"snapline/pkg/read/diff"
)

//go:embed page.html
var pageSource string

//go:embed documents.html
var documentsSource string

//go:embed diff.html
var diffSource string

//go:embed style.css
var style string

// policy lets a page load nothing, run nothing and send nothing; the one style sheet is
// allowed by its digest, so that no style can come from a text.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// page is made when the first page is written: other commands do not wait for it.
var page = sync.OnceValue(func() *template.Template {
	source := strings.NewReplacer("POLICY", policy(), "STYLE", style).Replace(pageSource + diffSource + documentsSource)
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clock": clock, "words": func(v any) string { return words(fmt.Sprint(v)) }, "tone": func(v any) string { return tones[fmt.Sprint(v)] },
		"short": short, "size": size,
	}).Parse(source))
})

// WriteHTML writes one page that needs nothing else: no script, no font, no picture, no
// request. It holds titles, texts and logins and is as private as a capture.
func (p *Page) WriteHTML(w io.Writer) error { return execute(w, "page", p) }

func execute(w io.Writer, name string, p any) error {
	b := bufio.NewWriter(w)
	if err := page().ExecuteTemplate(b, name, p); err != nil {
		return err
	}
	return b.Flush()
}

// tones are the classes of badges by what they say; what is not here has no colour.
var tones = map[string]string{
	string(contract.StateOpen): "ok", string(contract.StateMerged): "done", string(contract.StateClosed): "bad",
	string(contract.Approved): "ok", string(contract.ChangesRequested): "bad",
	string(contract.Success): "ok", string(contract.Failure): "bad", "timed out": "bad", "action required": "warn",
	string(contract.RunTimedOut): "bad", "in progress": "warn",
	string(contract.Modified): "warn", string(contract.Truncated): "warn", string(contract.Rejected): "bad",
	"partial": "warn", "unusable": "bad",
	string(diff.New): "ok", string(diff.Edited): "warn", string(diff.Gone): "bad",
}

// clock words a timestamp of the tree, which is UTC.
func clock(stamp string) string {
	t, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return stamp
	}
	return t.Format("2 January 2006, 15:04 UTC")
}

func short(digest string) string { return digest[:min(len(digest), 12)] }

// size words a number of bytes.
func size(n int64) string {
	if n < 10_000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d kB", (n+500)/1000)
}

// KindName is what the entity is called.
func (p *Page) KindName() string {
	return tree.KindName(p.Index.Source.Forge, p.Singletons.Entity.Kind)
}

// Tiles are the counts that are worth a tile: those that are not zero, in their order.
func (p *Page) Tiles() []Count {
	var tiles []Count
	for _, c := range p.Counts {
		if c.N > 0 {
			tiles = append(tiles, c)
		}
	}
	return tiles
}

// Standing is what may be concluded from one scope.
type Standing struct {
	Scope    contract.Scope
	Standing read.Standing
}

// Standings are the standings of all scopes.
func (p *Page) Standings() []Standing {
	var list []Standing
	for _, s := range read.Scopes {
		list = append(list, Standing{s, p.Gaps.Scopes[s]})
	}
	return list
}

// Files and Bytes are the tree's size.
func (p *Page) Files() int { n, _ := p.Total(); return n }

// Bytes is the number of bytes of all files but the index.
func (p *Page) Bytes() int64 { _, n := p.Total(); return n }

// Jump is a link into a long conversation.
type Jump struct{ Name, Anchor string }

// jumpEvery is how many turns lie between two links into a long conversation.
const jumpEvery = 100

// Jumps are links to every hundredth turn, none in a short conversation.
func (p *Page) Jumps() []Jump {
	var jumps []Jump
	for i := jumpEvery; i < len(p.Conversation); i += jumpEvery {
		jumps = append(jumps, Jump{number(int64(i + 1)), p.Conversation[i].anchor()})
	}
	return jumps
}

func (i *Item) anchor() string {
	if i.Record != nil {
		return anchor(i.Record.Row)
	}
	return "t-" + i.Threads[0].ThreadKey
}

// Percent is the share of the bound that is used, 0 to 100.
func (s Size) Percent() int64 {
	if s.Bound <= 0 {
		return 0
	}
	return min(100, s.Value*100/s.Bound)
}

// Initial is the first letter of the account's name.
func (p Person) Initial() string {
	r, _ := utf8.DecodeRuneInString(p.Name())
	return strings.ToUpper(string(r))
}

// Bot reports whether the account is a bot.
func (p Person) Bot() bool { return p.Kind == contract.Bot }

// Minimized reports whether the forge says that the thread is hidden.
func (t *Thread) Minimized() bool { return t.State.Minimized != nil && *t.State.Minimized }

// Edited is the time of the record's last update if that is not its creation.
func (r *Record) Edited() string {
	if r.Row.UpdatedAt == r.Row.CreatedAt {
		return ""
	}
	return r.Row.UpdatedAt
}

// Noted reports whether there is something to say below the text.
func (r *Record) Noted() bool {
	return r.Row.Filter.Status != contract.Unchanged || len(r.Row.Filter.Findings) > 0 || r.Edited() != "" || r.Review != nil && r.Review.ReviewedSHA != ""
}

// LogBytes is the length of the check's log.
func (c Check) LogBytes() int64 {
	if f := c.page.File(c.Row.LogPath); f != nil {
		return f.Bytes
	}
	return 0
}

// Took is how long the check ran, "" if that is not known.
func (c Check) Took() string {
	if c.Metadata == nil {
		return ""
	}
	start, err := time.Parse(time.RFC3339Nano, c.Metadata.StartedAt)
	end, err2 := time.Parse(time.RFC3339Nano, c.Metadata.CompletedAt)
	if err != nil || err2 != nil || end.Before(start) {
		return ""
	}
	return end.Sub(start).Truncate(time.Second).String()
}

// Tail is the end of the check's log.
func (c Check) Tail() ([]Run, error) {
	log, err := c.page.Log(c.Row)
	if err != nil {
		return nil, err
	}
	var f tree.Filter
	if file := c.page.File(c.Row.LogPath); file != nil && file.Filter != nil {
		f = *file.Filter
	}
	return marked(tail(log), f), nil
}

// Text is the text of a record in parts, for the page.
func (r *Record) Text() (*Text, error) {
	body, err := r.Body()
	if err != nil {
		return nil, err
	}
	return newText(r.Row.RecordKey, body, r.Row.Filter), nil
}
