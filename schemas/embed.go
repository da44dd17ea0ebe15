// Package schemas carries every JSON Schema of the project, so that nothing is ever
// read from a disk or a network at run time (CMP-03).
package schemas

import "embed"

// Files holds each family's folder: entity-context-snapshot/v1 and its siblings.
//
//go:embed */*
var Files embed.FS
