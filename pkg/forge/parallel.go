package forge

import "sync"

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
