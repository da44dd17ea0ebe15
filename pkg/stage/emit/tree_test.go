package emit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// emitted publishes a stream and reads the tree.
func emitted(t testing.TB, s *testkit.Stream) map[string]string {
	t.Helper()
	out, _ := publish(t, s.Bytes(t))
	return files(t, out)
}

func index(t testing.TB, tree_ map[string]string) tree.Index {
	t.Helper()
	var i tree.Index
	decode(t, tree_[tree.IndexPath], &i)
	return i
}

func decode(t testing.TB, text string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}

func digest(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

func TestEmptySingletons(t *testing.T) {
	requirement.Claim(t, "TREE-02", "TREE-03", "TREE-04", "TREE-05", "TREE-06", "CAN-04", "CAN-05", "GAP-06", "ACT-01", "AMB-15", "AMB-16", "AMB-57", "REC-06")
	got := emitted(t, nothingSelected())
	body := tree.RecordPath(contract.KindEntity, "", tree.Key(nothingSelected().Header.Source, contract.KindEntity, "PR_kwDO001"))
	want := map[string]string{
		"relations/reviews.json":        "7af873f074f9f31448b8a1c114dc58e20975617647aa16f478db9544daf35c10",
		"history/agent-runs.json":       "6f23bb10da82b8a196d50cdfbe0a86f583cc4df842d62052e624fb9b14bd5c90",
		"state/actors.json":             "1925590408012373ea3cc6b9d02703527531492efb52aa39689d541a0581f840",
		"state/threads.json":            "fb07c9eca1ff0193819d488f8afca383cf21538be80c39f28276d3f387c0d81b",
		"views/unresolved-review.order": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"views/timeline.order":          digest(body + "\n"),
		"collection.json":               digest(got["collection.json"]),
		"entity/metadata.json":          digest(got["entity/metadata.json"]),
		"index.json":                    digest(got["index.json"]),
		body:                            digest(got[body]),
	}
	for path, sum := range want {
		if digest(got[path]) != sum {
			t.Errorf("%s is %q", path, got[path])
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Error(diff)
	}
	if i := index(t, got); len(i.Gaps) != 0 || !strings.Contains(got["index.json"], `"gaps":[]`) || !strings.Contains(got["entity/metadata.json"], `"author":null,"author_id":null`) ||
		!strings.Contains(got["entity/metadata.json"], `"labels":[]`) || !strings.Contains(got["index.json"], `"author":null,"author_id":null`) {
		t.Errorf("%s\n%s", got["index.json"], got["entity/metadata.json"])
	}
}

func TestRecordFiles(t *testing.T) {
	requirement.Claim(t, "REC-01", "REC-02", "REC-03", "REC-04", "REC-05", "REC-06", "REC-07", "REC-08", "REC-09", "KEY-01", "KEY-03", "TREE-10", "ACT-10")
	s := testkit.New(contract.GitHub, contract.WorkItem, 3)
	author := "U_kgDOExample"
	s.Actor(s.Human(9, "write")).ID = author
	s.Identify(s.Comment(1, "2026-09-08T10:15:30.000000000Z", author, "Hello\n"), "IC_kwDOExample")
	nobody := s.Identify(s.Comment(2, "2026-09-08T10:15:30.000000000Z", "", ""), "IC_kwDOExample2")
	nobody.AuthorID = nil
	got := emitted(t, s)
	hello := got["records/20260908T101530000000000Z-c73645a72a9c5de28d71e3e1efe235b9a5d02ee6dfe7dc0ef06cf3d0e5ee3421.md"]
	if len(hello) != 134 || digest(hello) != "8258a6deea221968979428f0c77cea7b8fecec0f4f7dc488f8cea3ca51ba5c7c" {
		t.Errorf("%q", hello)
	}
	empty := strings.Replace(got["records/20260908T101530000000000Z-"+nobody.RecordKey+".md"], "IC_kwDOExample2", "IC_kwDOExample", 1)
	if len(empty) != 117 || digest(empty) != "16519264ac1aea9398dbe695c2bbdaff2e1b48f33e2afca1e1f5bfd2dbcf74de" {
		t.Errorf("%q", empty)
	}
	entity := "Fullsend-Record: \"entity\"\nSource-ID: \"PR_kwDO001\"\nAuthor-ID: \"U_kgDO001\"\nCreated-At: \"2026-03-01T08:00:00.000000000Z\"\n\nThe body.\n"
	if path := "records/00000000T000000000000000Z-" + s.Key(contract.KindEntity, 1) + ".md"; got[path] != entity {
		t.Errorf("%q", got[path])
	}
}

func TestManifestRows(t *testing.T) {
	requirement.Claim(t, "MAN-01", "MAN-02", "MAN-03", "MAN-04", "MAN-05", "MAN-06", "MAN-07", "MAN-08", "MAN-09", "MAN-10", "MAN-11", "MAN-12",
		"CHK-08", "COL-01", "COL-02", "COL-03", "COL-08", "COL-11", "KEY-02", "KEY-05", "FLT-04", "FLT-05", "FLT-06", "AMB-04", "AMB-14", "AMB-30", "AMB-38", "VER-01")
	for name := range goldenCases {
		s := goldenCases[name]()
		out, receipt := publish(t, s.Bytes(t))
		got := files(t, out)
		i := index(t, got)
		var collection tree.Collection
		decode(t, got["collection.json"], &collection)
		if i.CollectionProfile != digest(got["collection.json"]) || i.SchemaVersion != 1 || i.FilterVersion != s.Header.FilterVersion ||
			collection.EntityKind != s.Header.Entity.Kind || collection.Admission.HumanMinRole != s.Header.Collection.HumanMinRole {
			t.Errorf("%s: %+v", name, i)
		}
		if want := (tree.IndexEntity{ID: s.Header.Entity.ID, Kind: s.Header.Entity.Kind, UpdatedAt: s.Header.Entity.UpdatedAt}); i.Entity != want {
			t.Errorf("%s: %+v", name, i.Entity)
		}
		var entity tree.Entity
		decode(t, got["entity/metadata.json"], &entity)
		e := s.Header.Entity
		login := func() *string {
			if e.AuthorID == nil {
				return nil
			}
			return s.Actor(*e.AuthorID).Login
		}()
		if diff := cmp.Diff(tree.Entity{
			Kind: e.Kind, ID: e.ID, Number: e.Number, Title: e.Title, State: e.State, AuthorID: e.AuthorID, Author: login,
			CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, Labels: e.Labels,
		}, entity); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !strings.Contains(string(receipt), `"index_sha256":"`+digest(got["index.json"])+`"`) {
			t.Errorf("%s: the receipt does not hold the root digest", name)
		}
		c := s.Header.Collection
		if diff := cmp.Diff(tree.Collection{
			Admission: tree.Admission{HumanMinRole: c.HumanMinRole}, CheckLogSelection: c.CheckLogSelection, EntityKind: c.EntityKind,
			IncludedSources: c.IncludedSources, RecordSelection: c.RecordSelection,
			Bounds: tree.Bounds{
				MaxLabels: c.Bounds.MaxLabels, MaxLogBytes: 4096, MaxMetadataStringBytes: 256, MaxRecordBytes: c.Bounds.MaxRecordBytes,
				MaxRecordsPerSource: 100, MaxSourceBytes: 1 << 20,
			},
		}, collection); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		checkFiles(t, name, i, got)
		checkRecords(t, name, i, got["index.json"], s)
	}
}

func checkFiles(t *testing.T, name string, i tree.Index, got map[string]string) {
	t.Helper()
	var paths []string
	for _, f := range i.Files {
		paths = append(paths, f.Path)
		data := got[f.Path]
		rule := tree.RuleOf(f.Role)
		if f.Bytes != int64(len(data)) || f.SHA256 != digest(data) || rule == nil || f.MediaType != rule.MediaType ||
			!rule.Path.MatchString(f.Path) || (f.Filter != nil) != rule.Filtered {
			t.Errorf("%s: %+v", name, f)
		}
		if strings.HasSuffix(f.Path, ".json") {
			if err := canonicaljson.Check([]byte(data)); err != nil {
				t.Errorf("%s: %s: %v", name, f.Path, err)
			}
		}
	}
	if !slices.IsSorted(paths) || len(paths) != len(got)-1 {
		t.Errorf("%s: files are %q", name, paths)
	}
	if err := canonicaljson.Check([]byte(got["index.json"])); err != nil {
		t.Errorf("%s: index.json: %v", name, err)
	}
}

// checkRecords compares the rows with the lines of the stream.
func checkRecords(t *testing.T, name string, i tree.Index, text string, s *testkit.Stream) {
	t.Helper()
	logs := map[string]bool{}
	want := map[string]tree.ManifestRecord{}
	for _, l := range s.Lines {
		if l, ok := l.(*contract.Log); ok {
			logs[l.RecordKey] = true
		}
	}
	filter := func(f *contract.Filter) tree.Filter {
		out := tree.Filter{Status: f.Status, Findings: []tree.Finding{}}
		for _, x := range f.Findings {
			out.Findings = append(out.Findings, tree.Finding(x))
		}
		return out
	}
	for _, l := range s.Lines {
		switch l := l.(type) {
		case *contract.Record:
			row := tree.ManifestRecord{ID: l.ID, Kind: l.Kind, RecordKey: l.RecordKey, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, Filter: filter(l.Filter), AuthorID: &l.AuthorID}
			var login *string
			if l.AuthorID != nil {
				login = s.Actor(*l.AuthorID).Login
			}
			row.Author = &login
			if l.Filter.Status != contract.Rejected {
				row.ContentPath = tree.RecordPath(l.Kind, l.CreatedAt, l.RecordKey)
			}
			want[l.RecordKey] = row
		case *contract.Check:
			row := tree.ManifestRecord{ID: l.ID, Kind: contract.KindCheck, RecordKey: l.RecordKey, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, Filter: filter(l.Filter)}
			if l.Filter.Status != contract.Rejected {
				row.MetadataPath = tree.CheckPath(l.RecordKey)
			}
			if logs[l.RecordKey] {
				row.LogPath = tree.LogPath(l.RecordKey)
			}
			want[l.RecordKey] = row
		}
	}
	var raw struct{ Records []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatal(err)
	}
	roles := map[string]tree.Role{}
	for _, f := range i.Files {
		roles[f.Path] = f.Role
	}
	last := ""
	for n, row := range i.Records {
		if role := roles[row.ContentPath]; row.ContentPath != "" && string(role) != string(row.Kind)+"_record" {
			t.Errorf("%s: a %s has a file of role %s", name, row.Kind, role)
		}
		expect, err := canonicaljson.Marshal(want[row.RecordKey])
		delete(want, row.RecordKey)
		if err != nil || !bytes.Equal(expect, raw.Records[n]) { // bytes: null and absent are not the same
			t.Errorf("%s: row\n%s\nwant\n%s", name, raw.Records[n], expect)
		}
		if at := row.CreatedAt + row.RecordKey; at <= last {
			t.Errorf("%s: rows are not in order at %s", name, row.ID)
		} else {
			last = at
		}
	}
	if len(want) != 0 {
		t.Errorf("%s: %d objects have no row", name, len(want))
	}
}

func TestViews(t *testing.T) {
	requirement.Claim(t, "ORD-01", "ORD-02", "ORD-03", "ORD-04", "ORD-05", "ORD-06", "ORD-07", "ORD-08", "THR-07", "AMB-17", "AMB-18", "AMB-20", "AMB-21")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	author := s.ID("actor", 1)
	path := map[int]string{}
	for i := 1; i <= 8; i++ {
		r := s.Comment(i, testkit.Time(1+i, "10:00"), author, "c\n")
		path[i] = tree.RecordPath(contract.KindComment, r.CreatedAt, r.RecordKey)
	}
	rejected := testkit.Reject(s.Comment(9, testkit.Time(10, "10:00"), author, ""), "x")
	review := s.Review(1, testkit.Time(1, "10:00"), author, "r\n", contract.Commented)
	review2 := s.Review(2, testkit.Time(2, "09:00"), author, "r\n", contract.Commented)
	gone := testkit.Reject(s.Review(3, testkit.Time(2, "10:00"), author, "", contract.Approved), "x")
	link := func(th *contract.Thread) *contract.Thread {
		th.ReviewID, th.ReviewRecordKey = review.ID, review.RecordKey
		return th
	}
	late := link(s.Thread(1, testkit.Time(9, "10:00"), 3, 1))
	early := link(s.Thread(2, testkit.Time(8, "10:00"), 2, 1))
	tied := s.Thread(3, testkit.Time(9, "10:00"), 5)
	resolved := link(s.Thread(4, testkit.Time(7, "10:00"), 6))
	resolved.Resolved = true
	outdated := s.Thread(5, testkit.Time(7, "11:00"), 7)
	outdated.Outdated = true
	s.Gap(contract.ScopeComments, contract.UnsafeContent, 1)
	s.Gap(contract.ScopeReviews, contract.UnsafeContent, 1)
	got := emitted(t, s)

	lines := func(paths ...string) string { return strings.Join(append(paths, ""), "\n") }
	entity := tree.RecordPath(contract.KindEntity, "", s.Key(contract.KindEntity, 1))
	reviewPath, review2Path := tree.RecordPath(contract.KindReview, review.CreatedAt, review.RecordKey), tree.RecordPath(contract.KindReview, review2.CreatedAt, review2.RecordKey)
	unresolved := lines(path[2], path[1], path[3], path[5])
	if tied.ThreadKey < late.ThreadKey {
		unresolved = lines(path[2], path[1], path[5], path[3])
	}
	want := map[string]string{
		"views/timeline.order":                 lines(entity, reviewPath, review2Path, path[1], path[2], path[3], path[4], path[5], path[6], path[7], path[8]),
		"views/unresolved-review.order":        unresolved,
		tree.ThreadPath(late.ThreadKey):        lines(path[3], path[1]),
		tree.ThreadPath(early.ThreadKey):       lines(path[2], path[1]),
		tree.ThreadPath(tied.ThreadKey):        lines(path[5]),
		tree.ThreadPath(resolved.ThreadKey):    lines(path[6]),
		tree.ThreadPath(outdated.ThreadKey):    lines(path[7]),
		tree.ReviewViewPath(review.RecordKey):  lines(reviewPath, path[6], path[2], path[1], path[3]),
		tree.ReviewViewPath(review2.RecordKey): lines(review2Path),
	}
	orders := map[string]string{}
	for p, data := range got {
		if strings.HasSuffix(p, ".order") {
			orders[p] = data
		}
		if strings.Contains(p, rejected.RecordKey) || strings.Contains(p, gone.RecordKey) || strings.HasPrefix(p, "relations/") && strings.Contains(data, gone.RecordKey) {
			t.Errorf("a rejected record left %s", p)
		}
	}
	if diff := cmp.Diff(want, orders); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, data := range orders {
		for _, line := range strings.Split(data, "\n") {
			if !tree.ShellSafe(line) {
				t.Errorf("%q needs quoting", line)
			}
		}
	}
}

// Equal times: the open threads are ordered by key, the relations by id.
func TestTiesOfThreads(t *testing.T) {
	requirement.Claim(t, "ORD-06", "THR-06", "THR-01", "AMB-21")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	author := s.ID("actor", 1)
	at := "2026-04-02T10:00:00.000000000Z"
	s.Identify(s.Comment(1, at, author, "a1\n"), "PRRC_kwDOa1")
	s.Identify(s.Comment(2, "2026-04-02T10:05:00.000000000Z", author, "a2\n"), "PRRC_kwDOa2")
	s.Identify(s.Comment(3, at, author, "b1\n"), "PRRC_kwDOb1")
	key := func(kind contract.Kind, id string) string { return tree.Key(s.Header.Source, kind, id) }
	thread := func(id string, comments ...string) *contract.Thread {
		th := s.Thread(1, at)
		th.ID, th.ThreadKey = id, key(contract.KindThread, id)
		for _, c := range comments {
			th.RecordKeys = append(th.RecordKeys, key(contract.KindComment, c))
		}
		return th
	}
	thread("PRRT_kwDO005", "PRRC_kwDOa1", "PRRC_kwDOa2")
	thread("PRRT_kwDO009", "PRRC_kwDOb1")
	thread("PRRT_kwDO100", "PRRC_kwDOb1").Resolved = true
	thread("PRRT_kwDO101", "PRRC_kwDOb1").Outdated = true
	got := emitted(t, s)
	want := strings.Join([]string{
		"records/20260402T100000000000000Z-6b7505ad4f8832bf652adc5e8dfab6cb26a2ac3d56d76ff6d0a6cbb6e9a098c2.md",
		"records/20260402T100000000000000Z-c3eefbce5c1a236c6cc3b51bd52d9823ba0274e12ece46aef3df80aa6c1de292.md",
		"records/20260402T100500000000000Z-b6676039a985c3832a1299b0a6364543fa7e4d940e547777251b60b948dbabca.md",
		"",
	}, "\n")
	if got["views/unresolved-review.order"] != want {
		t.Errorf("%s", got["views/unresolved-review.order"])
	}
	var relations tree.Relations
	var state tree.ThreadState
	decode(t, got["relations/reviews.json"], &relations)
	decode(t, got["state/threads.json"], &state)
	var ids, keys []string
	for _, th := range relations.Threads {
		ids = append(ids, th.ID)
	}
	for _, th := range state.Threads {
		keys = append(keys, th.ThreadKey)
	}
	if diff := cmp.Diff([]string{"PRRT_kwDO005", "PRRT_kwDO009", "PRRT_kwDO100", "PRRT_kwDO101"}, ids); diff != "" {
		t.Error(diff)
	}
	if !slices.IsSorted(keys) || len(keys) != 4 {
		t.Errorf("%q", keys)
	}
}

// What a person or an admin changes later touches no record file.
func TestMutableStateTouchesNoRecordFile(t *testing.T) {
	requirement.Claim(t, "REC-07", "REC-10", "REC-11", "REV-06", "KEY-06", "VIEW-04", "ACT-10")
	first := goldenCases["github-change-proposal"]()
	second := goldenCases["github-change-proposal"]()
	second.Header.Source.Repository = "renamed/project"
	second.Header.Entity.State = contract.StateClosed
	edited := ""
	for _, l := range second.Lines {
		switch l := l.(type) {
		case *contract.Actor:
			if l.Kind == contract.Human && l.Role != nil {
				role, login := "admin", *l.Login+"-renamed"
				l.Role, l.Login = &role, &login
			}
		case *contract.Thread:
			l.Outdated, l.Resolved, l.ResolvedByActorID = false, false, nil
		case *contract.Record:
			if l.State == contract.Dismissed {
				now := testkit.Time(9, "09:00")
				l.DismissedAt, l.ReviewedSHA = &now, strings.Repeat("f", 40)
			}
			if l.ID == first.ID(contract.KindComment, 3) {
				l.Content, edited = contract.Text([]byte("Edited.\n")), tree.RecordPath(l.Kind, l.CreatedAt, l.RecordKey)
			}
		}
	}
	second.Comment(50, testkit.Time(1, "09:00"), second.ID("actor", 1), "Inserted earlier.\n")
	a, b := emitted(t, first), emitted(t, second)
	for path, data := range a {
		if !strings.HasPrefix(path, "records/") {
			continue
		}
		if same := b[path] == data; same == (path == edited) {
			t.Errorf("%s: same %v", path, same)
		}
	}
	if a["relations/reviews.json"] == b["relations/reviews.json"] || a["state/threads.json"] == b["state/threads.json"] {
		t.Error("the state documents did not change")
	}
}

// A force push points an approval at another commit: its record and time stay.
func TestReboundReview(t *testing.T) {
	requirement.Claim(t, "REV-06", "REV-04", "REC-10")
	make := func(sha string) *testkit.Stream {
		s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
		author := "U_kgDOrev1"
		s.Actor(s.Human(2, "write")).ID = author
		s.Identify(s.Review(1, "2026-08-07T06:09:36.000000000Z", author, "", contract.Approved), "PRR_kwDOstale").ReviewedSHA = strings.Repeat(sha, 40)
		return s
	}
	a, b := emitted(t, make("a")), emitted(t, make("c"))
	path := "records/20260807T060936000000000Z-b69339672a9114699c311bb43266d028b49280ed76854ab5e7c11ec37d51b6f6.md"
	if len(a[path]) != 123 || digest(a[path]) != "79b45f5a7a230c6811e571befcb2f503b6347657edc0c7373061c231b536fd8d" {
		t.Errorf("%q", a[path])
	}
	changed := changedFiles(a, b)
	if diff := cmp.Diff([]string{"index.json", "relations/reviews.json"}, changed); diff != "" {
		t.Error(diff)
	}
}

func changedFiles(a, b map[string]string) []string {
	var changed []string
	for path := range a {
		if a[path] != b[path] {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed
}

// A later reply adds one file and extends the timeline; renames and roles change
// state alone.
func TestReplyExtendsThePrefix(t *testing.T) {
	requirement.Claim(t, "VIEW-04", "ORD-04", "REC-10", "ACT-10")
	make := func(second bool) *testkit.Stream {
		s := testkit.New(contract.GitHub, contract.WorkItem, 3)
		e := &s.Header.Entity
		e.ID, e.CreatedAt, e.UpdatedAt = "I_kwDOcache", "2026-01-01T00:00:00.000000000Z", "2026-01-03T08:00:00.000000000Z"
		other := s.Human(2, "write")
		s.Identify(s.Comment(1, "2026-01-02T08:00:00.000000000Z", s.ID("actor", 1), "one\n"), "IC_kwDOc1")
		s.Identify(s.Comment(2, "2026-01-03T08:00:00.000000000Z", other, "two\n"), "IC_kwDOc2")
		if second {
			s.Identify(s.Comment(3, "2026-01-04T08:00:00.000000000Z", other, "three\n"), "IC_kwDOc3")
			login, role := "renamed", "admin"
			s.Actor(other).Role, s.Actor(s.ID("actor", 1)).Login = &role, &login
			e.UpdatedAt = "2026-01-04T08:00:00.000000000Z"
		}
		for _, l := range s.Lines {
			if r, ok := l.(*contract.Record); ok && r.Kind == contract.KindEntity {
				s.Identify(r, e.ID)
				r.CreatedAt, r.UpdatedAt = e.CreatedAt, e.UpdatedAt
			}
		}
		return s
	}
	a, b := emitted(t, make(false)), emitted(t, make(true))
	timeline := "records/00000000T000000000000000Z-68d9466d22214c76323a6e52aa24d074ccc7b7a55e490e610c7b99185aa77410.md\n" +
		"records/20260102T080000000000000Z-069c6b2cad6c2348b5fced6bad1b1de98fdd2d2094d9d3183f00658cd192ab48.md\n" +
		"records/20260103T080000000000000Z-a5932bfdd682bd93a40682f29026c68ecc17ee8721fe359c1c1912640d3f1f7d.md\n"
	last := "records/20260104T080000000000000Z-c4844e6d552f876b2e240738e3d647a2a290c4cbe3e48963d74eccb38d59c610.md"
	if a["views/timeline.order"] != timeline || b["views/timeline.order"] != timeline+last+"\n" {
		t.Errorf("%s\n%s", a["views/timeline.order"], b["views/timeline.order"])
	}
	if diff := cmp.Diff([]string{"entity/metadata.json", "index.json", "state/actors.json", "views/timeline.order"}, changedFiles(a, b)); diff != "" {
		t.Error(diff)
	}
	if len(b) != len(a)+1 || b[last] == "" {
		t.Errorf("%d files, then %d", len(a), len(b))
	}
}

func TestGapsAndActors(t *testing.T) {
	requirement.Claim(t, "GAP-01", "GAP-02", "GAP-03", "GAP-04", "ACT-01", "ACT-03", "ACT-04", "ACT-05", "ACT-09", "ADM-09", "AMB-15", "AMB-44", "AMB-70")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	for i, id := range []string{"U_kgDOB", "MDQ6VXNlcjE=", "BOT_kgDOA", "U_unknown", "U_unverified", "U_nobody"} {
		n := i + 2
		switch id {
		case "BOT_kgDOA":
			s.Actor(s.Bot(n)).ID = id
		case "U_unknown":
			s.Actor(s.UnknownActor(n)).ID = id
		case "U_unverified":
			s.Actor(s.Human(n, "")).ID = id
		default:
			s.Actor(s.Human(n, "triage")).ID = id
		}
		switch id {
		case "U_unknown", "U_unverified": // who cannot be heard may still have resolved a thread
			s.Comment(n, testkit.Time(n, "10:00"), s.ID("actor", 1), "c\n")
			th := s.Thread(n, testkit.Time(n, "10:00"), n)
			th.Resolved, th.ResolvedByActorID = true, &id
		case "U_nobody":
		default:
			s.Comment(n, testkit.Time(n, "10:00"), id, "c\n")
		}
	}
	s.Header.Collection.Bounds.MaxRecordsPerSource = 6
	testkit.Reject(s.Comment(20, testkit.Time(20, "10:00"), s.Human(20, "write"), ""), "x") // its row names the author
	dismissedByNobody := testkit.Reject(s.Review(1, testkit.Time(2, "11:00"), "U_kgDOB", "", contract.Dismissed), "x")
	nobody := "U_nobody" // a rejected review leaves no row that could name its dismisser
	dismissedByNobody.DismissedBy = &nobody
	for _, g := range []contract.Gap{
		{Scope: "reviews", Code: "invalid_metadata", Count: 1},
		{Scope: "comments", Code: "profile_bound", Count: 2},
		{Scope: "checks", Code: "invalid_metadata", Count: 1},
		{Scope: "comments", Code: "authorization_failed", Count: 3},
		{Scope: "reviews", Code: "invalid_metadata", Count: 2},
		{Scope: "reviews", Code: "history_unavailable", Count: 1},
		{Scope: "comments", Code: "unsafe_content", Count: 1},
		{Scope: "reviews", Code: "unsafe_content", Count: 1},
		{Scope: "actors", Code: "invalid_metadata", Count: 1},
	} {
		s.Gap(g.Scope, g.Code, g.Count)
	}
	got := emitted(t, s)
	want := []tree.Gap{
		{Scope: "actors", Code: "invalid_metadata", Usability: "unusable", Count: 1},
		{Scope: "checks", Code: "invalid_metadata", Usability: "unusable", Count: 1},
		{Scope: "comments", Code: "authorization_failed", Usability: "unusable", Count: 3},
		{Scope: "comments", Code: "profile_bound", Usability: "partial", Count: 2},
		{Scope: "comments", Code: "unsafe_content", Usability: "unusable", Count: 1},
		{Scope: "reviews", Code: "history_unavailable", Usability: "partial", Count: 1},
		{Scope: "reviews", Code: "invalid_metadata", Usability: "unusable", Count: 3},
		{Scope: "reviews", Code: "unsafe_content", Usability: "unusable", Count: 1},
	}
	if diff := cmp.Diff(want, index(t, got).Gaps); diff != "" {
		t.Error(diff)
	}
	actors := `{"actors":[` +
		`{"id":"BOT_kgDOA","kind":"bot","login":"bot-4[bot]","role":"bot","role_verified":false},` +
		`{"id":"MDQ6VXNlcjE=","kind":"human","login":"human-3","role":"triage","role_verified":true},` +
		`{"id":"U_kgDO001","kind":"human","login":"human-1","role":"write","role_verified":true},` +
		`{"id":"U_kgDO020","kind":"human","login":"human-20","role":"write","role_verified":true},` +
		`{"id":"U_kgDOB","kind":"human","login":"human-2","role":"triage","role_verified":true},` +
		`{"id":"U_unknown","kind":"human","login":"unknown-5","role":null,"role_verified":false},` +
		`{"id":"U_unverified","kind":"human","login":"human-6","role":null,"role_verified":false}]}`
	if got["state/actors.json"] != actors {
		t.Error(got["state/actors.json"])
	}
}

// Each filter value sums its own document (AMB-28, AMB-31, FLT-07, FLT-08).
func TestFilterValues(t *testing.T) {
	requirement.Claim(t, "FLT-01", "FLT-02", "FLT-03", "FLT-05", "FLT-06", "FLT-07", "FLT-08", "AMB-12", "AMB-28", "AMB-29", "AMB-30", "AMB-31")
	filter := func(status contract.FilterStatus, code string, n int64) *contract.Filter {
		return &contract.Filter{Status: status, Findings: findings(code, n)}
	}
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	author := s.ID("actor", 1)
	other, third := s.Human(2, "write"), s.Human(3, "write")
	s.Actor(author).LoginFilter = filter(contract.Truncated, "login", 1)
	s.Actor(other).LoginFilter = filter(contract.Modified, "login", 10)
	s.Actor(third).LoginFilter = filter(contract.Modified, "third", 100) // resolves a thread, writes nothing
	s.Header.EntityFilter = filter(contract.Modified, "title", 1)
	s.Comment(1, testkit.Time(2, "10:00"), other, "c\n").Filter = filter(contract.Modified, "body", 1)
	testkit.Reject(s.Comment(2, testkit.Time(3, "10:00"), other, ""), "bad")
	th := s.Thread(1, testkit.Time(2, "10:00"), 1)
	th.Resolved, th.ResolvedByActorID = true, &third
	s.Check(1, testkit.Time(4, "10:00"), "ci", contract.Failure).Filter = filter(contract.Modified, "name", 1)
	s.Log(1, "log\n").Filter = filter(contract.Truncated, "log", 1)
	s.Check(2, testkit.Time(5, "10:00"), "ci", contract.Failure)
	s.Run(1, testkit.Time(6, "10:00"), "a").Filter = filter(contract.Modified, "agent", 1)
	s.Run(2, testkit.Time(7, "10:00"), "b").Filter = filter(contract.Truncated, "agent", 2)
	s.Gap(contract.ScopeComments, contract.UnsafeContent, 1)
	s.Gap(contract.ScopeCheckLogs, contract.FetchFailed, 1)
	i := index(t, emitted(t, s))
	show := func(f tree.Filter) string {
		out := string(f.Status)
		for _, x := range f.Findings {
			out += fmt.Sprintf(" %s=%d", x.Code, x.Count)
		}
		return out
	}
	got := map[string]string{"index": show(i.Filter)}
	for _, f := range i.Files {
		if f.Filter != nil {
			got[strings.Replace(strings.Replace(f.Path, s.Key(contract.KindCheck, 1), "1", 1), s.Key(contract.KindCheck, 2), "2", 1)] = show(*f.Filter)
		}
	}
	for _, r := range i.Records {
		got[r.ID] = show(r.Filter)
	}
	want := map[string]string{
		"index":                   "truncated login=21", // author once, other twice: per row
		"entity/metadata.json":    "truncated login=1 title=1",
		"relations/reviews.json":  "unchanged",
		"history/agent-runs.json": "truncated agent=3",
		"state/actors.json":       "truncated login=11 third=100",
		"checks/1/metadata.json":  "modified name=1",
		"checks/1/log.txt":        "truncated log=1",
		"checks/2/metadata.json":  "unchanged",
		"PR_kwDO001":              "unchanged",
		"IC_kwDO001":              "modified body=1",
		"IC_kwDO002":              "rejected bad=1",
		"CR_kwDO001":              "modified name=1",
		"CR_kwDO002":              "unchanged",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDocumentsOfAChangeProposal(t *testing.T) {
	requirement.Claim(t, "CHK-01", "CHK-03", "CHK-06", "CHK-09", "CHK-10", "CHK-11", "CHK-12", "CHK-13", "CHK-14", "CHK-15", "CHK-21", "CHK-07",
		"REV-01", "REV-02", "REV-03", "REV-04", "REV-05", "THR-01", "THR-02", "THR-03", "THR-05", "THR-08", "RUN-02", "RUN-04", "RUN-05",
		"CAN-02", "CAN-03", "CAN-04", "CAN-05", "TREE-09", "ID-05", "ID-11", "AMB-20", "AMB-35")
	s := goldenCases["github-change-proposal"]()
	got := emitted(t, s)
	check := func(n int) string { return got[tree.CheckPath(s.Key(contract.KindCheck, n))] }
	for n, want := range map[int]string{
		1:  `{"completed_at":"2026-03-10T09:30:00.000000000Z","conclusion":"success","created_at":"2026-03-10T09:00:00.000000000Z","head_sha":"1234567890abcdef1234567890abcdef12345678","id":"CR_kwDO001","name":"ci / success","never_started":false,"started_at":"2026-03-10T09:00:00.000000000Z","status":"completed"}`,
		5:  `{"completed_at":"2026-03-10T09:30:00.000000000Z","conclusion":"skipped","created_at":"2026-03-10T09:00:00.000000000Z","head_sha":"1234567890abcdef1234567890abcdef12345678","id":"CR_kwDO005","name":"ci / skipped","never_started":true,"status":"completed"}`,
		9:  `{"created_at":"2026-03-11T09:00:00.000000000Z","head_sha":"1234567890abcdef1234567890abcdef12345678","id":"CR_kwDO009","name":"queued","status":"queued"}`,
		10: `{"created_at":"2026-03-11T10:00:00.000000000Z","head_sha":"1234567890abcdef1234567890abcdef12345678","id":"CR_kwDO010","name":"running","started_at":"2026-03-11T10:00:00.000000000Z","status":"in_progress"}`,
		11: ``,
	} {
		if check(n) != want {
			t.Errorf("check %d: %s", n, check(n))
		}
	}
	if log := got[tree.LogPath(s.Key(contract.KindCheck, 2))]; log != "step 1 ok\nstep \n" {
		t.Errorf("%q", log)
	}
	if log, there := got[tree.LogPath(s.Key(contract.KindCheck, 1))]; log != "" || !there {
		t.Errorf("an empty log is an empty file: %q, %v", log, there)
	}
	for _, member := range []string{
		`{"dismissed_at":null,"dismissed_by_actor_id":null,"id":"PRR_kwDO004",`,
		`{"dismissed_at":"2026-03-06T10:00:00.000000000Z","dismissed_by_actor_id":"U_kgDO007","id":"PRR_kwDO005",`,
		`{"id":"PRR_kwDO001","record_key":"` + s.Key(contract.KindReview, 1) + `","reviewed_sha":"a1a1`,
		`"state":"commented","submitted_at":"2026-03-04T10:00:00.000000000Z"}`,
		`"line":12,"order_path":"threads/` + s.Key(contract.KindThread, 1) + `.order","original_line":11,"original_side":"left","original_start_line":9,"path":"pkg/a file (1).go",`,
		`"side":"right","start_line":10,"thread_key"`,
		`"replies":[],"thread_key"`,
	} {
		if !strings.Contains(got["relations/reviews.json"], member) {
			t.Errorf("relations lack %s", member)
		}
	}
	for _, row := range []string{
		`"minimized":false,"outdated":false,"resolved":false,"thread_key"`, `"minimized":true,"outdated":false,"resolved":true,"resolved_by_actor_id":"U_kgDO005",`,
		`"outdated":true,"resolved":false,"thread_key"`, `"resolved":true,"resolved_by_actor_id":null,`,
	} {
		if !strings.Contains(got["state/threads.json"], row) {
			t.Errorf("thread state lacks %s", row)
		}
	}
	if work := emitted(t, goldenCases["gitlab-work-item"]()); !strings.HasPrefix(work["history/agent-runs.json"], `{"runs":[{"agent":"coder","completed_at":"2026-03-07T09:00:00.000000000Z","id":"9001","input_head_sha":"`+testkit.HeadSHA+
		`","input_revision":"abab`) || !strings.Contains(work["history/agent-runs.json"], `"resulting_commit_sha":"c0c0`) || !strings.Contains(work["history/agent-runs.json"], `"result_record_keys":[],"status":"timed_out"}]}`) ||
		!strings.Contains(work["entity/metadata.json"], `"id":"5001","kind":"work_item","labels":["* $(touch pwned4)","B","a","é"],"number":17,`) {
		t.Errorf("%s\n%s", work["history/agent-runs.json"], work["entity/metadata.json"])
	}
}

// Lists come in the order of their documents, whatever that of keys and lines, and
// what has a native order keeps it.
func TestListsOfDocuments(t *testing.T) {
	requirement.Claim(t, "REV-03", "RUN-02", "RUN-04", "RUN-05", "THR-06", "THR-07", "MAN-06", "ORD-05")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	s.Header.Entity.State = contract.StateClosed
	author := s.ID("actor", 1)
	s.Review(1, testkit.Time(5, "10:00"), author, "", contract.Approved)
	s.Review(3, testkit.Time(4, "10:00"), author, "", contract.Commented)
	s.Review(2, testkit.Time(4, "10:00"), author, "", contract.ChangesRequested)
	native := []int{1, 2, 3, 4, 5}
	for _, n := range native {
		s.Comment(n, testkit.Time(2, "10:00"), author, "c\n")
	}
	slices.SortFunc(native, func(a, b int) int { // no order of keys, numbers or times
		return strings.Compare(s.Key(contract.KindComment, b), s.Key(contract.KindComment, a))
	})
	s.Thread(1, testkit.Time(3, "10:00"), native...)
	s.Thread(2, testkit.Time(2, "10:00"), 3)
	s.Run(1, testkit.Time(9, "10:00"), "late", s.Key(contract.KindComment, 1), s.Key(contract.KindReview, 1)).Status = contract.RunTimedOut
	s.Run(3, testkit.Time(8, "10:00"), "early")
	s.Run(2, testkit.Time(8, "10:00"), "early")
	got := emitted(t, s)
	var relations tree.Relations
	decode(t, got[tree.ReviewsPath], &relations)
	var reviews, threads, keys, replies, lines []string
	for _, r := range relations.Reviews {
		reviews = append(reviews, r.ID+" "+string(r.State))
	}
	for _, th := range relations.Threads {
		threads = append(threads, th.ID)
	}
	long := relations.Threads[1]
	for _, n := range native {
		keys = append(keys, s.Key(contract.KindComment, n))
		lines = append(lines, tree.RecordPath(contract.KindComment, testkit.Time(2, "10:00"), s.Key(contract.KindComment, n))+"\n")
	}
	for _, r := range long.Replies {
		if r.ParentRecordKey != keys[0] {
			t.Errorf("reply %+v", r)
		}
		replies = append(replies, r.RecordKey)
	}
	for _, c := range []struct {
		what      string
		want, got any
	}{
		{"reviews", []string{s.ID(contract.KindReview, 2) + " changes_requested", s.ID(contract.KindReview, 3) + " commented", s.ID(contract.KindReview, 1) + " approved"}, reviews},
		{"threads", []string{s.ID(contract.KindThread, 2), s.ID(contract.KindThread, 1)}, threads},
		{"record_keys", keys, long.RecordKeys},
		{"replies", keys[1:], replies},
		{"order file", strings.Join(lines, ""), got[long.OrderPath]},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
	var runs tree.AgentRuns
	decode(t, got[tree.AgentRunsPath], &runs)
	want := []string{s.ID("run", 2) + " success []", s.ID("run", 3) + " success []", s.ID("run", 1) + " timed_out " + fmt.Sprint(slices.Sorted(slices.Values([]string{s.Key(contract.KindComment, 1), s.Key(contract.KindReview, 1)})))}
	var have []string
	for _, r := range runs.Runs {
		have = append(have, fmt.Sprintf("%s %s %v", r.ID, r.Status, r.ResultRecordKeys))
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("runs: %s", diff)
	}
	if !strings.Contains(got[tree.EntityPath], `"state":"closed"`) {
		t.Error(got[tree.EntityPath])
	}
}
