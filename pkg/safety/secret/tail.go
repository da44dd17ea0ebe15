package secret

// The functions of this file end a token behind the run of its body: the data of a token can
// name each (pkg/safety/rules). They give 0 to refuse the token.

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
