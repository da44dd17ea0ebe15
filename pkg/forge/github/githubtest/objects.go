package githubtest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Head is the head of the pull requests that the constructors make.
const Head = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// Page is the web address under which the objects of the fake live.
const Page = "https://github.com/acme/tool/pull/7"

// At gives a time of the recorded form, seconds after a fixed start.
func At(seconds int) string {
	return time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
}

// With sets members given as name, value, name, value.
func With(o M, pairs ...any) M {
	for i := 0; i+1 < len(pairs); i += 2 {
		o[pairs[i].(string)] = pairs[i+1]
	}
	return o
}

// User is a person.
func User(id, login string) M { return M{"__typename": "User", "id": id, "login": login} }

// Bot is an App's account.
func Bot(id, login string) M {
	return M{"__typename": "Bot", "id": id, "login": login, "databaseId": 49699333}
}

func text(id, body string, author any, at string) M {
	if m, ok := author.(M); ok && m == nil {
		author = nil
	}
	return M{
		"id": id, "body": body, "createdAt": at, "updatedAt": at, "lastEditedAt": nil, "editor": nil, "author": author,
		"isMinimized": false, "minimizedReason": nil, "publishedAt": at, "url": Page + "#" + id,
	}
}

// Labels makes the labels connection of names.
func Labels(names ...string) Connection {
	c := Connection{}
	for _, n := range names {
		c.Nodes = append(c.Nodes, M{"__typename": "Label", "name": n})
	}
	return c
}

// Issue makes an issue without comments.
func Issue(number int, author any) M {
	return With(text(fmt.Sprintf("I_kwDO%d", number), "the body", author, At(0)),
		"__typename", "Issue", "number", number, "title", "a title", "state", "OPEN",
		"labels", Labels(), "comments", Connection{}, "timelineItems", Connection{})
}

// Pull makes an open pull request without anything.
func Pull(number int, author any) M {
	return With(text(fmt.Sprintf("PR_kwDO%d", number), "the body", author, At(0)),
		"__typename", "PullRequest", "number", number, "title", "a title", "state", "OPEN", "merged", false, "headRefOid", Head,
		"labels", Labels(), "comments", Connection{}, "reviews", Connection{}, "reviewThreads", Connection{}, "timelineItems", Connection{})
}

// Comment makes a conversation comment.
func Comment(id, body string, author any, at string) M {
	return With(text(id, body, author, at), "__typename", "IssueComment")
}

// Review makes a submitted review.
func Review(id, state string, author any, at string) M {
	return With(text(id, "", author, at), "__typename", "PullRequestReview", "state", state, "submittedAt", at,
		"commit", M{"oid": Head})
}

// Dismissal makes the event of a dismissed review.
func Dismissal(id, review string, actor any, at string) M {
	o := M{"__typename": "ReviewDismissedEvent", "id": id, "createdAt": at, "actor": actor, "previousReviewState": "APPROVED", "review": nil}
	if review != "" {
		o["review"] = M{"id": review}
	}
	return o
}

// Rename makes the event of a changed title.
func Rename(at string) M { return M{"__typename": "RenamedTitleEvent", "createdAt": at} }

// Inline makes a comment of a thread; replyTo may be "".
func Inline(id, body string, author any, at, review, replyTo string) M {
	o := With(text(id, body, author, at), "__typename", "PullRequestReviewComment", "state", "SUBMITTED",
		"replyTo", nil, "pullRequestReview", nil, "originalCommit", M{"oid": Head})
	if review != "" {
		o["pullRequestReview"] = M{"id": review}
	}
	if replyTo != "" {
		o["replyTo"] = M{"id": replyTo}
	}
	return o
}

// Thread makes an open thread on line 7 of a file.
func Thread(id string, comments ...M) M {
	return M{
		"__typename": "PullRequestReviewThread", "id": id, "isResolved": false, "isOutdated": false, "resolvedBy": nil,
		"path": "src/main.go", "line": 7, "startLine": nil, "originalLine": 7, "originalStartLine": nil, "diffSide": "RIGHT",
		"startDiffSide": nil, "subjectType": "LINE", "comments": Connection{Nodes: comments},
	}
}

// Run makes a completed, successful check run on Head.
func Run(id string, databaseID int64, name string) M {
	return M{
		"__typename": "CheckRun", "id": id, "databaseId": databaseID, "name": name, "status": "COMPLETED", "conclusion": "SUCCESS",
		"startedAt": At(10), "completedAt": At(20), "url": "https://github.com/acme/tool/runs/" + strconv.FormatInt(databaseID, 10), "detailsUrl": "https://ci.example/x",
		"checkSuite": M{"id": "CS", "commit": M{"oid": Head}},
	}
}

// Job makes the workflow job of a check run, created at a time.
func Job(run M, at string) M {
	return M{
		"id": run["databaseId"], "node_id": run["id"], "head_sha": Head, "created_at": at, "name": run["name"],
		"status": strings.ToLower(fmt.Sprint(run["status"])), "started_at": at, "completed_at": at,
	}
}

// Suite makes a check suite of GitHub Actions; workflowRun 0 makes one of another App.
func Suite(id string, workflowRun int64, runs ...M) M {
	o := M{
		"__typename": "CheckSuite", "id": id, "createdAt": At(1), "updatedAt": At(1), "status": "COMPLETED", "conclusion": "SUCCESS",
		"app": M{"slug": "cla-check"}, "workflowRun": nil, "commit": M{"oid": Head}, "checkRuns": Connection{Nodes: runs},
	}
	if workflowRun != 0 {
		o["workflowRun"] = M{"id": fmt.Sprintf("WFR_%d", workflowRun), "databaseId": workflowRun, "createdAt": At(1)}
		o["app"] = M{"slug": "github-actions"}
	}
	return o
}

// AddChecks puts suites on Head, with a job for every run of a suite of Actions.
func (f *Fake) AddChecks(suites ...M) {
	commit := f.Commits[Head]
	if commit == nil {
		commit = M{"__typename": "Commit", "oid": Head, "status": nil, "checkSuites": Connection{}}
		f.Commits[Head] = commit
	}
	c := commit["checkSuites"].(Connection)
	c.Nodes = append(c.Nodes, suites...)
	commit["checkSuites"] = c
	for _, s := range suites {
		if w, ok := s["workflowRun"].(M); ok {
			id := w["databaseId"].(int64)
			jobs := []M{}
			for _, r := range s["checkRuns"].(Connection).Nodes {
				jobs = append(jobs, Job(r, At(5)))
			}
			f.Jobs[id] = append(f.Jobs[id], jobs...)
		}
	}
}

// Grant gives a person a role, in the permission endpoint and the collaborators list.
func (f *Fake) Grant(user M, role string) {
	permission := map[string]string{"maintain": "write", "triage": "read"}[role]
	if permission == "" {
		permission = role
	}
	flags := M{
		"admin": role == "admin", "maintain": role == "admin" || role == "maintain",
		"push":   role == "admin" || role == "maintain" || role == "write",
		"triage": role == "admin" || role == "maintain" || role == "write" || role == "triage", "pull": role != "none",
	}
	login := user["login"].(string)
	account := M{"login": login, "node_id": user["id"], "type": "User", "permissions": flags, "role_name": role}
	f.Permissions[login] = JSON(M{"permission": permission, "role_name": role, "user": account})
	if role != "none" && role != "read" {
		f.Collaborators = append(f.Collaborators, account)
	}
}

// Append adds nodes to a connection of an object.
func Append(o M, member string, nodes ...M) {
	c := o[member].(Connection)
	c.Nodes = append(c.Nodes, nodes...)
	o[member] = c
}
