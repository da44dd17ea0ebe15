package verify

import (
	"bytes"
	"strings"

	"snapline/pkg/canonicaljson"
	"snapline/pkg/fault"
	"snapline/pkg/record"
	"snapline/pkg/safety"
	"snapline/pkg/tree"
)

// maxHeader bounds the header of a record file, in bytes: identifiers are bounded by
// max_metadata_string_bytes, which a profile may set high.
const maxHeader = 1 << 20

// recordFile judges an entity, comment or review file: header lines equal to the
// manifest row, then a body within its bound that the filters leave alone (REC rows,
// BND-02, invariants 6 and 15).
func (v *verifier) recordFile(f *tree.File) error {
	row := v.rowOf(f.Path)
	limit := int64(maxDocument)
	if v.collection != nil {
		limit = min(limit, v.collection.Bounds.MaxRecordBytes) + maxHeader
	}
	b, ok, err := v.read(f, limit, RuleTextLength)
	if err != nil || !ok || row == nil {
		return err
	}
	header, err := recordHeader(row)
	if err != nil {
		v.add(RuleHeader, f.Path, line(1))
		return nil
	}
	body, ok := bytes.CutPrefix(b, header)
	if !ok {
		v.add(RuleHeader, f.Path, firstDifference(b, header))
		return nil
	}
	bound := int64(maxDocument)
	if v.collection != nil {
		bound = v.collection.Bounds.MaxRecordBytes
	}
	return v.text(f.Path, safety.Body, body, row.Filter.Status, bound)
}

// rowOf gives the manifest record whose file p is, by the key in its name.
func (v *verifier) rowOf(p string) *tree.ManifestRecord {
	key := strings.TrimSuffix(p[strings.LastIndexByte(p, '-')+1:], ".md")
	if row := v.rows[key]; row != nil && row.ContentPath == p {
		return row
	}
	return nil
}

// recordHeader is the five header lines that a manifest record's file begins with
// (REC-01 to REC-04).
func recordHeader(row *tree.ManifestRecord) ([]byte, error) {
	kind, err1 := canonicaljson.String(string(row.Kind))
	id, err2 := canonicaljson.String(row.ID)
	created, err3 := canonicaljson.String(row.CreatedAt)
	author := "null"
	var err4 error
	if by := nullable(row.AuthorID); by != nil {
		author, err4 = canonicaljson.String(*by)
	}
	for _, err := range [...]error{err1, err2, err3, err4} {
		if err != nil {
			return nil, err
		}
	}
	return []byte("Fullsend-Record: " + kind + "\nSource-ID: " + id + "\nAuthor-ID: " + author + "\nCreated-At: " + created + "\n\n"), nil
}

// firstDifference is the line in which got departs from want.
func firstDifference(got, want []byte) string {
	n := 1
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			break
		}
		if want[i] == '\n' {
			n++
		}
	}
	return line(n)
}

// logFile judges a check log (CAN-06, CAN-07, BND-02, FLT-07).
func (v *verifier) logFile(f *tree.File) error {
	bound := int64(maxDocument)
	if v.collection != nil {
		bound = v.collection.Bounds.MaxLogBytes
	}
	b, ok, err := v.read(f, bound, RuleTextLength)
	if err != nil || !ok || f.Filter == nil {
		return err
	}
	if f.Filter.Status == record.Modified && len(f.Filter.Findings) == 0 {
		v.add(RuleFilterStatus, f.Path, "")
	}
	return v.text(f.Path, safety.Log, b, f.Filter.Status, bound)
}

// text judges a body or log. The filters leave their own output alone, so text that
// no bound has cut must pass them unchanged; cut text is scanned again as it is
// (INJ-04, AMB-66).
func (v *verifier) text(path string, kind safety.Kind, b []byte, status record.FilterStatus, bound int64) error {
	if !validText(b) {
		v.add(RuleTextForm, path, "")
		return nil
	}
	if int64(len(b)) > bound {
		v.add(RuleTextLength, path, "")
		return nil
	}
	if status != record.Truncated {
		return v.fixedPoint(RuleTextUnsafe, path, "", kind, b)
	}
	return v.rescan(RuleTextRescan, path, "", kind, b)
}

// rescan judges text that a bound has cut: half a marker or half a pattern is legal
// there, so only the injection scan of exactly these bytes applies, and Unicode
// safety, since no cut of safe text makes it unsafe.
func (v *verifier) rescan(rule Rule, path, position string, kind safety.Kind, b []byte) error {
	r, err := v.worker.Rescan(b)
	if err != nil {
		return componentFailed(path, err)
	}
	if r.Status != record.Unchanged {
		v.note(rule, path, position, codes(r.Findings))
		return nil
	}
	if r, err = v.worker.Filter(kind, b); err != nil {
		return componentFailed(path, err)
	}
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Code, "unicode.") {
			v.note(rule, path, position, f.Code)
		}
	}
	return nil
}

// fixedPoint reports text that the filters would change or reject.
func (v *verifier) fixedPoint(rule Rule, path, position string, kind safety.Kind, b []byte) error {
	r, err := v.worker.Filter(kind, b)
	if err != nil {
		return componentFailed(path, err)
	}
	if r.Status != record.Unchanged || !bytes.Equal(r.Text, b) {
		v.note(rule, path, position, codes(r.Findings))
	}
	return nil
}

func (v *verifier) structural(path, position, s string) error {
	return v.fixedPoint(RuleStructuralUnsafe, path, position, safety.Structural, []byte(s))
}

// display judges a display string of a document with the given filter status: its
// bound, and the filters' fixed point. Only in a truncated document, and only as long
// as a cut leaves it, can the string be one that was cut (BND-04, DSP-03).
func (v *verifier) display(path, position, s string, status record.FilterStatus) error {
	if v.collection != nil && int64(len(s)) > v.collection.Bounds.MaxMetadataStringBytes {
		v.add(RuleDisplayLength, path, position)
		return nil
	}
	if status != record.Truncated || !v.maybeCut(s) {
		return v.fixedPoint(RuleDisplayUnsafe, path, position, safety.Display, []byte(s))
	}
	return v.rescan(RuleDisplayUnsafe, path, position, safety.Display, []byte(s))
}

func componentFailed(path string, err error) error {
	return &fault.Error{Exit: fault.Aborted, File: path, Rule: "safety.component", Detail: "a filter component failed", Cause: err}
}

// codes lists finding codes: they name rules of ours, never text.
func codes(findings []record.Finding) string {
	if len(findings) == 0 {
		return "form"
	}
	names := make([]string, len(findings))
	for i, f := range findings {
		names[i] = f.Code
	}
	return strings.Join(names, " ")
}
