package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"snapline/pkg/fault"
	"snapline/pkg/json/canonicaljson"
)

// canonical is the first judgement of a JSON document: strict JSON, then RFC 8785
// form. Nothing else looks at a document that fails here.
func (v *verifier) canonical(path string, b []byte) bool {
	if err := canonicaljson.Check(b); err != nil {
		var differs *canonicaljson.NotCanonicalError
		if errors.As(err, &differs) {
			v.add(RuleNotCanonical, path, "byte "+strconv.Itoa(differs.Offset))
		} else {
			v.add(RuleNotJSON, path, "")
		}
		return false
	}
	return true
}

// document judges canonical bytes by their schema and decodes them. It reports
// whether target may be used. The schema settles integers (canonical form and the
// maximum leave 2^53-1, AMB-51) and calendar dates (its pattern and date-time).
func (v *verifier) document(schemaName, path string, b []byte, target any) (bool, error) {
	violations, err := v.bundle.Check(schemaName, b)
	if err != nil {
		return false, &fault.Error{Exit: fault.Aborted, File: path, Rule: "schema.evaluation", Detail: "the schema could not be evaluated", Cause: err}
	}
	for _, violation := range violations {
		fact := violation.Keyword
		if violation.Detail != "" {
			fact += ", " + violation.Detail
		}
		v.note(RuleSchema, path, violation.Position, fact)
	}
	if len(violations) > 0 {
		return false, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		// The schema allows what our types do not hold: a fault of ours, not of the tree.
		return false, &fault.Error{Exit: fault.Aborted, File: path, Rule: "schema.evaluation", Detail: "a document that obeys its schema cannot be decoded", Cause: err}
	}
	return true, nil
}
