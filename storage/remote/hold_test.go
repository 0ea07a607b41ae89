package remote

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/modeltest/must"
)

// TestHolds checks that nothing is read in the background while Hold is in effect, except
// on request, and that reading continues at once when the last holder lets go.
func TestHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		nothing := script(func(r *http.Request) io.Reader {
			return strings.NewReader(`{"` + strings.TrimPrefix(r.URL.Path, "/") + `": [], "usages": {}}`)
		})
		call := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bodyLimit{nothing}}, DefaultInFlight, nil)
		call.services[api.Placement] = &service{name: api.Placement, minor: placementNewest}
		s := must.Get(newStore(t.Context(), call, options{scheme: "http", clock: time.Now, every: time.Minute, soon: true}))(t)
		defer s.Close()
		sent := func() int64 {
			synctest.Wait()
			return call.sent.Load()
		}
		first := sent()
		time.Sleep(time.Minute)
		if sent() == first || s.Link().Next.IsZero() {
			t.Fatalf("nothing is read in the background: %+v", s.Link())
		}
		one, letOne := context.WithCancel(t.Context())
		two, letTwo := context.WithCancel(t.Context())
		s.Hold(one)
		s.Hold(two)
		held := sent()
		letOne()
		time.Sleep(time.Hour)
		if got := sent(); got != held || !s.Link().Next.IsZero() {
			t.Errorf("%d requests while it is held; %+v", got-held, s.Link())
		}
		if err := s.Refresh(t.Context()); err != nil || sent() == held {
			t.Errorf("it is not read when asked for: %v", err)
		}
		held = sent()
		letTwo()
		if sent() == held {
			t.Error("it does not go on")
		}
	})
}
