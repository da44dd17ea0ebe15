package fetch

import (
	"context"
	"errors"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
)

// either is the adapter of an address that does not tell the entity's kind: the forge's
// first answer does.
type either struct {
	forge.Adapter
	open func(forge.Target) forge.Adapter
	at   forge.Target
}

// Entity implements forge.Adapter.
func (a *either) Entity(ctx context.Context) (*forge.Entity, error) {
	a.Adapter = a.open(a.at.At(contract.WorkItem))
	e, err := a.Adapter.Entity(ctx)
	var other *forge.KindMismatch
	if errors.As(err, &other) {
		a.Adapter = a.open(a.at.At(other.Kind))
		return a.Adapter.Entity(ctx)
	}
	return e, err
}
