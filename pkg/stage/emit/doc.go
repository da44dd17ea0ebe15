// Package emit writes a bounded stream as a tree of files. What the bytes are is a
// pure function of the stream: no clock, machine, path or name from outside enters a
// file (DET-01, DET-02). Publication is pkg/disk: the tree is built in a private
// place and appears by one rename after the stream's trailer has been checked.
//
// Read in this order: emit.go (the stage), check.go (what the stream must satisfy
// beyond what its reader checks), builder.go (lines to files), documents.go, views.go
// and manifest.go (the files that are written last), family.go (the two document
// families), receipt.go.
//
// Memory: the metadata of the stream and one text at a time; of a canon-state stream
// its documents, which are judged together.
package emit
