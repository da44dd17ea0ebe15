package forgetest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// NamedFault is a fault of the walk.
type NamedFault struct {
	Name  string
	Fault Fault
	// JSONOnly faults leave other bodies (logs) as they are.
	JSONOnly bool
	// Slow faults take real time and are tried less often.
	Slow bool
}

// Faults are what can happen to any answer.
var Faults = []NamedFault{
	{Name: "dropped", Fault: Drop},
	{Name: "cut", Fault: Cut},
	{Name: "delayed", Fault: Delay, Slow: true},
	{Name: "half a body", Fault: half, JSONOnly: true},
	{Name: "invalid JSON", Fault: EditBody(func([]byte) []byte { return []byte(`{"data":`) }), JSONOnly: true},
	{Name: "a member twice", Fault: EditBody(twice), JSONOnly: true},
	{Name: "HTML as 200", Fault: EditBody(func([]byte) []byte { return []byte("<html>busy</html>") }), JSONOnly: true},
	{Name: "wrong type", Fault: EditJSON(func(any) any { return "text" }), JSONOnly: true},
	{Name: "wrong type inside", Fault: EditJSON(numbersForArrays), JSONOnly: true},
	{Name: "null element", Fault: EditJSON(nullElement), JSONOnly: true},
	{Name: "500", Fault: Answer(500, nil, "oops")},
	{Name: "502 as HTML", Fault: Answer(502, http.Header{"Content-Type": {"application/json"}}, "<html>502</html>")},
	{Name: "503", Fault: Answer(503, nil, "")},
	{Name: "504", Fault: Answer(504, nil, `{"data":null,"errors":[{"message":"timed out"}]}`)},
	{Name: "401", Fault: Answer(401, nil, `{"message":"Bad credentials"}`)},
	{Name: "403", Fault: Answer(403, nil, `{"message":"Must have admin rights to Repository."}`)},
	{Name: "404", Fault: Answer(404, nil, `{"message":"Not Found"}`)},
	{Name: "410", Fault: Answer(410, nil, `{"message":"Gone"}`)},
	{Name: "429", Fault: Answer(429, http.Header{"Retry-After": {"2"}}, `{"message":"slow down"}`)},
	{Name: "secondary limit", Fault: Answer(403, nil, `{"message":"You have exceeded a secondary rate limit."}`)},
	{Name: "primary limit", Fault: Answer(403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1780315210"}}, `{"message":"API rate limit exceeded"}`)},
	{Name: "redirect elsewhere", Fault: Answer(301, http.Header{"Location": {"https://elsewhere.example/x"}}, "")},
	{Name: "redirect without place", Fault: Answer(302, nil, "")},
}

// GraphQLFaults happen inside answers of status 200.
var GraphQLFaults = []NamedFault{
	{Name: "RATE_LIMITED", Fault: graphqlError(`{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`), JSONOnly: true},
	{Name: "RATE_LIMIT", Fault: graphqlError(`{"errors":[{"type":"RATE_LIMIT","code":"graphql_rate_limit","message":"limit"}]}`), JSONOnly: true},
	{Name: "NOT_FOUND beside data", Fault: graphqlError(`{"data":{"node":null,"repository":null},"errors":[{"type":"NOT_FOUND","path":["node"],"message":"no"}]}`), JSONOnly: true},
	{Name: "FORBIDDEN", Fault: graphqlError(`{"data":{"node":null,"repository":null},"errors":[{"type":"FORBIDDEN","message":"Resource not accessible by integration"}]}`), JSONOnly: true},
	{Name: "SAML", Fault: graphqlError(`{"data":{"node":null,"repository":null},"errors":[{"type":"FORBIDDEN","extensions":{"saml_failure":true},"message":"protected"}]}`), JSONOnly: true},
	{Name: "something went wrong", Fault: graphqlError(`{"data":null,"errors":[{"message":"Something went wrong while executing your query."}]}`), JSONOnly: true},
	{Name: "node null without error", Fault: graphqlError(`{"data":{"node":null,"repository":null}}`), JSONOnly: true},
	{Name: "one element fewer", Fault: EditJSON(dropElement), JSONOnly: true},
}

func graphqlError(body string) Fault {
	return func(r *http.Request, good *http.Response) (*http.Response, error) {
		if r.Method != http.MethodPost {
			return good, nil
		}
		return Answer(200, http.Header{"Content-Type": {"application/json"}}, body)(r, good)
	}
}

// EditBody changes the bytes of a good answer.
func EditBody(edit func([]byte) []byte) Fault {
	return func(_ *http.Request, good *http.Response) (*http.Response, error) {
		var b bytes.Buffer
		if _, err := b.ReadFrom(good.Body); err != nil {
			return nil, err
		}
		good.Body = http.NoBody
		answer, err := Answer(good.StatusCode, good.Header, string(edit(b.Bytes())))(good.Request, good)
		return answer, err
	}
}

var half = EditBody(func(b []byte) []byte { return b[:len(b)/2] })

// twice repeats the first member of the outermost object.
func twice(b []byte) []byte {
	if len(b) == 0 || b[0] != '{' {
		return []byte(`{"a":1,"a":1}`)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(b, &members) != nil {
		return b
	}
	for name, value := range members {
		return append([]byte(`{"`+name+`":`+string(value)+`,`), b[1:]...)
	}
	return []byte(`{"a":1,"a":1}`)
}

func editJSON(body []byte, edit func(v any) any) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	out, err := json.Marshal(edit(v))
	return out, err == nil
}

// arrays calls change on every array, innermost first, until it reports a change.
func arrays(v any, change func(a []any) (any, bool)) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedNames(v) {
			if edited, ok := arrays(v[name], change); ok {
				v[name] = edited
				return v, true
			}
		}
	case []any:
		for i := range v {
			if edited, ok := arrays(v[i], change); ok {
				v[i] = edited
				return v, true
			}
		}
		return change(v)
	}
	return v, false
}

func numbersForArrays(v any) any {
	v, _ = arrays(v, func([]any) (any, bool) { return 7, true })
	return v
}

func nullElement(v any) any {
	v, _ = arrays(v, func(a []any) (any, bool) {
		if len(a) == 0 {
			return a, false
		}
		a[0] = nil
		return a, true
	})
	return v
}

func dropElement(v any) any {
	v, _ = arrays(v, func(a []any) (any, bool) {
		if len(a) == 0 {
			return a, false
		}
		return a[1:], true
	})
	return v
}
