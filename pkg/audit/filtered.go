package audit

import (
	"maps"

	"snapline/pkg/contract"
	"snapline/pkg/safety"
)

// filteredAgain is what filter makes of a display string, "" when nothing may be shown
// (DSP-02, AMB-10).
func (c *comparison) filteredAgain(s string) (string, contract.Filter, error) {
	if int64(len(s)) > c.bounds().MaxSourceBytes {
		return "", contract.Filter{Status: contract.Rejected, Findings: []contract.Finding{{Code: safety.Oversize, Count: 1}}}, nil
	}
	r, err := c.scanner.Filter(safety.Display, []byte(s))
	if err != nil {
		return "", contract.Filter{}, c.component("", err)
	}
	f := contract.Filter{Status: r.Status, Findings: r.Findings}
	if r.Status == contract.Rejected {
		return "", f, nil
	}
	return string(r.Text), f, nil
}

// filteredHeader: title, labels and their filter value. A label that may not be shown is
// gone and keeps its findings (DSP-07, AMB-27, AMB-31).
func (c *comparison) filteredHeader() error {
	title, sum, err := c.filteredAgain(c.before.Entity.Title)
	if err != nil {
		return err
	}
	sum = sum.Clone()
	want := map[string]bool{}
	for _, label := range c.before.Entity.Labels {
		text, f, err := c.filteredAgain(label)
		if err != nil {
			return err
		}
		if text != "" {
			want[text] = true
		}
		if f.Status == contract.Rejected {
			f.Status = contract.Modified
		}
		sum.Add(f)
	}
	got := map[string]bool{}
	for _, label := range c.header.Entity.Labels {
		got[label] = true
	}
	if title != c.header.Entity.Title {
		c.add(ruleText, "title", "it does not follow from the input's")
	}
	if !maps.Equal(got, want) {
		c.add(ruleText, "", "the labels do not follow from the input's")
	}
	if !sameFilter(sum, *c.header.EntityFilter) {
		c.add(ruleText, "", "the filter of title and labels does not follow from the input's")
	}
	return nil
}

// filteredLogin: a login that may not be shown or is empty is null, and modified
// (DSP-05, AMB-28).
func (c *comparison) filteredLogin(name string, before, after *contract.Actor) error {
	want, text := contract.Clean(), ""
	if before.Login != nil {
		login, f, err := c.filteredAgain(*before.Login)
		if err != nil {
			return err
		}
		if text, want = login, f; login == "" {
			want.Status = contract.Modified
		}
	}
	if text != orEmpty(after.Login) || !sameFilter(want, *after.LoginFilter) {
		c.add(ruleText, name, notFollowing)
	}
	return nil
}

// filteredName: a name that may not be shown or is empty rejects its object (DSP-06).
func (c *comparison) filteredName(name, before, after string, is contract.Filter) error {
	text, want, err := c.filteredAgain(before)
	if err != nil {
		return err
	}
	if text == "" {
		want.Status = contract.Rejected
	}
	if text != after || !sameFilter(want, is) {
		c.add(ruleText, name, notFollowing)
	}
	return nil
}
