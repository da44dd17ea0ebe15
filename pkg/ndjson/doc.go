// Package ndjson frames the stream snapline/1: a strict reader, a writer, the order
// of lines, uniqueness of keys, the stage chain, the trailer with its digests,
// abort, line caps, and compressed input by magic bytes. No stage decodes JSON by
// itself.
package ndjson
