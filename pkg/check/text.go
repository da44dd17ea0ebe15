package check

import (
	"bytes"
	"strings"

	"snapline/pkg/check/textrule"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/safety"
)

// recordFile judges an entity, comment or review file: header lines equal to the
// manifest row, then a body within its bound that the filters leave alone (REC rows,
// BND-02, invariants 6 and 15).
func (v *verifier) recordFile(f *tree.File) error {
	bound := int64(maxDocument)
	if v.collection != nil {
		bound = v.collection.Bounds.MaxRecordBytes
	}
	row := v.rowOf(f.Path)
	var header []byte
	if row != nil {
		var err error
		if header, err = recordHeader(row); err != nil {
			v.add(RuleHeader, f.Path, line(1))
			return nil
		}
	}
	b, ok, err := v.read(f, int64(len(header))+bound, RuleTextLength)
	if err != nil || !ok || row == nil {
		return err
	}
	body, ok := bytes.CutPrefix(b, header)
	if !ok {
		v.add(RuleHeader, f.Path, firstDifference(b, header))
		return nil
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
	if f.Filter.Status == contract.Modified && len(f.Filter.Findings) == 0 {
		v.add(RuleFilterStatus, f.Path, "")
	}
	return v.text(f.Path, safety.Log, b, f.Filter.Status, bound)
}

// textRules name the faults of bodies and logs.
var textRules = map[textrule.Fault]Rule{
	textrule.Form: RuleTextForm, textrule.Length: RuleTextLength, textrule.Unsafe: RuleTextUnsafe, textrule.Rescan: RuleTextRescan,
	textrule.Empty: RuleFilterStatus,
}

// displayRules name the faults of display strings.
var displayRules = map[textrule.Fault]Rule{
	textrule.Length: RuleDisplayLength, textrule.Unsafe: RuleDisplayUnsafe, textrule.Rescan: RuleDisplayUnsafe,
}

func (v *verifier) text(path string, kind safety.Kind, b []byte, status contract.FilterStatus, bound int64) error {
	verdict, err := textrule.Text(v.scanner, kind, b, status, bound)
	return v.verdict(textRules, path, "", verdict, err)
}

func (v *verifier) display(path, position, s string, status contract.FilterStatus) error {
	bound := textrule.NoBound
	if v.collection != nil {
		bound = v.collection.Bounds.MaxMetadataStringBytes
	}
	verdict, err := textrule.Display(v.scanner, s, status, bound)
	return v.verdict(displayRules, path, position, verdict, err)
}

// structural judges a path, which the filters never rewrite: they must leave it alone
// (STR-01, STR-02).
func (v *verifier) structural(path, position, s string) error {
	verdict, err := textrule.FixedPoint(v.scanner, safety.Structural, []byte(s))
	return v.verdict(map[textrule.Fault]Rule{textrule.Unsafe: RuleStructuralUnsafe}, path, position, verdict, err)
}

// verdict turns a verdict on text into a finding. A failed component ends the
// verification: nothing passes unjudged (ABT-08, AMB-56).
func (v *verifier) verdict(names map[textrule.Fault]Rule, path, position string, verdict textrule.Verdict, err error) error {
	if err != nil {
		return &fault.Error{Exit: fault.Aborted, File: path, Rule: "safety.component", Detail: "a filter component failed", Cause: err}
	}
	if verdict.Fault != textrule.None {
		v.note(names[verdict.Fault], path, position, verdict.Codes)
	}
	return nil
}
