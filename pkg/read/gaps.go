// Package read gives a tree's answers to those who use it: what is missing and
// what that means, and a view's records as blocks for a prompt. Everything that it
// gives is untrusted data (VIEW-07).
package read

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// Level is how much of a scope someone needs.
type Level string

// The levels.
const (
	Complete Level = "complete" // selected, and nothing is missing
	Admitted Level = "admitted" // selected, and nothing is missing but voices that are not admitted
	Usable   Level = "usable"   // selected, and nothing makes the scope unusable
)

// Levels are all levels.
var Levels = [...]Level{Complete, Admitted, Usable}

// Requirement is one scope at one level.
type Requirement struct {
	Scope contract.Scope
	Level Level
}

// Demands are what someone asks of a tree before it is used.
type Demands struct {
	Required []Requirement
	// Tolerated are gaps that are set aside when Required is judged; the answer names
	// those that the tree has.
	Tolerated []contract.Gap
}

// Firm reports whether nothing may be set aside in a scope: without the entity or with
// roles on which nobody can rely there is nothing to go on with (GAP-13).
func Firm(s contract.Scope) bool { return s == contract.ScopeEntity || s == contract.ScopeActors }

// Scopes are the scopes of a tree, sorted.
var Scopes = [...]contract.Scope{
	contract.ScopeActors, contract.ScopeAgentRuns, contract.ScopeCheckLogs, contract.ScopeChecks,
	contract.ScopeComments, contract.ScopeEntity, contract.ScopeReviews,
}

// Standing is what may be concluded from a scope.
type Standing string

// The standings (GAP-10, GAP-11).
const (
	StandingComplete    Standing = "complete"     // nothing is missing
	StandingPartial     Standing = "partial"      // use what is there, claim nothing about the rest
	StandingUnusable    Standing = "unusable"     // conclude nothing, neither authority nor completeness
	StandingNotSelected Standing = "not_selected" // the profile did not ask for it
)

// Gap is one row of the index with its meaning.
type Gap struct {
	Scope     contract.Scope   `json:"scope"`
	Code      contract.GapCode `json:"code"`
	Usability string           `json:"usability"`
	Count     int64            `json:"count"`
	Meaning   string           `json:"meaning"`
}

// Unmet is a requirement that the tree does not meet.
type Unmet struct {
	Scope    contract.Scope `json:"scope"`
	Level    Level          `json:"level"`
	Standing Standing       `json:"standing"`
}

// Gaps is what is missing from a tree. JSON members are stable.
type Gaps struct {
	IndexSHA256  string                      `json:"index_sha256"`
	IndexChecked bool                        `json:"index_checked"` // against a digest that the caller kept
	Scopes       map[contract.Scope]Standing `json:"scopes"`
	// Authorization is false when an actors gap makes every role unusable: nobody's
	// permission may be relied on (GAP-13).
	Authorization bool  `json:"authorization_usable"`
	Gaps          []Gap `json:"gaps"`
	// SetAside are the gaps, as SCOPE/CODE, without which a required scope would not hold.
	SetAside []string `json:"set_aside"`
	Unmet    []Unmet  `json:"unmet"`
}

var meanings = map[contract.GapCode]string{
	contract.ProfileBound:        "dropped by a bound of the profile; what is left may be used and is not all",
	contract.HistoryUnavailable:  "the forge does not keep this history; what is left may be used and is not all",
	contract.Unsupported:         "the forge does not offer this in a usable form",
	contract.AuthorizationFailed: "written by someone who may not be heard, or whose right could not be verified",
	contract.FetchFailed:         "could not be read from the forge",
	contract.SourceTooLarge:      "longer than max_source_bytes; no part of it was read",
	contract.InvalidMetadata:     "the forge gave no valid identifier, time, state or name",
	contract.UnsafeContent:       "rejected by the filters; no part of it is here",
}

// Meaning says what a gap code means for who reads a tree.
func Meaning(code contract.GapCode) string { return meanings[code] }

// ReadGaps answers what is missing from a tree and which demands that breaks. Any gap of
// scope actors breaks authorization as a whole (GAP-13).
func ReadGaps(s *check.Snapshot, d Demands) (*Gaps, error) {
	collection, err := s.Collection()
	if err != nil {
		return nil, err
	}
	g := &Gaps{
		IndexSHA256: s.IndexSHA256, IndexChecked: s.Checked, Authorization: true,
		Scopes: map[contract.Scope]Standing{}, Gaps: []Gap{}, SetAside: []string{}, Unmet: []Unmet{},
	}
	selected := func(scope contract.Scope) bool {
		return scope == contract.ScopeActors || slices.Contains(collection.IncludedSources, string(scope))
	}
	for _, scope := range Scopes {
		g.Scopes[scope] = StandingNotSelected
		if selected(scope) {
			g.Scopes[scope] = standing(s.Index.Gaps, scope)
		}
	}
	for _, row := range s.Index.Gaps {
		g.add(row)
	}
	for _, r := range d.Required {
		left, aside := setAside(s.Index.Gaps, r, d.Tolerated)
		if !selected(r.Scope) || !met(standing(left, r.Scope), r.Level) {
			g.Unmet = append(g.Unmet, Unmet{r.Scope, r.Level, g.Scopes[r.Scope]})
			continue
		}
		if !met(g.Scopes[r.Scope], r.Level) {
			g.SetAside = append(g.SetAside, aside...)
		}
	}
	return g, nil
}

// setAside gives the gaps that count against a requirement, and those that do not.
func setAside(rows []tree.Gap, r Requirement, tolerated []contract.Gap) (left []tree.Gap, aside []string) {
	for _, row := range rows {
		gap := contract.Gap{Scope: row.Scope, Code: row.Code}
		switch {
		case row.Scope != r.Scope:
		case !Firm(row.Scope) && (r.Level == Admitted && row.Code == contract.AuthorizationFailed || slices.Contains(tolerated, gap)):
			aside = append(aside, fmt.Sprintf("%s/%s", row.Scope, row.Code))
		default:
			left = append(left, row)
		}
	}
	return left, aside
}

// standing is what may be concluded from a selected scope (GAP-10, GAP-11).
func standing(rows []tree.Gap, scope contract.Scope) Standing {
	s := StandingComplete
	for _, row := range rows {
		switch {
		case row.Scope != scope:
		case row.Usability != "partial":
			return StandingUnusable
		default:
			s = StandingPartial
		}
	}
	return s
}

func (g *Gaps) add(row tree.Gap) {
	gap := Gap{row.Scope, row.Code, row.Usability, row.Count, meanings[row.Code]}
	if row.Scope == contract.ScopeActors {
		g.Authorization = false
		gap.Meaning += "; any gap of actors makes authorization unusable: rely on nobody's role"
	}
	g.Gaps = append(g.Gaps, gap)
}

func met(s Standing, l Level) bool {
	return s == StandingComplete || l == Usable && s == StandingPartial
}

// Holds reports whether authorization may be relied on and every requirement is met.
func (g *Gaps) Holds() bool { return g.Authorization && len(g.Unmet) == 0 }

// WriteJSON writes one JSON object.
func (g *Gaps) WriteJSON(w io.Writer) error {
	b, err := json.Marshal(g)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

func (g *Gaps) trust() string {
	if g.IndexChecked {
		return "the index has the digest that was given"
	}
	return "the index was not held against a digest: this tree may have been rewritten"
}

// WriteText writes one fact a line.
func (g *Gaps) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "index %s: %s\n", g.IndexSHA256, g.trust())
	for _, scope := range Scopes {
		fmt.Fprintf(&b, "%s: %s\n", scope, g.Scopes[scope])
	}
	for _, gap := range g.Gaps {
		fmt.Fprintf(&b, "%s/%s: %d, %s: %s\n", gap.Scope, gap.Code, gap.Count, gap.Usability, gap.Meaning)
	}
	if len(g.SetAside) > 0 {
		fmt.Fprintf(&b, "what is required is complete but for %s\n", strings.Join(g.SetAside, ", "))
	}
	for _, u := range g.Unmet {
		fmt.Fprintf(&b, "not met: %s=%s, it is %s\n", u.Scope, u.Level, u.Standing)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes a job summary.
func (g *Gaps) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### Snapshot gaps\n\nIndex `%s`: %s.\n\n", g.IndexSHA256, g.trust())
	if len(g.Gaps) == 0 {
		b.WriteString("Nothing is missing from what the profile selects.\n\n")
	} else {
		b.WriteString("| scope | code | count | usability | meaning |\n| --- | --- | --: | --- | --- |\n")
		for _, gap := range g.Gaps {
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %s |\n", gap.Scope, gap.Code, gap.Count, gap.Usability, gap.Meaning)
		}
		b.WriteString("\n")
	}
	b.WriteString("| scope | standing |\n| --- | --- |\n")
	for _, scope := range Scopes {
		fmt.Fprintf(&b, "| %s | %s |\n", scope, g.Scopes[scope])
	}
	if len(g.SetAside) > 0 {
		fmt.Fprintf(&b, "\nWhat is required is complete but for %s.\n", strings.Join(g.SetAside, ", "))
	}
	for _, u := range g.Unmet {
		fmt.Fprintf(&b, "\n**Not met:** %s=%s, it is %s.\n", u.Scope, u.Level, u.Standing)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
