package forge

import (
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// Named gives the name of an object for a note, with its web address behind it if that
// lies on the host of the source.
func (t Target) Named(name, url string) string {
	if !tree.ValidURL(url) || !tree.URLOn(t.Host, url) {
		return name
	}
	return contract.Located(name, url)
}
