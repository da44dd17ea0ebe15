package contract

// Program identifies this implementation in the stage chain and in receipts.
const Program = "snapline"

// ProgramVersion and ReleaseDate are those of CHANGELOG.md; a release build sets them
// with the linker, the same in all five programs.
var (
	ProgramVersion = "0.1.0"
	ReleaseDate    = "2026-12-01"
)

// Self is the chain entry that a stage of this program appends.
func Self(stage string) Stage {
	return Stage{Stage: stage, Program: Program, Version: ProgramVersion}
}
