package contract

// Program and ProgramVersion identify this implementation in the stage chain and in
// receipts.
const (
	Program        = "snapline"
	ProgramVersion = "0.1.0"
)

// Self is the chain entry that a stage of this program appends.
func Self(stage string) Stage {
	return Stage{Stage: stage, Program: Program, Version: ProgramVersion}
}
