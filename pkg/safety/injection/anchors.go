package injection

import "snapline/pkg/safety/prefilter"

// fixedAnchors are the rare words and marks of which every match contains one, in
// ASCII lower case. They are single words, because markup may stand between two.
var fixedAnchors = []string{
	// instruction override
	"ignor", "disregard", "forget", "overrid", "bypass", "disobey", "circumvent", "overrule", "discard", "neglect",
	"instruction", "guideline", "guidance", "directive", "direction", "constraint", "restrict", "prompt", "rule", "everyth", "anyth",
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
	// hidden markup
	"!--", "[//]:", "]: #", "]: <>", "display", "visibility", "opacity", "font:", "font-size", "hidden", "alt=", "title=",
	"![ai", "![agent", "![assistant", "![system", "![model", "![llm", "![you ", "![approve", "![note", "![dear", "![hey",
	"\"ai", "\"assistant", "\"agents", "\"you must", "\"dear a",
}

// envEnds are the bytes behind "env" with which it is a command and an anchor.
const envEnds = " \t\n|>;&)`\"'.,*"

// anchors are all anchors.
var anchors = func() []string {
	all := fixedAnchors
	for _, b := range envEnds {
		all = append(all, "env"+string(b))
	}
	return all
}()

// Anchors gives patterns for the anchors. Where one begins in a text is a hit for
// Scanner.Scan.
func Anchors() []prefilter.Pattern {
	var out []prefilter.Pattern
	for _, a := range fixedAnchors {
		out = append(out, prefilter.Folded(a))
	}
	out = append(out, prefilter.Classes("(?i)env["+envEnds+"]"))
	for _, notation := range langPatterns {
		out = append(out, prefilter.Classes(notation))
	}
	return out
}

// byStart holds the anchors by their first two bytes.
var byStart = func() (t [1 << 10][]string) {
	for _, a := range anchors {
		at := letters(a[0], a[1])
		t[at] = append(t[at], a)
	}
	return
}()

// anchorAt reports whether an anchor begins at i.
func anchorAt(text []byte, i int) bool {
	if i+1 >= len(text) {
		return false
	}
	for _, a := range byStart[letters(text[i], text[i+1])] {
		if e := i + len(a); e <= len(text) && foldEqual(text[i:e], a) {
			return true
		}
	}
	return langAnchorAt(text, i)
}
