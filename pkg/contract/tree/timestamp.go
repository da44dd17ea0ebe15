package tree

import (
	"errors"
	"strings"
	"time"

	"snapline/pkg/contract/pattern"
)

// ErrTimestamp is the reason of every refused timestamp.
var ErrTimestamp = errors.New("not a representable RFC 3339 timestamp")

// canonicalForm is the one spelling of timestamps: 0 stands for a digit.
const canonicalForm = "0000-00-00T00:00:00.000000000Z"

var rfc3339 = pattern.New(`^([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.]([0-9]+))?([Zz]|[+-][0-9]{2}:[0-9]{2})$`)

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
	if len(s) != len(canonicalForm) {
		return false
	}
	for i := range len(s) {
		digit := s[i] >= '0' && s[i] <= '9'
		if canonicalForm[i] == '0' && !digit || canonicalForm[i] != '0' && s[i] != canonicalForm[i] {
			return false
		}
	}
	two := func(at int) int { return int(s[at]-'0')*10 + int(s[at+1]-'0') }
	year, month, day := two(0)*100+two(2), two(5), two(8)
	return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) &&
		two(11) < 24 && two(14) < 60 && two(17) < 60
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// EntityOrderKey is the reserved order key of the entity body (REC-09).
const EntityOrderKey = "00000000T000000000000000Z"

// OrderKey turns a canonical timestamp into an order key, YYYYMMDDTHHMMSSnnnnnnnnnZ
// (REC-08).
func OrderKey(timestamp string) string {
	return strings.NewReplacer("-", "", ":", "", ".", "").Replace(timestamp)
}
