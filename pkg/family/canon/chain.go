package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/json/canonicaljson"
)

// Verdict is the verdict on a set of documents as one chain.
type Verdict string

// The verdicts.
const (
	ChainValid      Verdict = "valid"            // from a state at hand on, every link verified by hash
	ChainUnverified Verdict = "valid-unverified" // continuous, but at least one link has no hash
	ChainPartial    Verdict = "valid-partial"    // the state before the first delta is not at hand; the rest verifies
	ChainBroken     Verdict = "broken"
	ChainNone       Verdict = "none" // no valid document at all
)

// Link is one thing to say about a chain.
type Link struct {
	Code   string   `json:"code"`
	Seq    string   `json:"seq"`   // decimal
	Names  []string `json:"names"` // of the documents concerned
	Detail string   `json:"detail,omitempty"`
}

// Chain is the verdict on a set of documents. FirstBadSeq and Finding name the lowest
// sequence number at which it breaks and the first rule broken there; otherwise
// Finding is the first thing that Links has to say.
type Chain struct {
	Verdict     Verdict  `json:"verdict"`
	FirstBadSeq string   `json:"first_bad_seq,omitempty"`
	Finding     string   `json:"finding,omitempty"`
	Heads       []string `json:"heads"` // names: one head, or all that a fork has
	Links       []Link   `json:"links"`

	// Refusal is why no state may be recovered from the set; empty when one may.
	Refusal string `json:"recovery_refused,omitempty"`
	// Recovered is the raw text of the head's state; nil with a Refusal.
	Recovered []byte `json:"-"`
}

// Named is a document with the name that reports use.
type Named struct {
	Name   string
	Format string // empty: found out
	Raw    []byte
}

// Judge judges each document, and all of them as a chain ordered by sequence number,
// never by name or time. A document that is not valid by itself takes no part in the
// chain and stops recovery: the operator, not the tool, decides to fall back to what
// is left. What the chain says of a document is among its findings.
func Judge(set []Named) ([]Report, Chain) {
	reports := make([]Report, len(set))
	var invalid bool
	nodes := map[string]*node{}
	for i, n := range set {
		d := &doc{raw: n.Raw, format: n.Format}
		d.read()
		reports[i] = d.report()
		if !reports[i].Valid() {
			invalid = true
			continue
		}
		member := newMember(d, n.Name)
		member.report = &reports[i]
		key := member.seq.String()
		if nodes[key] == nil {
			nodes[key] = &node{seq: member.seq}
		}
		nodes[key].members = append(nodes[key].members, member)
	}
	ordered := make([]*node, 0, len(nodes))
	for _, n := range nodes {
		ordered = append(ordered, n)
	}
	slices.SortFunc(ordered, func(a, b *node) int { return a.seq.Cmp(b.seq) })
	c := follow(ordered)
	if c.Refusal == "" && invalid {
		c.Refusal = "a document of the set is invalid"
	}
	if c.Refusal == "" {
		c.Refusal = refused(ordered)
	}
	if c.Refusal != "" {
		c.Recovered = nil
	}
	return reports, c
}

// refused gives the protocol's reason why no state may be recovered from a sound chain:
// the one of its first state or of its head (CBG-63, CBG-84, CBG-85).
func refused(nodes []*node) string {
	for _, n := range []*node{nodes[0], nodes[len(nodes)-1]} {
		if code := refusal(n.link().report.Findings); code != "" {
			return code + " at seq " + n.seq.String()
		}
	}
	return ""
}

// member is one valid document of a set. It keeps no parsed value: a chain may have very
// many.
type member struct {
	name     string
	format   string
	seq      *big.Int
	whole    []byte // raw text of the document
	raw      []byte // of the state
	hash     string // of the state; "" when it cannot be hashed
	previous *big.Int
	before   string // basis.previous_hash
	last     string // last_state_hash
	mode     int    // offset of decision.mode
	blocking []string
	report   *Report
}

func (m *member) delta() bool { return m.format == Delta }

// sameState reports whether two members of one number have the same state.
func (m *member) sameState(o *member) bool {
	return m.hash == o.hash && (m.hash != "" || bytes.Equal(m.raw, o.raw))
}

// same reports whether two documents have equal canonical bytes, or equal bytes where
// they have none.
func (m *member) same(o *member) bool {
	return bytes.Equal(m.canonical(), o.canonical())
}

func (m *member) canonical() []byte {
	d := &doc{raw: m.whole, format: m.format}
	d.read()
	out, _ := canonical(d, d.value)
	return out
}

// node is what a set has at one sequence number.
type node struct {
	seq     *big.Int
	members []*member
}

func newMember(d *doc, name string) *member {
	state, _ := d.state()
	m := &member{name: name, format: d.format, whole: d.raw, raw: d.raw[state.Start:state.End]}
	m.seq = integer(state.Member("state_seq"))
	if bytes, hashable := canonical(d, state); hashable {
		sum := sha256.Sum256(bytes)
		m.hash = "sha256:" + hex.EncodeToString(sum[:])
	}
	if v := state.Member("last_state_hash"); v != nil {
		m.last = v.Text
	}
	decisions := state.Member("pending_decisions").Members
	for i := range decisions {
		if v := decisions[i].Member("blocking"); v != nil && v.Text == "true" {
			m.blocking = append(m.blocking, decisions[i].Member("decision_id").Text)
		}
	}
	if m.delta() {
		m.previous = integer(d.value.At("basis", "previous_seq"))
		if v := d.value.At("basis", "previous_hash"); v != nil {
			m.before = v.Text
		}
		m.mode = d.value.At("decision", "mode").Start
	}
	return m
}

// canonical gives the RFC 8785 bytes of a value, or its raw text and false when an
// integer in it is beyond what they can tell apart: numbers become doubles there.
func canonical(d *doc, v *document.Value) ([]byte, bool) {
	raw := d.raw[v.Start:v.End]
	for _, f := range d.findings {
		if f.Code == "integer-range" && f.Offset >= v.Start && f.Offset < v.End {
			return raw, false
		}
	}
	out, err := canonicaljson.Transform(raw)
	if err != nil {
		return raw, false
	}
	return out, true
}

func follow(nodes []*node) Chain {
	c := Chain{Verdict: ChainValid, Heads: []string{}, Links: []Link{}}
	if len(nodes) == 0 {
		c.Verdict, c.Refusal = ChainNone, "the set has no valid document"
		return c
	}
	var unverified, partial bool
	var before *node
	for _, n := range nodes {
		code, names := n.breaks(before)
		if code != "" {
			c.Verdict, c.FirstBadSeq, c.Finding = ChainBroken, n.seq.String(), code
			c.Refusal = "the chain is broken"
			c.Links = append(c.Links, Link{Code: code, Seq: n.seq.String(), Names: names})
			c.Heads = names
			return c
		}
		for _, code := range n.remarks(before) {
			c.Links = append(c.Links, Link{Code: code, Seq: n.seq.String(), Names: n.names()})
			unverified = unverified || code == "hash-absent" || code == "not-hashable"
			partial = partial || code == "base-unknown"
		}
		if detail := n.blocked(before); detail != "" {
			c.Links = append(c.Links, Link{blockingDecision, n.seq.String(), n.names(), detail})
		}
		before = n
	}
	switch {
	case unverified:
		c.Verdict = ChainUnverified
	case partial:
		c.Verdict = ChainPartial
	}
	if len(c.Links) > 0 {
		c.Finding = c.Links[0].Code
	}
	c.Heads, c.Recovered = before.names(), before.members[0].raw
	return c
}

// link gives the member that names its predecessor: a delta if there is one, else a
// state.
func (n *node) link() *member {
	for _, m := range n.members {
		if m.delta() {
			return m
		}
	}
	return n.members[0]
}

func (n *node) names() []string {
	var out []string
	for _, m := range n.members {
		out = append(out, m.name)
	}
	return out
}

// breaks gives the first rule that is broken at n, and the documents concerned.
func (n *node) breaks(before *node) (string, []string) {
	m := n.link()
	for _, o := range n.members {
		if o != m && (!o.sameState(m) || o.delta() && !o.same(m)) {
			return "fork", n.names()
		}
	}
	previous := new(big.Int).Sub(n.seq, big.NewInt(1))
	if before != nil && before.seq.Cmp(previous) != 0 {
		return "gap", n.names()
	}
	if m.delta() && m.previous.Cmp(previous) != 0 {
		return "basis-not-previous", n.names()
	}
	for _, h := range [...]string{m.before, m.last} {
		if h != "" && !hashForm.MatchString(h) {
			return "hash-format", n.names()
		}
	}
	if claim := m.claim(); before != nil && claim != "" && before.link().hash != "" && claim != before.link().hash {
		return "hash-mismatch", n.names()
	}
	if m.before != "" && m.last != "" && m.before != m.last {
		return "hash-fields-disagree", n.names()
	}
	return "", nil
}

const blockingDecision = "blocking-decision"

// blocked names the decisions that had to be made before the delta of n and that it did
// not resolve; each such delta at n has the finding (CBG-61, CBG-62, CBG-64).
func (n *node) blocked(before *node) string {
	m := n.link()
	if before == nil || !m.delta() {
		return ""
	}
	still := map[string]bool{}
	for _, id := range m.blocking {
		still[id] = true
	}
	var open []string
	for _, id := range before.link().blocking {
		if still[id] {
			open = append(open, id)
			delete(still, id)
		}
	}
	if len(open) == 0 {
		return ""
	}
	detail := "the state before has blocking decisions that this delta does not resolve: " + quoted(open)
	for _, m := range n.members {
		if m.delta() {
			f := []document.Finding{document.NewFinding(document.Protocol, blockingDecision, "/decision/mode", m.mode, "%s", detail)}
			document.Locate(m.whole, f)
			m.report.Findings = append(m.report.Findings, f...)
			m.report.Use = TextOnly
		}
	}
	return detail
}

// maxNamed bounds how many ids a finding names.
const maxNamed = 10

func quoted(ids []string) string {
	var out []string
	for _, id := range ids[:min(len(ids), maxNamed)] {
		out = append(out, fault.Quote(id))
	}
	if more := len(ids) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// claim is what a member says about the state before it.
func (m *member) claim() string {
	if m.before != "" {
		return m.before
	}
	return m.last
}

// remarks gives what is worth saying about a node that breaks nothing.
func (n *node) remarks(before *node) []string {
	var out []string
	m := n.link()
	if len(n.members) > 1 {
		out = append(out, "duplicate")
	}
	switch {
	case before == nil && m.delta():
		out = append(out, "base-unknown")
	case before == nil:
	case m.claim() == "":
		out = append(out, "hash-absent")
	case before.link().hash == "":
		out = append(out, "not-hashable")
	}
	return out
}

// Describe says the verdict in one line.
func (c *Chain) Describe() string {
	s := "chain " + string(c.Verdict)
	if c.FirstBadSeq != "" {
		return fmt.Sprintf("%s at seq %s: %s", s, c.FirstBadSeq, c.Finding)
	}
	if c.Finding != "" {
		s += " (" + c.Finding + ")"
	}
	return s
}
