package secret

// wordKind is what a word of a name says of the value.
type wordKind int

const (
	otherWord wordKind = iota
	secretWord
	keyWord      // secret together with a companion
	keyCompanion // of keyWord
)

// kindOf tells the kind of a word in small letters.
func kindOf(w []byte) wordKind {
	switch string(w) {
	case "password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "credentials", "auth", "apikey",
		"authtoken", "accesstoken", "refreshtoken", "apitoken",
		"secretkey", "privatekey", "accesskey", "clientsecret", "apisecret":
		return secretWord
	case "key":
		return keyWord
	case "api", "access", "private", "signing", "encryption", "account", "master":
		return keyCompanion
	}
	if endsIn(w, "password") || endsIn(w, "passwd") || endsIn(w, "passphrase") || endsIn(w, "token") || endsIn(w, "secret") || gluedPasses.has(w) {
		return secretWord
	}
	return otherWord
}

// isPass tells whether a name is the word pass alone, which is one before = only.
func isPass(name []byte) bool { return len(name) == len("pass") && equalFold(name, 0, "pass") }

// secretName tells whether one of the words of a name, cut at _, -, . and changes of
// case, makes its value secret.
func secretName(name []byte) bool {
	var word [24]byte
	key, companion, words := false, false, 0
	for i := 0; i < len(name); {
		if !is(name[i], alnum) {
			i++
			continue
		}
		j := wordEnd(name, i)
		n := 0
		for _, c := range name[i:j] {
			if n < len(word) {
				word[n] = c | 0x20
				if is(c, digit) {
					word[n] = c
				}
			}
			n++
		}
		w := word[:min(n, len(word))]
		i = j
		if n > len(word) {
			continue
		}
		if k := len(w) - 1; is(w[k], digit) {
			for k > 0 && is(w[k-1], digit) {
				k--
			}
			if string(w[:k]) != "auth" {
				w = w[:k]
			}
		}
		switch kindOf(w) {
		case secretWord:
			return true
		case keyWord:
			key = true
		case keyCompanion:
			companion = true
		case otherWord:
			if string(w) == "pass" && words > 0 && i == len(name) {
				return true
			}
		}
		words++
	}
	return key && companion
}

// A nameKind tells what a name says of its value.
type nameKind struct {
	last, before folded // the last word and the one before it, in small letters
	first        folded
	auth         bool // auth is the only secret word
}

// describe reads the words of a name.
func describe(name []byte) (k nameKind) {
	k.auth = true
	for i := 0; i < len(name); {
		if !is(name[i], alnum) {
			i++
			continue
		}
		j := wordEnd(name, i)
		end := runBack(name, j, i+1, digit)
		k.before, k.last = k.last, fold(name[i:end])
		if k.first.n == 0 {
			k.first = k.last
		}
		w := string(k.last.text[:k.last.n])
		switch kind := kindOf([]byte(w)); {
		case kind == keyWord, kind == secretWord && w != "auth", w == "pass":
			k.auth = false
		}
		i = j
	}
	return k
}

// thing tells whether the name is of a thing that is no secret itself.
func (k *nameKind) thing() bool {
	last := k.last.word()
	if thingWords.has([]byte(last)) || len(last) > 1 && last[len(last)-1] == 's' && thingWords.has([]byte(last[:len(last)-1])) {
		return true
	}
	switch last {
	case "key":
		return k.before.word() == "password" || k.before.word() == "token" || k.before.word() == "public"
	case "token":
		return k.before.in(countedWords)
	}
	return k.first.word() == "hashed"
}

// isText tells whether the name is of a text that people read.
func (k *nameKind) isText() bool {
	last := k.last.word()
	return k.first.in(textStarts) || textEnds.has([]byte(last)) && (last != "text" || k.before.word() != "secret") ||
		k.first.word() == "must" && containsFold(k.before.text[:k.before.n], "change")
}

// nameFacts is what the rest of a secret name says.
type nameFacts struct {
	thing, text bool
	auth        bool // auth is the only secret word
	secretID    bool // the last words are secret and id
	header      bool // the last word is header
}

// facts gives the facts of a name. The same names come over and over: the last one is kept.
func (d *Detector) facts(name []byte) nameFacts {
	if len(name) > 0 && string(d.factsName[:d.factsLength]) == string(name) {
		return d.factsOf
	}
	k := describe(name)
	last := k.last.word()
	f := nameFacts{
		thing: k.thing(), text: k.isText(), auth: k.auth,
		secretID: last == "id" && k.before.word() == "secret", header: last == "header",
	}
	if len(name) <= len(d.factsName) {
		d.factsOf, d.factsLength = f, copy(d.factsName[:], name)
	}
	return f
}

// holdsSecret tells whether the value of a secret name is one, by the rest of the name.
func holdsSecret(name []byte) bool {
	k := describe(name)
	return !k.thing() && !k.isText()
}

// secretPlural tells whether the name is of several secrets, of which a list holds the values.
func secretPlural(name []byte) bool {
	i := lastWord(name)
	last := fold(name[i:])
	w := last.word()
	if len(w) < 2 || w[len(w)-1] != 's' {
		return false
	}
	w = w[:len(w)-1]
	if first := fold(name[:wordEnd(name, 0)]); i > 0 && first.in(countedWords) {
		return false
	}
	if w != "key" {
		return w != "auth" && kindOf([]byte(w)) == secretWord
	}
	return secretName(name[:len(name)-1])
}

// wordEnd gives the end of the word that starts at name[i]: before a capital behind a
// small letter, and before the last capital of a run that a small letter follows.
func wordEnd(name []byte, i int) int {
	j := i + 1
	for j < len(name) && is(name[j], alnum) {
		switch {
		case is(name[j], upper) && is(name[j-1], lower|digit):
			return j
		case is(name[j], lower) && is(name[j-1], upper) && j-1 > i:
			return j - 1
		}
		j++
	}
	return j
}

// endsSecret tells whether a secret name says with its last word what its value is: a
// token is, token_types are not.
func endsSecret(name []byte) bool {
	i := lastWord(name)
	return secretName(name[i:]) || equalFold(name, i, "key") && run(name, i+len("key"), digit) == len(name)
}

// hasWord tells whether one of the words of a name is in words.
func hasWord(name []byte, words wordList) bool {
	for k := 0; k < len(name); {
		if !is(name[k], alnum) {
			k++
			continue
		}
		end := wordEnd(name, k)
		if w := fold(name[k:end]); w.in(words) {
			return true
		}
		k = end
	}
	return false
}

// lastWord gives the start of the last word of a name.
func lastWord(name []byte) int {
	last := len(name)
	for k := 0; k < len(name); {
		if !is(name[k], alnum) {
			k++
			continue
		}
		last, k = k, wordEnd(name, k)
	}
	return last
}

func endsIn(w []byte, s string) bool { return hasAt(w, len(w)-len(s), s) }
