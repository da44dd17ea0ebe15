package endtoend_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"snapline/pkg/program/cli"
	"snapline/pkg/requirement"
)

// The classic slip is the value of a variable where its name belongs. Wherever a secret
// stands on a command line, no message repeats it.
func TestNoMessageRepeatsASecret(t *testing.T) {
	requirement.Claim(t, "AMB-96")
	secret := "ghp_" + strings.Repeat("Zx9", 12)
	placed := map[string][]string{}
	for name, program := range programs {
		p := program()
		for _, command := range append([]*cli.Program{p}, p.Commands...) {
			head := []string{}
			if command != p {
				head = append(head, command.Name)
			}
			key := name + " " + command.Name
			placed[key+" argument"] = append(append([]string{}, head...), secret)
			placed[key+" surplus"] = append(append([]string{}, head...), "one", "two", secret)
			placed[key+" command"] = append(append([]string{}, head...), "--", secret)
			for _, address := range []string{"https://user:" + secret + "@github.com/acme/tool/issues/7", "https://" + secret + ".example/x/issues/7", "https://github.com/acme/tool/issues/7?token=" + secret, "https://github.com/acme/tool/issues/7#" + secret} {
				placed[key+" "+address] = append(append([]string{}, head...), address)
			}
			placed[key+" flag"] = append(append([]string{}, head...), "--"+secret)
			for _, f := range command.Flags {
				flag := "--" + f.Names()[0]
				placed[key+" "+flag] = append(append([]string{}, head...), flag, secret)
				placed[key+" "+flag+"="] = append(append([]string{}, head...), flag+"="+secret, "https://github.com/acme/tool/pull/7")
				placed[key+" "+flag+" --"] = append(append([]string{}, head...), flag, secret, "dir", "--", "true")
			}
		}
	}
	if len(placed) < 100 {
		t.Fatalf("%d command lines", len(placed))
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for what, args := range placed {
		if strings.Contains(what, " --out") || strings.Contains(what, " --capture") || strings.Contains(what, " --receipt") || strings.Contains(what, " --statement") {
			continue // something is made at that path, and then it is one
		}
		name, _, _ := strings.Cut(what, " ")
		for _, format := range []string{"text", "json"} {
			var out, errs bytes.Buffer
			env := &cli.Env{Args: append(append([]string{name}, args...), "--log-format", format), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
			if strings.Contains(strings.Join(args, " "), " -- ") {
				env.Args = append([]string{name, "--log-format", format}, args...)
			}
			cli.Run(context.Background(), programs[name](), env)
			if strings.Contains(errs.String(), secret) {
				t.Errorf("%s: %s", what, errs.String())
			}
		}
	}
}
