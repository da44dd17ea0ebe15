// Package canonicaljson gives RFC 8785 bytes; no other package writes a JSON
// document (CAN-01).
package canonicaljson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// NotCanonicalError reports I-JSON whose bytes are not the RFC 8785 form.
type NotCanonicalError struct {
	Offset int // of the first byte that differs, from 0; the length where the text ends too early
}

// Error implements error.
func (e *NotCanonicalError) Error() string {
	return fmt.Sprintf("not in RFC 8785 form from byte %d on", e.Offset)
}

var (
	errInvalidUTF8 = errors.New("canonical JSON: a string is not valid UTF-8")
	errInteger     = errors.New("canonical JSON: an integer is beyond 2^53-1")
)

// Marshal gives the canonical bytes of v: no byte-order mark, no final line feed.
// Strings in v must be valid UTF-8 and integers within ±(2^53-1) (AMB-51); anything
// else is an error, never replaced or rounded.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	if hasReplacementEscape(b.Bytes()) {
		return nil, errInvalidUTF8
	}
	if !exactIntegers(b.Bytes()) {
		return nil, errInteger
	}
	return Transform(b.Bytes())
}

// exactIntegers reports whether every integer of encoded JSON is one that a double
// holds exactly, with its neighbours.
func exactIntegers(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case c == '-' || c >= '0' && c <= '9':
			start := i
			for i < len(b) && bytes.IndexByte([]byte("+-.0123456789Ee"), b[i]) >= 0 {
				i++
			}
			number := string(b[start:i])
			i--
			if strings.ContainsAny(number, ".eE") {
				continue
			}
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil || n >= 1<<53 || n <= -(1<<53) {
				return false
			}
		}
	}
	return true
}

// hasReplacementEscape reports whether encoded JSON has the escape of U+FFFD.
// encoding/json writes the character itself as it is and uses the escape only in
// place of invalid bytes.
func hasReplacementEscape(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(b[i:], []byte(`\ufffd`)) {
			return true
		}
		i++ // the escaped character
	}
	return false
}

// Transform gives the canonical bytes of an I-JSON text.
func Transform(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errors.New("canonical JSON: empty text")
	}
	out, err := jcs.Transform(b)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: not I-JSON: %w", err)
	}
	return out, nil
}

// Check reports whether b is canonical: nil, a *NotCanonicalError, or why it is not
// I-JSON at all.
func Check(b []byte) error {
	out, err := Transform(b)
	if err != nil {
		return err
	}
	for i := range min(len(out), len(b)) {
		if out[i] != b[i] {
			return &NotCanonicalError{i}
		}
	}
	if len(out) != len(b) {
		return &NotCanonicalError{min(len(out), len(b))}
	}
	return nil
}

// String gives s as a canonical JSON string, as record headers need it (REC-02).
func String(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", errInvalidUTF8
	}
	b, err := Marshal(s)
	return string(b), err
}
