package injection

import "slices"

// anchors are the rare words and marks of which every match contains one, in ASCII
// lower case. They are single words, because markup may stand between two.
var anchors = []string{
	// instruction override
	"ignor", "disregard", "forget", "overrid", "bypass", "disobey", "circumvent", "overrule", "discard", "neglect",
	"instruction", "guideline", "guidance", "directive", "direction", "constraint", "restrict", "prompt", "rule",
	// a role without limits
	"limits", "limitation", "boundaries", "safeguards", "censor", "filters", "unfiltered", "unconstrained", "jailbroken",
	"unrestricted",
	// concealment
	"tell", "told", "inform", "mention", "reveal", "disclos", "show", "notify", "notified", "alert", "hide", "conceal",
	"secret", "withhold",
	// translate, then execute
	"translate", "decode", "decipher", "decrypt", "deobfuscate", "unscramble",
	// exfiltration
	".ssh/id_", ".aws/cred", ".netrc", ".pgpass", ".npmrc", ".docker/conf", ".kube/conf", ".env", "/environ", "environment",
	"printenv", "token", "key", "password",
	"env ", "env\t", "env\n", "env|", "env>", "env;", "env&", "env)", "env`", "env\"", "env'", "env.", "env,", "env*",
	// hidden markup
	"!--", "[//]:", "]: #", "]: <>", "display", "visibility", "opacity", "font-size", "hidden", "alt=", "title=",
	"![ai", "![agent", "![assistant", "![system", "![model", "![llm", "![you ", "![approve", "![note", "![dear", "![hey",
}

// Anchors lists the anchors: ASCII lower case, to be found without regard to ASCII
// case. Where one begins in a text is a hit for Scanner.Scan.
func Anchors() []string { return slices.Clone(anchors) }

// byFirst holds the anchors by their first byte, in both cases.
var byFirst = func() (t [256][]string) {
	for _, a := range anchors {
		b := a[0]
		t[b] = append(t[b], a)
		if isLetter(b) {
			t[b-0x20] = append(t[b-0x20], a)
		}
	}
	return
}()

// anchorAt is the length of an anchor that begins at i, 0 if there is none.
func anchorAt(text []byte, i int) int {
	for _, a := range byFirst[text[i]] {
		if e := i + len(a); e <= len(text) && foldEqual(text[i:e], a) {
			return len(a)
		}
	}
	return 0
}
