package client

import (
	"context"
	"sync"
)

// gate lets MaxInFlight requests through at once, and one at a time when narrowed.
type gate struct {
	mu    sync.Mutex
	limit int
	used  int
	wake  chan struct{}
}

func (g *gate) init() {
	g.limit = MaxInFlight
	g.wake = make(chan struct{})
}

func (g *gate) enter(ctx context.Context) error {
	for {
		g.mu.Lock()
		if g.used < g.limit {
			g.used++
			g.mu.Unlock()
			return nil
		}
		wake := g.wake
		g.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		}
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used--
	close(g.wake)
	g.wake = make(chan struct{})
}

func (g *gate) narrow() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limit = 1
}
