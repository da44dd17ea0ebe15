package fault

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxUntrusted = 64  // bytes of an untrusted string in a diagnostic
	maxPath      = 256 // bytes of a path or record id
	maxCause     = 256 // bytes of a cause's own text
)

// Quote makes an untrusted string printable: cut at 64 bytes, then Go-quoted
// ASCII.
func Quote(s string) string { return strconv.QuoteToASCII(cut(s, maxUntrusted)) }

// Printable gives s unquoted when it is plain printable ASCII that cannot be
// taken for a workflow command, otherwise quoted; cut at limit bytes.
func Printable(s string, limit int) string {
	s = cut(s, limit)
	plain := s != "" && !strings.Contains(s, "::") && !strings.Contains(s, "##[")
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= 0x20 && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return strconv.QuoteToASCII(s)
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "..."
}

// guard keeps a finished line from starting a workflow command.
func guard(line string) string {
	if strings.HasPrefix(line, "::") || strings.HasPrefix(line, "##[") {
		return " " + line
	}
	return line
}
