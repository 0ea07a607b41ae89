package remote

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestActions reads from Nova what it was asked to do with a server, and checks that the
// terminal obeys nothing in that text.
func TestActions(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	s := w.openWith(t, api.Compute, in, 87)
	server := storagetest.Consumer(10)
	if got, err := s.Capabilities().Servers.Actions(t.Context(), server); err == nil {
		t.Errorf("of a server that is not there it tells %+v", got)
	}
	in.says("/servers/"+server.String()+"/os-instance-actions", object{"instanceActions": []any{
		object{"action": "resize", "request_id": "req-2", "user_id": "ann", "message": "Error", "start_time": "2026-11-20T12:00:00.000000"},
		object{"action": "cre\x1b[31mate", "request_id": "req-1", "user_id": "bob", "message": nil, "start_time": "2026-11-19T12:00:00.000000"},
	}})
	asked := ""
	in.odd = func(_ http.ResponseWriter, r *http.Request) bool {
		asked = r.URL.RawQuery
		return false
	}
	got := must.Get(s.Capabilities().Servers.Actions(t.Context(), server))(t)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	want := []nova.Action{
		{Name: "resize", Request: "req-2", User: "ann", At: at, Wrong: true},
		{Name: "cre\uFFFD[31mate", Request: "req-1", User: "bob", At: at.AddDate(0, 0, -1)},
	}
	if diff := cmp.Diff(want, got); diff != "" || asked != "limit=20" {
		t.Errorf("%s\nby %s", diff, asked)
	}
}
