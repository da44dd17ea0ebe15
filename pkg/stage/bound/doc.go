// Package bound turns a filtered stream into one within the limits of its profile:
// it selects records, cuts bodies, logs and display strings, scans again exactly what
// it cut, removes references to what is gone, and counts everything that is missing.
//
// In comes a stream that filter wrote, nothing else; out goes the same stream with
// fewer and shorter lines. What holds of the output:
//
//   - each included source has at most max_records_per_source objects, its oldest or
//     newest; an object that is rejected keeps its place (COL-09, AMB-02);
//   - no text exceeds its bound or ends inside a code point (BND-02 to BND-04), and
//     no cut text is unsafe by itself (INJ-04, DSP-03);
//   - every key names a line of the stream that has its text (THR-08, AMB-17, AMB-19);
//   - all gap lines stand before the trailer, one for each scope and code, sorted.
//
// What decided admission (editors, publishers, registered bot roles) has no place in a
// bounded stream; the writer leaves it out.
//
// The window of retained objects is held, with bodies already cut, and one log at a
// time; neither the number nor the size of logs matters.
//
// bound is pure: the output depends on the input alone.
package bound
