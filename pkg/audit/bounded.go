package audit

import (
	"slices"
	"strings"

	"snapline/pkg/contract"
)

const notFollowing = "text or filter do not follow from the input's"

// cutDisplay bounds a display string between code points.
func cutDisplay(s string, limit int64) string {
	end := 0
	for i, r := range s {
		if next := i + len(string(r)); int64(next) <= limit {
			end = next
		}
	}
	return s[:end]
}

// cutText bounds a body or log: the longest prefix of whole code points that leaves
// room for one LF, without LFs at its end, then that LF (BND-03, AMB-66).
func cutText(b []byte, limit int64) string {
	if len(b) == 0 {
		return ""
	}
	text := strings.TrimRight(string(b), "\n")
	return strings.TrimRight(cutDisplay(text, limit-1), "\n") + "\n"
}

func sameFilter(a, b contract.Filter) bool {
	return a.Status == b.Status && slices.Equal(a.Findings, b.Findings)
}

// boundedText: bound cuts exactly at its limit, says so, keeps every finding, and
// rejects what it cut exactly if that is unsafe (BND-01, FLT-03, INJ-04).
func (c *comparison) boundedText(name string, before, after []byte, was, is contract.Filter, limit int64) error {
	text, want := cutText(before, limit), was.Clone()
	if int64(len(strings.TrimRight(string(before), "\n")))+1 > limit && len(before) > 0 {
		want.Status = contract.Truncated
		r, err := c.scanner.Rescan([]byte(text))
		if err != nil {
			return c.component(name, err)
		}
		if r.Status == contract.Rejected {
			text = ""
			want.Add(contract.Filter{Status: contract.Rejected, Findings: r.Findings})
		}
	}
	if string(after) != text || !sameFilter(is, want) {
		c.add(ruleText, name, notFollowing)
	}
	return nil
}

// cutAgain is what bound makes of a display string, "" when nothing is left or what is
// left is unsafe. f takes the string's part (BND-04, DSP-03, AMB-27, AMB-31).
func (c *comparison) cutAgain(s string, f *contract.Filter) (text string, unsafe bool, err error) {
	text = cutDisplay(s, c.bounds().MaxMetadataStringBytes)
	if text == s {
		return s, false, nil
	}
	if text != "" {
		r, err := c.scanner.Rescan([]byte(text))
		if err != nil {
			return "", false, c.component("", err)
		}
		if r.Status == contract.Rejected {
			f.Add(contract.Filter{Status: contract.Modified, Findings: r.Findings})
			return "", true, nil
		}
	}
	f.Status = contract.Highest(f.Status, contract.Truncated)
	return text, false, nil
}

// boundedHeader: title, the first max_labels of the labels, and what the filter value
// says of both (DSP-04, GAP-08).
func (c *comparison) boundedHeader() error {
	b, a, want := c.before.Entity, c.header.Entity, c.before.EntityFilter.Clone()
	title, _, err := c.cutAgain(b.Title, &want)
	if err != nil {
		return err
	}
	var labels []string
	for _, label := range b.Labels {
		text, _, err := c.cutAgain(label, &want)
		if err != nil {
			return err
		}
		if text != "" {
			labels = append(labels, text)
		}
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	if most := c.bounds().MaxLabels; int64(len(labels)) > most {
		c.labels = int64(len(labels)) - most
		labels = labels[:most]
		want.Status = contract.Truncated
	}
	if title != a.Title {
		c.add(ruleText, "title", "it does not follow from the input's")
	}
	if !slices.Equal(labels, a.Labels) {
		c.add(ruleText, "", "the labels do not follow from the input's")
	}
	if !sameFilter(want, *c.header.EntityFilter) {
		c.add(ruleText, "", "the filter of title and labels does not follow from the input's")
	}
	return nil
}

// boundedLogin: a login of which nothing may be shown is null and modified (DSP-05,
// AMB-28).
func (c *comparison) boundedLogin(name string, before, after *contract.Actor) error {
	want := before.LoginFilter.Clone()
	text, _, err := c.cutAgain(orEmpty(before.Login), &want)
	if err != nil {
		return err
	}
	if text == "" && before.Login != nil {
		want.Status = contract.Modified
	}
	if text != orEmpty(after.Login) || !sameFilter(want, *after.LoginFilter) {
		c.add(ruleText, name, notFollowing)
	}
	return nil
}

// boundedName: the name of a check or agent; one that is unsafe rejects its object
// (DSP-06).
func (c *comparison) boundedName(name, before, after string, was, is contract.Filter) error {
	want, text := was.Clone(), ""
	if was.Status != contract.Rejected {
		cut, unsafe, err := c.cutAgain(before, &want)
		if err != nil {
			return err
		}
		if text = cut; unsafe {
			want.Status = contract.Rejected
		}
	}
	if text != after || !sameFilter(want, is) {
		c.add(ruleText, name, notFollowing)
	}
	return nil
}
