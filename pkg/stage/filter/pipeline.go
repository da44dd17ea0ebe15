package filter

import (
	"context"
	"iter"

	"snapline/pkg/contract"
	"snapline/pkg/stream"
)

const (
	batchBytes   = 128 << 10 // a batch is handed over at this size
	batchLines   = 256       // or with this many lines
	flightBytes  = 8 << 20   // lines between reader and writer
	largeBytes   = 8 << 20   // a line of this size travels alone, see large
	flightNumber = 64        // batches between reader and writer
)

// A large line is a few times its size of memory while it is read, filtered and
// written. So that a stream of large logs takes no more than one of them does, nothing
// else is in flight beside one, and it always meets the same worker: the scratch memory
// of the others stays small.

// batch is a run of consecutive lines. One worker filters it, and the lines leave in
// the order of batches, so that no order of goroutines shows in the output.
type batch struct {
	items []item
	size  int
	err   error         // what ended the input after these lines; io.EOF when it is whole
	done  chan struct{} // gets one value when the lines are filtered
	back  chan<- *batch // returns the batch and its share of memory to the reader
}

func (b *batch) release() { b.back <- b }

// start reads and filters in its own goroutines and gives the finished batches in
// stream order. The last one carries the reason of the end. It stops early when ctx
// ends.
func start(ctx context.Context, in *stream.Reader, who *admission, cfg Config, h *contract.Snapshot) iter.Seq[*batch] {
	p := &pipeline{
		in: in, who: who, lengths: newLengths(h), names: names{},
		work:  make(chan *batch, flightNumber),
		large: make(chan *batch, 1),
		order: make(chan *batch, flightNumber),
		back:  make(chan *batch, flightNumber+2),
	}
	for i := range max(cfg.Workers, 1) {
		var large <-chan *batch
		if i == 0 {
			large = p.large
		}
		go p.filter(ctx, newText(cfg, h), large)
	}
	go p.read(ctx)
	return func(yield func(*batch) bool) {
		for {
			select {
			case b := <-p.order:
				select {
				case <-b.done:
				case <-ctx.Done():
					return
				}
				if !yield(b) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

type pipeline struct {
	in      *stream.Reader
	who     *admission
	lengths *lengths
	names   names
	work    chan *batch // to any worker
	large   chan *batch // to the first worker alone
	order   chan *batch // to the writer
	back    chan *batch // from the writer
	free    []*batch
	used    int // batches in flight
	bytes   int // their size
}

// read is the reader's goroutine: it owns the input and the admission.
func (p *pipeline) read(ctx context.Context) {
	b := p.batch()
	for b.err == nil {
		it, err := p.next()
		if err != nil {
			b.err = err
			break
		}
		size := it.size()
		if len(b.items) > 0 && b.size+size > batchBytes {
			if !p.send(ctx, b) {
				return
			}
			b = p.batch()
		}
		b.items = append(b.items, it)
		b.size += size
		if b.size >= batchBytes || len(b.items) == batchLines || it.err != nil {
			if !p.send(ctx, b) || it.err != nil {
				return
			}
			b = p.batch()
		}
	}
	p.send(ctx, b)
}

// next reads a line and judges it.
func (p *pipeline) next() (it item, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = component(&it, nil)
		}
	}()
	l, err := p.in.Next()
	if err != nil {
		return item{}, err
	}
	it = p.names.item(l, p.in.Line())
	if c := contentOf(l); c != nil {
		it.memory = *c
	}
	if p.lengths.judge(&it); it.line != nil {
		p.who.judge(&it)
	}
	return it, nil
}

// batch gives an empty batch.
func (p *pipeline) batch() *batch {
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b
	}
	return &batch{done: make(chan struct{}, 1), back: p.back}
}

// send hands a batch to a worker and to the writer as soon as there is room for it.
// It reports whether the run goes on.
func (p *pipeline) send(ctx context.Context, b *batch) bool {
	if !p.land(ctx, flightNumber-1, flightBytes-b.size) {
		return false
	}
	p.used++
	p.bytes += b.size
	to := p.work
	if b.size >= largeBytes {
		to = p.large
	}
	select {
	case to <- b:
	case <-ctx.Done():
		return false
	}
	p.order <- b // never blocks: as long as flightNumber
	return b.size < largeBytes || p.land(ctx, 0, 0)
}

// land waits until at most number batches and size bytes are in flight.
func (p *pipeline) land(ctx context.Context, number, size int) bool {
	for p.used > number || p.used > 0 && p.bytes > size {
		select {
		case b := <-p.back:
			p.reuse(b)
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (p *pipeline) reuse(b *batch) {
	p.used--
	p.bytes -= b.size
	clear(b.items)
	b.items, b.size = b.items[:0], 0
	p.free = append(p.free, b)
}

// filter is a worker's goroutine.
func (p *pipeline) filter(ctx context.Context, t *text, large <-chan *batch) {
	for {
		var b *batch
		select {
		case b = <-p.work:
		case b = <-large:
		case <-ctx.Done():
			return
		}
		for i := range b.items {
			t.filter(&b.items[i])
		}
		b.done <- struct{}{}
	}
}
