package cyborg

import (
	"fmt"

	"github.com/google/uuid"
)

// Units returns how many attach handles of d are in use, and how many accelerator
// requests hold one of them. The two are equal, and equal to what is allocated on the
// provider of d, unless something went wrong.
func (s *Snapshot) Units(d *Deployable) (handles, requests int64) {
	for h := range s.AttachHandlesOf(d.UUID) {
		if h.InUse {
			handles++
		}
	}
	if d.Provider.IsZero() {
		return handles, 0
	}
	for a := range s.ARQsAt(d.Provider) {
		if a.State.HoldsHandle() {
			requests++
		}
	}
	return handles, requests
}

// Check returns what does not agree between accelerator requests and attach
// handles: a handle that two requests hold, or one in use that none holds; a
// request that should hold a handle and does not, or holds one of another device;
// a deployable whose handles in use are not as many as the requests on it. What
// the functions of this package lead to has nothing to report.
func (s *Snapshot) Check() []error {
	var out []error
	report := func(format string, args ...any) { out = append(out, fmt.Errorf(format, args...)) }
	holders := map[uuid.UUID]*ARQ{}
	for a := range s.ARQs() {
		if !a.State.HoldsHandle() {
			if a.AttachHandle != uuid.Nil {
				report("accelerator request %s is %s, but has attach handle %s", a.UUID, a.State, a.AttachHandle)
			}
			continue
		}
		h, ok := s.AttachHandle(a.AttachHandle)
		if !ok {
			report("accelerator request %s is %s, but has no attach handle", a.UUID, a.State)
			continue
		}
		if other, twice := holders[h.UUID]; twice {
			report("attach handle %s is held by accelerator requests %s and %s", h.UUID, other.UUID, a.UUID)
		}
		holders[h.UUID] = a
		if !h.InUse {
			report("attach handle %s is marked free, but accelerator request %s holds it", h.UUID, a.UUID)
		}
		if d, ok := s.Deployable(h.Deployable); !ok || d.Provider != a.Provider {
			report("accelerator request %s is for provider %s, but its attach handle %s is of another device", a.UUID, a.Provider, h.UUID)
		}
	}
	for d := range s.Deployables() {
		for h := range s.AttachHandlesOf(d.UUID) {
			if h.InUse && holders[h.UUID] == nil {
				report("attach handle %s of %s is marked in use, but no accelerator request holds it", h.UUID, d.Name)
			}
		}
		if handles, requests := s.Units(d); handles != requests {
			report("%s has %d attach handles in use for %d accelerator requests", d.Name, handles, requests)
		}
	}
	return out
}
