package ndjson

// Capture is filled in below.
type Capture struct{}

// Commit commits.
func (*Capture) Commit() error { return nil }

// Discard discards.
func (*Capture) Discard() {}
