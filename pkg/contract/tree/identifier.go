package tree

import (
	"strings"

	"snapline/pkg/contract/pattern"

	"snapline/pkg/contract"
)

// Patterns of structural strings. MustCompile at start is the promise of STR-08:
// a pattern that does not compile stops the program.
var (
	findingCode    = pattern.New(`^[a-z][a-z0-9._-]*$`)
	repositoryPath = pattern.New(`^[A-Za-z0-9._/~!$&()+,;=:@#\[\]{} -]+$`)
	twoSegments    = pattern.New(`^[a-z0-9_.-]+/[a-z0-9_.-]+$`)
	hostPattern    = pattern.New(`^[a-z0-9.-]+(:([1-9]|[1-9][0-9]{1,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$`)
	webURL         = pattern.New(`^https://([a-z0-9.-]+(?::[0-9]+)?)/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*(?:#[A-Za-z0-9_-]+)?$`)
	label          = pattern.New(`^[A-Za-z0-9._:/@+-]{1,128}$`)
	dnsLabel       = pattern.New(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
)

// ValidID reports whether id is a structural identifier that fits the forge's own
// pattern for objects of the kind: GitHub node ids (ID-06), GitLab and Forgejo
// numbers (ID-07), GitLab discussion ids for threads (ID-08), all of them within
// structural_id (ID-09).
func ValidID(f contract.Forge, kind contract.Kind, id string) bool {
	known, ok := forges[f]
	if kind == contract.KindThread {
		return ok && known.thread(id)
	}
	return ok && known.id(id)
}

// alphanumeric reports ^[A-Za-z0-9][A-Za-z0-9 and more]*$.
func alphanumeric(s, more string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || strings.IndexByte(more, c) < 0) {
			return false
		}
	}
	return s != ""
}

// numeric reports ^[1-9][0-9]*$.
func numeric(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && s[0] != '0'
}

// ValidStructuralID reports whether id is a structural identifier of any forge
// (ID-09).
func ValidStructuralID(id string) bool { return alphanumeric(id, "._:=-") }

// ValidActorID reports whether id fits the forge's pattern for accounts.
func ValidActorID(f contract.Forge, id string) bool {
	return ValidID(f, "actor", id)
}

// ValidRunID reports whether id fits the forge's pattern for agent-run receipts.
func ValidRunID(f contract.Forge, id string) bool {
	return ValidID(f, "run", id)
}

// ValidDigest reports whether s is 64 lowercase hexadecimal digits.
func ValidDigest(s string) bool { return len(s) == 64 && lowerHex(s) }

// ValidGitOID reports whether s is a Git object id in lowercase (CAN-03).
func ValidGitOID(s string) bool { return (len(s) == 40 || len(s) == 64) && lowerHex(s) }

func lowerHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// ValidFindingCode reports whether s is a finding code (FLT-05).
func ValidFindingCode(s string) bool { return findingCode.MatchString(s) }

// ValidPath reports whether s is a repository_path: the printable allow-list, no
// leading or trailing slash, no empty, "." or ".." segment (STR-04, STR-05).
func ValidPath(s string) bool {
	if !repositoryPath.MatchString(s) {
		return false
	}
	for _, segment := range strings.Split(s, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// ValidHost reports whether s is a lowercase DNS name with a port exactly when it
// is not 443 (SRC-02, SRC-03).
func ValidHost(s string) bool {
	if !hostPattern.MatchString(s) || strings.HasSuffix(s, ":443") {
		return false
	}
	name, _, _ := strings.Cut(s, ":")
	if len(name) > 253 {
		return false
	}
	for _, label := range strings.Split(name, ".") {
		if len(label) > 63 || !dnsLabel.MatchString(label) {
			return false
		}
	}
	return true
}

// ValidRepository reports whether s is the forge's canonical spelling of a
// repository (SRC-04 to SRC-06).
func ValidRepository(f contract.Forge, s string) bool {
	if !ValidPath(s) || !strings.Contains(s, "/") {
		return false
	}
	if forges[f].groups {
		return true
	}
	return twoSegments.MatchString(s)
}

// ValidSource reports whether every member of s has its form (SRC rows, ABT-07).
func ValidSource(s contract.Source) bool {
	_, known := forges[s.Forge]
	return known && ValidHost(s.Host) && ValidID(s.Forge, contract.KindEntity, s.RepositoryID) &&
		ValidRepository(s.Forge, s.Repository)
}

// maxURL is the length of a web address in bytes.
const maxURL = 2048

// ValidURL reports whether s is a web address of an object: https, a host that is one of
// a source, no userinfo, no query, at most 2,048 bytes of ASCII, at most a plain fragment.
func ValidURL(s string) bool {
	if len(s) > maxURL {
		return false
	}
	parts := webURL.FindStringSubmatch(s)
	return parts != nil && ValidHost(parts[1])
}

// URLOn reports whether a valid web address lies on the host and port.
func URLOn(host, s string) bool { return strings.HasPrefix(s, "https://"+host+"/") }

// ValidLabel reports whether s can name a profile or a request in an acquisition.
func ValidLabel(s string) bool { return label.MatchString(s) }
