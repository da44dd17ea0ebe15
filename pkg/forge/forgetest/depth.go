package forgetest

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// answerTime is what every answer takes in RoundTrips.
const answerTime = 100 * time.Millisecond

// RoundTrips gives how many answers of a run wait for each other: the time that a run
// takes when each answer takes 100 ms, in answers. A busy machine only makes it longer, so
// the best of three runs counts.
func RoundTrips(t *testing.T, s Subject) int {
	t.Helper()
	best := time.Hour
	for range 3 {
		net := &Net{Fault: func(string, int) Fault {
			return func(_ *http.Request, good *http.Response) (*http.Response, error) {
				time.Sleep(answerTime)
				return good, nil
			}
		}}
		start := time.Now()
		s.Run(context.Background(), t, net).Lines(t)
		best = min(best, time.Since(start))
	}
	n := int(best / answerTime)
	t.Logf("%d round trips", n)
	return n
}
