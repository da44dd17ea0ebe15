package forge

import (
	"context"
	"slices"
	"sync"

	"snapline/pkg/forge/client"
)

// Parallel calls do for 0 to n-1 at the same time and waits for all. The client limits
// how many requests are in flight; results go to places of their own by index, so
// that no outcome depends on which came first.
func Parallel(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}

// FirstError gives the first error in order of index.
func FirstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadTogether reads independent lists at the same time. If together they are over the
// cap on answers, their bytes are given back and they are read once more, one after the
// other, so that it does not depend on the network which of them is lost (AMB-87).
func ReadTogether(ctx context.Context, parts ...func(context.Context) error) {
	errs := make([]error, len(parts))
	all, ledger := client.WithLedger(ctx)
	Parallel(len(parts), func(i int) { errs[i] = parts[i](all) })
	if !slices.ContainsFunc(errs, client.OverTotal) {
		return
	}
	ledger.Discard()
	for _, read := range parts {
		part, ledger := client.WithLedger(ctx)
		if read(part) != nil {
			ledger.Discard()
		}
	}
}
