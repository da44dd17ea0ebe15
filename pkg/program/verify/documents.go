package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"snapline/pkg/family"
	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/canon"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
)

// documentReport is what verify canon and verify msp print: the reference validator's
// form, valid and errors, and beside it what that does not say.
type documentReport struct {
	Valid     bool              `json:"valid"`
	Errors    []string          `json:"errors"`
	Findings  []documentFinding `json:"findings"`
	Documents []documentVerdict `json:"documents"`
	Chain     *canon.Chain      `json:"chain,omitempty"`
	// Refused is why none of the documents is a recovery source, although they are valid.
	Refused string `json:"recovery_refused,omitempty"`
}

// documentFinding is a finding and the document that has it.
type documentFinding struct {
	Document string `json:"document"`
	document.Finding

	text string // in words
}

// documentVerdict is the outcome for one document, in the words of its family.
type documentVerdict struct {
	Document string `json:"document"`
	Format   string `json:"format"`
	Result   string `json:"result"`
}

// documentSet is what the arguments of verify canon or verify msp name.
type documentSet struct {
	family    contract.Family
	in        pipe.DocumentInput
	split     func([]byte) ([]document.Part, int)
	documents []canon.Named
	labelled  bool // more than one document: texts say which
	chained   bool // the documents are judged as a chain too
	missing   bool // a document may be missing that is newer than all of them
	report    documentReport
}

func documentFlags(more ...ucli.Flag) []ucli.Flag {
	return append([]ucli.Flag{
		&ucli.BoolFlag{Name: "json", Usage: "print one JSON object instead of lines"},
		&ucli.BoolFlag{Name: "strict", Usage: "let protocol findings and warnings make a document invalid"},
		&ucli.StringFlag{Name: "manifest-sha256", Usage: "the root `DIGEST` that emit printed for the tree"},
		&ucli.BoolFlag{Name: "host", Usage: "want the host's modes of a tree, 0700 and 0600 (the default)"},
		&ucli.BoolFlag{Name: "sandbox", Usage: "want the modes of the agent's copy, 0555 and 0444"},
	}, more...)
}

// gather reads what the arguments name: files, - for stdin, streams of the family, or one
// directory, which is a tree that emit wrote or a folder of JSON files. A file that cannot
// be read is a verdict, not a failure of the program.
func (s *documentSet) gather(call *cli.Call) error {
	if digest := call.Flags.String("manifest-sha256"); digest != "" && !tree.ValidDigest(digest) {
		return cli.Usagef("--manifest-sha256 takes 64 lowercase hex digits")
	}
	args := call.Args
	if len(args) != 1 {
		return s.gatherFiles(call, "", args)
	}
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		s.labelled, s.chained = true, true
		if has(args[0], tree.ManifestPath) || call.Flags.String("manifest-sha256") != "" {
			return s.gatherTree(call, args[0])
		}
		if has(args[0], tree.IndexPath) && has(args[0], tree.CollectionPath) {
			return cli.Usagef("DIR is the tree of an issue or change proposal: verify DIR --index-sha256 DIGEST")
		}
		if args, err = filepath.Glob(filepath.Join(escapeGlob(args[0]), "*.json")); err != nil || len(args) == 0 {
			s.fail(call.Args[0], "the folder has neither manifest.json nor other .json files")
		}
	}
	return s.gatherFiles(call, "", args)
}

// gatherFiles reads documents of a format, "" for one that is to be found out.
func (s *documentSet) gatherFiles(call *cli.Call, format string, files []string) error {
	for _, flag := range []string{"manifest-sha256", "host", "sandbox"} {
		if call.Flags.IsSet(flag) {
			return cli.Usagef("--%s is for a tree that emit wrote", flag)
		}
	}
	for _, name := range files {
		raw, err := s.in.Read(name)
		var end *fault.Error
		if errors.Is(err, context.Canceled) || errors.As(err, &end) {
			return err
		}
		if errors.Is(err, syscall.EISDIR) {
			err = errors.New("is a directory; give one directory alone")
		}
		if err != nil {
			s.fail(name, "cannot be read: "+fault.Printable(err.Error(), 200))
			continue
		}
		if format == "" && isStream(raw) {
			if is, err := s.gatherStream(call, name, raw); err != nil {
				return err
			} else if is {
				continue
			}
		}
		parts, others := s.split(raw)
		if others > 0 {
			call.Log.Notice(fault.Notice{Record: name, Count: int64(others), Text: "lines that carry no document"})
		}
		for _, p := range parts {
			label := name
			if p.Line > 0 {
				label = fmt.Sprintf("%s:%d", name, p.Line)
			}
			s.documents = append(s.documents, canon.Named{Name: label, Format: format, Raw: p.Raw})
		}
		if len(s.documents) > pipe.MaxDocuments {
			return pipe.TooLarge(name, fmt.Sprintf("there are more than %d documents", pipe.MaxDocuments))
		}
	}
	s.labelled = s.labelled || len(s.documents) > 1
	s.chained = s.chained || len(s.documents) > 1 && format == ""
	return nil
}

// gatherTree verifies the bytes of a tree and takes its documents.
func (s *documentSet) gatherTree(call *cli.Call, dir string) error {
	m, err := modes(call)
	if err != nil {
		return err
	}
	engine, err := safety.New(nil)
	if err != nil {
		return err
	}
	t, err := check.Documents(dir, check.DocumentOptions{
		ManifestSHA256: call.Flags.String("manifest-sha256"), Modes: m, Engine: engine, Families: family.Readers, Rejudge: canon.Rejudge,
	})
	if err != nil {
		return err
	}
	if !call.Flags.IsSet("manifest-sha256") {
		call.Log.Notice(fault.Notice{Text: "the manifest was not held against a digest; give --manifest-sha256"})
	}
	for _, f := range t.Findings {
		s.report.Errors = append(s.report.Errors, f.String())
	}
	if len(t.Findings) == 0 && t.Manifest.Family != s.family {
		s.fail(dir, "the tree is of family "+string(t.Manifest.Family))
	}
	for i := range t.Documents {
		if d := &t.Documents[i]; d.HasRaw {
			s.documents = append(s.documents, canon.Named{Name: d.Name, Raw: d.Raw})
		}
	}
	s.gaps(call, dir, t.Manifest.Gaps, t.Manifest.Limits.Selection)
	return nil
}

// isStream reports whether a file is a stream of ours: compressed, or with a header as
// its first line.
func isStream(raw []byte) bool {
	if stream.Compressed(raw) {
		return true
	}
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	header, _ := document.Parse(line, document.Options{})
	kind, version := header.Member("type"), header.Member("stream")
	return kind.Is(document.String) && kind.Text == string(contract.TypeSnapshot) && version.Is(document.String)
}

// gatherStream takes the documents of a stream that any stage wrote. They are judged, not
// the stage: verify stream does that. It reports whether the file is a stream: what was
// compressed may be anything.
func (s *documentSet) gatherStream(call *cli.Call, name string, raw []byte) (bool, error) {
	in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: name})
	header, err := in.Header()
	if err != nil && stream.Compressed(raw) && fault.ExitOf(err) == fault.Input {
		return false, nil
	}
	if err != nil {
		return true, upstreamFailure(err)
	}
	if header.Family != s.family {
		s.fail(name, "the stream is of family "+string(header.Family))
		return true, nil
	}
	return true, s.takeStream(call, name, header, in)
}

func (s *documentSet) takeStream(call *cli.Call, name string, header *contract.Snapshot, in *stream.Reader) error {
	s.labelled, s.chained = true, true
	counts, sum := map[contract.GapCode]int64{}, 0
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return upstreamFailure(err)
		}
		switch l := line.(type) {
		case *contract.Document:
			if !l.HasRaw {
				if len(header.Stages) == filterPosition { // bound will count it
					counts[contract.UnsafeContent]++
				}
				continue
			}
			if sum += len(l.Raw); sum > pipe.MaxDocumentSum || len(s.documents) == pipe.MaxDocuments {
				return pipe.TooLarge(name, fmt.Sprintf("the documents of the stream are more than %d, or have more than %d bytes together", pipe.MaxDocuments, pipe.MaxDocumentSum))
			}
			s.documents = append(s.documents, canon.Named{Name: l.Name, Raw: l.Raw})
		case *contract.Gap:
			counts[l.Code] += l.Count
		}
	}
	var gaps []tree.Gap
	for _, code := range contract.GapCodes {
		if n := counts[code.Code]; n > 0 {
			gaps = append(gaps, tree.Gap{Scope: contract.ScopeDocuments, Code: code.Code, Count: n})
		}
	}
	s.gaps(call, name, gaps, header.Limits.Selection)
	return nil
}

const filterPosition = 2 // stages in the header of filter's output

// gaps tells what is missing from a tree or stream. One from which everything is missing
// leaves nothing to judge, which is no good verdict (CBG-95, MSP-97).
func (s *documentSet) gaps(call *cli.Call, name string, gaps []tree.Gap, selection contract.Selection) {
	var missing []string
	for _, g := range gaps {
		call.Log.Notice(fault.Notice{Scope: string(g.Scope), Code: string(g.Code), Count: g.Count})
		missing = append(missing, fmt.Sprintf("%s %d", g.Code, g.Count))
	}
	if len(s.documents) == 0 && len(s.report.Errors) == 0 {
		why := "it holds no document"
		if missing != nil {
			why += "; missing: " + strings.Join(missing, ", ")
		}
		s.fail(name, "there is nothing to judge: "+why)
	}
	s.missing = s.missing || canon.MayMissNewer(gaps, selection)
}

func (s *documentSet) fail(name, detail string) {
	s.report.Errors = append(s.report.Errors, fault.Printable(s.in.Call.Named(name), 256)+": "+detail)
}

// judged takes over the verdict on one document. text words a finding.
func (s *documentSet) judged(name, format, result string, findings []document.Finding, text func(document.Finding) string) {
	name = fault.Printable(name, 256)
	if format == "" {
		format = document.FormatUnreadable
	}
	s.report.Documents = append(s.report.Documents, documentVerdict{name, format, result})
	for _, f := range findings {
		d := documentFinding{name, f, text(f)}
		if s.labelled {
			d.text = name + ": " + d.text
		}
		s.report.Findings = append(s.report.Findings, d)
		if f.Level == document.Error {
			s.report.Errors = append(s.report.Errors, d.text)
		}
	}
}

// print writes the report and gives exit 1 for an invalid set. The report is on
// stdout, as the reference has it, so nothing is said again on stderr.
func (s *documentSet) print(call *cli.Call) error {
	r := &s.report
	// Lists are never null.
	r.Errors = append([]string{}, r.Errors...)
	r.Findings = append([]documentFinding{}, r.Findings...)
	r.Documents = append([]documentVerdict{}, r.Documents...)
	r.Valid = len(r.Errors) == 0
	if call.Flags.Bool("strict") {
		for _, f := range r.Findings {
			if f.Level == document.Protocol || f.Level == document.Warning {
				r.Valid = false
				r.Errors = append(r.Errors, f.text)
			}
		}
	}
	if call.Flags.Bool("strict") && r.Refused != "" {
		r.Valid = false
		r.Errors = append(r.Errors, r.refusal())
	}
	var err error
	if call.Flags.Bool("json") {
		err = writeJSON(call.Env.Stdout, r, 2)
	} else {
		err = writeText(call.Env.Stdout, r.lines())
	}
	switch {
	case err != nil:
		return err
	case !r.Valid:
		return &cli.SilentError{Exit: fault.Aborted}
	}
	return nil
}

// lines is the report for people: every error, then the rest, in the order of the
// documents; what concerns no document by itself comes first.
func (r *documentReport) lines() string {
	var b strings.Builder
	b.WriteString(map[bool]string{true: "valid\n", false: "invalid\n"}[r.Valid])
	said := map[string]bool{}
	for _, f := range r.Findings {
		said[f.text] = true
	}
	for _, e := range r.Errors {
		if !said[e] {
			b.WriteString("- " + e + "\n")
		}
	}
	for _, f := range r.Findings {
		mark := string(f.Level) + ":"
		if f.Level == document.Error {
			mark = "-"
		}
		b.WriteString(mark + " " + f.text + "\n")
	}
	for _, d := range r.Documents {
		fmt.Fprintf(&b, "%s: %s: %s\n", d.Document, d.Format, d.Result)
	}
	if r.Chain != nil {
		b.WriteString(r.Chain.Describe() + "\n")
	}
	if r.Refused != "" && r.Valid {
		b.WriteString(r.refusal() + "\n")
	}
	return b.String()
}

func (r *documentReport) refusal() string { return "no recovery source: " + r.Refused }

// writeJSON writes v as the reference does: indented, no character escaped that JSON
// lets stand, but the mark of a command to the CI system whose log this may be.
func writeJSON(w io.Writer, v any, indent int) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", strings.Repeat(" ", indent))
	if err := e.Encode(v); err != nil {
		return err
	}
	return writeText(w, fault.Harmless(b.String()))
}

func writeText(w io.Writer, s string) error {
	if _, err := io.WriteString(w, s); err != nil {
		return cli.Unwritten(err)
	}
	return nil
}

func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}
