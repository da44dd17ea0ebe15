package msp

import (
	"math/big"
	"strconv"

	"snapline/pkg/family/document"
)

func (d *doc) warn(code, place string, v *document.Value, format string, args ...any) {
	d.add(document.Warning, code, place, v, format, args...)
}

// number gives the value of an integer member of a valid state.
func number(v *document.Value) *big.Int {
	n, _ := document.Integer(v.Text)
	return n
}

func text(v *document.Value) string {
	if v.Is(document.String) {
		return v.Text
	}
	return ""
}

func (d *doc) contradictions() {
	items := d.items()
	for _, list := range [...]string{"pendingApprovals", "pendingUserInputs"} {
		d.pending(list, items)
	}
	d.turns()
	if v := d.state.Member("turnCount"); number(v).Sign() < 0 {
		d.warn("negative", d.place+"/turnCount", v, "less than 0")
	}
	usage := d.state.Member("tokenUsage")
	sum := new(big.Int).Add(number(usage.Member("promptTokens")), number(usage.Member("outputTokens")))
	if total := usage.Member("totalTokens"); sum.Cmp(number(total)) != 0 {
		d.warn("total-mismatch", d.place+"/tokenUsage/totalTokens", total, "not promptTokens + outputTokens")
	}
}

// items checks each item by itself and gives them by id.
func (d *doc) items() map[string]*document.Value {
	byID := map[string]*document.Value{}
	list := d.state.Member("items").Members
	for i := range list {
		item, at := &list[i], d.place+"/items/"+strconv.Itoa(i)
		id := item.Member("itemId")
		if byID[id.Text] != nil {
			d.warn("duplicate-item", at+"/itemId", id, "an earlier item has this itemId")
		} else {
			byID[id.Text] = item
		}
		if v := item.Member("revision"); number(v).Sign() < 1 {
			d.warn("revision-below-1", at+"/revision", v, "less than 1")
		}
		if v := item.Member("turnId"); v.Is(document.Null) && text(item.Member("kind")) != "userShell" {
			d.warn("turn-null", at+"/turnId", v, "null on another kind than userShell")
		}
		if v := item.Member("patchSummary"); v.Is(document.Object) && item.Member("patchRef") == nil {
			d.warn("patch-summary-alone", at+"/patchSummary", v, "without patchRef")
		}
		if children := item.Member("children"); children != nil {
			d.children(children, at+"/children")
		}
	}
	return byID
}

func (d *doc) children(list *document.Value, at string) {
	type key struct{ id, attempt string }
	seen := map[key]bool{}
	for i := range list.Members {
		c := &list.Members[i]
		k := key{c.Member("childId").Text, number(c.Member("attempt")).String()}
		if seen[k] {
			d.warn("duplicate-child", at+"/"+strconv.Itoa(i), c, "an earlier child has this childId and attempt")
		}
		seen[k] = true
	}
}

func (d *doc) pending(list string, items map[string]*document.Value) {
	pointers := d.state.Member(list).Members
	for i := range pointers {
		p, at := &pointers[i], d.place+"/"+list+"/"+strconv.Itoa(i)
		id := p.Member("itemId")
		if id == nil {
			continue
		}
		item := items[id.Text]
		if item == nil {
			d.warn("pending-item-unknown", at+"/itemId", id, "no item has this itemId")
			continue
		}
		if text(item.Member("status")) != "inProgress" {
			d.warn("pending-item-terminal", at+"/itemId", id, "the item is not inProgress")
		}
		if a, b := p.Member("approvalId"), item.Member("approvalId"); a != nil && b != nil && a.Text != b.Text {
			d.warn("approval-join", at+"/approvalId", a, "the item has another approvalId")
		}
	}
}

func (d *doc) turns() {
	queue, turn := d.state.Member("queuedTurns"), d.state.Member("activeTurn")
	active := text(turn.Member("turnId"))
	seen := map[string]bool{}
	var twice, running bool
	for i := range queue.Members {
		id := queue.Members[i].Member("turnId").Text
		twice = twice || seen[id]
		running = running || id == active && turn.Is(document.Object)
		seen[id] = true
	}
	if running {
		d.warn("turn-active-and-queued", d.place+"/queuedTurns", queue, "the active turn is queued too")
	}
	if twice {
		d.warn("duplicate-turn", d.place+"/queuedTurns", queue, "a turn is queued twice")
	}
}

// session holds the session object and the pending requests beside a state against
// it, as far as the frame has them.
func (d *doc) session() {
	session := d.value.At("result", "session")
	if v := session.Member("activeTurnId"); v != nil && text(v) != text(d.state.At("activeTurn", "turnId")) {
		d.warn("session-active-turn", "/result/session/activeTurnId", v, "the state has another active turn")
	}
	if v := session.Member("approvalMode"); v != nil && !equal(v, d.state.Member("approvalMode")) {
		d.warn("session-approval-mode", "/result/session/approvalMode", v, "the state has another approval mode")
	}
	if v := session.Member("turnCount"); v != nil && !equal(v, d.state.Member("turnCount")) {
		d.warn("session-turn-count", "/result/session/turnCount", v, "the state has another turn count")
	}
	requests := d.value.At("result", "pendingRequests")
	if requests == nil {
		return
	}
	open := map[string]bool{}
	for _, list := range [...]struct{ name, id string }{{"pendingApprovals", "approvalId"}, {"pendingUserInputs", "userInputId"}} {
		pointers := d.state.Member(list.name).Members
		for i := range pointers {
			open[list.id+" "+pointers[i].Member(list.id).Text] = true
		}
	}
	named := map[string]bool{}
	for i := range requests.Members {
		for _, id := range [...]string{"approvalId", "userInputId"} {
			if v := requests.Members[i].Member(id); v != nil {
				named[id+" "+v.Text] = true
			}
		}
	}
	same := len(open) == len(named)
	for id := range open {
		same = same && named[id]
	}
	if !same {
		d.warn("pending-set", "/result/pendingRequests", requests, "not the union of the two pending lists")
	}
}

// equal compares two values; numbers by value, objects in any order of members.
func equal(a, b *document.Value) bool {
	if a.Kind != b.Kind || len(a.Members) != len(b.Members) {
		return false
	}
	if a.Kind == document.Number && a.Text != b.Text {
		x, _ := document.Integer(a.Text)
		y, _ := document.Integer(b.Text)
		return x != nil && y != nil && x.Cmp(y) == 0
	}
	if a.Text != b.Text {
		return false
	}
	others := map[string]*document.Value{} // by name, of an object, which may have very many members
	for i := range b.Members {
		if b.Kind == document.Object {
			others[b.Members[i].Name] = &b.Members[i]
		}
	}
	for i := range a.Members {
		m, other := &a.Members[i], &b.Members[i]
		if a.Kind == document.Object {
			other = others[m.Name]
		}
		if other == nil || !equal(m, other) {
			return false
		}
	}
	return true
}
