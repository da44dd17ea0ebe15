package unicodesafety

// class says what the cleaner does with a code point.
type class uint8

const (
	plain     class = iota // starts a segment and is its own normal form
	mark                   // a non-starter that never composes: only its order matters
	joins                  // may compose with, or move before, what precedes it
	mapped                 // starts a segment; its normal form is another text
	separator              // line separator: becomes LF, with a finding
	c1                     // C1 control
	removed                // removed+k is removed as Code k
)

// The tables of characters are made by the generator of the rules (pkg/safety/rules), from
// those of the toolchain and of x/text.

func classOf(r rune) class { return classesPages[classesIndex[r>>8]][r&0xFF] }

// combiningClass is the canonical combining class of a character.
func combiningClass(r rune) uint8 { return combiningPages[combiningIndex[r>>8]][r&0xFF] }

// replacement is the normal form of a mapped character.
func replacement(r rune) string {
	n := replacementPages[replacementIndex[r>>8]][r&0xFF]
	return replacements[replacementStarts[n]:replacementStarts[n+1]]
}

// composition is the character to which two compose.
func composition(a, b rune) (rune, bool) {
	low, high := 0, len(compositions)
	for low < high {
		k := (low + high) / 2
		if c := &compositions[k]; c.first < a || c.first == a && c.second < b {
			low = k + 1
		} else {
			high = k
		}
	}
	if low < len(compositions) && compositions[low].first == a && compositions[low].second == b {
		return compositions[low].composed, true
	}
	return 0, false
}
