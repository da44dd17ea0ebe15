package tree

import (
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"snapline/pkg/requirement"
)

func TestTimestamp(t *testing.T) {
	requirement.Claim(t, "CAN-02", "AMB-36")
	const refused = ""
	for in, want := range map[string]string{
		"2026-09-08T12:15:30+02:00":            "2026-09-08T10:15:30.000000000Z",
		"2026-09-08T10:15:30Z":                 "2026-09-08T10:15:30.000000000Z",
		"2026-09-08t10:15:30z":                 "2026-09-08T10:15:30.000000000Z",
		"2026-09-08T10:15:30.5Z":               "2026-09-08T10:15:30.500000000Z",
		"2026-09-08T10:15:30.123456789Z":       "2026-09-08T10:15:30.123456789Z",
		"2026-09-08T10:15:30.1234567890Z":      "2026-09-08T10:15:30.123456789Z",
		"2026-09-08T10:15:30.123456789000000Z": "2026-09-08T10:15:30.123456789Z",
		"2026-09-08T10:15:30.1234567891Z":      refused,
		"2026-09-08T10:15:30.0000000001Z":      refused,
		"2026-09-08T10:15:30.Z":                refused,
		"2026-09-08T10:15:30,5Z":               refused,
		"2026-09-08T23:30:00-05:30":            "2026-09-09T05:00:00.000000000Z",
		"2026-01-01T00:00:00+00:01":            "2025-12-31T23:59:00.000000000Z",
		"2026-09-08T10:15:30-00:00":            "2026-09-08T10:15:30.000000000Z",
		"2026-09-08T10:15:30+23:59":            "2026-09-07T10:16:30.000000000Z",
		"2026-09-08T10:15:30+24:00":            refused,
		"2026-09-08T10:15:30+01:60":            refused,
		"2026-09-08T10:15:30+0200":             refused,
		"2026-09-08T10:15:30":                  refused,
		"2026-09-08":                           refused,
		"2026-09-08 10:15:30Z":                 refused,
		"2026-02-29T00:00:00Z":                 refused,
		"2024-02-29T00:00:00Z":                 "2024-02-29T00:00:00.000000000Z",
		"2026-02-30T00:00:00Z":                 refused,
		"2026-13-01T00:00:00Z":                 refused,
		"2026-00-01T00:00:00Z":                 refused,
		"2026-09-00T00:00:00Z":                 refused,
		"2026-09-08T24:00:00Z":                 refused,
		"2026-09-08T10:60:00Z":                 refused,
		"2016-12-31T23:59:60Z":                 refused, // a true leap second
		"2026-09-08T10:15:60Z":                 refused,
		"9999-12-31T23:59:59.999999999Z":       "9999-12-31T23:59:59.999999999Z",
		"9999-12-31T23:59:59-00:01":            refused,
		"10000-01-01T00:00:00Z":                refused,
		"0000-01-01T00:00:00Z":                 "0000-01-01T00:00:00.000000000Z",
		"0000-01-01T00:00:00+00:01":            refused,
		"-001-01-01T00:00:00Z":                 refused,
		"":                                     refused,
		"2026-09-08T10:15:30Z\n":               refused,
		" 2026-09-08T10:15:30Z":                refused,
		"2026-9-8T10:15:30Z":                   refused,
		"\u0662026-09-08T10:15:30Z":            refused,
	} {
		got, err := Timestamp(in)
		if got != want || (err == nil) != (want != refused) {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
		if err == nil && !ValidTimestamp(got) {
			t.Errorf("%q: the result %q is not canonical", in, got)
		}
		if again, err := Timestamp(want); want != refused && (err != nil || again != want) {
			t.Errorf("%q does not stay itself: %q, %v", want, again, err)
		}
	}
}

func TestValidTimestamp(t *testing.T) {
	requirement.Claim(t, "CAN-02")
	for s, want := range map[string]bool{
		"2026-09-08T10:15:30.000000000Z":  true,
		"2024-02-29T23:59:59.999999999Z":  true,
		"2000-02-29T00:00:00.000000000Z":  true,
		"1900-02-29T00:00:00.000000000Z":  false,
		"2026-02-29T00:00:00.000000000Z":  false,
		"2026-04-31T00:00:00.000000000Z":  false,
		"2026-09-08T10:15:30.00000000Z":   false,
		"2026-09-08T10:15:30.0000000000Z": false,
		"2026-09-08T10:15:30Z":            false,
		"2026-09-08t10:15:30.000000000Z":  false,
		"2026-09-08T10:15:30.000000000z":  false,
		"2026-09-08T10:15:30,000000000Z":  false,
		"2026-09-08T10:15:30.000000000+0": false,
		"2026-09-08T24:00:00.000000000Z":  false,
		"2026-09-08T10:15:60.000000000Z":  false,
		"2026-09-08T10:15:30.00000000aZ":  false,
		"":                                false,
	} {
		if got := ValidTimestamp(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

// TestValidTimestampAgreesWithTime holds the check against pattern and standard
// library on every date there could be, and on random characters. The library alone
// would take a sign in the fraction.
func TestValidTimestampAgreesWithTime(t *testing.T) {
	pattern := regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{9}Z$`)
	judge := func(s string) {
		_, err := time.Parse("2006-01-02T15:04:05.000000000Z", s)
		if ValidTimestamp(s) != (err == nil && pattern.MatchString(s)) {
			t.Errorf("%q: %v, the library says %v", s, ValidTimestamp(s), err)
		}
	}
	two := func(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	for _, year := range []string{"0000", "1900", "2000", "2023", "2024", "2100", "9999"} {
		for month := range 15 {
			for day := range 35 {
				judge(year + "-" + two(month) + "-" + two(day) + "T10:15:30.000000000Z")
			}
		}
	}
	for n := range 100 {
		judge("2026-09-08T" + two(n) + ":15:30.000000000Z")
		judge("2026-09-08T10:" + two(n) + ":30.000000000Z")
		judge("2026-09-08T10:15:" + two(n) + ".000000000Z")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		b := []byte("2026-09-08T10:15:30.000000000Z")
		b[r.IntN(len(b))] = "0123456789-:TZ. +a"[r.IntN(18)]
		judge(string(b))
	}
}

func TestOrderKey(t *testing.T) {
	requirement.Claim(t, "REC-08", "REC-09")
	if got, want := OrderKey("2026-09-08T10:15:30.000000001Z"), "20260908T101530000000001Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// The entity's reserved key comes before every other one.
	if first := OrderKey("0000-01-01T00:00:00.000000000Z"); EntityOrderKey >= first {
		t.Errorf("%s does not come before %s", EntityOrderKey, first)
	}
	if len(EntityOrderKey) != len(OrderKey("2026-09-08T10:15:30.000000001Z")) {
		t.Error("order keys of two lengths")
	}
}
