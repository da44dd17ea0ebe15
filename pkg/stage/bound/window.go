package bound

import "snapline/pkg/contract"

// window selects the oldest or the newest limit objects of one source, which are
// offered in canonical order (COL-09). A rejected object takes its place like any
// other (AMB-02).
type window[T any] struct {
	limit  int64
	newest bool
	queue  []T
	head   int // queue[:head] has left the window
}

func newWindow[T any](limit int64, selection contract.Selection) *window[T] {
	return &window[T]{limit: limit, newest: selection == contract.Newest}
}

// offer takes the next object and gives the one that is dropped for it, if any.
func (w *window[T]) offer(object T) (dropped T, any bool) {
	full := int64(len(w.queue)-w.head) >= w.limit
	if full && !w.newest {
		return object, true
	}
	w.queue = append(w.queue, object)
	if !full {
		return dropped, false
	}
	var none T
	dropped, w.queue[w.head] = w.queue[w.head], none
	w.head++
	if w.head > len(w.queue)/2 {
		w.queue = append(w.queue[:0], w.queue[w.head:]...)
		w.head = 0
	}
	return dropped, true
}

// take empties the window and gives what it held, in canonical order.
func (w *window[T]) take() []T {
	objects := w.queue[w.head:]
	w.queue, w.head = nil, 0
	return objects
}
