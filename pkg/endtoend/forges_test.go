package endtoend_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/forge"
	"snapline/pkg/forge/forgejo"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/gitlab"
)

// The golden pipelines of the other forges: recorded answers of their servers, as the
// adapters' own tests keep them, through the whole pipe.

func recorded(t testing.TB, forge, name string) forgetest.Reply {
	t.Helper()
	return forgetest.Recorded(t, filepath.Join("pkg", "forge", forge, "testdata", "captures", name))
}

// fetchREST runs fetch against a server of fixed routes and gives its stream.
func fetchREST(t testing.TB, driver forge.Driver, host, path string, routes map[string][]forgetest.Reply) []byte {
	t.Helper()
	out := forgetest.Subject{
		Driver: driver, Address: "https://" + host + path,
		Hosts: func() map[string]http.Handler { return map[string]http.Handler{host: &forgetest.REST{Routes: routes}} },
	}.Run(context.Background(), t, &forgetest.Net{})
	if out.Err != nil {
		t.Fatalf("fetch: %v\n%s", out.Err, out.Stderr)
	}
	return out.Stream
}

// forgejoStream reads issue 1 or pull request 2 of the recorded Forgejo server.
func forgejoStream(t testing.TB, path string) []byte {
	const api = "/api/v1/repos/owner1/Demo"
	none := forgetest.JSON(`[]`)
	routes := map[string][]forgetest.Reply{api + "/pulls/2/reviews": {recorded(t, "forgejo", "33-pull-reviews-with-pending.http"), none}}
	routes[api+"/issues/2/timeline"] = []forgetest.Reply{recorded(t, "forgejo", "53-pull-timeline.http"), none}
	for route, name := range map[string]string{
		"/api/v1/version":                   "10-forgejo-version.http",
		api + "/issues/1":                   "27-issue.http",
		api + "/issues/1/comments":          "28-issue-comments-ghost-and-bot.http",
		api + "/issues/2":                   "31-pull-as-issue.http",
		api + "/pulls/2":                    "30-pull-open.http",
		api + "/issues/2/comments":          "51-comments-actions-user.http",
		api + "/pulls/2/reviews/3/comments": "34-review-comments-threads.http",
		api + "/pulls/2/reviews/5/comments": "36-review-comments-ghost.http",
		api + "/actions/runs":               "48-actions-runs-v12.http",
		api + "/commits/3e7bb25b8ac8a298b83e498f67efe5c4ee51f100/statuses": "50-commit-statuses-after-actions.http",
	} {
		routes[route] = []forgetest.Reply{recorded(t, "forgejo", name)}
	}
	for _, login := range []string{"owner1", "maint1", "dev1", "reader1", "outsider1"} {
		routes[api+"/collaborators/"+login+"/permission"] = []forgetest.Reply{recorded(t, "forgejo", "40-permission-"+login+".http")}
	}
	if path == "/owner1/Demo/issues/1" { // opened by reader1, who may write here: else there is no tree
		r := &routes[api+"/collaborators/reader1/permission"][0]
		r.Body = strings.NewReplacer(`"permission":"read"`, `"permission":"write"`, `"role_name":"read"`, `"role_name":"write"`).Replace(r.Body)
	}
	return fetchREST(t, forgejo.Driver, "codeberg.org", path, routes)
}

// The recorded GitLab project and the head of its recorded pipeline.
const (
	gitlabProject = "/api/v4/projects/61363672"
	gitlabHead    = "0f70911cf8be855821e2eacd73762dbd2b07ff0b"
)

// gitlabStream reads issue 1 or merge request 1 of the recorded GitLab project. Its
// merge request has no pipeline and no threads: those come from other recordings.
func gitlabStream(t testing.TB, path string) []byte {
	list := func(items ...string) forgetest.Reply {
		return forgetest.Reply{Header: http.Header{"X-Next-Page": {""}}, Body: "[" + strings.Join(items, ",") + "]"}
	}
	body := func(name string) string { return recorded(t, "gitlab", name).Body }
	var issues []json.RawMessage
	must(t, json.Unmarshal([]byte(body("02-issues-page.http")), &issues))
	merge := recorded(t, "gitlab", "04-merge-request.http")
	merge.Body = strings.ReplaceAll(merge.Body, "9f733b96b98a4175276edf6a2e1231489c3bdd23", gitlabHead)
	note := func(id, author int, text, more string) string {
		return fmt.Sprintf(`{"id":%d,"type":"DiscussionNote","body":%q,"author":{"id":%d,"username":"person-%d"},"created_at":"2024-09-04T08:00:%02d.000Z","updated_at":"2024-09-04T08:00:00.000Z","system":false%s}`,
			id, text, author, author-7000000, id%60, more)
	}
	open := `{"id":"6a9c1750b37d513a43987b574953fceb50b03ce7","individual_note":false,"notes":[` +
		body("39-diff-note.json") + "," + note(2090000001, 7000013, "Agreed.", "") + "]}"
	resolved := `{"id":"87805b7c09016a7058e91bdbe7b29d1f284a39e6","individual_note":false,"notes":[` +
		note(2090000002, 7000012, "Rename this?", `,"resolvable":true,"resolved":true,"resolved_by":{"id":7000013,"username":"person-13"}`) + "," +
		note(2090000003, 7000013, "Done.", `,"resolvable":true,"resolved":true,"resolved_by":{"id":7000013,"username":"person-13"}`) + "]}"
	internal := `{"id":"d0","individual_note":true,"notes":[` + note(2090000004, 7000012, "do not tell", `,"internal":true`) + "]}"
	routes := map[string][]forgetest.Reply{
		"/api/v4/projects/forgejo%2Ftest_repo":                            {recorded(t, "gitlab", "01-project.http")},
		gitlabProject + "/issues/1":                                       {forgetest.JSON(string(issues[0]))},
		gitlabProject + "/issues/1/discussions":                           {recorded(t, "gitlab", "03-issue-discussions.http")},
		gitlabProject + "/merge_requests/1":                               {merge},
		gitlabProject + "/merge_requests/1/discussions":                   {list(open, resolved, internal)},
		gitlabProject + "/merge_requests/1/pipelines":                     {list(strings.Replace(body("22-pipeline.json"), "50817395", "61363672", 1))},
		gitlabProject + "/pipelines/1053733851/jobs":                      {forgetest.Reply{Header: list().Header, Body: body("19-pipeline-jobs-1053733851.json")}},
		gitlabProject + "/pipelines/1053733851/bridges":                   {list()},
		gitlabProject + "/repository/commits/" + gitlabHead + "/statuses": {list()},
		gitlabProject + "/jobs/5409135570/trace":                          {recorded(t, "gitlab", "43-trace-runner-16-shell.log")},
	}
	for id, level := range map[int]int{7000012: 40, 7000013: 30, 7000020: 10} {
		routes[fmt.Sprintf("/api/v4/users/%d", id)] = []forgetest.Reply{forgetest.JSON(fmt.Sprintf(`{"id":%d,"username":"person-%d","bot":false}`, id, id-7000000))}
		routes[fmt.Sprintf("%s/members/all/%d", gitlabProject, id)] = []forgetest.Reply{
			forgetest.JSON(fmt.Sprintf(`{"id":%d,"username":"person-%d","state":"active","access_level":%d}`, id, id-7000000, level)),
		}
	}
	return fetchREST(t, gitlab.Driver, "gitlab.com", path, routes)
}
