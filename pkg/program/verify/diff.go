package verify

import (
	"io"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/read"
	"snapline/pkg/read/diff"
	"snapline/pkg/read/report"
)

func verifyDiffCommand() *cli.Program {
	return &cli.Program{
		Name:      "diff",
		Summary:   "tell what changed between two trees of one entity",
		Arguments: "OLD NEW",
		Description: `Compares two trees of the same issue or change proposal that were taken with the same
profile and filter version; others are refused, and why (exit 1). Told are records that
are new, edited or gone, counts of what is missing, reviews, threads, roles and renamed
accounts, labels, state and head, checks and agent runs; and how many leading blocks and
bytes of the old timeline prompt stay as they were, which a provider's cache can reuse,
and what broke the first other one. Trees of documents are compared too. That something changed is no failure: exit 0.

text and json hold labels and no other words of people, markdown holds none at all. html
is a page with the texts: it is private like a capture and needs --out, which is made
with mode 0600, replaces nothing and is refused inside a Git work tree.`,
		Examples: []string{
			`verify diff "$old" "$new" --old-sha256 "$olddigest" --new-sha256 "$newdigest"`,
			`verify diff "$old" "$new" --old-sha256 "$a" --new-sha256 "$b" --format html --out "$RUNNER_TEMP/diff.html"`,
		},
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "old-sha256", Usage: "the root `DIGEST` of OLD that emit printed"},
			&ucli.StringFlag{Name: "new-sha256", Usage: "the root `DIGEST` of NEW that emit printed"},
			&ucli.StringFlag{Name: "format", Value: "text", Usage: "write `FORMAT`: text, markdown, json or html"},
			&ucli.StringFlag{Name: "out", Usage: "write into `FILE`, which must not exist and not lie in a Git work tree"},
			&ucli.BoolFlag{Name: "any-version", Usage: "compare trees of two filter versions: what differs need not have changed"},
		},
		Values:  map[string][]string{"format": {"text", "markdown", "json", "html"}},
		MinArgs: 2,
		MaxArgs: 2,
		Action:  runVerifyDiff,
	}
}

// compared is a difference and the trees that it is between.
type compared struct {
	*diff.Diff
	before, after *read.Tree
}

var diffFormats = []pageFormat[compared]{
	{"text", false, true, func(c compared, w io.Writer) error { return c.WriteText(w) }},
	{"markdown", false, true, func(c compared, w io.Writer) error { return c.WriteMarkdown(w) }},
	{"json", false, true, func(c compared, w io.Writer) error { return c.WriteJSON(w) }},
	{"html", true, false, func(c compared, w io.Writer) error {
		page, err := report.NewDiff(c.Diff, c.before, c.after)
		if err != nil {
			return err
		}
		return page.WriteHTML(w)
	}},
}

// comparedDocuments is a difference of documents and the trees that it is between.
type comparedDocuments struct {
	*diff.Documents
	before, after *check.DocumentTree
}

var documentDiffFormats = []pageFormat[comparedDocuments]{
	{"text", false, true, func(c comparedDocuments, w io.Writer) error { return c.WriteText(w) }},
	{"markdown", false, true, func(c comparedDocuments, w io.Writer) error { return c.WriteMarkdown(w) }},
	{"json", false, true, func(c comparedDocuments, w io.Writer) error { return c.WriteJSON(w) }},
	{"html", true, false, func(c comparedDocuments, w io.Writer) error {
		return (&report.DocumentDiffPage{Documents: c.Documents, Before: c.before, After: c.after}).WriteHTML(w)
	}},
}

func diffDocuments(call *cli.Call) error {
	format, err := chosenFormat(call, documentDiffFormats)
	if err != nil {
		return err
	}
	if call.Flags.Bool("any-version") {
		return cli.Usagef("--any-version is for the trees of an issue or change proposal: the filter is run again over documents")
	}
	var trees [2]*check.DocumentTree
	var roots [2]string
	for i, flag := range [...]string{"old-sha256", "new-sha256"} {
		roots[i] = call.Flags.String(flag)
		if trees[i], err = openDocuments(call.Args[i], flag, roots[i]); err != nil {
			return err
		}
	}
	d, err := diff.CompareDocuments(trees[0], trees[1], roots[0], roots[1])
	if err != nil {
		return err
	}
	return writePage(call, format, comparedDocuments{d, trees[0], trees[1]})
}

func runVerifyDiff(call *cli.Call) error {
	switch documents := isDocuments(call.Args[0]); {
	case documents != isDocuments(call.Args[1]):
		return &fault.Error{Exit: fault.Aborted, Rule: "compare.family", Detail: "one is a tree of documents and the other is none"}
	case documents:
		return diffDocuments(call)
	}
	format, err := chosenFormat(call, diffFormats)
	if err != nil {
		return err
	}
	open := check.Open
	if call.Flags.Bool("any-version") {
		open = check.OpenAnyVersion
	}
	var trees [2]*read.Tree
	for i, flag := range [...]string{"old-sha256", "new-sha256"} {
		if trees[i], err = openTreeWith(open, call.Args[i], flag, call.Flags.String(flag)); err != nil {
			return err
		}
		defer trees[i].Close()
	}
	d, err := diff.Compare(trees[0], trees[1], call.Flags.Bool("any-version"))
	if err != nil {
		return err
	}
	return writePage(call, format, compared{d, trees[0], trees[1]})
}
