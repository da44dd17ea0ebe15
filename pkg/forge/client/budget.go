package client

import (
	"context"
	"errors"
	"sync"
)

// The cap on all answers is two: a quarter of it is a reserve for what a snapshot cannot
// be without, so that no number of comments takes it away (AMB-87).
const (
	general = iota
	reserved
	budgets
)

const reservedPart = 4 // one part in so many

type (
	reservedKey struct{}
	ledgerKey   struct{}
)

// Reserved gives a context whose requests are counted against the reserve.
func Reserved(ctx context.Context) context.Context {
	return context.WithValue(ctx, reservedKey{}, true)
}

func budgetOf(ctx context.Context) int {
	if ctx.Value(reservedKey{}) != nil {
		return reserved
	}
	return general
}

// cap is the number of bytes that a budget allows, 0 for any.
func (c *Client) cap(budget int) int64 {
	reserve := c.cfg.MaxTotal / reservedPart
	if budget == reserved {
		return reserve
	}
	return c.cfg.MaxTotal - reserve
}

// receive counts the bytes of an answer that is kept, unless they are over the cap.
func (c *Client) receive(ctx context.Context, n int64) bool {
	budget := budgetOf(ctx)
	c.mu.Lock()
	over := c.cfg.MaxTotal > 0 && c.received[budget]+n > c.cap(budget)
	if !over {
		c.received[budget] += n
	}
	c.mu.Unlock()
	if l, ok := ctx.Value(ledgerKey{}).(*Ledger); ok && !over {
		l.add(c, budget, n)
	}
	return !over
}

// Ledger remembers what the answers to some requests took of the cap, to give it back.
type Ledger struct {
	parent *Ledger

	mu     sync.Mutex
	client *Client
	bytes  [budgets]int64
}

// WithLedger gives a context whose requests are counted in a ledger of their own.
func WithLedger(ctx context.Context) (context.Context, *Ledger) {
	l := &Ledger{}
	l.parent, _ = ctx.Value(ledgerKey{}).(*Ledger)
	return context.WithValue(ctx, ledgerKey{}, l), l
}

func (l *Ledger) add(c *Client, budget int, n int64) {
	for ; l != nil; l = l.parent {
		l.mu.Lock()
		l.client = c
		l.bytes[budget] += n
		l.mu.Unlock()
	}
}

// Discard gives the bytes of a list back that is not kept. Its requests have ended.
func (l *Ledger) Discard() {
	l.mu.Lock()
	c, bytes := l.client, l.bytes
	l.mu.Unlock()
	if c == nil {
		return
	}
	for budget, n := range bytes {
		l.add(c, budget, -n)
		c.mu.Lock()
		c.received[budget] -= n
		c.mu.Unlock()
	}
}

// OverTotal reports that a request failed because all answers together are over the cap.
func OverTotal(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.total
}
