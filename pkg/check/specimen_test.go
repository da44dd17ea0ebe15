package check

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/safety"
)

// specimen is a valid tree in memory, small enough to read and with one of
// everything that its forge and kind allow. It is written by hand here, not by emit:
// writer and checker are tested apart.
type specimen struct {
	files map[string][]byte
	keys  map[string]string // name used in this file to record or thread key
}

type specimenRecord struct {
	name    string
	kind    contract.Kind
	id      string
	created string
	author  *string
	body    string
	filter  tree.Filter
}

func unchanged() tree.Filter {
	return tree.Filter{Findings: []tree.Finding{}, Status: contract.Unchanged}
}

func filtered(status contract.FilterStatus, code string) tree.Filter {
	return tree.Filter{Findings: []tree.Finding{{Code: code, Count: 1}}, Status: status}
}

// moment is a time on the day of the specimens.
func moment(clock string) string { return "2026-09-08T" + clock + ":00.000000000Z" }

func pointer[T any](v T) *T { return &v }

// specimenIDs are the identifiers of one forge.
type specimenIDs struct {
	source                             tree.Source
	entity, alice, mona, bot, resolver string
	comment, review, thread, check     func(n string) string
}

func number(prefix string) func(string) string {
	return func(n string) string { return prefix + n }
}

var forges = map[contract.Forge]specimenIDs{
	contract.GitHub: {
		source: tree.Source{Forge: contract.GitHub, Host: "github.com", Repository: "example/project", RepositoryID: "R_kgDOExample"},
		entity: "PR_kwDOExample", alice: "U_kgDOAlice", mona: "U_kgDOMona", bot: "BOT_kgDOHelper", resolver: "U_kgDOVisitor",
		comment: number("IC_kwDO"), review: number("PRR_kwDO"), thread: number("PRRT_kwDO"), check: number("CR_kwDO"),
	},
	contract.GitLab: {
		source: tree.Source{Forge: contract.GitLab, Host: "gitlab.example.com:8443", Repository: "Group/sub/project", RepositoryID: "1234"},
		entity: "5678", alice: "11", mona: "12", bot: "13", resolver: "14",
		comment: number("20"), review: number("30"), thread: number("6a9c1750b37d513a43987b57495365"), check: number("40"),
	},
	contract.Forgejo: {
		source: tree.Source{Forge: contract.Forgejo, Host: "codeberg.org", Repository: "example/project", RepositoryID: "42"},
		entity: "77", alice: "11", mona: "12", bot: "13", resolver: "14",
		comment: number("20"), review: number("30"), thread: number("50"), check: number("40"),
	},
}

// changeProposal is a pull or merge request with every source selected.
func changeProposal(t testing.TB, forge contract.Forge) *specimen {
	b := newBuilder(t, forge, contract.ChangeProposal)
	b.collection.IncludedSources = []string{"agent_runs", "check_logs", "checks", "comments", "entity", "reviews"}
	b.collection.CheckLogSelection = contract.LogsFailed
	b.add(specimenRecord{name: "c1", kind: contract.KindComment, id: b.ids.comment("1"), created: moment("10:00"), author: &b.ids.alice, body: "Please look at the parser.\n"})
	b.add(specimenRecord{name: "c2", kind: contract.KindComment, id: b.ids.comment("2"), created: moment("10:00"), author: &b.ids.bot, body: ""})
	b.add(specimenRecord{name: "c3", kind: contract.KindComment, id: b.ids.comment("3"), created: moment("10:05"), author: &b.ids.mona, body: "Done.\n"})
	b.add(specimenRecord{name: "c4", kind: contract.KindComment, id: b.ids.comment("4"), created: moment("10:06"), author: nil, body: "A first line\nand a second.\n"})
	b.add(specimenRecord{name: "c5", kind: contract.KindComment, id: b.ids.comment("5"), created: moment("10:07"), author: &b.ids.alice, filter: filtered(contract.Rejected, "injection.override")})
	b.add(specimenRecord{name: "c6", kind: contract.KindComment, id: b.ids.comment("6"), created: moment("10:08"), author: &b.ids.alice, body: "Cut here\n", filter: tree.Filter{Findings: []tree.Finding{}, Status: contract.Truncated}})
	if forge != contract.GitLab {
		b.add(specimenRecord{name: "r1", kind: contract.KindReview, id: b.ids.review("1"), created: moment("11:00"), author: &b.ids.mona, body: "Looks good.\n"})
		b.add(specimenRecord{name: "r2", kind: contract.KindReview, id: b.ids.review("2"), created: moment("11:05"), author: &b.ids.alice, body: "\n", filter: filtered(contract.Modified, "unicode.zero-width")})
		b.relations.Reviews = []tree.Review{
			{ID: b.ids.review("1"), RecordKey: b.keys["r1"], ReviewedSHA: head, State: contract.Approved, SubmittedAt: moment("11:00")},
			{
				ID: b.ids.review("2"), RecordKey: b.keys["r2"], State: contract.Dismissed, SubmittedAt: moment("11:05"),
				DismissedAt: pointer(pointer(moment("12:00"))), DismissedByActorID: pointer(&b.ids.resolver),
			},
		}
	}
	b.thread(tree.Thread{ID: b.ids.thread("1"), CreatedAt: moment("10:00"), Line: 4, Side: contract.Right, Path: "src/main.go", ReviewedSHA: head}, "r1",
		tree.ThreadStateRow{Resolved: true, ResolvedByActorID: pointer(&b.ids.mona)}, "c1", "c3")
	b.thread(tree.Thread{ID: b.ids.thread("2"), CreatedAt: moment("10:05")}, "r1", tree.ThreadStateRow{Minimized: pointer(false)}, "c4", "c2")
	b.thread(tree.Thread{ID: b.ids.thread("3"), CreatedAt: moment("10:06")}, "", tree.ThreadStateRow{Outdated: forge == contract.GitHub}, "c6")
	if forge == contract.GitHub {
		b.relations.Threads[0].Replies = []tree.Reply{{RecordKey: b.keys["c3"], ParentRecordKey: b.keys["c1"]}}
	}
	started, ended := moment("13:00"), moment("13:30")
	b.check("k1", tree.Check{ID: b.ids.check("1"), Name: "build", Status: contract.Completed, Conclusion: contract.Failure, NeverStarted: pointer(false), StartedAt: started, CompletedAt: ended}, pointer("step 1\nfailed\n"), unchanged())
	b.check("k2", tree.Check{ID: b.ids.check("2"), Name: "deploy", Status: contract.Queued}, nil, unchanged())
	b.check("k3", tree.Check{ID: b.ids.check("3"), Name: "docs", Status: contract.Completed, Conclusion: contract.Skipped, NeverStarted: pointer(true), CompletedAt: moment("12:59")}, nil, unchanged())
	b.check("k4", tree.Check{ID: b.ids.check("4"), Name: "lint", Status: contract.InProgress, StartedAt: started}, nil, filtered(contract.Modified, "unicode.zero-width"))
	b.check("k5", tree.Check{ID: b.ids.check("5"), Name: "test", Status: contract.Completed, Conclusion: contract.TimedOut, NeverStarted: pointer(false), StartedAt: started, CompletedAt: ended}, nil, unchanged())
	b.check("k6", tree.Check{ID: b.ids.check("6")}, nil, filtered(contract.Rejected, "injection.override"))
	b.runs.Runs = []tree.Run{
		{ID: b.ids.check("71"), Agent: "reviewer", Status: contract.RunSuccess, InputRevision: strings.Repeat("a", 64), ResultRecordKeys: []string{b.keys["c2"]}, CompletedAt: moment("14:00"), StartedAt: moment("13:50"), InputHeadSHA: head},
		{ID: b.ids.check("72"), Agent: "reviewer", Status: contract.RunFailure, InputRevision: strings.Repeat("b", 64), ResultRecordKeys: []string{}, CompletedAt: moment("14:00"), ResultingCommitSHA: head},
	}
	b.gap(contract.ScopeCheckLogs, contract.FetchFailed, 1)
	b.gap(contract.ScopeChecks, contract.UnsafeContent, 1)
	b.gap(contract.ScopeComments, contract.AuthorizationFailed, 2)
	b.gap(contract.ScopeComments, contract.UnsafeContent, 1)
	if forge == contract.GitLab {
		b.gap(contract.ScopeReviews, contract.HistoryUnavailable, 1)
	}
	return b.build()
}

// workItem is an issue with comments and runs selected and little in it.
func workItem(t testing.TB, forge contract.Forge) *specimen {
	b := newBuilder(t, forge, contract.WorkItem)
	b.add(specimenRecord{name: "c1", kind: contract.KindComment, id: b.ids.comment("1"), created: moment("10:00"), author: &b.ids.mona, body: "One comment.\n"})
	return b.build()
}

const head = "0123456789abcdef0123456789abcdef01234567"

type builder struct {
	t           testing.TB
	ids         specimenIDs
	index       tree.Index
	collection  tree.Collection
	entity      tree.Entity
	relations   tree.Relations
	runs        tree.AgentRuns
	threadState tree.ThreadState
	keys        map[string]string
	files       map[string][]byte
	filters     map[string]*tree.Filter
	referenced  map[string]bool
	reviewLines map[string][]string // review key to the names of its thread records
	unresolved  []string
}

func newBuilder(t testing.TB, forge contract.Forge, kind contract.EntityKind) *builder {
	ids := forges[forge]
	b := &builder{
		t: t, ids: ids, keys: map[string]string{}, files: map[string][]byte{}, filters: map[string]*tree.Filter{},
		referenced: map[string]bool{}, reviewLines: map[string][]string{},
		collection: tree.Collection{
			Admission: tree.Admission{HumanMinRole: "write"},
			Bounds: tree.Bounds{
				MaxLabels: 4, MaxLogBytes: 4096, MaxMetadataStringBytes: 128, MaxRecordBytes: 64,
				MaxRecordsPerSource: 20, MaxSourceBytes: 1 << 20,
			},
			CheckLogSelection: contract.LogsNone, EntityKind: kind,
			IncludedSources: []string{"agent_runs", "comments", "entity"}, RecordSelection: contract.Newest,
		},
		entity: tree.Entity{
			Author: pointer("alice"), AuthorID: &ids.alice, CreatedAt: moment("09:00"), ID: ids.entity, Kind: kind,
			Labels: []string{"bug", "parser", "zürich"}, Number: 7, State: contract.StateOpen, Title: "Parser drops a line", UpdatedAt: moment("15:00"),
		},
		relations:   tree.Relations{Reviews: []tree.Review{}, Threads: []tree.Thread{}},
		runs:        tree.AgentRuns{Runs: []tree.Run{}},
		threadState: tree.ThreadState{Threads: []tree.ThreadStateRow{}},
	}
	b.index = tree.Index{
		Entity: tree.IndexEntity{ID: ids.entity, Kind: kind, UpdatedAt: moment("15:00")}, Filter: unchanged(), FilterVersion: safety.Version,
		Gaps: []tree.Gap{}, SchemaVersion: 1, Source: ids.source, Records: []tree.ManifestRecord{}, Files: []tree.File{},
	}
	b.add(specimenRecord{name: "e", kind: contract.KindEntity, id: ids.entity, created: moment("09:00"), author: &ids.alice, body: "The last line is lost.\n"})
	return b
}

func (b *builder) logins(id *string) *string {
	if id == nil {
		return nil
	}
	return map[string]*string{b.ids.alice: pointer("alice"), b.ids.mona: pointer("mona"), b.ids.bot: pointer("helper[bot]"), b.ids.resolver: nil}[*id]
}

func (b *builder) key(kind contract.Kind, id string) string {
	s := b.ids.source
	return tree.Key(contract.Source{Forge: s.Forge, Host: s.Host, RepositoryID: s.RepositoryID}, kind, id)
}

func (b *builder) add(r specimenRecord) {
	key := b.key(r.kind, r.id)
	b.keys[r.name] = key
	if r.filter.Status == "" {
		r.filter = unchanged()
	}
	row := tree.ManifestRecord{
		Author: pointer(b.logins(r.author)), AuthorID: pointer(r.author), CreatedAt: r.created,
		Filter: r.filter, ID: r.id, Kind: r.kind, RecordKey: key,
	}
	if r.author != nil {
		b.referenced[*r.author] = true
	}
	if r.filter.Status != contract.Rejected {
		row.ContentPath = tree.RecordPath(r.kind, r.created, key)
		author := "null"
		if r.author != nil {
			author = `"` + *r.author + `"`
		}
		b.files[row.ContentPath] = []byte("Fullsend-Record: \"" + string(r.kind) + "\"\nSource-ID: \"" + r.id + "\"\nAuthor-ID: " + author +
			"\nCreated-At: \"" + r.created + "\"\n\n" + r.body)
	}
	b.index.Records = append(b.index.Records, row)
}

func (b *builder) thread(t tree.Thread, review string, state tree.ThreadStateRow, members ...string) {
	t.ThreadKey = b.key(contract.KindThread, t.ID)
	t.OrderPath = tree.ThreadPath(t.ThreadKey)
	t.Replies = []tree.Reply{}
	for _, m := range members {
		t.RecordKeys = append(t.RecordKeys, b.keys[m])
	}
	if key := b.keys[review]; key != "" {
		t.ReviewRecordKey = key
		t.ReviewID = b.ids.review("1")
		b.reviewLines[key] = append(b.reviewLines[key], members...)
	}
	b.relations.Threads = append(b.relations.Threads, t)
	state.ID, state.ThreadKey = t.ID, t.ThreadKey
	b.threadState.Threads = append(b.threadState.Threads, state)
	if !state.Resolved && !state.Outdated {
		b.unresolved = append(b.unresolved, members...)
	}
	b.files[t.OrderPath] = b.lines(members)
}

func (b *builder) lines(names []string) []byte {
	var out strings.Builder
	for _, name := range names {
		for i := range b.index.Records {
			if b.index.Records[i].RecordKey == b.keys[name] {
				out.WriteString(b.index.Records[i].ContentPath + "\n")
			}
		}
	}
	return []byte(out.String())
}

func (b *builder) check(name string, c tree.Check, log *string, filter tree.Filter) {
	key := b.key(contract.KindCheck, c.ID)
	b.keys[name] = key
	c.CreatedAt, c.HeadSHA = moment("12:59"), head
	row := tree.ManifestRecord{CreatedAt: c.CreatedAt, Filter: filter, ID: c.ID, Kind: contract.KindCheck, RecordKey: key}
	if filter.Status != contract.Rejected {
		row.MetadataPath = tree.CheckPath(key)
		b.document(row.MetadataPath, c)
		b.filters[row.MetadataPath] = &filter
	}
	if log != nil {
		row.LogPath = tree.LogPath(key)
		b.files[row.LogPath] = []byte(*log)
		b.filters[row.LogPath] = pointer(unchanged())
	}
	b.index.Records = append(b.index.Records, row)
}

func (b *builder) gap(scope contract.Scope, code contract.GapCode, count int64) {
	b.index.Gaps = append(b.index.Gaps, tree.Gap{Scope: scope, Code: code, Count: count, Usability: code.Usability()})
}

func (b *builder) document(path string, v any) {
	text, err := canonicaljson.Marshal(v)
	if err != nil {
		b.t.Fatal(err)
	}
	b.files[path] = text
}

func (b *builder) build() *specimen {
	var timeline []string
	for i := range b.index.Records {
		row := &b.index.Records[i]
		if row.ContentPath != "" {
			timeline = append(timeline, row.ContentPath)
		}
		if row.Kind == contract.KindReview {
			b.files[tree.ReviewViewPath(row.RecordKey)] = append([]byte(row.ContentPath+"\n"), b.lines(b.reviewLines[row.RecordKey])...)
		}
	}
	slices.Sort(timeline)
	b.files[tree.TimelinePath] = []byte(strings.Join(timeline, "\n") + "\n")
	b.files[tree.UnresolvedReviewPath] = b.lines(b.unresolved)
	slices.SortFunc(b.threadState.Threads, func(x, y tree.ThreadStateRow) int { return cmp.Compare(x.ThreadKey, y.ThreadKey) })
	slices.SortFunc(b.index.Records, func(x, y tree.ManifestRecord) int {
		return cmp.Or(cmp.Compare(x.CreatedAt, y.CreatedAt), cmp.Compare(x.RecordKey, y.RecordKey))
	})
	slices.SortFunc(b.index.Gaps, func(x, y tree.Gap) int {
		return cmp.Or(cmp.Compare(x.Scope, y.Scope), cmp.Compare(x.Code, y.Code))
	})
	if len(b.relations.Threads) > 0 {
		b.referenced[b.ids.mona] = true
	}
	if len(b.relations.Reviews) > 0 {
		b.referenced[b.ids.resolver] = true
	}
	actors := tree.ActorState{Actors: []tree.Actor{}}
	for _, a := range []tree.Actor{
		{ID: b.ids.alice, Kind: contract.Human, Role: pointer("write"), RoleVerified: true},
		{ID: b.ids.mona, Kind: contract.Human, Role: pointer("maintain"), RoleVerified: true},
		{ID: b.ids.bot, Kind: contract.Bot, Role: pointer("bot")},
		{ID: b.ids.resolver, Kind: contract.Human},
	} {
		if b.referenced[a.ID] {
			a.Login = b.logins(&a.ID)
			actors.Actors = append(actors.Actors, a)
		}
	}
	slices.SortFunc(actors.Actors, func(x, y tree.Actor) int { return cmp.Compare(x.ID, y.ID) })
	b.document(tree.CollectionPath, b.collection)
	b.document(tree.EntityPath, b.entity)
	b.document(tree.ReviewsPath, b.relations)
	b.document(tree.AgentRunsPath, b.runs)
	b.document(tree.ActorsPath, actors)
	b.document(tree.ThreadStatePath, b.threadState)
	for _, p := range slices.Sorted(maps.Keys(b.files)) {
		b.index.Files = append(b.index.Files, b.file(p))
	}
	b.document(tree.IndexPath, b.index)
	s := &specimen{files: b.files, keys: b.keys}
	s.reseal(b.t)
	return s
}

func (b *builder) file(p string) tree.File {
	f := tree.File{Path: p, Filter: b.filters[p]}
	for _, r := range tree.RoleRules {
		if r.Path.MatchString(p) {
			f.Role, f.MediaType = r.Role, r.MediaType
			if r.Filtered && f.Filter == nil {
				f.Filter = pointer(unchanged())
			}
			break
		}
	}
	if f.Role == tree.RoleCommentRecord {
		for i := range b.index.Records {
			if b.index.Records[i].ContentPath == p && b.index.Records[i].Kind == contract.KindReview {
				f.Role = tree.RoleReviewRecord
			}
		}
	}
	return f
}

// goldens are the trees that emit's own tests keep: what the other implementation
// writes.
func goldens(t testing.TB) map[string]*specimen {
	const folder = "../stage/emit/testdata/golden"
	cases, err := os.ReadDir(folder)
	must(t, err)
	out := map[string]*specimen{}
	for _, c := range cases {
		if !c.IsDir() {
			continue
		}
		s := &specimen{files: map[string][]byte{}}
		root := filepath.Join(folder, c.Name(), "context")
		must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			must(t, err)
			s.files[filepath.ToSlash(name)], err = os.ReadFile(path)
			return err
		}))
		out["golden-"+c.Name()] = s
	}
	if len(out) < 7 {
		t.Fatalf("only %d golden trees", len(out))
	}
	return out
}

// reseal repairs everything that depends on the bytes of files: lengths and digests
// in files[], collection_profile. What it makes of a damaged tree is consistent.
func (s *specimen) reseal(t testing.TB) {
	var index map[string]any
	decode(t, s.files[tree.IndexPath], &index)
	files, _ := index["files"].([]any)
	for _, entry := range files {
		f, ok := entry.(map[string]any)
		if !ok {
			continue
		}
		p, _ := f["path"].(string)
		if content, ok := s.files[p]; ok {
			f["bytes"], f["sha256"] = len(content), tree.Digest(content)
		}
	}
	index["collection_profile"] = tree.Digest(s.files[tree.CollectionPath])
	s.files[tree.IndexPath] = encode(t, index)
}

func (s *specimen) digest() string { return tree.Digest(s.files[tree.IndexPath]) }

func (s *specimen) clone() *specimen {
	return &specimen{files: maps.Clone(s.files), keys: s.keys}
}

// write puts the tree on disk with the host's modes and gives its root.
func (s *specimen) write(t testing.TB) string {
	root := filepath.Join(t.TempDir(), "context")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	s.writeTo(t, root)
	return root
}

func (s *specimen) writeTo(t testing.TB, root string) {
	for p, content := range s.files {
		path := filepath.Join(root, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func decode(t testing.TB, b []byte, v any) {
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}

// encode gives canonical bytes, also of values that canonicaljson.Marshal refuses.
func encode(t testing.TB, v any) []byte {
	b, err := json.Marshal(v)
	if err == nil {
		b, err = canonicaljson.Transform(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}
