package fetch

import (
	"fmt"
	"io"
	"sync"
	"time"

	"snapline/pkg/forge/client"
	"snapline/pkg/program/cli"
)

// progress is one line on a terminal that is written again and again. In a pipe or a
// log it says nothing.
type progress struct {
	mu       sync.Mutex
	w        io.Writer // nil: silent
	what     string
	requests int
}

func newProgress(env *cli.Env) *progress {
	p := &progress{}
	if env.Terminal {
		p.w = env.Stderr
	}
	return p
}

// step says what is read now, in words of ours.
func (p *progress) step(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	p.show("")
}

// event follows the client.
func (p *progress) event(e client.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = e.Requests
	if e.Wait > 0 {
		p.show(fmt.Sprintf(", waiting %s for a rate limit", e.Wait.Round(time.Second)))
		return
	}
	p.show("")
}

// clear removes the line.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil {
		_, _ = io.WriteString(p.w, clearLine)
	}
}

const clearLine = "\r\x1b[K"

// show leaves the cursor at the start, so that a diagnostic writes over the line.
func (p *progress) show(more string) {
	if p.w != nil {
		_, _ = fmt.Fprintf(p.w, "%s%s: %d requests%s\r", clearLine, p.what, p.requests, more)
	}
}
