package secret

// wordList is a sorted list of words, which are data (pkg/safety/rules/secret).
type wordList []string

// has tells whether a word is in the list, letter by letter.
func (l wordList) has(word []byte) bool {
	low, high := 0, len(l)
	for low < high {
		if k := (low + high) / 2; l[k] < string(word) {
			low = k + 1
		} else {
			high = k
		}
	}
	return low < len(l) && l[low] == string(word)
}
