package rules

import "encoding/binary"

// key is a word as the scanner of injections looks it up: three words of eight bytes,
// little end first, zeros behind it. What makes letters small there is set in all of the
// bytes of a word.
type key [3]uint64

func keyOf(word string) (k key, ok bool) {
	if len(word) == 0 || len(word) > maxWord {
		return k, false
	}
	var b [8 * len(k)]byte
	for i := range len(word) {
		if word[i] >= 0x80 || 'A' <= word[i] && word[i] <= 'Z' {
			return k, false
		}
		b[i] = word[i] | 0x20
	}
	for i := range k {
		k[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return k, true
}

// slot is where the table of wordSlots places begins to look for it.
func (k *key) slot() uint64 {
	h := k[0]*0x9E3779B97F4A7C15 + k[1]*0xC2B2AE3D27D4EB4F + k[2]*0x165667B19E3779F9
	return (h ^ h>>31) * 0x9E3779B97F4A7C15 >> 52
}
