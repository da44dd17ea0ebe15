package unicodesafety

// invalidLength gives the length of the maximal invalid subpart at the start of b,
// which must not start with a valid character: the longest prefix of a well-formed
// sequence, or else one byte (AMB-05).
func invalidLength(b []byte) int {
	low, high, need := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c == 0xE0:
		low, need = 0xA0, 2
	case c == 0xED:
		high, need = 0x9F, 2
	case c >= 0xE1 && c <= 0xEF:
		need = 2
	case c == 0xF0:
		low, need = 0x90, 3
	case c == 0xF4:
		high, need = 0x8F, 3
	case c >= 0xF1 && c <= 0xF3:
		need = 3
	}
	n := 1
	for n <= need && n < len(b) && low <= b[n] && b[n] <= high {
		low, high = 0x80, 0xBF
		n++
	}
	return n
}
