package view

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// pastStore is a store as it was at one Snapshot.
type pastStore struct {
	cloud.Replay
	of storage.Store
}

// Then returns s, read-only, as it was when snap was its newest Snapshot.
func Then(s storage.Store, snap *cloud.Snapshot) storage.Store {
	return pastStore{cloud.NewReplay(s, snap), s}
}

// Verify implements storage.Store: what is kept is that of now.
func (v pastStore) Verify(ctx context.Context) ([]storage.Defect, error) { return v.of.Verify(ctx) }

// Close implements storage.Store.
func (pastStore) Close() error { return nil }
