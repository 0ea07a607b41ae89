package rest_test

import (
	"context"
	"io/fs"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// refusing answers each write with an outcome.
type refusing struct {
	storage.Store
	outcome cloud.Outcome
	writes  int
}

func (s *refusing) Apply(ctx context.Context, _ cloud.Change) cloud.Outcome {
	s.writes++
	s.Store.Apply(ctx, cloud.Change{Ops: storagetest.Host(uint64(2*s.writes+1), 1, 1)}) // somebody else's
	return s.outcome
}

// TestUnsaved: a write that could not be saved is answered with that and with whether it
// may have been done, not with the paths of the server, and is not tried again.
func TestUnsaved(t *testing.T) {
	t.Parallel()
	full := &storage.NotKeptError{
		Path: "/srv/cloud.db", Err: &fs.PathError{Op: "write", Path: "/srv/cloud.db", Err: syscall.ENOSPC}, Hint: "Put the file back, or quit this program",
	}
	for _, test := range []struct {
		outcome cloud.Outcome
		status  int
		says    string
	}{
		{cloud.Refused(full), http.StatusServiceUnavailable, "nothing was changed"},
		{cloud.InDoubt(full.Doubt()), http.StatusServiceUnavailable, "it is not known whether it was done"},
		{cloud.InDoubt(placement.ErrConflict), http.StatusServiceUnavailable, "it is not known whether it was done"},
		{cloud.Outcome{}, http.StatusServiceUnavailable, "it is not known whether it was done"},
		{cloud.Refused(&storage.DamagedError{Path: "/srv/cloud.db", What: "page 7"}), http.StatusServiceUnavailable, "nothing was changed"},
		{cloud.Refused(&storage.ReadOnlyError{Path: "/srv/cloud.db", Err: cloud.Capabilities{ReadOnly: "/srv/cloud.db was opened read-only"}.Can()}), http.StatusForbidden, "only be read"},
	} {
		s := &refusing{Store: memory.New(memory.Options{Clock: storagetest.Clock()}), outcome: test.outcome}
		answer := ask(admin(rest.New(s, rest.Options{Clock: storagetest.Clock()})), http.MethodPut, "/traits/CUSTOM_A", "1.39", "")
		body := answer.Body.String()
		if answer.Code != test.status || !strings.Contains(body, test.says) || strings.Contains(body, "/srv") || strings.Contains(body, "quit") || s.writes != 1 {
			t.Errorf("%v: %d after %d writes: %s", test.outcome.Err(), answer.Code, s.writes, body)
		}
	}
}
