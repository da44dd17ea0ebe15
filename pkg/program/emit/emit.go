package emit

import (
	"fmt"
	"io"
	"os"
	"strings"

	"snapline/pkg/family/canon"
	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stream"
)

// Program is the program emit.
func Program() *cli.Program {
	return &cli.Program{
		Name:    "emit",
		Summary: "write a bounded stream as a tree of files that appears whole or not at all",
		Description: `Reads a bounded stream on stdin and publishes a tree at --out, which must not exist
and is checked before anything is read. The tree is built in a private directory and
appears by one rename that does not replace; directories have mode 0700 and files
0600. Then the receipt is printed: one line of JSON whose index_sha256 is the root of
trust. Keep that value where no other process can change it, and pass it to verify
--index-sha256. A run without a tree prints the stream's abort line instead. The file
that --receipt writes is for audits: it proves nothing to whoever shares its directory
with others.

If the directory above --out is a run directory (mode 0700, with a file 'lock' whose
first line is "snapline run directory" and whose lock the harness holds), the tree is
built in it; else in a run directory of its own beside --out. A killed emit may leave
such a private directory: 'emit scavenge' removes those whose lock nobody holds.`,
		Examples: []string{
			`emit --out "$RUNNER_TEMP/context" <bounded.ndjson`,
			`emit --out "$run/context" --print digest --receipt receipt.json <bounded.ndjson`,
			`emit scavenge --root "$RUNNER_TEMP"`,
		},
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "out", Usage: "publish the tree as `DIR`, which must not exist and not lie in a Git work tree"},
			&ucli.StringFlag{Name: "receipt", Usage: "also write the receipt to `FILE`, which must not exist; for audits only"},
			&ucli.StringFlag{Name: "print", Value: "receipt", Usage: "print `WHAT` on stdout: the receipt, or the root digest alone"},
			&ucli.StringFlag{Name: "statement", Usage: "also write an in-toto statement about the tree to `FILE`, which must not exist; it is not signed"},
			&ucli.StringFlag{Name: "builder-id", Usage: "the `URI` of whoever runs this, for the statement"},
			&ucli.StringFlag{Name: "raw", Usage: "name the capture `FILE` of fetch in the statement, by the digest of its bytes"},
			&ucli.BoolFlag{Name: "durable", Usage: "flush the tree to the disk before it appears"},
		},
		Values:   map[string][]string{"print": {"receipt", "digest"}},
		Commands: []*cli.Program{scavengeCommand()},
		Version:  pipe.Version,
		Action:   runEmit,
	}
}

func runEmit(call *cli.Call) error {
	cfg := emit.Config{
		FS: disk.OS{}, Out: call.Flags.String("out"), Receipt: call.Flags.String("receipt"), Durable: call.Flags.Bool("durable"),
		Recover: canon.Rejudge, Digest: call.Flags.String("print") == "digest",
	}
	if what := call.Flags.String("print"); what != "receipt" && what != "digest" {
		return cli.Usagef("--print takes receipt or digest")
	}
	if cfg.Out == "" {
		return cli.Usagef("--out is missing")
	}
	var err error
	if cfg.Statement, err = wantedStatement(call); err != nil {
		return err
	}
	if cfg.Receipt == "" && nobodyReads(call.Env.Stdout) {
		return &fault.Error{
			Exit: fault.Environment, Rule: "receipt.stdout", Detail: "standard output is /dev/null or closed: the root digest would be lost",
			Hint: "keep what emit prints, or give --receipt FILE",
		}
	}
	in := pipe.Input(call, 3)
	if err := emit.Run(call.Context, in, call.Env.Stdout, cfg, call.Log); err != nil {
		out := stream.NewWriter(call.Env.Stdout)
		out.Request(in.RequestID())
		return pipe.End("emit", out, err)
	}
	return nil
}

// wantedStatement gives what the options ask for. A statement says who made it, and that
// has no default.
func wantedStatement(call *cli.Call) (*emit.Statement, error) {
	path, builder, raw := call.Flags.String("statement"), call.Flags.String("builder-id"), call.Flags.String("raw")
	switch {
	case path == "" && (call.Flags.IsSet("builder-id") || call.Flags.IsSet("raw")):
		return nil, cli.Usagef("--builder-id and --raw are for --statement")
	case path == "":
		return nil, nil
	case !validURI(builder):
		return nil, cli.Usagef("--statement needs --builder-id, an absolute URI of at most %d printable ASCII characters", maxURI)
	}
	s := &emit.Statement{Path: path, BuilderID: builder}
	if raw != "" {
		s.Capture = func() (stored, stream string, err error) {
			read, err := pipe.ReadStream(call, raw)
			if err == nil && read.Header.Position() != 1 {
				err = fault.New(fault.Input, "statement.capture", "the capture is not one that fetch wrote")
			}
			if err != nil {
				return "", "", err
			}
			return read.SHA256, read.Chain[0], nil
		}
	}
	return s, nil
}

const maxURI = 2048

// validURI reports whether s has a scheme, and something behind it that is no white space.
func validURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || len(s) > maxURI || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+.-") != "" {
		return false
	}
	return scheme != "" && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// nobodyReads reports whether out is /dev/null, which the runtime opens too where a
// descriptor is closed: nobody can tell the two apart (AMB-95).
func nobodyReads(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

func scavengeCommand() *cli.Program {
	return &cli.Program{
		Name:    "scavenge",
		Summary: "remove run directories that a killed process has left behind",
		Description: `Looks at the directories snapline-* in --root and removes those that belong to the
caller, whose lock file has our first line, and whose lock can be taken without
waiting. It follows no link and prints what it removed and kept on stderr.`,
		Examples: []string{`emit scavenge --root "$RUNNER_TEMP"`},
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "root", Usage: "look in `DIR`"},
		},
		Action: runScavenge,
	}
}

func runScavenge(call *cli.Call) error {
	root := call.Flags.String("root")
	if root == "" {
		return cli.Usagef("--root is missing")
	}
	found, err := disk.Scavenge(disk.OS{}, root)
	if err != nil {
		return err
	}
	failed := 0
	for _, a := range found {
		name := fault.Printable(a.Name, 64)
		switch {
		case a.Err != nil:
			failed++
			call.Log.Notice(fault.Notice{Text: "cannot remove " + name + ": " + fault.Printable(a.Err.Error(), 256)})
		case a.Removed:
			call.Log.Notice(fault.Notice{Text: "removed " + name})
		default:
			call.Log.Notice(fault.Notice{Text: "kept " + name + ": " + a.Reason})
		}
	}
	if failed > 0 {
		return &fault.Error{Exit: fault.Environment, File: root, Rule: "scavenge.remove", Detail: fmt.Sprintf("%d run directories could not be removed", failed)}
	}
	return nil
}
