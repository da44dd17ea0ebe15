package verify

import (
	"errors"
	"io"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/family"
	"snapline/pkg/family/canon"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/read/report"
	"snapline/pkg/safety"
)

func verifyReportCommand() *cli.Program {
	return &cli.Program{
		Name:      "report",
		Summary:   "show a tree to people",
		Arguments: "DIR",
		Description: `Writes one page about a tree: what the agent saw, who said it with which role, what
was changed in each text, what is missing and what that means, the checks with the end
of failed logs, sizes beside their bounds, digests. Every byte that it reads is held
against the index, and the index against --index-sha256.

html is a page for a browser that loads nothing and runs nothing; text is the same for
a terminal. Both hold what people wrote, so they are private like a capture: --out is
made with mode 0600, replaces nothing and is refused inside a Git work tree. Without
--out, text goes to a terminal and nowhere else.

--stream adds a link to each object whose address the stream states; it must be the one
that the tree was made from.

A tree of documents has a page too; its root is given by --manifest-sha256.

markdown is for job summaries: counts, ids, codes, gaps, sizes and digests, no title,
text, login, label, name or log. It goes to stdout, or to --out.`,
		Examples: []string{
			`verify report "$context" --index-sha256 "$digest" --out "$RUNNER_TEMP/report.html"`,
			`verify report "$context" --index-sha256 "$digest" --stream bounded.ndjson.zst --out report.html`,
			`verify report "$context" --index-sha256 "$digest" --format markdown >>"$GITHUB_STEP_SUMMARY"`,
		},
		Flags: []ucli.Flag{
			indexDigestFlag(),
			&ucli.StringFlag{Name: "manifest-sha256", Usage: "the root `DIGEST` of a tree of documents"},
			&ucli.StringFlag{Name: "format", Value: "html", Usage: "write `FORMAT`: html, text or markdown"},
			&ucli.StringFlag{Name: "stream", Usage: "take web addresses from the bounded stream in `FILE` that the tree was made from"},
			&ucli.StringFlag{Name: "out", Usage: "write into `FILE`, which must not exist and not lie in a Git work tree"},
		},
		Values:  map[string][]string{"format": {"html", "text", "markdown"}},
		MinArgs: 1,
		MaxArgs: 1,
		Action:  runVerifyReport,
	}
}

// pageFormat is a format of pages.
type pageFormat[P any] struct {
	name     string
	private  bool // it holds what people wrote
	readable bool // on a terminal
	write    func(P, io.Writer) error
}

var reportFormats = []pageFormat[*report.Page]{
	{"html", true, false, (*report.Page).WriteHTML},
	{"text", true, true, (*report.Page).WriteText},
	{"markdown", false, true, (*report.Page).WriteMarkdown},
}

var documentFormats = []pageFormat[*report.DocumentPage]{
	{"html", true, false, (*report.DocumentPage).WriteHTML},
	{"text", true, true, (*report.DocumentPage).WriteText},
	{"markdown", false, true, (*report.DocumentPage).WriteMarkdown},
}

// isDocuments reports whether a directory is a tree of documents.
func isDocuments(dir string) bool { return has(dir, tree.ManifestPath) && !has(dir, tree.IndexPath) }

func runVerifyReport(call *cli.Call) error {
	if isDocuments(call.Args[0]) {
		return reportDocuments(call)
	}
	format, err := chosenFormat(call, reportFormats)
	if err != nil {
		return err
	}
	t, err := openTree(call.Args[0], "index-sha256", call.Flags.String("index-sha256"))
	if err != nil {
		return err
	}
	defer t.Close()
	var addresses report.Links
	if path := call.Flags.String("stream"); path != "" {
		if addresses, err = links(call, path, t.IndexSHA256); err != nil {
			return err
		}
	}
	page, err := report.New(t, addresses)
	if err != nil {
		return err
	}
	return writePage(call, format, page)
}

func reportDocuments(call *cli.Call) error {
	format, err := chosenFormat(call, documentFormats)
	if err != nil {
		return err
	}
	if call.Flags.IsSet("stream") {
		return cli.Usagef("--stream is for the tree of an issue or change proposal")
	}
	t, err := openDocuments(call.Args[0], "manifest-sha256", call.Flags.String("manifest-sha256"))
	if err != nil {
		return err
	}
	return writePage(call, format, &report.DocumentPage{DocumentTree: t, Root: call.Flags.String("manifest-sha256")})
}

// openDocuments verifies a tree of documents whose root the caller knows. flag is what the
// digest came from.
func openDocuments(dir, flag, digest string) (*check.DocumentTree, error) {
	if err := wanted(flag, digest); err != nil {
		return nil, err
	}
	engine, err := safety.New(nil)
	if err != nil {
		return nil, err
	}
	t, err := check.Documents(dir, check.DocumentOptions{
		ManifestSHA256: digest, Modes: check.AnyModes, Engine: engine, Families: family.Readers, Rejudge: canon.Rejudge,
	})
	if err != nil {
		return nil, err
	}
	if len(t.Findings) > 0 {
		f := t.Findings[0]
		return nil, &fault.Error{Exit: fault.Aborted, File: f.Path, Rule: f.Rule, Detail: f.Detail}
	}
	return t, nil
}

// chosenFormat gives the format that the command line names. One that holds what people
// wrote needs a private file: what goes to stdout ends up in logs.
func chosenFormat[P any](call *cli.Call, formats []pageFormat[P]) (pageFormat[P], error) {
	var names []string
	for _, f := range formats {
		if f.name != call.Flags.String("format") {
			names = append(names, f.name)
			continue
		}
		if f.private && !(f.readable && call.Env.StdoutTerminal) && call.Flags.String("out") == "" {
			return f, cli.Usagef("--out is missing: this format holds what people wrote and belongs into a private file")
		}
		return f, nil
	}
	return pageFormat[P]{}, cli.Usagef("--format takes %s", strings.Join(names, ", "))
}

// writePage writes a page on stdout or into the private file of --out.
func writePage[P any](call *cli.Call, format pageFormat[P], page P) error {
	path := call.Flags.String("out")
	if path == "" {
		return unwrittenBy(format.write(page, call.Env.Stdout))
	}
	file, err := disk.NewPrivate(path, disk.PrivateKind{Rule: "out.page", Name: "page", Holds: "what people wrote"})
	if err != nil {
		return err
	}
	defer file.Discard()
	err = format.write(page, file)
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return file.Keep(err)
}

// unwrittenBy tells the failure of a tree from that of stdout.
func unwrittenBy(err error) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) {
		return err
	}
	return cli.Unwritten(err)
}
