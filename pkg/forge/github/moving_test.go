package github_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/profile"
	"snapline/pkg/requirement"
)

// past gives a time long before the world begins.
func past(minutes int) time.Time {
	return time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
}

// moving is a GitHub whose lists are the tables of a world. Its cursors count elements, as
// a server's may, so that an element which goes moves those behind it.
type moving struct {
	*forgetest.World
	ids int
}

func row(id string, node githubtest.M, objects ...forgetest.Object) forgetest.Row {
	text, err := json.Marshal(node)
	if err != nil {
		panic(err)
	}
	return forgetest.Row{ID: id, JSON: string(text), Objects: objects}
}

// table makes a list of n rows.
func (m *moving) table(name string, n int, make func(id string, at time.Time) forgetest.Row) {
	t := &forgetest.Table{}
	t.New = func(at time.Time) forgetest.Row {
		m.ids++
		return make(strconv.Itoa(m.ids), at)
	}
	t.Edited = func(r forgetest.Row, at time.Time) forgetest.Row {
		var node githubtest.M
		if err := json.Unmarshal([]byte(r.JSON), &node); err != nil {
			panic(err)
		}
		stamp := at.UTC().Format(time.RFC3339)
		if _, text := node["body"]; text {
			node["body"], node["updatedAt"], node["lastEditedAt"] = "edited", stamp, stamp
		}
		return row(r.ID, node, r.Objects...)
	}
	for i := range n {
		t.Rows = append(t.Rows, t.New(past(i)))
	}
	m.Tables[name] = t
}

// busyGitHub has more than a page of everything, with three elements a page.
func busyGitHub() *moving {
	m := &moving{World: forgetest.NewWorld(), ids: 100}
	m.Parents = map[string]string{"thread": "threads", "suite": "suites"}
	people := []githubtest.M{githubtest.User("U_1", "maint"), githubtest.User("U_2", "second")}
	author := func(id string) githubtest.M { return people[len(id)%2] }
	stamp := func(at time.Time) string { return at.UTC().Format(time.RFC3339) }
	comment := func(id string, at time.Time) forgetest.Row {
		return row("IC_"+id, githubtest.Comment("IC_"+id, "text", author(id), stamp(at)), forgetest.Object{Scope: contract.ScopeComments, ID: "IC_" + id})
	}
	review := func(id string, at time.Time) forgetest.Row {
		return row("PRR_"+id, githubtest.Review("PRR_"+id, "APPROVED", author(id), stamp(at)), forgetest.Object{Scope: contract.ScopeReviews, ID: "PRR_" + id})
	}
	m.table("comments", 7, comment)
	m.table("reviews", 7, review)
	m.table("threads", 7, func(id string, at time.Time) forgetest.Row {
		thread := "PRRT_" + id
		m.table("thread/"+thread, 1, func(id string, created time.Time) forgetest.Row {
			if !at.Before(past(1000)) {
				created = at
			}
			return row("PRRC_"+id, githubtest.Inline("PRRC_"+id, "inline", author(id), stamp(created), "", ""),
				forgetest.Object{Scope: contract.ScopeComments, ID: "PRRC_" + id}, forgetest.Object{Scope: contract.ScopeComments, ID: thread})
		})
		node := githubtest.Thread(thread)
		delete(node, "comments")
		return row(thread, node)
	})
	long := m.Tables["thread/"+m.Tables["threads"].Rows[1].ID]
	for i := range 6 {
		long.Rows = append(long.Rows, long.New(past(60+i)))
	}
	m.table("suites", 4, func(id string, at time.Time) forgetest.Row {
		suite := "CS_" + id
		m.table("suite/"+suite, 1, func(id string, created time.Time) forgetest.Row {
			if !at.Before(past(1000)) {
				created = at
			}
			n, _ := strconv.ParseInt(id, 10, 64)
			run := githubtest.With(githubtest.Run("CR_"+id, n, "job "+id), "startedAt", stamp(created), "completedAt", stamp(created))
			return row("CR_"+id, run, forgetest.Object{Scope: contract.ScopeChecks, ID: "CR_" + id})
		})
		n, _ := strconv.ParseInt(id, 10, 64)
		node := githubtest.With(githubtest.Suite(suite, n), "updatedAt", stamp(at))
		delete(node, "checkRuns")
		return row(suite, node)
	})
	wide := m.Tables["suite/"+m.Tables["suites"].Rows[0].ID]
	for i := range 6 {
		wide.Rows = append(wide.Rows, wide.New(past(60+i)))
	}
	return m
}

// nodes gives the rows of a table as a connection.
func (m *moving) nodes(name string) (c githubtest.Connection) {
	for _, r := range m.Tables[name].Rows {
		var node githubtest.M
		d := json.NewDecoder(strings.NewReader(r.JSON))
		d.UseNumber()
		if err := d.Decode(&node); err != nil {
			panic(err)
		}
		c.Nodes = append(c.Nodes, node)
	}
	return c
}

// fake is GitHub as it is now.
func (m *moving) fake() *githubtest.Fake {
	f := githubtest.New()
	maint := githubtest.User("U_1", "maint")
	f.Grant(maint, "admin")
	f.Grant(githubtest.User("U_2", "second"), "write")
	pull := githubtest.Pull(7, maint)
	pull["comments"], pull["reviews"] = m.nodes("comments"), m.nodes("reviews")
	threads := m.nodes("threads")
	for _, t := range threads.Nodes {
		t["comments"] = m.nodes("thread/" + fmt.Sprint(t["id"]))
	}
	pull["reviewThreads"] = threads
	f.Entities[7] = pull
	f.AddChecks()
	suites := m.nodes("suites")
	for _, s := range suites.Nodes {
		runs := m.nodes("suite/" + fmt.Sprint(s["id"]))
		s["checkRuns"] = runs
		id, _ := s["workflowRun"].(githubtest.M)["databaseId"].(json.Number).Int64()
		f.Jobs[id] = []githubtest.M{}
		for _, r := range runs.Nodes {
			f.Jobs[id] = append(f.Jobs[id], githubtest.Job(r, fmt.Sprint(r["startedAt"])))
		}
	}
	f.Commits[githubtest.Head]["checkSuites"] = suites
	return f
}

// TestMovingLists: whatever is deleted, added, edited or put into another order between
// any two requests of a run, every object that lives all the while is there, or its source
// is counted.
func TestMovingLists(t *testing.T) {
	requirement.Claim(t, "AMB-82", "AMB-42", "AMB-45")
	var last *moving
	tally := forgetest.WalkMoving(t, "github", func(*forgetest.World) forgetest.Subject {
		m := last
		s := subject(githubtest.New)
		s.Hosts = func() map[string]http.Handler {
			return map[string]http.Handler{githubtest.APIHost: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				m.Arrive(func(now time.Time) {
					f := m.fake()
					f.Now = now
					f.ServeHTTP(w, r)
				})
			})}
		}
		s.MaxPage = 3
		return s
	}, func() *forgetest.World {
		last = busyGitHub()
		return last.World
	})
	t.Logf("%+v", tally)
	if tally.Runs < 500 || tally.Complete < tally.Runs/2 {
		t.Errorf("most runs should get everything: %+v", tally)
	}
}

// TestRoundTrips: how many answers wait for each other, logs apart, as docs/requests.md
// publishes it.
func TestRoundTrips(t *testing.T) {
	issueOf := func() *githubtest.Fake {
		f := githubtest.New()
		var people []githubtest.M
		for n := range 6 {
			u := githubtest.User(fmt.Sprintf("U_%d", n), fmt.Sprintf("user%d", n))
			f.Grant(u, "write")
			people = append(people, u)
		}
		i := githubtest.Issue(7, people[0])
		for n := range 40 {
			githubtest.Append(i, "comments", githubtest.Comment(fmt.Sprintf("IC_%02d", n), "x", people[n%6], githubtest.At(n)))
		}
		f.Entities[7] = i
		return f
	}
	s := subject(issueOf)
	onIssue(&s)
	if n := forgetest.RoundTrips(t, s); n > 4 {
		t.Errorf("an issue takes %d round trips", n)
	}
	pullOf := func() *githubtest.Fake {
		return githubtest.Generate(githubtest.Size{Comments: 40, Threads: 20, Reviews: 20, Checks: 60, Authors: 6, FailEvery: 1000})
	}
	s = subject(pullOf)
	collection, err := profile.Builtin("observation", contract.ChangeProposal)
	if err != nil {
		t.Fatal(err)
	}
	collection.CheckLogSelection = contract.LogsNone
	collection.IncludedSources = []string{"checks", "comments", "entity", "reviews"}
	s.Collection = &collection
	if n := forgetest.RoundTrips(t, s); n > 6 {
		t.Errorf("a pull request takes %d round trips", n)
	}
}
