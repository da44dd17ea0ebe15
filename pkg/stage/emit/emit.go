package emit

import (
	"context"
	"errors"
	"io"

	"snapline/pkg/contract"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/stream"
)

// Config is what emit needs besides the stream. Nothing of it reaches the tree.
type Config struct {
	FS      disk.FS
	Out     string  // the tree's path, which must not exist
	Receipt string  // path of a copy of the receipt, "" for none; must not exist
	Durable bool    // flush the tree to the disk before it appears
	Recover Recover // for canon-state streams
	Digest  bool    // print the root digest alone instead of the receipt

	Statement *Statement // nil for none
}

// Run writes the bounded stream of in as a tree at cfg.Out and its receipt, or
// its root digest, to stdout.
// The path is checked before anything is read. Whatever fails, nothing is left at the
// path; what is left elsewhere, if the process is killed, is private.
func Run(ctx context.Context, in *stream.Reader, stdout io.Writer, cfg Config, log *fault.Log) (err error) {
	publication, err := disk.Begin(cfg.FS, cfg.Out)
	if err != nil {
		return err
	}
	defer func() { settle(publication.Discard(), &err, log) }()
	copied, err := newSideFile(cfg.FS, "receipt", cfg.Receipt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.close(err == nil)) }()
	stated, err := newStatementFile(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stated.close(err == nil)) }()

	header, err := in.Header()
	if err != nil {
		return err
	}
	if cfg.Statement != nil && header.Family != contract.FamilyEntity {
		return fault.New(fault.Usage, "statement.family", "a statement is about the tree of an issue or change proposal")
	}
	built, err := build(ctx, header, in.Next, publication, cfg.Recover)
	if err != nil {
		return position(err, in.Line())
	}
	receipt, err := newReceipt(header, in.Chain(), built)
	if err != nil {
		return err
	}
	if err := copied.write(receipt); err != nil {
		return err
	}
	if err := stated.state(cfg.Statement, header, in.Chain(), built); err != nil {
		return err
	}
	if err := publication.Publish(cfg.Durable); err != nil {
		return err
	}
	answer := receipt
	if cfg.Digest {
		answer = []byte(built.digest + "\n")
	}
	if err := deliver(stdout, answer); err != nil {
		return errors.Join(err, publication.Withdraw())
	}
	log.Detail(fault.Notice{Count: built.files, Digest: built.digest, Text: "files published"})
	return nil
}

// Build gives out the files of the tree of a bounded stream, each once, in any order,
// and publishes nothing: for who compares them with a tree.
func Build(ctx context.Context, in *stream.Reader, out Sink, recovered Recover) error {
	header, err := in.Header()
	if err != nil {
		return err
	}
	if _, err := build(ctx, header, in.Next, out, recovered); err != nil {
		return position(err, in.Line())
	}
	return nil
}

// settle reports an error of cleaning up: as the error of the run if there is no
// other, unless the tree is published and its receipt delivered.
func settle(cleanup error, err *error, log *fault.Log) {
	switch {
	case cleanup == nil:
	case *err == nil:
		log.Notice(fault.Notice{Text: "the tree is published; " + cleanup.Error()})
	default:
		*err = errors.Join(*err, cleanup)
	}
}

// deliver writes the answer in one write. The tree is worth nothing without it.
func deliver(stdout io.Writer, answer []byte) error {
	n, err := stdout.Write(answer)
	if err == nil && n < len(answer) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return &fault.Error{Exit: fault.Environment, Rule: "receipt.stdout", Detail: "the receipt could not be delivered; no tree is left", Cause: err}
	}
	return nil
}

// build turns a bounded stream into the files of a tree: it writes them into out and
// gives what the tree answers for. The bytes depend on the stream alone. lines come
// from next until io.EOF, which follows a trailer that was checked.
func build(ctx context.Context, header *contract.Snapshot, next func() (contract.Line, error), out Sink, recovered Recover) (*root, error) {
	promised, err := newPromises(header)
	if err != nil {
		return nil, err
	}
	family := newFamilyBuilder(out, header, promised, recovered)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := next()
		if errors.Is(err, io.EOF) {
			return family.finish()
		}
		if err != nil {
			return nil, err
		}
		if err := family.line(line); err != nil {
			return nil, err
		}
	}
}

// familyBuilder writes the tree of one family.
type familyBuilder interface {
	line(contract.Line) error
	finish() (*root, error)
}

func newFamilyBuilder(out Sink, header *contract.Snapshot, promised *promises, recovered Recover) familyBuilder {
	if header.Family == contract.FamilyEntity {
		return checked{newBuilder(out, header), promised}
	}
	return newDocumentBuilder(out, header, recovered)
}

// checked is a builder whose lines are checked first.
type checked struct {
	*builder
	promised *promises
}

func (c checked) line(l contract.Line) error {
	if err := c.promised.line(l); err != nil {
		var e *fault.Error
		if errors.As(err, &e) {
			e.Record = contract.Describe(l)
		}
		return err
	}
	return c.builder.line(l)
}

func (c checked) finish() (*root, error) {
	unknown := int64(0)
	for id := range c.referenced {
		if c.actors[id].Kind == contract.Unknown {
			unknown++
		}
	}
	if err := c.promised.end(c.gaps, unknown); err != nil {
		return nil, err
	}
	return c.builder.finish()
}

// position adds the line to an error of this stage about its input.
func position(err error, line int64) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.Exit != fault.Input || e.Line != 0 {
		return err
	}
	placed := *e
	placed.File, placed.Line = "stdin", line
	return &placed
}
