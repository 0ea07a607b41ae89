package view

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// then is a store as it was at one Snapshot.
type then struct {
	cloud.Replay
	of storage.Store
}

// Then returns s, read-only, as it was when snap was its newest Snapshot.
func Then(s storage.Store, snap *cloud.Snapshot) storage.Store {
	return then{cloud.NewReplay(s, snap), s}
}

// Verify implements storage.Store: what is kept is that of now.
func (v then) Verify(ctx context.Context) ([]storage.Defect, error) { return v.of.Verify(ctx) }

// Close implements storage.Store.
func (then) Close() error { return nil }
