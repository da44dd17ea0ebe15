package fetch_test

import (
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/requirement"
)

// The lists of one source may overlap. Every case must give a stream that a reader
// takes, which run checks.
func TestOneIDInSeveralLists(t *testing.T) {
	requirement.Claim(t, "AMB-45", "AMB-42", "AMB-72")
	edited := comment("IC_1")
	edited.Body = body("edited")
	for name, c := range map[string]struct {
		readings [][]forge.Comment // the last one stays
		read     int
		records  int // with the entity and the review
		threads  int
		gaps     map[string]int64
	}{
		"identical": {[][]forge.Comment{{comment("IC_1"), comment("IC_1"), comment("IC_2")}}, 1, 4, 2, nil},
		"moved": {
			[][]forge.Comment{{comment("IC_1"), edited, comment("IC_2")}, {edited, edited, comment("IC_2")}},
			2, 4, 2, nil,
		},
		"moved again": {
			[][]forge.Comment{{comment("IC_1"), edited, comment("IC_2")}},
			2, 2, 0,
			map[string]int64{"comments/fetch_failed": 1, "reviews/fetch_failed": 1},
		},
		"nameless": {[][]forge.Comment{{comment(""), comment(""), comment("IC_1"), comment("IC_2")}}, 1, 4, 2, map[string]int64{"comments/invalid_metadata": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			s := pull()
			s.discussion.Reviews = []forge.Review{review("PRR_1")}
			s.discussion.Threads = []forge.Thread{thread("PRRT_1", "IC_1"), thread("PRRT_2", "IC_1", "IC_2")}
			read := 0
			s.onDiscuss = func() {
				s.discussion.Comments = c.readings[min(read, len(c.readings)-1)]
				read++
			}
			o := run(t, s, nil)
			o.wantGaps(t, c.gaps)
			if n := len(of[*contract.Record](o)); read != c.read || n != c.records || len(of[*contract.Thread](o)) != c.threads {
				t.Errorf("%d readings, %d records, %d threads", read, n, len(of[*contract.Thread](o)))
			}
			if r := o.record("IC_1"); name == "moved" && string(r.Content.Bytes) != "edited" {
				t.Errorf("the first reading was kept: %q", r.Content.Bytes)
			}
		})
	}
}

func TestOneCheckInSeveralLists(t *testing.T) {
	requirement.Claim(t, "AMB-45", "AMB-42")
	check := func(name string) forge.Check {
		return forge.Check{ID: "CR_1", Name: body(name), Status: contract.Queued, HeadSHA: p(head), CreatedAt: p(at)}
	}
	for name, c := range map[string]struct {
		checks     []forge.Check
		read, kept int
		gaps       map[string]int64
	}{
		"identical": {[]forge.Check{check("lint"), check("lint")}, 1, 1, nil},
		"different": {[]forge.Check{check("lint"), check("test")}, 2, 0, map[string]int64{"checks/fetch_failed": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s, read := pull(), 0
			s.checks.Checks = c.checks
			s.onChecks = func() { read++ }
			o := run(t, s, nil)
			o.wantGaps(t, c.gaps)
			if n := len(of[*contract.Check](o)); read != c.read || n != c.kept {
				t.Errorf("%d readings, %d checks", read, n)
			}
		})
	}
}
