package injection

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// maxWord is the length of the longest word of the vocabulary, in bytes.
const maxWord = 18

// A wordTable finds the words of the vocabulary by their bytes, whatever the case of
// their ASCII letters: most words of a text are looked up, and few are in it.
type wordTable struct {
	slots [wordSlots]wid // an open hash table
	keys  []wordKey      // by number
}

// wordSlots is a power of two, several times as large as the vocabulary.
const wordSlots = 1 << 12

// wordKey is a word in lower case, zeros behind it.
type wordKey [3]uint64

// find is the number of the word, 0 if there is none. A typographic apostrophe counts
// as a plain one.
func (t *wordTable) find(word []byte) wid {
	key, ok := keyOf(word)
	if !ok {
		if bytes.IndexByte(word, 0xE2) < 0 {
			return 0
		}
		if key, ok = keyOf([]byte(strings.ReplaceAll(string(word), "’", "'"))); !ok {
			return 0
		}
	}
	for slot := key.slot(); t.slots[slot] != wNone; slot = (slot + 1) % wordSlots {
		if id := t.slots[slot]; t.keys[id] == key {
			return id
		}
	}
	return wNone
}

// keyOf is false for a word beyond ASCII or longer than any of the vocabulary. The
// bit that it sets makes letters small and is set in digits and in the apostrophe.
func keyOf(word []byte) (key wordKey, ok bool) {
	if len(word) > maxWord {
		return key, false
	}
	if len(word) <= 8 && cap(word) >= 8 {
		// Most words are short. What stands behind the word is masked.
		mask := lowBytes(len(word))
		key[0] = binary.LittleEndian.Uint64(word[:8])&mask | small&mask
		return key, key[0]&high == 0
	}
	var b [8 * len(key)]byte
	copy(b[:], word)
	for k := range key {
		key[k] = binary.LittleEndian.Uint64(b[8*k:]) | small&lowBytes(len(word)-8*k)
	}
	return key, (key[0]|key[1]|key[2])&high == 0
}

const small, high = 0x2020202020202020, 0x8080808080808080

// lowBytes masks the first n bytes of a word, none if n is negative.
func lowBytes(n int) uint64 {
	if n <= 0 {
		return 0
	}
	return ^uint64(0) >> (8 * max(0, 8-n))
}

func (k *wordKey) slot() uint64 {
	h := k[0]*0x9E3779B97F4A7C15 + k[1]*0xC2B2AE3D27D4EB4F + k[2]*0x165667B19E3779F9
	return (h ^ h>>31) * 0x9E3779B97F4A7C15 >> 52
}

func letters(a, b byte) int { return int(a&31)<<5 | int(b&31) }

// mayBeWord reports whether a word of that length begins and ends like this one in the
// vocabulary; it knows no more of a word beyond ASCII than that.
func mayBeWord(word []byte) bool {
	n := len(word)
	if n < 2 {
		return n == 1
	}
	return n <= maxWord && begins(word, n) && wordEnds[letters(word[0], word[n-1])]>>n&1 != 0 || bytes.IndexByte(word, 0xE2) >= 0
}

// begins reports whether a word of n bytes begins with the first two of b in the
// vocabulary.
func begins(b []byte, n int) bool { return wordLengths[letters(b[0], b[1])]>>n&1 != 0 }
