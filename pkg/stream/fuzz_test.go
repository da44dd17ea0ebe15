package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// FuzzReader: no input makes the reader panic; it accepts exactly what the slow
// reference accepts; what it accepts survives being written and read again. The
// input is tried as it is and with a trailer that fits its lines, which no mutation
// would find by chance.
func FuzzReader(f *testing.F) {
	for pos := 1; pos <= 3; pos++ {
		f.Add([]byte(base(f, pos).body()), uint8(pos))
		f.Add([]byte(documents(f, pos).body()), uint8(pos))
	}
	for _, v := range acceptedVectors() {
		data := v.data(f)
		if len(data) < 16<<10 {
			f.Add([]byte(data), uint8(0))
		}
	}
	for i, v := range vectors() {
		data := v.data
		if i%4 != 0 || v.see == inJSON && strings.HasPrefix(v.rule, "stream.compression") || v.rule == RuleExpansion {
			continue
		}
		if raw := data(f); len(raw) < 16<<10 {
			f.Add([]byte(raw), uint8(0))
		}
	}
	v := mustValidators(f)
	f.Fuzz(func(t *testing.T, data []byte, pos uint8) {
		raw := data
		if pos = pos % 4; pos > 0 {
			s := &stream{t: t, pos: int(pos), lines: strings.SplitAfter(string(data), "\n")}
			if last := len(s.lines) - 1; s.lines[last] == "" {
				s.lines = s.lines[:last]
			} else {
				s.lines[last] += "\n"
			}
			raw = []byte(s.seal())
		}
		r := NewReader(iotest.HalfReader(bytes.NewReader(raw)), ReaderOptions{Name: "stdin"})
		_, _, err := readAll(r)
		var stopped *AbortError
		got := err == nil || errors.As(err, &stopped)
		if !got {
			if f := faultOf(t, err); f.Rule == "" || f.File == "" {
				t.Errorf("an error without position or rule: %v", err)
			}
		}
		if len(raw) == 0 || compressed(raw) {
			return
		}
		want := referenceAccepts(v, raw)
		if got != (want == nil) {
			t.Fatalf("reader: %v\nreference: %v\n%s", err, want, raw)
		}
		if got {
			checkSurvives(t, raw)
		}
	})
}

func compressed(raw []byte) bool {
	return bytes.HasPrefix(raw, gzipMagic) || bytes.HasPrefix(raw, zstdMagic) || len(raw) >= 4 && skippable(raw[:4])
}

// FuzzString: the codec of literals against encoding/json.
func FuzzString(f *testing.F) {
	for _, s := range []string{
		"", "a", "plain text of more than eight bytes", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é\u2028\U0001f600", "\xff", "1234567\"", "12345678\\",
		`\u00e9\ud83d\ude00`, `\ud83d`, `\ude00\ud83d`, `a\`, `\u12`, `\x`, `\/`, `\u001F`, `\u001f`, `\u000a`, "\xe2\\n\x82",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		if utf8.Valid(s) {
			literal := AppendString(nil, s)
			var back string
			if err := json.Unmarshal(literal, &back); err != nil || back != string(s) {
				t.Fatalf("%q was written as %s", s, literal)
			}
			if again := AppendString(nil, back); !bytes.Equal(again, literal) {
				t.Fatalf("as string %s, as bytes %s", again, literal)
			}
			got, rule := unquote(make([]byte, len(literal)), literal, 1)
			if rule != "" || !bytes.Equal(got.text, s) || !got.minimal || got.end != len(literal) {
				t.Fatalf("%s was read as %q, %v, %s", literal, got.text, got.minimal, rule)
			}
		}
		// The bytes as the inside of a literal.
		line := append(append([]byte{'"'}, s...), '"')
		got, rule := unquote(make([]byte, len(line)), line, 1)
		var want string
		err := json.Unmarshal(line, &want)
		legal := err == nil && utf8.Valid(line) && !loneSurrogate(line)
		if rule == "" && got.end != len(line) {
			return // the bytes have a quote of their own
		}
		if legal != (rule == "") || legal && string(got.text) != want {
			t.Fatalf("%q: read as %q, rule %q; encoding/json: %q, %v", line, got.text, rule, want, err)
		}
		if legal && got.minimal != bytes.Equal(line, AppendString(nil, want)) {
			t.Fatalf("%s: minimal is %v", line, got.minimal)
		}
	})
}
