// Package tree holds what the writer and the checker of a snapshot tree share:
// keys, identifier rules, timestamps, order keys, paths, roles and media types. It
// touches no file and derives no view.
package tree

import (
	"crypto/sha256"
	"encoding/hex"

	"snapline/pkg/contract"
)

// Key derives a record key or thread key: the lowercase hexadecimal SHA-256 of the
// four key fields joined by single zero bytes (KEY-01 to KEY-04). Repository names,
// numbers, logins, times and roles are no inputs (KEY-06).
func Key(s contract.Source, kind contract.Kind, id string) string {
	h := sha256.New()
	h.Write([]byte(string(s.Forge) + "://" + s.Host + "\x00" + s.RepositoryID + "\x00" + string(kind) + "\x00" + id))
	return hex.EncodeToString(h.Sum(nil))
}

// Digest gives the lowercase hexadecimal SHA-256 of b.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
