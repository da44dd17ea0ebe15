package unicodesafety

import "unicode"

// invisible lists what is removed wherever it stands, first match wins. Everything
// of General_Category Cf that no row names is Format as well.
var invisible = []struct {
	first, last rune
	code        Code
}{
	{0x200B, 0x200D, ZeroWidth},
	{0xFEFF, 0xFEFF, ZeroWidth},
	{0x202A, 0x202E, Bidi},
	{0x2066, 0x2069, Bidi},
	{0xFE00, 0xFE0F, VariationSelector},
	{0xE0100, 0xE01EF, VariationSelector},
	{0xFFF9, 0xFFFB, Annotation},
	{0xE0000, 0xE007F, Tag},
	// Default-ignorable, not Cf, and of no use in plain text.
	{0x034F, 0x034F, Format},
	{0x115F, 0x1160, Format},
	{0x17B4, 0x17B5, Format},
	{0x180B, 0x180D, Format},
	{0x180F, 0x180F, Format},
	{0x2065, 0x2065, Format},
	{0x3164, 0x3164, Format},
	{0xFFA0, 0xFFA0, Format},
	{0xFFF0, 0xFFF8, Format},
	{0xE0080, 0xE00FF, Format},
	{0xE01F0, 0xE0FFF, Format},
}

// invisibleCode tells whether r is always removed, and its class.
func invisibleCode(r rune) (Code, bool) {
	for _, row := range invisible {
		if row.first <= r && r <= row.last {
			return row.code, true
		}
	}
	return Format, unicode.Is(unicode.Cf, r)
}
