package pipe

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// FilterFlags are the flags that say how a stream is filtered.
func FilterFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.StringFlag{Name: "credentials-file", Usage: "redact the run credentials in `FILE`, one JSON string a line"},
		&ucli.StringSliceFlag{Name: "credential-env", Usage: "redact the value of the environment variable `NAME`; may be repeated"},
		&ucli.StringFlag{Name: "human-min-role", Usage: "judge people by `ROLE` instead of the profile's threshold: triage or write"},
	}
}

// HumanMinRole gives the threshold of --human-min-role, "" for the profile's.
func HumanMinRole(call *cli.Call) (string, error) {
	role := call.Flags.String("human-min-role")
	if call.Flags.IsSet("human-min-role") && role != "triage" && role != "write" {
		return "", cli.Usagef("--human-min-role takes triage or write")
	}
	return role, nil
}

// minCredential is the shortest credential that is told apart from ordinary text.
const minCredential = 8

// Credentials gives the distinct run credentials of both options, in the
// order in which they were given. Refusals name the position, never the value.
func Credentials(call *cli.Call) ([]string, error) {
	var values []string
	known := map[string]bool{}
	add := func(position, value string) error {
		value = strings.TrimSpace(value)
		if len(value) < minCredential {
			return cli.Usagef("%s: a credential has at least %d bytes", position, minCredential)
		}
		if !known[value] {
			known[value] = true
			values = append(values, value)
		}
		return nil
	}
	if call.Flags.IsSet("credentials-file") {
		path := call.Flags.String("credentials-file")
		f, err := OpenInput(call.Context, path)
		if err != nil {
			return nil, Unreadable(path, err)
		}
		defer f.Close()
		if err := readCredentials(f, path, add); err != nil {
			return nil, err
		}
	}
	for i, name := range call.Flags.StringSlice("credential-env") {
		position := fmt.Sprintf("--credential-env, number %d", i+1)
		value, set := "", false
		if call.Env.LookupEnv != nil {
			value, set = call.Env.LookupEnv(name)
		}
		if !set {
			return nil, cli.Usagef("%s: there is no such variable; name one, its value stays in the environment", position)
		}
		if err := add(position, value); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// maxCredentialLine bounds one line of a credentials file, in bytes.
const maxCredentialLine = 1 << 20

// readCredentials passes each JSON string of r on with its position.
func readCredentials(r io.Reader, path string, add func(position, value string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxCredentialLine)
	n := 0
	for lines.Scan() {
		n++
		position := fmt.Sprintf("%s:%d", fault.Printable(path, 256), n)
		var value *string
		// The decoder turns a lone surrogate into U+FFFD, which would register another value.
		if !utf8.Valid(lines.Bytes()) || json.Unmarshal(lines.Bytes(), &value) != nil || value == nil ||
			strings.ContainsRune(*value, utf8.RuneError) {
			return cli.Usagef("%s: each line is one JSON string", position)
		}
		if err := add(position, *value); err != nil {
			return err
		}
	}
	switch err := lines.Err(); err {
	case nil:
		return nil
	case bufio.ErrTooLong:
		return cli.Usagef("%s:%d: a line has at most %d bytes", fault.Printable(path, 256), n+1, maxCredentialLine)
	default:
		return Unreadable(path, err)
	}
}
