package ndjson

// Capture tees a stage's output into a private file (FILE, FILE.gz or FILE.zst). It
// is used by pkg/command through exactly these four names.
type Capture struct{}

// NewCapture creates the temporary file beside path: exclusively, mode 0600, refused
// (exit Usage) inside a Git work tree or when path exists.
func NewCapture(path string) (*Capture, error) { return nil, errTodo }

// Write implements io.Writer.
func (c *Capture) Write(p []byte) (int, error) { return 0, errTodo }

// Keep finishes the file and renames it to its name.
func (c *Capture) Keep() error { return errTodo }

// Discard removes the temporary file unless Keep has succeeded.
func (c *Capture) Discard() {}
