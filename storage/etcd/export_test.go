//go:build etcd

package etcd

import (
	"context"

	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/shared"
)

// OpenLog opens the log of a place, which it makes where there is none.
func OpenLog(ctx context.Context, place string) (shared.Unattended, error) {
	l, err := dial(place)
	if err == nil {
		err = l.prepare(ctx, engine.Options{})
	}
	return l, err
}
