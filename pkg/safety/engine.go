package safety

import (
	"bytes"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/safety/injection"
	"snapline/pkg/safety/prefilter"
	"snapline/pkg/safety/secret"
	"snapline/pkg/safety/unicodesafety"
)

// The steps of one text (BND-01): clean, find secrets, replace them once, look for
// injections in the redacted text. One prefilter serves the last three.

const (
	// hitRoom is how many places the prefilter hands over at a time.
	hitRoom = 2048
	// glance is how much of a source is looked at before it is taken for clean.
	glance = 4 << 10
	// large is the size of a source that is not copied only to get its LF: the cleaner
	// copies it anyway if it turns out not to be clean, and memory counts.
	large = 1 << 20
	// leastLimit is how long a clean text may become however short its source is (AMB-100).
	leastLimit = 1 << 20
	// maxPasses bounds how often redacted text is looked at again. The rules are made
	// so that the second look finds nothing; text on which they go on finding
	// something has no safe representation and is rejected.
	maxPasses = 8
	// longestAnchor is no less than the length of any injection anchor.
	longestAnchor = 32
	// sparse is the number of bytes of text for each injection anchor above which the
	// scanner gets the anchors; where they stand closer it finds them itself, and
	// memory stays proportional to the text.
	sparse = 6
)

func compile(credentials []string) (*Engine, error) {
	if !unicodesafety.Consistent() {
		return nil, fault.New(fault.Environment, "safety.unicode-version",
			"the Unicode tables of the toolchain and of the normalization library differ; rebuild with matching versions")
	}
	clean := make([]string, len(credentials))
	cleaner := unicodesafety.NewCleaner()
	for i, c := range credentials {
		clean[i] = string(cleaner.Clean([]byte(c), false))
		if len(bytes.TrimSpace([]byte(c))) < minCredential || len(bytes.TrimSpace([]byte(clean[i]))) < minCredential {
			return nil, fault.New(fault.Usage, "safety.credential-length",
				"credential %d is shorter than %d bytes after trimming", i+1, minCredential)
		}
	}
	e := &Engine{rules: secret.New(clean)}
	patterns, anchor := allPatterns(e.rules)
	e.table, e.anchor = prefilter.New(patterns, placements), anchor
	e.secrets = len(e.rules.Patterns())
	return e, nil
}

// allPatterns gives the patterns of the rules and, behind them, the injection anchors
// that are none of them. anchor tells of each whether it is an injection anchor.
func allPatterns(rules *secret.Rules) (patterns []prefilter.Pattern, anchor []bool) {
	patterns = rules.Patterns()
	anchor = make([]bool, len(patterns))
	place := map[string]int{}
	for i, p := range patterns {
		place[p.String()] = i
	}
	for _, p := range injection.Anchors() {
		if i, ok := place[p.String()]; ok {
			anchor[i] = true
			continue
		}
		patterns, anchor = append(patterns, p), append(anchor, true)
	}
	return patterns, anchor
}

// minCredential is the least length in bytes of a registered credential: a shorter
// one would shred the text.
const minCredential = 8

func (w *Worker) filter(kind Kind, source []byte) (Result, error) {
	lines := kind == Body || kind == Log
	if w.cleaner == nil {
		w.cleaner = unicodesafety.NewCleaner()
		w.detector = w.engine.rules.NewDetector()
		w.room = make([]prefilter.Hit, 0, hitRoom)
	}
	w.cleaner.Explain = w.Explain
	w.cleaner.Reset()
	w.findings, w.spans, w.rewrites, w.joints = w.findings[:0], w.spans[:0], w.rewrites[:0], nil

	var text []byte
	clean := false // the source is clean text, and scanned
	if lines && (len(source) < large || source[len(source)-1] == '\n') && !unicodesafety.NeedsCleaning(source[:min(len(source), glance)]) {
		text = endWithLF(source, &w.buffers[1])
		clean = !w.scan(text, true)
	}
	w.cleaned, w.length = !clean, len(source)
	if !clean {
		var refused *Result
		if text, refused = w.clean(kind, source, lines); refused != nil {
			return *refused, nil
		}
		w.scan(text, false)
	}
	for pass := 0; ; pass++ {
		if w.detector.Exhausted() {
			return Result{}, fault.New(fault.Aborted, "safety.step-budget", "the rules have used up the step budget of one text of %d bytes", len(source))
		}
		spans := w.detector.Spans()
		if len(spans) == 0 {
			break
		}
		if pass == maxPasses {
			return w.result(contract.Rejected, nil), nil
		}
		text = w.redact(text, spans, &w.buffers[pass%2])
		w.rescan(text, spans)
	}
	anchors := w.anchors
	if w.dense {
		anchors = nil
	} else if anchors == nil {
		anchors = []int{}
	}
	w.explainInjection()
	found := w.injection.Scan(text, anchors)
	if len(found) == 0 && len(w.joints) > 0 {
		found = w.scanApart(text)
	}
	if len(found) > 0 {
		w.findings = append(w.findings, found...)
		return w.result(contract.Rejected, nil), nil
	}
	if len(w.findings) > 0 {
		return w.result(contract.Modified, text), nil
	}
	return w.result(contract.Unchanged, text), nil
}

// clean cleans a source; refused is the outcome of one that cannot be.
func (w *Worker) clean(kind Kind, source []byte, lines bool) (text []byte, refused *Result) {
	w.cleaner.Limit = max(2*len(source), leastLimit)
	text = w.cleaner.Clean(source, !lines)
	if w.cleaner.Grown() {
		r := w.oversize(len(source))
		return nil, &r
	}
	w.joints = w.cleaner.Joints
	w.noteUnicode()
	if kind == Log && (bytes.HasPrefix(source, []byte("\xff\xfe")) || bytes.HasPrefix(source, []byte("\xfe\xff")) ||
		w.cleaner.InvalidBytes()*10 > len(source)) {
		r := w.result(contract.Rejected, nil)
		return nil, &r
	}
	if lines && len(source) > 0 {
		text = append(trimLF(text), '\n') // in the memory of the cleaner
	}
	return text, nil
}

// redact replaces spans of text, in buffer, and moves what stands at places of it.
func (w *Worker) redact(text []byte, spans []secret.Span, buffer *[]byte) []byte {
	w.noteSecrets(spans)
	w.anchors = move(w.anchors, spans)
	w.joints = move(w.joints, spans)
	var r rewrite
	if w.Explain {
		r.before = slices.Clone(spans)
	}
	*buffer = secret.Redact((*buffer)[:0], text, spans)
	if w.Explain {
		r.after = slices.Clone(spans)
		w.rewrites = append(w.rewrites, r)
	}
	return *buffer
}

// scan runs the prefilter over text, the secret rules at the places that it names,
// and collects the injection anchors. It tells whether a special byte stopped it,
// which only happens with stopAtSpecial.
func (w *Worker) scan(text []byte, stopAtSpecial bool) (stopped bool) {
	w.detector.Reset(text)
	w.anchors, w.dense = w.anchors[:0], false
	w.scanner.Reset(w.engine.table, text, stopAtSpecial)
	return w.run(text)
}

// run applies the rules at the places that the scanner names.
func (w *Worker) run(text []byte) (stopped bool) {
	for {
		hits, done, special := w.scanner.Next(w.room[:0])
		if special {
			return true
		}
		for _, h := range hits {
			if h.Pattern < w.engine.secrets {
				w.detector.At(h.Pattern, h.Pos)
			}
			if w.engine.anchor[h.Pattern] && !w.dense && !secret.InMarker(text, h.Pos) {
				w.anchors = insertAnchor(w.anchors, h.Pos)
				w.dense = len(w.anchors) > len(text)/sparse+1024
			}
		}
		if done {
			return false
		}
	}
}

// move gives the places at which ascending positions stand when spans have become
// markers, and drops those inside spans.
func move[T int | int32](positions []T, spans []secret.Span) []T {
	kept := positions[:0]
	shift, k := 0, 0
	for _, p := range positions {
		for k < len(spans) && spans[k].End <= int(p) {
			shift += len(spans[k].Code.Marker()) - (spans[k].End - spans[k].Start)
			k++
		}
		if k == len(spans) || int(p) < spans[k].Start {
			kept = append(kept, p+T(shift))
		}
	}
	return kept
}

// rescan looks again at the lines around markers: what the rules find depends on no
// more than that (secret.Rules.Reach).
func (w *Worker) rescan(text []byte, markers []secret.Span) {
	w.detector.Reset(text)
	before := w.anchors
	old := before
	w.anchors = w.moved[:0]
	reach := w.engine.rules.Reach()
	lineEnd := func(i int) int {
		if k := bytes.IndexByte(text[i:], '\n'); k >= 0 {
			return i + k + 1
		}
		return len(text)
	}
	for k := 0; k < len(markers); {
		from := bytes.LastIndexByte(text[:markers[k].Start], '\n') + 1
		from = max(0, from-reach)
		to := lineEnd(markers[k].End)
		for k++; k < len(markers) && markers[k].Start <= to+2*reach; k++ {
			if markers[k].End > to {
				to = lineEnd(markers[k].End)
			}
		}
		to = min(len(text), to+reach)
		n := 0
		for n < len(old) && old[n] < from {
			n++
		}
		w.anchors = append(w.anchors, old[:n]...)
		// What begins well inside the window is found again.
		for n < len(old) && old[n] < to-longestAnchor {
			n++
		}
		w.scanner.ResetFrom(w.engine.table, text[:to], from)
		w.run(text)
		for n < len(old) && old[n] < to {
			w.anchors = insertAnchor(w.anchors, old[n])
			n++
		}
		old = old[n:]
	}
	w.anchors, w.moved = append(w.anchors, old...), before
}

// insertAnchor keeps anchors ascending and unique.
func insertAnchor(anchors []int, pos int) []int {
	k := len(anchors)
	for k > 0 && anchors[k-1] > pos {
		k--
	}
	if k > 0 && anchors[k-1] == pos {
		return anchors
	}
	return slices.Insert(anchors, k, pos)
}

// endWithLF gives text with exactly one LF at its end, in *buffer if it has to grow
// (CAN-07). Empty text stays empty.
func endWithLF(text []byte, buffer *[]byte) []byte {
	trimmed := trimLF(text)
	if len(trimmed) < len(text) {
		return text[:len(trimmed)+1]
	}
	if len(text) == 0 {
		return text
	}
	*buffer = append(append((*buffer)[:0], text...), '\n')
	return *buffer
}

func trimLF(text []byte) []byte {
	end := len(text)
	for end > 0 && text[end-1] == '\n' {
		end--
	}
	return text[:end]
}

func (w *Worker) noteUnicode() {
	for code, n := range w.cleaner.Counts() {
		if n > 0 {
			w.findings = append(w.findings, contract.Finding{Code: unicodesafety.Code(code).String(), Count: n})
		}
	}
	for _, m := range w.cleaner.Marks {
		w.spans = append(w.spans, Span{Code: m.Code.String(), Start: m.Start, End: m.End})
	}
}

func (w *Worker) noteSecrets(spans []secret.Span) {
	var counts [secret.Codes]int64
	for _, s := range spans {
		counts[s.Code]++
	}
	w.explainSecrets(spans)
	for code, n := range counts {
		if n > 0 {
			w.findings = append(w.findings, contract.Finding{Code: secret.Code(code).String(), Count: n})
		}
	}
}

// oversize is the outcome of a text of n bytes that grows beyond its limit.
func (w *Worker) oversize(n int) Result {
	r := Result{Status: contract.Rejected, Oversize: true, Findings: []contract.Finding{{Code: Oversize, Count: 1}}}
	if w.Explain {
		r.Spans = []Span{{Code: Oversize, Start: 0, End: n}}
	}
	return r
}

// result sums the findings by code and sorts them.
func (w *Worker) result(status contract.FilterStatus, text []byte) Result {
	r := Result{Status: status, Text: text}
	if len(w.findings) > 0 {
		var f contract.Filter
		f.AddFindings(w.findings)
		r.Findings = f.Findings
	}
	if w.Explain {
		r.Spans = slices.Clone(w.spans)
	}
	return r
}
