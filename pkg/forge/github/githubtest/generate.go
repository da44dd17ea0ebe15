package githubtest

import "fmt"

// Size says how large a generated pull request is.
type Size struct {
	Comments, Threads, Reviews, Checks, Authors int
	LongThread                                  int // comments of the first thread
	FailEvery                                   int // every nth check fails and has a log; 0 means 3
}

// Large is the published size: a pull request on which agents elsewhere lose replies.
var Large = Size{Comments: 1000, Threads: 300, Reviews: 200, Checks: 150, Authors: 80, LongThread: 250}

// Generate makes pull request 7 of the size. Everything is a function of the size:
// authors take turns, the entity's author is the first of them and an admin, every tenth
// review is dismissed, checks come in suites of 60.
func Generate(s Size) *Fake {
	f := New()
	authors := make([]M, max(s.Authors, 1))
	roles := []string{"admin", "maintain", "write", "triage", "read", "none"}
	for i := range authors {
		authors[i] = User(fmt.Sprintf("U_kgDO%04d", i), fmt.Sprintf("user%04d", i))
		f.Grant(authors[i], roles[i%len(roles)])
	}
	turn := 0
	next := func() M {
		turn++
		return authors[turn%len(authors)]
	}
	pull := Pull(7, authors[0])
	pull["labels"] = Labels("bug", "good first issue")
	for i := range s.Comments {
		Append(pull, "comments", Comment(fmt.Sprintf("IC_kwDO%05d", i), fmt.Sprintf("comment %d", i), next(), At(i)))
	}
	for i := range s.Reviews {
		id := fmt.Sprintf("PRR_kwDO%05d", i)
		state := []string{"COMMENTED", "APPROVED", "CHANGES_REQUESTED"}[i%3]
		if i%10 == 9 {
			state = "DISMISSED"
			Append(pull, "timelineItems", Dismissal(fmt.Sprintf("RDE_%05d", i), id, authors[0], At(i+5000)))
		}
		Append(pull, "reviews", Review(id, state, next(), At(i*3)))
	}
	for i := range s.Threads {
		n := 1 + i%3
		if i == 0 && s.LongThread > 0 {
			n = s.LongThread
		}
		var comments []M
		first := fmt.Sprintf("PRRC_kwDO%05d_%03d", i, 0)
		for j := range n {
			reply := first
			if j == 0 {
				reply = ""
			}
			comments = append(comments, Inline(fmt.Sprintf("PRRC_kwDO%05d_%03d", i, j), fmt.Sprintf("inline %d.%d", i, j), next(), At(i*5+j),
				fmt.Sprintf("PRR_kwDO%05d", i%max(s.Reviews, 1)), reply))
		}
		t := Thread(fmt.Sprintf("PRRT_kwDO%05d", i), comments...)
		if i%4 == 1 {
			t["isResolved"], t["resolvedBy"] = true, authors[1%len(authors)]
		}
		t["isOutdated"] = i%5 == 2
		Append(pull, "reviewThreads", t)
	}
	const perSuite = 60
	failEvery := s.FailEvery
	if failEvery == 0 {
		failEvery = 3
	}
	for start := 0; start < s.Checks; start += perSuite {
		var runs []M
		for i := start; i < min(start+perSuite, s.Checks); i++ {
			r := Run(fmt.Sprintf("CR_kwDO%05d", i), int64(13305600000+i), fmt.Sprintf("job %d", i))
			if i%failEvery == 0 {
				r["conclusion"] = "FAILURE"
				f.Logs[int64(13305600000+i)] = Reply{Body: fmt.Sprintf("\xef\xbb\xbf2026-05-01T10:00:10.0000000Z log of %d\r\n", i)}
			}
			runs = append(runs, r)
		}
		f.AddChecks(Suite(fmt.Sprintf("CS_kwDO%03d", start), int64(9000+start), runs...))
	}
	f.Entities[7] = pull
	return f
}
