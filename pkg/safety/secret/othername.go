package secret

import "bytes"

// A value may be a name itself: that of an object or of a package, or the one before it.

// isObjectName tells whether v is the name of an object that holds the secret, as Kubernetes
// has them: secretName, credentials_name, secretRef, existingSecret, passwordKey.
func isObjectName(v, name []byte) bool {
	k := lastWord(name)
	before := name[:k]
	last, other := fold(name[k:]), fold(trimWord(before))
	object := false
	switch string(last.text[:last.n]) {
	case "name", "ref":
		object = true
	case "secret":
		object = string(other.text[:other.n]) == "existing" || string(other.text[:other.n]) == "credentials"
	case "key":
		object = string(other.text[:other.n]) == "password"
	}
	if last.word() == "secret" && other.word() == "from" {
		return isWordList(v, dash|dot|underscore)
	}
	return object && isWordList(v, dash|dot)
}

// trimWord gives the last word of a part of a name, without the mark behind it.
func trimWord(name []byte) []byte {
	name = bytes.TrimRight(name, "_-.")
	return name[lastWord(name):]
}

// isWordList tells whether v is words of small letters, numbers, and short words with both,
// with marks of a set between them: postgres-admin-x7k2p, 1.50.2.
func isWordList(v []byte, marks charset) bool {
	const longest, mixed = 20, 6
	if !is(v[0], lower) {
		return false
	}
	for i := 0; i < len(v); i++ {
		k := run(v, i, lower|digit)
		if u := union(v[i:k]); k == i || k-i > longest || u == lower|digit && k-i > mixed || k < len(v) && !is(v[k], marks) && v[k] != ':' {
			return false
		}
		i = k
	}
	return is(v[len(v)-1], alnum)
}

// isOwnName tells whether v are the words of the name, of which there are several, and which
// is spelt alike if it is one of a password: "refresh_token": "refreshToken".
func isOwnName(v, name []byte) bool {
	name = name[bytes.LastIndexByte(name, '.')+1:]
	if isPasswordName(name[lastWord(name):]) && !bytes.Equal(v, name) {
		return false
	}
	words := 0
	for len(v) > 0 && len(name) > 0 {
		if !is(name[0], alnum) {
			name = name[1:]
			continue
		}
		if !is(v[0], alnum) {
			v = v[1:]
			continue
		}
		k := wordEnd(name, 0)
		if k > len(v) || !bytes.EqualFold(v[:k], name[:k]) || wordEnd(v, 0) != k {
			return false
		}
		v, name = v[k:], name[k:]
		words++
	}
	return words > 1 && len(v) == 0 && len(name) == 0
}

// isModule tells whether NAME:value is no pair but one name: that of a module and what it
// holds (app.auth:create_app), or the coordinates of a package (io.grpc:grpc-auth:1.50.2).
func (n *nameAt) isModule(text []byte, to int) bool {
	v := text[n.value:to]
	if n.quote != 0 || n.value != n.end+1 || len(v) > maxMixed || !isWordList(v, dash|dot|underscore) {
		return false
	}
	name := text[n.start:n.end]
	if n.start > 0 && text[n.start-1] == ':' {
		_, version, _ := bytes.Cut(v, []byte(":")) // behind the kind of the package
		k := run(version, 0, digit)
		return k > 0 && hasAt(version, k, ".")
	}
	last := name[lastWord(name):]
	return bytes.IndexByte(name, '.') > 0 && (string(last) == "auth" || string(last) == "credentials")
}
