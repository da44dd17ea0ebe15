// Package browser looks at the pages of verify report and verify diff in a real browser.
// It is a module of its own, so that the product needs nothing for it: go -C
// pkg/endtoend/browser test ./... runs it. Chromium comes from the system's packages,
// axe-core from npm for the time of the run. Without them tests skip and say why; where CI
// is set they fail. SNAPLINE_SCREENSHOTS=DIR keeps pictures to look at.
package browser
