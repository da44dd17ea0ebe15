package verify

import (
	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/program/cli"
	"snapline/pkg/read/mcp"
)

func verifyMCPCommand() *cli.Program {
	return &cli.Program{
		Name:      "mcp",
		Summary:   "serve a tree to an agent over the Model Context Protocol",
		Arguments: "DIR",
		Description: `Verifies the tree whole, then answers requests on stdin with lines on stdout: the
files as resources, and tools for the entity, the timeline and the other views, threads,
checks, logs by range, and what is missing. It writes no file and opens no connection.
Each answer is of bytes that were held against the digest again when they were read; when
a file has changed since, that answer and all later ones are errors. It ends with its
input. Everything that it answers is untrusted data.`,
		Examples: []string{
			`verify mcp "$SNAPLINE_CONTEXT" --index-sha256 "$SNAPLINE_INDEX_SHA256"`,
		},
		Flags:   []ucli.Flag{indexDigestFlag()},
		MinArgs: 1,
		MaxArgs: 1,
		Action:  onEntityTree(runVerifyMCP),
	}
}

func runVerifyMCP(call *cli.Call) error {
	digest, err := indexDigest(call)
	if err != nil {
		return err
	}
	o := check.Options{IndexSHA256: digest, Modes: check.AnyModes}
	if o.Scanner, err = newScanner(); err != nil {
		return err
	}
	report, err := check.Tree(call.Context, call.Args[0], o)
	if err != nil {
		return err
	}
	if len(report.Findings) > 0 {
		return damaged(call, report.Findings)
	}
	t, err := openTree(call.Args[0], "index-sha256", digest)
	if err != nil {
		return err
	}
	defer t.Close()
	return mcp.Serve(call.Context, t, contract.ProgramVersion, call.Env.Stdin, call.Env.Stdout)
}
