package verify

import (
	"fmt"
	"io"
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/read"
)

func verifyGapsCommand() *cli.Program {
	return &cli.Program{
		Name:      "gaps",
		Summary:   "tell what is missing from a tree and what that means",
		Arguments: "DIR",
		Description: `Read the gaps before using records or state. A partial gap: use what is there, claim
nothing about the rest. An unusable gap: conclude nothing from that scope, neither
authority nor completeness. Any gap of scope actors: rely on nobody's role; the exit
code is 1 then, whatever was required.

--require names scopes that must be complete (selected, nothing missing), admitted (the
same, but for voices that are not admitted: an outsider's comment, a bot that is not
registered) or usable (selected, nothing that makes the scope unusable); what is not met
is exit 1. --tolerate sets one sort of gap aside, in any scope but entity and actors;
what was set aside is named.

With --index-sha256 the index is held against the digest that emit printed. Without
it the tree is taken at its word, and the report says so. Other files are not
verified here.`,
		Examples: []string{
			`verify gaps "$context" --index-sha256 "$digest" --require comments=admitted,reviews=usable`,
			`verify gaps "$context" --index-sha256 "$digest" --require checks=complete --tolerate checks/invalid_metadata`,
			`verify gaps "$context" --format markdown >>"$GITHUB_STEP_SUMMARY"`,
		},
		Flags: []ucli.Flag{
			indexDigestFlag(),
			&ucli.StringFlag{Name: "require", Usage: "fail unless these hold: `SCOPE=LEVEL`,... with LEVEL complete, admitted or usable"},
			&ucli.StringSliceFlag{Name: "tolerate", Usage: "set the gaps `SCOPE/CODE` aside when --require is judged; may be repeated"},
			&ucli.StringFlag{Name: "format", Value: "text", Usage: "print as `FORMAT`: text, markdown or json"},
		},
		Values:  map[string][]string{"format": {"text", "markdown", "json"}},
		MinArgs: 1,
		MaxArgs: 1,
		Action:  onEntityTree(runVerifyGaps),
	}
}

func runVerifyGaps(call *cli.Call) error {
	var demands read.Demands
	var err error
	if demands.Required, err = requirements(call.Flags.String("require")); err != nil {
		return err
	}
	if demands.Tolerated, err = tolerated(call.Flags.StringSlice("tolerate")); err != nil {
		return err
	}
	formats := map[string]func(*read.Gaps, io.Writer) error{
		"text": (*read.Gaps).WriteText, "markdown": (*read.Gaps).WriteMarkdown, "json": (*read.Gaps).WriteJSON,
	}
	write := formats[call.Flags.String("format")]
	if write == nil {
		return cli.Usagef("--format takes text, markdown or json")
	}
	s, err := openSnapshot(call)
	if err != nil {
		return err
	}
	defer s.Close()
	gaps, err := read.ReadGaps(s, demands)
	if err != nil {
		return err
	}
	if err := write(gaps, call.Env.Stdout); err != nil {
		return cli.Unwritten(err)
	}
	switch {
	case !gaps.Authorization:
		return &fault.Error{
			Exit: fault.Aborted, Rule: "gaps.authorization", Scope: string(contract.ScopeActors), Code: actorsCode(gaps),
			Detail: "authorization is unusable: rely on nobody's role", Hint: "take the snapshot again",
		}
	case !gaps.Holds():
		u := gaps.Unmet[0]
		return &fault.Error{Exit: fault.Aborted, Rule: "gaps.require", Detail: fmt.Sprintf("%s must be %s and is %s", u.Scope, u.Level, u.Standing)}
	}
	return nil
}

func actorsCode(g *read.Gaps) string {
	i := slices.IndexFunc(g.Gaps, func(gap read.Gap) bool { return gap.Scope == contract.ScopeActors })
	return string(g.Gaps[i].Code)
}

// requirements parses --require.
func requirements(s string) ([]read.Requirement, error) {
	if s == "" {
		return nil, nil
	}
	var required []read.Requirement
	for _, part := range strings.Split(s, ",") {
		scope, level, ok := strings.Cut(part, "=")
		r := read.Requirement{Scope: contract.Scope(scope), Level: read.Level(level)}
		if ok && !slices.Contains(read.Scopes[:], r.Scope) {
			return nil, cli.Usagef("--require: there is no such scope; use one of %s", scopeNames())
		}
		if !ok || !slices.Contains(read.Levels[:], r.Level) {
			return nil, cli.Usagef("--require takes SCOPE=complete, SCOPE=admitted or SCOPE=usable")
		}
		if r.Level == read.Admitted && read.Firm(r.Scope) {
			return nil, cli.Usagef("--require: %s is complete or it is nothing", scope)
		}
		if slices.ContainsFunc(required, func(o read.Requirement) bool { return o.Scope == r.Scope }) {
			return nil, cli.Usagef("--require names %s twice", scope)
		}
		required = append(required, r)
	}
	return required, nil
}

// tolerated parses --tolerate.
func tolerated(values []string) ([]contract.Gap, error) {
	var gaps []contract.Gap
	for _, value := range values {
		for _, part := range strings.Split(value, ",") {
			scope, code, _ := strings.Cut(part, "/")
			g := contract.Gap{Scope: contract.Scope(scope), Code: contract.GapCode(code)}
			switch {
			case !slices.Contains(read.Scopes[:], g.Scope):
				return nil, cli.Usagef("--tolerate takes SCOPE/CODE; there is no such scope; use one of %s", scopeNames())
			case read.Firm(g.Scope):
				return nil, cli.Usagef("--tolerate: nothing is set aside in %s", scope)
			case g.Code.Usability() == "":
				return nil, cli.Usagef("--tolerate takes SCOPE/CODE; there is no such code; docs/stream.md has them")
			}
			gaps = append(gaps, g)
		}
	}
	return gaps, nil
}

// openSnapshot opens the tree for reading single files, and says so if its index is
// not held against anything.
func openSnapshot(call *cli.Call) (*check.Snapshot, error) {
	digest := call.Flags.String("index-sha256")
	if call.Flags.IsSet("index-sha256") && !tree.ValidDigest(digest) {
		return nil, cli.Usagef("--index-sha256 takes 64 lowercase hex digits")
	}
	s, err := check.Open(call.Args[0], digest)
	if err == nil && !s.Checked {
		call.Log.Notice(fault.Notice{Digest: s.IndexSHA256, Text: "the index was not held against a digest; give --index-sha256"})
	}
	return s, err
}

func scopeNames() string {
	var names []string
	for _, s := range read.Scopes {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}
