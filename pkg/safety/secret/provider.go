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

// dotted gives the end of a dot and a run of 0-9a-z at text[i:], or i.
func dotted(text []byte, i int) int {
	if i >= len(text) || text[i] != '.' {
		return i
	}
	return run(text, i+1, lower|digit)
}
