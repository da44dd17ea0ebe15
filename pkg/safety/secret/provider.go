package secret

// provider is the shape of one kind of provider token: a prefix, then a run of body
// of at least min bytes. The longest run goes.
type provider struct {
	code   Code
	prefix string
	body   charset
	min    int
	opt    options
	// tail finds the end of a token whose run ends at end; nil if the run is all.
	// It gives 0 to refuse the token.
	tail func(text []byte, r *bodyRun, body, end int) int
}

// options are conditions on a provider token.
type options uint8

const (
	bounded  options = 1 << iota // no letter or digit before the prefix
	closed                       // the body has min bytes, and no letter, digit or underscore is behind it
	mixed                        // a digit or capital in the body
	notWords                     // not lower-case words with dashes between
	noDot                        // a full stop at the end is punctuation
	spanBody                     // the prefix stays, the body goes
)

// providers lists the shapes; where several prefixes begin at one place the first
// that fits wins.
var providers = []provider{
	{code: Anthropic, prefix: "sk-ant-", body: b64u, min: 20, opt: bounded | notWords},
	{code: OpenAI, prefix: "sk-proj-", body: b64u, min: 20, opt: bounded | notWords},
	{code: OpenAI, prefix: "sk-svcacct-", body: b64u, min: 20, opt: bounded | notWords},
	{code: OpenAI, prefix: "sk-admin-", body: b64u, min: 20, opt: bounded | notWords},
	{code: OpenAI, prefix: "sk-", body: b64u, min: 20, opt: bounded, tail: legacyOpenAI},

	{code: GitHub, prefix: "ghp_", body: alnum, min: 36},
	{code: GitHub, prefix: "gho_", body: alnum, min: 36},
	{code: GitHub, prefix: "ghu_", body: alnum, min: 36},
	{code: GitHub, prefix: "ghr_", body: alnum, min: 36},
	{code: GitHub, prefix: "ghs_", body: b64u | dot, min: 36, opt: noDot},
	{code: GitHub, prefix: "github_pat_", body: alnum | underscore, min: 22},

	{code: GitLab, prefix: "glpat-", body: b64u, min: 20, tail: routable},
	{code: GitLab, prefix: "glrt-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glrtr-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "gldt-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glcbt-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glptt-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glft-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glimt-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glagent-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "gloas-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glsoat-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glffct-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "glwt-", body: b64u, min: 20, opt: notWords, tail: routable},
	{code: GitLab, prefix: "GR1348941", body: b64u, min: 20},

	{code: Slack, prefix: "xoxb-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxp-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxa-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxr-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxs-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxo-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxc-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxd-", body: b64u | b64 | percent | equals, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxe-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxe.xoxp-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xoxe.xoxb-", body: alnum | dash, min: 10, opt: mixed},
	{code: Slack, prefix: "xapp-", body: alnum | dash, min: 10, opt: mixed, tail: digitFirst},
	{code: Slack, prefix: "hooks.slack.com/services/", body: b64u | slash | percent, min: 8, opt: spanBody},
	{code: Slack, prefix: "hooks.slack.com/workflows/", body: b64u | slash | percent, min: 8, opt: spanBody},
	{code: Slack, prefix: "hooks.slack.com/triggers/", body: b64u | slash | percent, min: 8, opt: spanBody},

	{code: Google, prefix: "AIza", body: b64u, min: 35},
	{code: Google, prefix: "AQ.", body: b64u, min: 30, opt: bounded | mixed},
	{code: Google, prefix: "ya29.", body: b64u | dot, min: 20, opt: noDot},
	{code: Google, prefix: "1//0", body: b64u, min: 30, opt: bounded | mixed},
	{code: Google, prefix: "GOCSPX-", body: b64u, min: 20},

	{code: AWS, prefix: "AKIA", body: upper | digit, min: 16, opt: bounded | closed},
	{code: AWS, prefix: "ASIA", body: upper | digit, min: 16, opt: bounded | closed},
	{code: AWS, prefix: "ABIA", body: upper | digit, min: 16, opt: bounded | closed},
	{code: AWS, prefix: "ACCA", body: upper | digit, min: 16, opt: bounded | closed},
	{code: AWS, prefix: "ABSK", body: b64 | equals, min: 60, opt: bounded | mixed},
	{code: AWS, prefix: "bedrock-api-key-", body: b64 | b64u | equals, min: 30, opt: mixed},

	{code: Stripe, prefix: "sk_live_", body: alnum, min: 10, tail: stripe},
	{code: Stripe, prefix: "sk_test_", body: alnum, min: 10, tail: stripe},
	{code: Stripe, prefix: "rk_live_", body: alnum, min: 10, tail: stripe},
	{code: Stripe, prefix: "rk_test_", body: alnum, min: 10, tail: stripe},
	{code: Stripe, prefix: "whsec_", body: b64u | b64 | equals, min: 32},

	{code: SendGrid, prefix: "SG.", body: b64u, min: 22, opt: bounded, tail: sendGrid},

	{code: HuggingFace, prefix: "hf_", body: alnum, min: 34, opt: bounded},
	{code: HuggingFace, prefix: "api_org_", body: alnum, min: 34},
	{code: NPM, prefix: "npm_", body: alnum, min: 36},
	{code: PyPI, prefix: "pypi-", body: b64u, min: 50, opt: mixed},
	{code: Vault, prefix: "hvs.", body: b64u, min: 24},
	{code: Vault, prefix: "hvb.", body: b64u, min: 24},
	{code: Vault, prefix: "hvr.", body: b64u, min: 24},
	{code: Age, prefix: "AGE-SECRET-KEY-1", body: upper | digit, min: 58},
	{code: Age, prefix: "AGE-SECRET-KEY-PQ-1", body: upper | digit, min: 58},
	{code: Age, prefix: "AGE-PLUGIN-", body: upper | digit | dash, min: 22, tail: agePlugin},
	{code: Docker, prefix: "dckr_pat_", body: b64u, min: 20},
	{code: Docker, prefix: "dckr_oat_", body: b64u, min: 20},
	{code: Shopify, prefix: "shpat_", body: alnum, min: 32},
	{code: Shopify, prefix: "shpca_", body: alnum, min: 32},
	{code: Shopify, prefix: "shppa_", body: alnum, min: 32},
	{code: Shopify, prefix: "shpss_", body: alnum, min: 32},
}

// maxMixed is how much of a body is looked at to tell a token from words.
const maxMixed = 128

// token handles the prefix of p at pos and tells whether a token follows.
func (d *Detector) token(p *provider, pos int) (found bool) {
	text := d.text
	if p.opt&bounded != 0 && !startsToken(text, pos) {
		return false
	}
	body := pos + len(p.prefix)
	r := d.run(body, p.body)
	end := r.end
	if r.taken && pos > r.start {
		return false
	}
	if p.opt&noDot != 0 {
		for end > body && text[end-1] == '.' {
			end--
		}
	}
	if end-body < p.min {
		return false
	}
	if p.opt&closed != 0 && (end-body > p.min || end < len(text) && is(text[end], alnum|underscore)) {
		return false
	}
	if p.opt&(mixed|notWords) != 0 {
		u := union(text[body:min(end, body+maxMixed)])
		words := u&(digit|upper) == 0
		if p.opt&notWords != 0 {
			words = words && u&dash != 0
		}
		if words {
			return false
		}
	}
	if p.tail != nil {
		if end = p.tail(text, r, body, end); end == 0 {
			return false
		}
	}
	start := pos
	if p.opt&spanBody != 0 {
		start = body
	}
	d.add(start, end, p.code)
	r.taken, r.start = true, start
	return true
}

// bodyRun is the last run of one set that was measured: the next prefix inside it
// need not measure it again.
type bodyRun struct {
	set        charset
	start, end int
	taken      bool // a token from start on has been reported
	short      int  // see legacyOpenAI
}

// run gives the run of set at text[i:].
func (d *Detector) run(i int, set charset) *bodyRun {
	for k := range d.runs {
		r := &d.runs[k]
		if r.set != set {
			continue
		}
		if i < r.start || i >= r.end {
			*r = bodyRun{set: set, start: i, end: run(d.text, i, set)}
			d.spend(r.end - i)
		}
		return r
	}
	d.runs = append(d.runs, bodyRun{set: set, start: i, end: run(d.text, i, set)})
	return &d.runs[len(d.runs)-1]
}

// legacyOpenAI wants twenty letters and digits in a row, with a digit or capital:
// sk- in front of dashed words is no key. Rows that were too short for a prefix
// before are so for the next.
func legacyOpenAI(text []byte, r *bodyRun, body, end int) int {
	for i := max(body, r.short); i < min(end, body+maxMixed); {
		j := run(text[:min(len(text), i+maxMixed)], i, alnum)
		if j-i >= 20 && union(text[i:j])&(digit|upper) != 0 {
			return end
		}
		i = j + 1
		r.short = i
	}
	return 0
}

// routable adds the dotted tail of a routable token: a dot and nine or more of 0-9a-z,
// or a dot and two, a dot and seven or more.
func routable(text []byte, _ *bodyRun, _, end int) int {
	first := dotted(text, end)
	switch n := first - end - 1; {
	case n >= 9:
		return first
	case n == 2:
		if second := dotted(text, first); second-first-1 >= 7 {
			return second
		}
	}
	return end
}

// dotted gives the end of a dot and a run of 0-9a-z at text[i:], or i.
func dotted(text []byte, i int) int {
	if i >= len(text) || text[i] != '.' {
		return i
	}
	return run(text, i+1, lower|digit)
}

func digitFirst(text []byte, _ *bodyRun, body, end int) int {
	if is(text[body], digit) && text[body+1] == '-' {
		return end
	}
	return 0
}

// stripe takes short bodies only behind a boundary: network_test_… holds rk_test_.
func stripe(text []byte, _ *bodyRun, body, end int) int {
	const prefix = len("sk_live_")
	own := startsToken(text, body-prefix)
	u := union(text[body:end])
	switch {
	case own && (end-body >= 24 || u&(digit|upper) != 0),
		end-body >= 24 && u&(digit|upper) != 0:
		return end
	}
	return 0
}

func sendGrid(text []byte, _ *bodyRun, _, end int) int {
	if end >= len(text) || text[end] != '.' {
		return 0
	}
	if second := run(text, end+1, b64u); second-end-1 >= 43 {
		return second
	}
	return 0
}

// agePlugin wants the separator 1 of bech32 behind a dash, and data behind it.
func agePlugin(text []byte, _ *bodyRun, body, end int) int {
	for i := body + 1; i+1 < min(end, body+maxMixed); i++ {
		if text[i] == '-' && text[i+1] == '1' && end-i-2 >= 20 {
			return end
		}
	}
	return 0
}
