package secret

// AWS secret keys and session tokens have no prefix: their names tell them, which need
// not stand before an operator (<SessionToken>…</SessionToken>). The Vault tokens of
// before 1.10 have one letter before the dot, and are told by the word vault with token or login.

// awsSecret handles a place that says that an AWS secret key stands near: it looks
// for forty characters of its alphabet, which are no commit id, within reach.
func (d *Detector) awsSecret(pos, before, behind int) {
	const length = 40
	text := d.text
	high := min(len(text), pos+behind)
	i := max(0, pos-before, d.awsAt)
	for i+length <= high {
		if !is(text[i], b64) {
			i++
			continue
		}
		start := runBack(text, i, max(0, i-length-1), b64)
		end := run(text[:min(len(text), start+length+1)], start, b64)
		i = max(end, i+1)
		if end-start != length || start > 0 && is(text[start-1], dash|underscore) || end < len(text) && is(text[end], dash|underscore) {
			continue
		}
		if u := union(text[start:end]); u&upper != 0 && u&lower != 0 && u&digit != 0 {
			d.add(start, end, AWS)
		}
	}
	d.awsAt = max(d.awsAt, i)
}

// awsContext handles the word "secret" at pos if it belongs to the name of an AWS
// secret key.
func (d *Detector) awsContext(pos int) {
	const reach = 24
	text := d.text
	i := pos + len("secret")
	if i >= len(text) || !is(text[i], alnum|underscore|dash|dot|blank) {
		return
	}
	if isSecretAccessKey(text, pos) ||
		containsFold(text[max(0, pos-reach):pos], "aws") && containsFold(text[pos:min(len(text), pos+reach)], "key") {
		d.awsSecret(pos, 0, 128)
	}
}

// isSecretAccessKey tells whether "secret access key" stands at text[i:], in one word
// or three.
func isSecretAccessKey(text []byte, i int) bool {
	for _, word := range []string{"secret", "access", "key"} {
		if !equalFold(text, i, word) {
			return false
		}
		if i += len(word); i < len(text) && is(text[i], blank|dash|underscore|dot) {
			i++
		}
	}
	return true
}

// sessionToken handles the word "token" at pos if it belongs to the name of an AWS
// session token.
func (d *Detector) sessionToken(pos int) {
	const most, least = 16, 100 // bytes between name and token, bytes of a token
	text := d.text
	session := pos - len("session")
	if pos > 0 && is(text[pos-1], blank|dash|underscore) {
		session--
	}
	if !equalFold(text, session, "session") {
		return
	}
	i := pos + len("token")
	for high := min(len(text), i+most); i < high && !is(text[i], b64); {
		i++
	}
	if i >= len(text) {
		return
	}
	end := max(i, d.run(i, b64|b64u).end)
	if end-i >= least && i >= d.awsAt {
		d.awsAt = end
		d.add(i, run(text, end, equals), AWS)
	}
}

// vaultToken handles the word "token" at pos if the word vault stands before it.
func (d *Detector) vaultToken(pos int) {
	const reach = 24
	if containsFold(d.text[max(0, pos-reach):pos], "vault") {
		d.oldVault(pos)
	}
}

// oldVault handles a place that says that a Vault token of before 1.10 may stand
// behind it on the line.
func (d *Detector) oldVault(pos int) {
	const reach, least = 128, 24
	text := d.text
	high := min(len(text), pos+reach)
	for i := max(pos, d.vaultAt); i+1 < high && text[i] != '\n'; i++ {
		d.vaultAt = i + 1
		if text[i+1] != '.' || text[i] != 's' && text[i] != 'b' && text[i] != 'r' || !startsToken(text, i) {
			continue
		}
		end := run(text, i+2, alnum)
		d.spend(end - i)
		u := union(text[i+2 : end])
		if end-i-2 >= least && u&lower != 0 && u&(upper|digit) != 0 && (end == len(text) || text[end] != '(') {
			d.add(i, run(text, end, b64u), Vault)
		}
	}
}
