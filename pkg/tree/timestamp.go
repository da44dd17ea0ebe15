package tree

import (
	"errors"
	"regexp"
	"strings"
	"time"
)

// ErrTimestamp is the reason of every refused timestamp.
var ErrTimestamp = errors.New("not a representable RFC 3339 timestamp")

const canonicalLayout = "2006-01-02T15:04:05.000000000Z"

var rfc3339 = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.]([0-9]+))?([Zz]|[+-][0-9]{2}:[0-9]{2})$`)

// Timestamp normalizes an RFC 3339 timestamp to UTC with exactly nine fraction
// digits (CAN-02). Digits beyond nine are cut only if they are zeros; leap seconds
// and years beyond 9999 are refused, never rounded (AMB-36).
func Timestamp(s string) (string, error) {
	m := rfc3339.FindStringSubmatch(s)
	if m == nil {
		return "", ErrTimestamp
	}
	fraction := m[2]
	if len(fraction) > 9 {
		if strings.Trim(fraction[9:], "0") != "" {
			return "", ErrTimestamp
		}
		fraction = fraction[:9]
	}
	if offset := m[3]; len(offset) == 6 && (offset[1:3] > "23" || offset[4:] > "59") {
		return "", ErrTimestamp
	}
	t, err := time.Parse(time.RFC3339, strings.ToUpper(m[1]+m[3]))
	if err != nil {
		return "", ErrTimestamp
	}
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return "", ErrTimestamp
	}
	return t.Format("2006-01-02T15:04:05.") + fraction + strings.Repeat("0", 9-len(fraction)) + "Z", nil
}

// ValidTimestamp reports whether s is a timestamp in canonical form (CAN-02).
func ValidTimestamp(s string) bool {
	if !timestampPattern.MatchString(s) {
		return false
	}
	_, err := time.Parse(canonicalLayout, s)
	return err == nil
}

// EntityOrderKey is the reserved order key of the entity body (REC-09).
const EntityOrderKey = "00000000T000000000000000Z"

// OrderKey turns a canonical timestamp into an order key, YYYYMMDDTHHMMSSnnnnnnnnnZ
// (REC-08).
func OrderKey(timestamp string) string {
	return strings.NewReplacer("-", "", ":", "", ".", "").Replace(timestamp)
}
