// Package stream frames the stream snapline/1, which docs/stream.md describes: lines
// come in as bytes, plain or compressed, and go out as the types of pkg/contract, or the
// other way.
//
// A Reader hands out a line only if it and all lines before it keep the rules: JSON
// without duplicates or lone surrogates, the members of the line's table, order,
// uniqueness, references, and at last the digests of the trailer. Every rule has one
// name (rule.go). Large strings are copied between escapes, never decoded by a
// library, and unchanged text keeps its spelling on the way through.
package stream
