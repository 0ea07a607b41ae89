package remote

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestLimitOfRequests has a proxy that refuses the first requests as too many: what it kept
// from Placement is sent again, a few times.
func TestLimitOfRequests(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusRequestEntityTooLarge} {
		for times, want := range map[int]bool{2: true, 100: false} {
			w := newWorld(t, 0)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			s := w.mayWrite(t)
			tries := 0
			w.answer(func(out http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPut || tries == times {
					return false
				}
				tries++
				out.Header().Set("Retry-After", "1")
				out.WriteHeader(status)
				return true
			})
			err := s.Apply(t.Context(), storagetest.Claim(20, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err()
			if _, holds := w.kept.Snapshot().Placement().Consumer(storagetest.Consumer(20)); holds != want || (err == nil) != want || tries > 4 {
				t.Errorf("%d, %d times: it holds something: %t after %d tries, %v", status, times, holds, tries, err)
			}
		}
	}
}

// TestFailingPathsAreForgotten notes more paths that were not answered than a service has.
func TestFailingPathsAreForgotten(t *testing.T) {
	t.Parallel()
	s := &service{}
	for n := range 5000 {
		s.notePath(fmt.Sprint("/allocations/", n), true)
	}
	if n := len(s.failing); n > 1000 || !s.failed("/allocations/4999") {
		t.Errorf("%d are noted", n)
	}
	s.notePath("/allocations/4999", false)
	if s.failed("/allocations/4999") {
		t.Error("it was answered")
	}
}
