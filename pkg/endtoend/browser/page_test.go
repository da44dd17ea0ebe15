package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"snapline/pkg/contract"
	"snapline/pkg/read/diff"
	"snapline/pkg/read/readtest"
	"snapline/pkg/read/report"
	"snapline/pkg/testkit"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const top = "../../.."

func pageOf(t *testing.T, bounded []byte, links report.Links) *report.Page {
	t.Helper()
	page, err := report.New(readtest.Tree(t, bounded), links)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func golden(t *testing.T, name string) (*report.Page, []contract.Line) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(top, "testdata", "pipeline", name, "3-bound.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	_, lines := testkit.Parse(t, raw, 3)
	links := report.Links{report.EntityLink: "https://github.com/acme/tool/pull/7"}
	for _, l := range lines {
		switch l := l.(type) {
		case *contract.Record:
			links[l.RecordKey] = "https://github.com/acme/tool/pull/7#" + l.ID
		case *contract.Thread:
			links[l.ThreadKey] = "https://github.com/acme/tool/pull/7#" + l.ID
		case *contract.Check:
			links[l.RecordKey] = "https://github.com/acme/tool/runs/" + l.ID
		}
	}
	return pageOf(t, raw, links), lines
}

// What the page shows, read back from the browser, is what the stream says: the order of
// records, threads under their reviews, marks of resolution, counts and links.
func TestPage(t *testing.T) {
	page, lines := golden(t, "pull-request")
	b := open(t, 1280, 1000, page.WriteHTML)

	threadOf, ofReview, threads := map[string]*contract.Thread{}, map[string][]*contract.Thread{}, 0
	var wanted []string
	records, checks, redactions := 0, 0, 0
	for _, l := range lines {
		switch l := l.(type) {
		case *contract.Thread:
			threads++
			for _, key := range l.RecordKeys {
				threadOf[key] = l
			}
			ofReview[l.ReviewRecordKey] = append(ofReview[l.ReviewRecordKey], l)
		case *contract.Record:
			records++
			redactions += strings.Count(string(l.Content.Bytes), "[REDACTED-")
		case *contract.Check:
			checks++
		}
	}
	done := map[string]bool{}
	thread := func(th *contract.Thread) {
		done[th.ID] = true
		for _, key := range th.RecordKeys {
			wanted = append(wanted, "r-"+key)
		}
	}
	for _, l := range lines {
		r, ok := l.(*contract.Record)
		if !ok {
			continue
		}
		if th := threadOf[r.RecordKey]; th != nil {
			if th.ReviewRecordKey == "" && !done[th.ID] {
				thread(th)
			}
			continue
		}
		wanted = append(wanted, "r-"+r.RecordKey)
		if r.Kind == contract.KindReview {
			for _, th := range ofReview[r.RecordKey] {
				thread(th)
			}
		}
	}
	got := ask[[]string](b, `[...document.querySelectorAll("[id^=r-]")].map(e => e.id)`)
	if len(got) != records || !reflect.DeepEqual(got, wanted) {
		t.Errorf("the records stand as\n%v, not\n%v", got, wanted)
	}
	for _, l := range lines {
		switch l := l.(type) {
		case *contract.Thread:
			badges := ask[string](b, `[...document.querySelectorAll("#t-`+l.ThreadKey+` > summary .badge")].map(e => e.textContent).join()`)
			want := map[bool]string{true: "resolved", false: "open"}[l.Resolved] + map[bool]string{true: ",outdated"}[l.Outdated]
			if badges != want {
				t.Errorf("thread %s: %s, not %s", l.ID, badges, want)
			}
			under := ask[string](b, `document.querySelector("#t-`+l.ThreadKey+`").closest(".turn").id`)
			if l.ReviewRecordKey != "" && under != "r-"+l.ReviewRecordKey {
				t.Errorf("thread %s stands under %s", l.ID, under)
			}
		case *contract.Record:
			address := ask[string](b, `document.querySelector("#r-`+l.RecordKey+` .when a").href`)
			if address != "https://github.com/acme/tool/pull/7#"+l.ID {
				t.Errorf("record %s links to %s", l.ID, address)
			}
			if l.Content.Form == contract.FormText && len(l.Content.Bytes) > 0 {
				if text := ask[string](b, `document.querySelector("#r-`+l.RecordKey+` .text").textContent`); text != string(l.Content.Bytes) {
					t.Errorf("record %s is shown as %q", l.ID, text)
				}
			}
		}
	}
	if n := ask[int](b, `document.querySelectorAll("#checks tbody tr").length`); n != checks {
		t.Errorf("%d checks of %d", n, checks)
	}
	if n := ask[int](b, `document.querySelectorAll("details.thread").length`); n != threads {
		t.Errorf("%d threads of %d", n, threads)
	}
	tiles := ask[map[string]string](b, `Object.fromEntries([...document.querySelectorAll("#counts div")].map(d => [d.querySelector("dt").textContent, d.querySelector("dd").textContent]))`)
	for _, c := range page.Counts {
		if c.N > 0 && tiles[c.Name] != fmt.Sprint(c.N) {
			t.Errorf("%s: %s, not %d", c.Name, tiles[c.Name], c.N)
		}
	}
	if n := ask[int](b, `document.querySelectorAll("mark").length`); n != redactions || n == 0 {
		t.Errorf("%d marks of %d redactions", n, redactions)
	}
	if dead := ask[[]string](b, `[...document.querySelectorAll("a[href^='#']")].map(a => a.getAttribute("href")).filter(h => !document.getElementById(h.slice(1)))`); len(dead) > 0 {
		t.Errorf("links into nothing: %v", dead)
	}
	if twice := ask[int](b, `[...document.querySelectorAll("[id]")].length - new Set([...document.querySelectorAll("[id]")].map(e => e.id)).size`); twice != 0 {
		t.Errorf("%d identifiers stand twice", twice)
	}
}

// The page serves people who see little, use no mouse, print, or have a small screen.
func TestAccessibility(t *testing.T) {
	page, _ := golden(t, "pull-request")
	for _, c := range []struct {
		name, medium, scheme string
		width                int64
	}{{"light", "screen", "light", 1280}, {"dark", "screen", "dark", 1280}, {"narrow", "screen", "light", 360}, {"print", "print", "light", 900}} {
		b := open(t, c.width, 1200, page.WriteHTML)
		b.media(c.medium, c.scheme)
		b.shot("report-" + c.name)
		b.run(chromedp.Evaluate(`location.hash = "#checks"`, nil))
		b.settled()
		b.shot("report-" + c.name + "-checks")
		fits(b)
		if c.medium == "screen" {
			b.accessible(c.name)
		} else if folded := ask[int](b, `[...document.querySelectorAll(".text")].filter(e => e.scrollHeight > e.clientHeight + 2).length`); folded != 0 {
			t.Errorf("%d texts are cut on paper", folded)
		}
	}
}

// fits: nothing makes the page wider than its window.
func fits(b *tab) {
	b.t.Helper()
	if wide := ask[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		b.t.Errorf("the page is %d pixels too wide", wide)
	}
}

func TestKeyboard(t *testing.T) {
	page, _ := golden(t, "pull-request")
	b := open(t, 1280, 1000, page.WriteHTML)
	b.run(chromedp.KeyEvent("\t"))
	if first := ask[string](b, `document.activeElement.textContent`); first != "Skip to the conversation" {
		t.Errorf("the first stop is %q", first)
	}
	id := ask[string](b, `document.querySelector(".fold").id`)
	height := func() int { return ask[int](b, `document.querySelector("#`+id+` ~ .text").clientHeight`) }
	b.run(chromedp.Evaluate(`document.getElementById("`+id+`").focus()`, nil))
	b.settled()
	before := height()
	b.run(chromedp.KeyEvent(" "))
	b.settled()
	if after := height(); after <= before {
		t.Errorf("the space bar unfolds %d to %d pixels", before, after)
	}
}

// The page of a diff: what is new, edited and gone, and accessible too.
func TestDiffPage(t *testing.T) {
	stream := func(change func(*testkit.Stream)) []byte {
		s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
		author := s.ID("actor", 1)
		s.Comment(1, testkit.Time(2, "10:00"), author, "stays\n<b>goes</b>\nstays too\n")
		change(s)
		return s.Bytes(t)
	}
	before := readtest.Tree(t, stream(func(s *testkit.Stream) { s.Comment(2, testkit.Time(2, "10:01"), s.ID("actor", 1), "gone\n") }))
	after := readtest.Tree(t, stream(func(s *testkit.Stream) {
		s.Header.Entity.Labels = []string{"<i>urgent"}
		s.Comment(3, testkit.Time(2, "10:02"), s.ID("actor", 1), "new\n")
		for _, l := range s.Lines {
			if r, ok := l.(*contract.Record); ok && r.ID == s.ID(contract.KindComment, 1) {
				r.Content = contract.Text([]byte("stays\n<b>comes</b>\nstays too\n"))
			}
		}
	}))
	d, err := diff.Compare(before, after, false)
	if err != nil {
		t.Fatal(err)
	}
	page, err := report.NewDiff(d, before, after)
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		b := open(t, 1280, 1000, page.WriteHTML)
		b.media("screen", scheme)
		b.shot("diff-" + scheme)
		fits(b)
		b.accessible("diff " + scheme)
		changes := ask[[]string](b, `[...document.querySelectorAll("[data-change]")].map(e => e.dataset.change + " " + e.querySelector(".text").textContent)`)
		want := []string{"edited stays\n<b>goes</b>\n<b>comes</b>\nstays too\n", "gone gone\n", "new new\n"}
		if !reflect.DeepEqual(changes, want) {
			t.Errorf("%q", changes)
		}
		if marks := ask[string](b, `document.querySelector("del").textContent + document.querySelector(".text ins").textContent + document.querySelector("#labels ins").textContent`); marks != "<b>goes</b>\n<b>comes</b>\n<i>urgent" {
			t.Errorf("marks: %q", marks)
		}
	}
}

// Five thousand records are one page that opens, and whose end can be reached.
func TestFiveThousandRecords(t *testing.T) {
	const records = 5000
	s := testkit.New(contract.GitHub, contract.WorkItem, 3)
	s.Header.Collection.Bounds.MaxRecordsPerSource = records
	var last string
	for i := range records {
		last = s.Comment(i+1, testkit.Time(2+i/1440, fmt.Sprintf("%02d:%02d", i/60%24, i%60)), s.ID("actor", 1), strings.Repeat(fmt.Sprintf("line of comment %d\n", i), 1+i%20)).RecordKey
	}
	page := pageOf(t, s.Bytes(t), nil)
	var html bytes.Buffer
	began := time.Now()
	if err := page.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	wrote := time.Since(began)
	began = time.Now()
	b := open(t, 1280, 1000, page.WriteHTML)
	if n := ask[int](b, `document.querySelectorAll(".turn").length`); n != records+1 {
		t.Errorf("%d turns", n)
	}
	if n := ask[int](b, `document.querySelectorAll(".jumps a").length`); n != records/100 {
		t.Errorf("%d links into the conversation", n)
	}
	shown := time.Since(began)
	began = time.Now()
	b.run(chromedp.Evaluate(`location.hash = "#r-`+last+`"`, nil))
	b.settled()
	top := ask[float64](b, `document.getElementById("r-`+last+`").getBoundingClientRect().top`)
	jumped := time.Since(began)
	if top < -10 || top > 1000 {
		t.Errorf("the last record stands at %f", top)
	}
	t.Logf("%d bytes written in %s, shown in %s, at the end in %s", html.Len(), wrote, shown, jumped)
	if shown > 30*time.Second || jumped > 10*time.Second {
		t.Errorf("shown in %s, at the end in %s", shown, jumped)
	}
}
