package remote

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestSuite runs the suite for all stores against a Placement, over its API.
func TestSuite(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, storagetest.Harness{
		Open: func(t *testing.T, clock func() time.Time) storage.Store {
			w := newWorld(t, 0)
			call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), DefaultInFlight, nil))(t)
			s := must.Get(newStore(t.Context(), call, options{scheme: "http", clock: clock, can: cloud.Capabilities{Cannot: call.cannot}}))(t)
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		Without: storagetest.WithoutOverAPI(),
	})
}
