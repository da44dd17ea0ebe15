package safety

import (
	"snapline/pkg/safety/prefilter"
	"snapline/pkg/safety/secret"
)

// The tables are made of the rules first, then what follows from them: the placements of the
// patterns, and the version.
//go:generate go run ./rules/generate .
//go:generate go run ./rules/settle .

// Patterns gives the patterns of the rules without registered credentials: what places are
// chosen for when the tables are generated.
func Patterns() []prefilter.Pattern {
	patterns, _ := allPatterns(secret.New(nil))
	return patterns
}
