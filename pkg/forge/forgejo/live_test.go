package forgejo_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge/forgejo"
	"snapline/pkg/forge/forgejo/forgejotest"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

// past is a time before the run, a different one for each n.
func past(n int) time.Time {
	return forgetest.NewClock().Now().Add(-48*time.Hour + time.Duration(n)*time.Minute)
}

// onServer runs fetch against a server.
func onServer(s *forgejotest.Server) forgetest.Subject {
	path := "/team/Demo/issues/7"
	if s.Pull {
		path = "/team/Demo/pulls/7"
	}
	return forgetest.Subject{
		Driver: forgejo.Driver, Address: "https://" + forgejotest.Host + path,
		Hosts: func() map[string]http.Handler { return map[string]http.Handler{forgejotest.Host: s} },
	}
}

// busy is a pull request with something of everything.
func busy() *forgejotest.Server {
	s := forgejotest.New(true)
	ids := 1000
	next := func() int { ids++; return ids }
	fill := func(name string, makers func(id int, at time.Time) forgetest.Row, n int) *forgetest.Table {
		t := s.Tables[name]
		if t == nil {
			t = &forgetest.Table{}
			s.Tables[name] = t
		}
		t.New = func(at time.Time) forgetest.Row { return makers(next(), at) }
		for range n {
			t.Rows = append(t.Rows, makers(next(), past(ids-1000)))
		}
		return t
	}
	comment := func(id int, at time.Time) forgetest.Row { return forgejotest.Comment(id, id%3+1, at, at) }
	edit := func(r forgetest.Row, at time.Time) forgetest.Row {
		var id int
		_, _ = fmt.Sscan(r.ID, &id)
		return forgejotest.Comment(id, id%3+1, past(0), at)
	}
	fill(forgejotest.Comments, comment, 5).Edited = edit
	reviews := fill(forgejotest.Reviews, func(id int, at time.Time) forgetest.Row { return forgejotest.Review(id, 2, "COMMENT", false, 0, at) }, 1)
	for i, row := range []struct {
		state     string
		dismissed bool
		inline    int
	}{
		{"PENDING", false, 0},
		{"REQUEST_REVIEW", false, 0},
		{"REQUEST_CHANGES", true, 2},
		{"APPROVED", true, 0},
		{"PENDING", false, 1},
		{"COMMENT", false, 1},
		{"APPROVED", false, 0},
	} {
		reviews.Rows = append(reviews.Rows, forgejotest.Review(200+i, 2, row.state, row.dismissed, row.inline, past(100+i)))
	}
	fill("code/202", comment, 3).Edited = edit
	fill("code/205", comment, 1).Edited = edit
	timeline := fill(forgejotest.Timeline, func(id int, at time.Time) forgetest.Row { return forgejotest.Event(id, 2, "label", 0, at) }, 2)
	for i := range 4 {
		timeline.Rows = append(timeline.Rows, forgejotest.Event(300+i, 2, "code", 202, past(100+i)))
	}
	for i := range 5 {
		timeline.Rows = append(timeline.Rows, forgejotest.Event(330+i, 2, "comment", 0, past(105+i)))
	}
	timeline.Rows = append(timeline.Rows, forgejotest.Event(340, 2, "review", 1006, past(108)))
	for i, id := range []int{202, 203, 205, 206} {
		timeline.Rows = append(timeline.Rows, forgejotest.Event(310+i, 2, "review", id, past(110+i)))
	}
	timeline.Rows = append(timeline.Rows, forgejotest.Event(320, 3, "dismiss_review", 202, past(120)))
	fill(forgejotest.Runs, func(id int, at time.Time) forgetest.Row { return forgejotest.Run(id, "success", at) }, 5)
	fill(forgejotest.Statuses, forgejotest.Status, 4)
	return s
}

// calm leaves out the dismissed reviews, and with them the many pages of a timeline.
func calm(s *forgejotest.Server) {
	t := s.Tables[forgejotest.Reviews]
	t.Rows = slices.DeleteFunc(t.Rows, func(r forgetest.Row) bool { return strings.Contains(r.JSON, `"dismissed":true`) })
	s.Tables[forgejotest.Timeline].Rows = nil
	delete(s.Tables, "code/202")
}

// TestMovingLists: whatever somebody changes while the lists are read, nothing that lived
// all the while is lost without a count, on servers that give whole lists, on those that
// cut every answer, and on those that do not tell at how many rows.
func TestMovingLists(t *testing.T) {
	requirement.Claim(t, "AMB-82", "AMB-83", "AMB-42", "AMB-45", "GAP-05")
	for name, change := range map[string]func(*forgejotest.Server){
		"whole lists":             func(*forgejotest.Server) {},
		"capped":                  func(s *forgejotest.Server) { s.Capped, s.Size = true, 3; calm(s) },
		"capped, no settings":     func(s *forgejotest.Server) { s.Capped, s.Size, s.Settings = true, 3, false; calm(s) },
		"whole lists, small page": func(s *forgejotest.Server) { s.Size = 3; calm(s) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var last *forgejotest.Server
			tally := forgetest.WalkMoving(t, name, func(*forgetest.World) forgetest.Subject { return onServer(last) }, func() *forgetest.World {
				last = busy()
				change(last)
				return last.World
			})
			t.Logf("%+v", tally)
			if tally.Complete < tally.Runs/2 {
				t.Errorf("most runs should get everything: %+v", tally)
			}
		})
	}
}

// TestLiveServer: what a live server showed that recordings of single answers do not.
func TestLiveServer(t *testing.T) {
	requirement.Claim(t, "AMB-82", "AMB-60", "GAP-05")
	dismissed := func(s *forgetest.Stream, id string) string {
		r := s.Record(id)
		if r == nil || r.State != contract.Dismissed {
			return "not dismissed"
		}
		if r.DismissedBy == nil || r.DismissedAt == nil {
			return "nobody"
		}
		return *r.DismissedBy
	}
	for name, c := range map[string]struct {
		server func(s *forgejotest.Server)
		check  func(s *forgetest.Stream) string
	}{
		"451 drafts before one review": {
			func(s *forgejotest.Server) {
				t := s.Tables[forgejotest.Reviews]
				for i := range 451 {
					t.Rows = append(t.Rows, forgejotest.Review(10+i, 2, "PENDING", false, 0, past(i)))
				}
				t.Rows = append(t.Rows, forgejotest.Review(999, 2, "APPROVED", false, 0, past(500)))
			},
			func(s *forgetest.Stream) string { return strings.Join(s.IDs(contract.KindReview), " ") + " is 999" },
		},
		"three drafts, three a page": {
			func(s *forgejotest.Server) {
				t := s.Tables[forgejotest.Reviews]
				for i, state := range []string{"COMMENT", "COMMENT", "COMMENT", "PENDING", "PENDING", "PENDING", "COMMENT", "COMMENT", "COMMENT"} {
					t.Rows = append(t.Rows, forgejotest.Review(20+i, 2, state, false, 0, past(i)))
				}
				s.Size = 3
			},
			func(s *forgetest.Stream) string {
				return strings.Join(s.IDs(contract.KindReview), " ") + " is 20 21 22 26 27 28"
			},
		},
		"a superseded review has no event": {
			func(s *forgejotest.Server) {
				s.Tables[forgejotest.Reviews].Rows = []forgetest.Row{
					forgejotest.Review(40, 2, "REQUEST_CHANGES", true, 0, past(1)), forgejotest.Review(41, 2, "APPROVED", false, 0, past(2)),
				}
				s.Tables[forgejotest.Timeline].Rows = nil
			},
			func(s *forgetest.Stream) string { return dismissed(s, "40") + " is nobody" },
		},
		"160 comments on code before the dismissal": {
			func(s *forgejotest.Server) {
				s.Tables[forgejotest.Reviews].Rows = []forgetest.Row{forgejotest.Review(40, 2, "REQUEST_CHANGES", true, 160, past(1))}
				code := &forgetest.Table{}
				timeline := s.Tables[forgejotest.Timeline]
				for i := range 160 {
					code.Rows = append(code.Rows, forgejotest.Comment(1000+i, 2, past(i), past(i)))
					timeline.Rows = append(timeline.Rows, forgejotest.Event(1000+i, 2, "code", 40, past(i)))
				}
				timeline.Rows = append(timeline.Rows, forgejotest.Event(3000, 2, "review", 40, past(200)), forgejotest.Event(3001, 3, "dismiss_review", 40, past(201)))
				s.Tables["code/40"] = code
			},
			func(s *forgetest.Stream) string {
				return fmt.Sprint(dismissed(s, "40"), " ", len(s.IDs(contract.KindComment)), " is 3 160")
			},
		},
	} {
		for variant, change := range map[string]func(*forgejotest.Server){
			"whole":  func(*forgejotest.Server) {},
			"capped": func(s *forgejotest.Server) { s.Capped = true },
		} {
			t.Run(name+", "+variant, func(t *testing.T) {
				s := forgejotest.New(true)
				c.server(s)
				change(s)
				o := onServer(s).Run(context.Background(), t, &forgetest.Net{})
				stream := o.Lines(t)
				got, want, _ := strings.Cut(c.check(stream), " is ")
				if got != want || stream.Gaps["reviews/fetch_failed"]+stream.Gaps["comments/fetch_failed"] != 0 {
					t.Errorf("got %s, want %s, gaps %v", got, want, stream.Gaps)
				}
			})
		}
	}
}

// A renamed repository redirects every request to its old path: one of them is enough.
func TestRenamedRepository(t *testing.T) {
	s := busy()
	s.Old = "/api/v1/repos/team/Before"
	subject := onServer(s)
	subject.Address = "https://" + forgejotest.Host + "/team/Before/pulls/7"
	o := subject.Run(context.Background(), t, &forgetest.Net{})
	stream := o.Lines(t)
	old := slices.DeleteFunc(slices.Clone(o.Requests), func(r forgetest.Seen) bool { return !strings.Contains(r.URL, "/Before/") })
	if len(old) != 1 || stream.Header.Source.Repository != "team/demo" || len(stream.Checks) != 5 {
		t.Errorf("%d requests to the old path, source %+v, %d checks", len(old), stream.Header.Source, len(stream.Checks))
	}
}

// A review that is deleted between the list and its comments costs itself; one whose
// comments are not found though it is listed costs the comments.
func TestVanishedReview(t *testing.T) {
	requirement.Claim(t, "AMB-83")
	for _, listed := range []bool{false, true} {
		routes := demo(t)
		reviews := capture(t, "70-reviews-hidden-page-1.http")
		reviews.Header.Del("X-Total-Count")
		reviews.Body = strings.Replace(reviews.Body, `"comments_count":0`, `"comments_count":2`, 1)
		routes[api+"/pulls/2/reviews"] = []forgetest.Reply{reviews}
		if !listed {
			routes[api+"/pulls/2/reviews"] = append(routes[api+"/pulls/2/reviews"], forgetest.JSON(`[]`))
		}
		routes[api+"/pulls/2/reviews/701/comments"] = []forgetest.Reply{capture(t, "93-deleted-review-comments-404.http")}
		o := subject("/owner1/Demo/pulls/2", routes).Run(context.Background(), t, &forgetest.Net{})
		s := o.Lines(t)
		comments, reviewed := len(s.IDs(contract.KindComment)), len(s.IDs(contract.KindReview))
		if listed {
			if comments != 0 || reviewed != 1 || s.Gaps["comments/fetch_failed"] != 1 {
				t.Errorf("listed: %d comments, %d reviews, gaps %v", comments, reviewed, s.Gaps)
			}
			continue
		}
		if comments == 0 || reviewed != 0 || s.Gaps["comments/fetch_failed"] != 0 || !strings.Contains(o.Stderr, "review 701 was deleted") {
			t.Errorf("gone: %d comments, %d reviews, gaps %v\n%s", comments, reviewed, s.Gaps, o.Stderr)
		}
	}
}

// Recorded pages of a live server, as they came: hidden rows in the total, null between
// pages of a timeline and past its end, a requested reviewer before and after.
func TestRecordedPages(t *testing.T) {
	requirement.Claim(t, "AMB-82", "AMB-60")
	routes := demo(t)
	routes["/api/v1/settings/api"] = []forgetest.Reply{forgetest.JSON(`{"max_response_items":2,"default_paging_num":2}`)}
	list := api + "/pulls/2/reviews"
	first := capture(t, "70-reviews-hidden-page-1.http")
	routes[list] = []forgetest.Reply{first}
	for i, name := range []string{"70-reviews-hidden-page-1.http", "71-reviews-hidden-page-2-empty.http", "72-reviews-hidden-page-3.http", "73-reviews-hidden-page-4.http"} {
		routes[fmt.Sprintf("%s?limit=50&page=%d", list, i+1)] = []forgetest.Reply{capture(t, name)}
	}
	s := run(t, subject("/owner1/Demo/pulls/2", routes))
	ids := s.IDs(contract.KindReview)
	slices.Sort(ids)
	if got := strings.Join(ids, " "); got != "701 706 707 708" {
		t.Errorf("reviews %s, gaps %v", got, s.Gaps)
	}

	routes = demo(t)
	routes["/api/v1/settings/api"] = []forgetest.Reply{capture(t, "61-settings-api.http")}
	routes[list] = []forgetest.Reply{capture(t, "74-reviews-superseded-dismissed-ghost.http")}
	for id := 695; id <= 698; id++ {
		routes[fmt.Sprintf("%s/%d/comments", list, id)] = []forgetest.Reply{forgetest.JSON(`null`)}
	}
	timeline := api + "/issues/2/timeline"
	routes[timeline] = []forgetest.Reply{capture(t, "66-timeline-many-page-1.http")}
	for i := range 9 {
		routes[fmt.Sprintf("%s?limit=50&page=%d", timeline, i+1)] = []forgetest.Reply{capture(t, "64-timeline-null-past-end.http")}
	}
	for i, name := range []string{"66-timeline-many-page-1.http", "67-timeline-many-page-2.http", "68-timeline-many-page-3.http", "65-timeline-dismissal.http"} {
		routes[fmt.Sprintf("%s?limit=50&page=%d", timeline, i+1)] = []forgetest.Reply{capture(t, name)}
	}
	s = run(t, subject("/owner1/Demo/pulls/2", routes))
	states := map[string]string{}
	for _, r := range s.Records {
		if r.Kind == contract.KindReview {
			states[r.ID] = string(r.State)
			if r.DismissedBy != nil {
				states[r.ID] += " by " + *r.DismissedBy
			}
		}
	}
	if got := fmt.Sprint(states); got != "map[695:dismissed 696:changes_requested 697:dismissed by 21 698:approved]" {
		t.Errorf("reviews %s, gaps %v", got, s.Gaps)
	}

	for name, want := range map[string]string{"90-requested-before.http": "", "91-requested-after.http": "710"} {
		routes = demo(t)
		routes[list] = []forgetest.Reply{capture(t, name)}
		if got := strings.Join(run(t, subject("/owner1/Demo/pulls/2", routes)).IDs(contract.KindReview), " "); got != want {
			t.Errorf("%s: reviews %q", name, got)
		}
	}
}

// What is said of statuses costs nothing but itself.
func TestStatusesFailAlone(t *testing.T) {
	requirement.Claim(t, "AMB-86")
	for status, gap := range map[int]string{403: "checks/authorization_failed", 404: "checks/fetch_failed", 502: "checks/fetch_failed"} {
		routes := demo(t)
		routes[api+"/actions/runs"] = []forgetest.Reply{forgetest.JSON(`{"workflow_runs":[{"id":70,"workflow_id":"ci.yml","status":"waiting","commit_sha":"` + head + `","created":"2026-05-05T10:00:00Z"}],"total_count":1}`)}
		routes[api+"/commits/"+head+"/statuses"] = []forgetest.Reply{{Status: status, Body: `{"message":"no"}`}}
		if s := run(t, subject("/owner1/Demo/pulls/2", routes)); s.Gaps[gap] != 1 || len(s.Checks) != 1 {
			t.Errorf("%d: %d checks, gaps %v", status, len(s.Checks), s.Gaps)
		}
	}
}

// Text that names an author on another forge is nobody's here.
func TestImported(t *testing.T) {
	requirement.Claim(t, "AMB-80")
	for name, unknown := range map[string]bool{`""`: false, `null`: false, `"jane"`: true} {
		routes := demo(t)
		routes[api+"/issues/1/comments"] = []forgetest.Reply{forgetest.JSON(`[{"id":8,"body":"b","user":{"id":4,"login":"dev1"},"original_author":` + name + `,"original_author_id":3,"created_at":"2026-05-05T10:00:00Z","updated_at":"2026-05-05T10:00:00Z"}]`)}
		if r := run(t, subject("/owner1/Demo/issues/1", routes)).Record("8"); r == nil || (r.AuthorID == nil) != unknown {
			t.Errorf("comment of %s: %+v", name, r)
		}
		for path, file := range map[string]string{"issues/1": "27-issue.http", "pulls/2": "30-pull-open.http"} {
			routes := demo(t)
			entity := capture(t, file)
			entity.Body = strings.Replace(entity.Body, `"number":`, `"original_author":`+name+`,"number":`, 1)
			entity.Body = strings.Replace(entity.Body, `"original_author":"",`, "", 1)
			routes[api+"/"+path] = []forgetest.Reply{entity}
			o := subject("/owner1/Demo/"+path, routes).Run(context.Background(), t, &forgetest.Net{})
			if unknown != (fault.ExitOf(o.Err) == fault.Aborted) || unknown && !strings.Contains(o.Err.Error(), "imported") {
				t.Errorf("%s of %s: %v", path, name, o.Err)
			}
		}
	}
}

// A refusal repeats the scope that the server asks for, and nothing else of its answer.
func TestRefusalNamesTheScope(t *testing.T) {
	refused := capture(t, "81-scope-missing-repository.http")
	routes := demo(t)
	routes[api+"/pulls/2/reviews"] = []forgetest.Reply{refused}
	o := subject("/owner1/Demo/pulls/2", routes).Run(context.Background(), t, &forgetest.Net{})
	if o.Lines(t); !strings.Contains(o.Stderr, "the scope read:repository") {
		t.Errorf("reviews: %s", o.Stderr)
	}
	routes = demo(t)
	for key := range routes {
		if strings.Contains(key, "/collaborators/") {
			routes[key] = []forgetest.Reply{refused}
		}
	}
	o = subject("/owner1/Demo/issues/1", routes).Run(context.Background(), t, &forgetest.Net{})
	if o.Lines(t); !strings.Contains(o.Stderr, "the scope read:repository") {
		t.Errorf("roles: %s", o.Stderr)
	}
	// A revoked token comes back in the text of the answer.
	routes = demo(t)
	revoked := capture(t, "82-unauthorized-revoked.http")
	revoked.Body = strings.ReplaceAll(revoked.Body, strings.Repeat("0", 40), forgetest.Token)
	routes[api+"/issues/1"] = []forgetest.Reply{revoked}
	o = subject("/owner1/Demo/issues/1", routes).Run(context.Background(), t, &forgetest.Net{})
	if fault.ExitOf(o.Err) != fault.Environment || strings.Contains(o.Stderr+o.Err.Error(), forgetest.Token) {
		t.Errorf("revoked: %v\n%s", o.Err, o.Stderr)
	}
}

// 200 with null says nothing of the entity: it is asked for again and then exit 4.
func TestNullEntity(t *testing.T) {
	for _, path := range []string{"issues/1", "pulls/2"} {
		routes := demo(t)
		routes[api+"/"+path] = []forgetest.Reply{forgetest.JSON(`null`)}
		o := subject("/owner1/Demo/"+path, routes).Run(context.Background(), t, &forgetest.Net{})
		if fault.ExitOf(o.Err) != fault.Environment || len(o.Requests) < 4 {
			t.Errorf("%s: %v after %d requests", path, o.Err, len(o.Requests))
		}
	}
}

// Every object says where people find it.
func TestAddresses(t *testing.T) {
	got := run(t, onServer(busy()))
	page := "https://codeberg.org/team/Demo/"
	if url := got.Record("5").URL; url != page+"issues/7" {
		t.Errorf("entity at %q", url)
	}
	for _, r := range got.Records {
		if r.Kind == contract.KindComment && r.URL != page+"issues/7#issuecomment-"+r.ID || r.Kind == contract.KindReview && r.URL != page+"pulls/7#issuecomment-9"+r.ID {
			t.Errorf("%s %s at %q", r.Kind, r.ID, r.URL)
		}
	}
	for _, c := range got.Checks {
		if c.URL != page+"actions/runs/"+c.ID {
			t.Errorf("check %s at %q", c.ID, c.URL)
		}
	}
}

// A draft is there from when it is submitted, which changes the review, and so are its
// comments, whatever they say of their own time.
func TestNotAfter(t *testing.T) {
	requirement.Claim(t, "AMB-93")
	s := forgejotest.New(true)
	s.Tables[forgejotest.Comments].Rows = []forgetest.Row{
		forgejotest.Comment(10, 1, past(1), past(1)), forgejotest.Comment(11, 1, past(1), past(9)), forgejotest.Comment(12, 1, past(7), past(7)),
	}
	submitted := func(id int, at, seen time.Time) forgetest.Row {
		r := forgejotest.Review(id, 2, "COMMENT", false, 1, at)
		stamp := func(at time.Time) string { return `"updated_at":"` + at.Format(time.RFC3339) }
		r.JSON = strings.Replace(r.JSON, stamp(at), stamp(seen), 1)
		return r
	}
	s.Tables[forgejotest.Reviews].Rows = []forgetest.Row{submitted(20, past(2), past(2)), submitted(21, past(2), past(8))}
	s.Tables["code/20"] = &forgetest.Table{Rows: []forgetest.Row{forgejotest.Comment(30, 2, past(2), past(2)), forgejotest.Comment(31, 2, past(8), past(8))}}
	s.Tables["code/21"] = &forgetest.Table{Rows: []forgetest.Row{forgejotest.Comment(32, 2, past(2), past(2))}}
	subject := onServer(s)
	subject.Change = func(cfg *fetch.Config) { cfg.NotAfter = past(5) }
	got := run(t, subject)
	comments, reviews := got.IDs(contract.KindComment), got.IDs(contract.KindReview)
	slices.Sort(comments)
	if fmt.Sprint(comments, reviews) != "[10 30] [20]" || got.Gaps["comments/history_unavailable"] != 1 {
		t.Errorf("comments %v, reviews %v, gaps %v", comments, reviews, got.Gaps)
	}
}

// TestRoundTrips: answers take 100 ms each; nothing waits for what it does not need.
func TestRoundTrips(t *testing.T) {
	issue := forgejotest.New(false)
	for i := range 40 {
		issue.Tables[forgejotest.Comments].Rows = append(issue.Tables[forgejotest.Comments].Rows, forgejotest.Comment(1000+i, i%6+1, past(i), past(i)))
	}
	if n := forgetest.RoundTrips(t, onServer(issue)); n > 4 {
		t.Errorf("an issue takes %d round trips", n)
	}
	if n := forgetest.RoundTrips(t, onServer(busy())); n > 6 {
		t.Errorf("a pull request takes %d round trips", n)
	}
}

// The suite of all adapters, against a server that pages.
func TestConformancePaged(t *testing.T) {
	requirement.Claim(t, "AMB-42", "AMB-82", "DET-02", "GAP-05")
	s := busy()
	s.Capped, s.Size = true, 3
	calm(s)
	forgetest.Conform(t, onServer(s))
}

// The documentation says against which servers all this was tried.
func TestTriedAgainst(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/fetch.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, said := range map[string][2]string{
		"60-version.http":         {`"16.0.0+`, "a live 16.0.0 of 30 November 2026"},
		"10-forgejo-version.http": {`"11.0.0-`, "public recordings of 11"},
		"09-gitea-version.http":   {`"1.23.0+dev`, "Gitea, which is refused"},
	} {
		if !strings.Contains(capture(t, name).Body, said[0]) || !strings.Contains(string(doc), said[1]) {
			t.Errorf("%s: %q", name, said)
		}
	}
	if date := capture(t, "63-timeline-null-no-events.http").Header.Get("Date"); !strings.HasPrefix(date, "Mon, 30 Nov 2026") {
		t.Errorf("recorded %s", date)
	}
}

// A list that is too large for one answer is read by pages.
func TestListOverTheCap(t *testing.T) {
	requirement.Claim(t, "AMB-82")
	s := forgejotest.New(true)
	for i := range 120 {
		s.Tables[forgejotest.Reviews].Rows = append(s.Tables[forgejotest.Reviews].Rows, forgejotest.Review(100+i, 2, "COMMENT", false, 0, past(i)))
	}
	subject := onServer(s)
	subject.MaxAnswer = 25 << 10
	got := run(t, subject)
	if n := len(got.IDs(contract.KindReview)); n != 120 {
		t.Errorf("%d reviews, gaps %v", n, got.Gaps)
	}
}

// The numbers of docs/requests.md: version and entity, comments, reviews, runs and
// statuses, the comments of two reviews, the timeline, three people; one more for the size
// of pages, as drafts are hidden; two readings of two pages where one cannot hold the total
// and the one answer may be such a page.
func TestRequests(t *testing.T) {
	for size, want := range map[int]int{50: 2 + 4 + 2 + 1 + 3 + 1, 6: 2 + 4 + 2 + 1 + 3 + 1 + 2*2, 3: 2 + 4 + 2 + 1 + 3 + 1} {
		s := busy()
		s.Size = size
		o := onServer(s).Run(context.Background(), t, &forgetest.Net{})
		if o.Lines(t); len(o.Requests) != want {
			t.Errorf("%d a page: %d requests, want %d", size, len(o.Requests), want)
		}
	}
}
