package secret

import "bytes"

// ssn handles ddd-dd-dddd at pos.
func (d *Detector) ssn(pos int) {
	if validSSN(d.text, pos, 11) {
		d.add(pos, pos+11, SSN)
	}
}

// ssnName handles the letters ssn at pos, unless they stand in the midst of a word in
// capitals: CLASSNAME.
func (d *Detector) ssnName(pos int) {
	behind := pos + len("ssn")
	if pos > 0 && is(d.text[pos-1], letter) && is(d.text[behind], letter) && (is(d.text[pos], lower) || is(d.text[pos-1], upper)) {
		return
	}
	d.ssnWord(pos)
}

// ssnWord handles a word for a social security number at pos: near it the number may
// have spaces or nothing between its groups.
func (d *Detector) ssnWord(pos int) {
	const before, behind = 24, 48
	text := d.text
	low, high := max(0, pos-before), min(len(text), pos+behind)
	for i := low; i < high; {
		if !is(text[i], digit) {
			i++
			continue
		}
		end := run(text, i, digit)
		switch {
		case end-i == 9 && validSSN(text, i, 9):
			d.add(i, i+9, SSN)
		case end-i == 3 && i+11 <= len(text) && text[i+3] == ' ' && validSSN(text, i, 11):
			d.add(i, i+11, SSN)
		}
		i = end
	}
}

// validSSN judges the number of n characters at text[i:]: 11 with separators, 9 bare.
func validSSN(text []byte, i, n int) bool {
	if i+n > len(text) || !standsAlone(text, i, i+n, true) {
		return false
	}
	var digits [9]byte
	k := 0
	for j, c := range text[i : i+n] {
		if n == 11 && (j == 3 || j == 6) {
			if c != text[i+3] || c != '-' && c != ' ' {
				return false
			}
			continue
		}
		if !is(c, digit) {
			return false
		}
		digits[k] = c
		k++
	}
	area, group, serial := string(digits[:3]), string(digits[3:5]), string(digits[5:])
	return area != "000" && area != "666" && area[0] != '9' && group != "00" && serial != "0000"
}

// standsAlone tells whether no letter or digit, no dash if noDash, and no dot with a
// digit behind or before it adjoins text[i:j].
func standsAlone(text []byte, i, j int, noDash bool) bool {
	if i > 0 {
		c := text[i-1]
		if is(c, alnum|underscore) || noDash && c == '-' || c == '.' && i > 1 && is(text[i-2], digit) {
			return false
		}
	}
	if j < len(text) {
		c := text[j]
		if is(c, alnum|underscore) || noDash && c == '-' || c == '.' && j+1 < len(text) && is(text[j+1], digit) {
			return false
		}
	}
	return true
}

// issuers are the ranges of leading digits, by number of digits, and the lengths.
var issuers = []struct {
	digits, low, high int
	lengths           []int
}{
	{1, 4, 4, []int{13, 16, 19}},
	{2, 51, 55, []int{16}},
	{4, 2221, 2720, []int{16}},
	{2, 34, 34, []int{15}},
	{2, 37, 37, []int{15}},
	{4, 6011, 6011, []int{16, 17, 18, 19}},
	{6, 622126, 622925, []int{16, 17, 18, 19}},
	{3, 644, 649, []int{16, 17, 18, 19}},
	{2, 65, 65, []int{16, 17, 18, 19}},
	{4, 3528, 3589, []int{16, 17, 18, 19}},
	{3, 300, 305, []int{14, 15, 16, 17, 18, 19}},
	{2, 36, 36, []int{14, 15, 16, 17, 18, 19}},
	{2, 38, 39, []int{14, 15, 16, 17, 18, 19}},
	{2, 62, 62, []int{16, 17, 18, 19}},
}

func issued(number []byte) bool {
	for _, r := range issuers {
		prefix := 0
		for _, c := range number[:r.digits] {
			prefix = prefix*10 + int(c-'0')
		}
		if prefix < r.low || prefix > r.high {
			continue
		}
		for _, n := range r.lengths {
			if n == len(number) {
				return true
			}
		}
	}
	return false
}

func luhn(number []byte) bool {
	sum := 0
	for k, c := range number {
		n := int(c - '0')
		if (len(number)-k)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// card handles a run of digits around pos with which a payment card may begin: 13 to
// 19 digits, bare or in groups of four and more, of which the last may be shorter.
func (d *Detector) card(pos int) {
	if pos < d.digitsEnd {
		return
	}
	text := d.text
	low := max(0, pos-20)
	start := runBack(text, pos, low, digit)
	d.digitsEnd = run(text, pos, digit)
	d.spend(d.digitsEnd - pos)
	if pos = start; pos < d.cardEnd || pos > 0 && is(text[pos-1], alnum|underscore) || text[pos] < '2' || text[pos] > '6' {
		return
	}
	var number [19]byte
	n, best, group := 0, 0, 0
	for i := pos; ; {
		end := run(text[:min(len(text), i+20)], i, digit)
		if n+end-i > len(number) || end == i {
			break
		}
		n += copy(number[n:], text[i:end])
		if n >= 13 && issued(number[:n]) && luhn(number[:n]) && standsAlone(text, pos, end, false) {
			best = end
		}
		if end-i < 4 || end+1 >= len(text) || text[end] != ' ' && text[end] != '-' {
			break
		}
		if group == 0 {
			group = end - i
		}
		i = end + 1
	}
	if best == 0 || insideUUID(text, pos, best) || group > 0 && insideFingerprint(text, pos, best, group) {
		return
	}
	if group == 0 || best == pos+group {
		switch n := best - pos; {
		case n == 13, n > 16, pos > 0 && text[pos-1] == '/':
			if !besideCardWord(text, pos, best) {
				return
			}
		}
	}
	d.add(pos, best, PaymentCard)
	d.cardEnd = best
}

// besideCardWord tells whether a word for a payment card stands near text[i:j] on its line.
func besideCardWord(text []byte, i, j int) bool {
	const before, behind = 40, 24
	left, right := text[max(0, i-before-longestMarker):i], text[j:min(len(text), j+behind)]
	if k := bytes.LastIndex(left, []byte(markerStart)); k >= 0 {
		left = left[k:][bytes.IndexByte(left[k:], ']')+1:] // what a marker says is no word of the text
	}
	left = left[max(0, len(left)-before):]
	right, _, _ = bytes.Cut(right, []byte(markerStart))
	for _, near := range [][]byte{left, right} {
		for k := 0; k < len(near); {
			if !is(near[k], alnum) {
				k++
				continue
			}
			end := wordEnd(near, k)
			if w := fold(near[k:end]); w.in(cardWords) {
				return true
			}
			k = end
		}
	}
	return false
}

// insideUUID tells whether text[i:j] lies in hexadecimal digits grouped 8-4-4-4-12.
func insideUUID(text []byte, i, j int) bool {
	const length = 36
	for start := max(0, i-length+1); start <= i; start++ {
		if start+length <= len(text) && start+length >= j && isUUID(text[start:start+length]) {
			return true
		}
	}
	return false
}

func isUUID(b []byte) bool {
	for k, c := range b {
		if k == 8 || k == 13 || k == 18 || k == 23 {
			if c != '-' {
				return false
			}
		} else if !isHex(c) {
			return false
		}
	}
	return true
}

// ibanLengths are the lengths that the registry fixes.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
	"BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27,
	"DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27,
	"GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
	"IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28,
	"LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
	"MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23,
	"PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
	"SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28,
	"TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

// iban handles two letters and two digits at pos: 15 to 34 letters of one case and digits,
// bare or in groups of four. In small letters the country has to be known.
func (d *Detector) iban(pos int) {
	const shortest, longest = 15, 34
	text := d.text
	var number [longest]byte
	want, set, shift := ibanForm(text[pos], text[pos+1])
	if shift > 0 && want == 0 {
		return
	}
	n, best := 0, 0
	grouped := false
	for i := pos; n < longest && i < len(text); i++ {
		c := text[i]
		if c == ' ' && (n == 4 || grouped && n%4 == 0) && i+1 < len(text) && is(text[i+1], set) {
			grouped = true
			continue
		}
		if !is(c, set) && n >= 2 || grouped && n%4 == 0 && text[i-1] != ' ' {
			break
		}
		if is(c, lower) {
			c -= shift
		}
		number[n] = c
		n++
		if n < shortest || want != 0 && n != want || i+1 < len(text) && is(text[i+1], alnum|underscore) {
			continue
		}
		if mod97(number[:n]) {
			best = i + 1
		}
	}
	if best > 0 && !(grouped && insideFingerprint(text, pos, best, 4)) {
		d.add(pos, best, IBAN)
	}
}

// ibanForm gives the length of a number of a country, or 0 if it is not known, the set of its
// characters, and what letters are to be moved by to be capitals.
func ibanForm(a, b byte) (want int, set charset, shift byte) {
	set = upper | digit
	if is(a, lower) {
		set, shift = lower|digit, 'a'-'A'
	}
	country := []byte{a - shift, b - shift}
	if shift > 0 && numericIBANs.has(country) {
		set = digit
	}
	return ibanLengths[string(country)], set, shift
}

// insideFingerprint tells whether text[i:j] is a part of a fingerprint or dump: of
// hexadecimal digits in groups of a size that go on before or behind it, and have both
// digits and letters there.
func insideFingerprint(text []byte, i, j, size int) bool {
	const most = 10 // groups of a fingerprint
	for _, c := range text[i:j] {
		if !isHex(c) && c != ' ' {
			return false
		}
	}
	for range most {
		k := runBack(text, i, max(0, i-2), blank)
		if k == i || !isHexGroup(text, k-size, size) {
			break
		}
		if i = k - size; isMixed(text[i:k]) {
			return true
		}
	}
	for range most {
		k := run(text[:min(len(text), j+2)], j, blank)
		if k == j || !isHexGroup(text, k, size) {
			break
		}
		if j = k + size; isMixed(text[k:j]) {
			return true
		}
	}
	return false
}

// isMixed tells whether digits and letters of one case make up b.
func isMixed(b []byte) bool {
	u := union(b)
	return u == upper|digit || u == lower|digit
}

// isHexGroup tells whether n hexadecimal digits stand at text[i:], and no more.
func isHexGroup(text []byte, i, n int) bool {
	if i < 0 || i+n > len(text) || i > 0 && is(text[i-1], alnum) || i+n < len(text) && is(text[i+n], alnum) {
		return false
	}
	for _, c := range text[i : i+n] {
		if !isHex(c) {
			return false
		}
	}
	return true
}

func mod97(number []byte) bool {
	rest := 0
	add := func(c byte) {
		if is(c, digit) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	for _, c := range number[4:] {
		add(c)
	}
	for _, c := range number[:4] {
		add(c)
	}
	return rest == 1
}
