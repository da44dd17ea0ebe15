package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// ReaderOptions tells a Reader what it reads.
type ReaderOptions struct {
	Name     string // for positions: "stdin" or the file as the user named it
	Position int    // the stage that must have written it last: 1 fetch, 2 filter, 3 bound; 0 any
}

// Reader reads one stream strictly. It takes plain, gzip and zstd input by its
// magic bytes. Every error but io.EOF and *AbortError is a *fault.Error with file,
// line and the rule's stable name: exit Input, or Environment when the input itself
// cannot be read.
//
// A Reader holds one line, the metadata that order and references need, and a few
// buffers for reuse; never more than a line's cap of a line.
type Reader struct {
	options ReaderOptions
	in      input
	frames  frames
	pool    pool

	scan    scanner
	members []entry
	decoder decoder

	header      *contract.Snapshot
	sequence    *sequence
	line        int64
	hash        hash.Hash
	digest      string
	inputDigest string
	chain       []string // of the trailer
	err         error
}

// NewReader gives a Reader. It reads nothing until Header is called.
func NewReader(r io.Reader, o ReaderOptions) *Reader {
	rd := &Reader{options: o, hash: sha256.New()}
	rd.in.source.r = r
	rd.frames.in = &rd.in
	rd.frames.pool = &rd.pool
	rd.scan.pool = &rd.pool
	rd.decoder.scan = &rd.scan
	return rd
}

// Header reads and checks the first line. It returns *AbortError for a stream that
// is a single abort line.
func (r *Reader) Header() (*contract.Snapshot, error) {
	if r.header == nil && r.err == nil {
		if err := r.in.open(); err != nil {
			return nil, r.stop(err, nil)
		}
		if _, err := r.read(); err != nil {
			return nil, err
		}
	}
	if r.header == nil {
		return nil, r.err
	}
	return r.header, nil
}

// Next gives the next line after the header: never a header, end or abort. After a
// valid trailer it returns io.EOF, and only then Digest is defined. The line owns
// its memory.
func (r *Reader) Next() (contract.Line, error) {
	if r.header == nil {
		if _, err := r.Header(); err != nil {
			return nil, err
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.read()
}

// RequestID is the name of the request that the header states; "" before the header was
// read and where it states none.
func (r *Reader) RequestID() string {
	if r.header == nil || r.header.Acquisition == nil {
		return ""
	}
	return r.header.Acquisition.RequestID
}

// Line is the 1-based number of the line that was read last.
func (r *Reader) Line() int64 { return r.line }

// Digest is the lowercase hex SHA-256 of all bytes before the end line: what the
// next stage states as input_sha256. Defined after Next returned io.EOF.
func (r *Reader) Digest() string { return r.digest }

// Chain gives the digests of all streams of the run up to this one, fetch's first: what
// the next stage ends its output with. Defined after Next returned io.EOF.
func (r *Reader) Chain() []string { return append(slices.Clone(r.chain), r.digest) }

// InputDigest is what the trailer states as input_sha256, the Digest of the stream
// that the last stage read; "" after fetch. Defined after Next returned io.EOF.
func (r *Reader) InputDigest() string { return r.inputDigest }

// Recycle gives the memory of a line back to the reader; the line's content is
// gone then. Calling it is optional. It is safe for concurrent use. Content that
// does not come from the reader is left alone: it has no Literal.
func (r *Reader) Recycle(l contract.Line) {
	var c *contract.Content
	switch l := l.(type) {
	case *contract.Record:
		c = &l.Content
	case *contract.Log:
		c = &l.Content
	default:
		return
	}
	literal, text := c.Literal, c.Bytes
	if literal == nil {
		return
	}
	c.Literal, c.Bytes = nil, nil
	r.pool.put(literal[:0])
	if len(text) == 0 || &text[0] != &literal[0] { // own lets both share one buffer
		r.pool.put(text[:0])
	}
}

// stop makes err final, with its position.
func (r *Reader) stop(err error, l contract.Line) error {
	r.in.done()
	var f *fault.Error
	if errors.As(err, &f) {
		f.File = r.options.Name
		f.Line = r.line
		if l != nil {
			f.Record = contract.Describe(l)
		}
	} else if err == io.EOF && r.line <= 1 {
		f = broken(RuleEmptyInput, "the input is empty: the stage before wrote nothing")
		f.File = r.options.Name
		err = f
	} else if err == io.EOF {
		f = broken(RuleNoEnd, "the input ends without an end or abort line; the stage before was cut off")
		f.File, f.Line = r.options.Name, r.line
		err = f
	}
	r.err = err
	return err
}

// read reads one line. For the header it returns nil, nil.
func (r *Reader) read() (contract.Line, error) {
	r.line++
	line, large, err := r.frames.next(r.limit)
	if err != nil {
		return nil, r.stop(err, nil)
	}
	l, err := r.parse(line)
	if err != nil {
		return nil, r.stop(err, l)
	}
	switch l := l.(type) {
	case *contract.Snapshot:
		r.header, r.sequence = l, newSequence(l)
	case *contract.End:
		return nil, r.end(l)
	case *contract.Abort:
		return nil, r.abort(l)
	default:
		if err := r.sequence.add(l); err != nil {
			return nil, r.stop(err, l)
		}
	}
	r.hash.Write(line[:len(line)+1]) // with the LF
	if !r.own(l, large) {
		r.pool.put(large)
	}
	if r.header == l {
		return nil, nil
	}
	return l, nil
}

// limit gives the cap of a line from its first bytes: by its type where type comes
// first, as our writers put it, else the largest.
func (r *Reader) limit(head []byte) int64 {
	most := int64(0)
	for i := range lineTypes {
		t := &lineTypes[i]
		if bytes.HasPrefix(head, t.prefix) {
			return lineCap(t.name, r.header)
		}
		most = max(most, lineCap(t.name, r.header))
	}
	return most
}

// parse judges a line by itself. It returns the line even with an error that comes
// after its type is known.
func (r *Reader) parse(line []byte) (contract.Line, error) {
	switch {
	case len(line) == 0:
		return nil, broken(RuleEmptyLine, "an empty line cannot stand in a stream")
	case line[len(line)-1] == '\r':
		return nil, broken(RuleCarriageReturn, "lines end in LF alone")
	case r.line == 1 && bytes.HasPrefix(line, []byte("\xef\xbb\xbf")):
		return nil, broken(RuleByteOrderMark, "a stream starts without a byte-order mark")
	}
	r.scan.reset()
	members, rule := r.scan.line(line, r.members[:0])
	r.members = members[:0]
	if rule != "" {
		return nil, broken(rule, "%s", jsonFault[rule])
	}
	d := &r.decoder
	d.path = d.path[:0]
	d.pos = 1
	if r.header != nil {
		d.pos = r.header.Position()
	}
	at := slices.IndexFunc(members, func(e entry) bool { return string(e.name) == "type" })
	if at < 0 {
		return nil, broken(RuleMissingMember, "member type is missing")
	}
	name := members[at].value
	if name.kind != '"' {
		return nil, broken(RuleMemberType, "member type: is %s and must be a string", name.kind)
	}
	t := findType(name.text)
	if t == nil {
		return nil, broken(RuleUnknownType, "no line is of type %s", fault.Quote(string(name.text)))
	}
	if most := lineCap(t.name, r.header); int64(len(line)) > most {
		return nil, overCap(most)
	}
	if first := r.header == nil; first != (t.name == contract.TypeSnapshot) && (!first || t.name != contract.TypeAbort) {
		return nil, broken(RuleHeader, "the first line, and only it, is of type snapshot")
	}
	return t.read(r, slices.Delete(members, at, at+1))
}

// jsonFault says what is wrong when the scanner names a rule.
var jsonFault = map[string]string{
	RuleSyntax:          "the line is not JSON",
	RuleObject:          "the line is not a JSON object",
	RuleDepth:           "the line is nested more than 6 deep",
	RuleDuplicateMember: "an object names a member twice",
	RuleUnknownMember:   "an object has more members than any object of the format",
	RuleUTF8:            "a string is not valid UTF-8",
	RuleSurrogate:       "a string has a lone surrogate",
	RuleNumber:          "a number is no integer within -(2^53-1) and 2^53-1",
}

// own makes a line independent of the reader's buffers. The text of its content may
// have a buffer of its own already, and large may be one of the whole line; the line
// keeps them unless they are mostly something else. It reports whether large was kept.
func (r *Reader) own(l contract.Line, large []byte) (kept bool) {
	var c *contract.Content
	switch l := l.(type) {
	case *contract.Record:
		c = &l.Content
	case *contract.Log:
		c = &l.Content
	case *contract.Document:
		if !fills(l.Raw, r.scan.text) {
			l.Raw = slices.Clone(l.Raw)
		}
		return false
	default:
		return false
	}
	if c.Form != contract.FormText {
		return false
	}
	if !fills(c.Bytes, r.scan.text) {
		c.Bytes = slices.Clone(c.Bytes)
		r.pool.put(r.scan.text)
	}
	switch {
	case c.Literal == nil:
	case len(c.Literal) == len(c.Bytes): // nothing is escaped
		c.Literal = c.Bytes
	case fills(c.Literal, large):
		return true
	default:
		c.Literal = append(r.pool.get(len(c.Literal)), c.Literal...)
	}
	return false
}

// fills reports whether a part is worth keeping its whole buffer.
func fills(part, buffer []byte) bool { return 2*len(part) > cap(buffer) && cap(buffer) > 0 }

// end checks the trailer and that nothing follows.
func (r *Reader) end(e *contract.End) error {
	if err := r.sequence.end(); err != nil {
		return r.stop(err, nil)
	}
	sum := hex.EncodeToString(r.hash.Sum(nil))
	switch {
	case e.Lines != r.line-1:
		return r.stop(broken(RuleTrailerLines, "the trailer counts %d lines, %d came before it", e.Lines, r.line-1), nil)
	case e.SHA256 != sum:
		return r.stop(broken(RuleTrailerDigest, "the lines before the trailer were changed: their digest is not the one stated"), nil)
	}
	if err := r.last(); err != nil {
		return err
	}
	r.digest, r.inputDigest, r.chain = sum, e.InputSHA256, e.Chain
	r.err = io.EOF
	return r.err
}

func (r *Reader) abort(a *contract.Abort) error {
	if r.header != nil && !slices.ContainsFunc(r.header.Stages, func(s contract.Stage) bool { return s.Stage == a.Stage }) {
		return r.stop(broken(RuleAbortStage, "the stage that aborted has not touched this stream"), nil)
	}
	if err := r.last(); err != nil {
		return err
	}
	r.err = &AbortError{*a}
	return r.err
}

// last checks that the input ends here.
func (r *Reader) last() error {
	ended, err := r.frames.ended()
	switch {
	case err != nil:
		return r.stop(err, nil)
	case !ended:
		r.line++
		return r.stop(broken(RuleAfterEnd, "the stream goes on behind its last line"), nil)
	}
	r.in.done()
	return nil
}
