package confirm

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/screen"
)

// TestRecordWords counts records whose names have an irregular plural, or none.
func TestRecordWords(t *testing.T) {
	t.Parallel()
	traits := versioned.Change{After: &placement.ProviderTraitsRecord{}}
	class := versioned.Change{After: &placement.ClassRecord{}}
	must.Be(t, recordWords([]versioned.Change{traits, class, traits, class}), "resource class (2), resource provider traits (2)")
	must.Be(t, recordWords([]versioned.Change{class}), "resource class")
}

// counted counts how often it is read.
type counted struct {
	ops.Editable
	reads *int
}

func (c counted) State(*cloud.Snapshot) (ops.State, error) {
	*c.reads++
	return ops.FlavorState{Disabled: true}, nil
}

// TestEditIsComparedOnce asks for the keys of an edit that somebody else has overtaken, as
// each frame does: it is compared once with each Snapshot.
func TestEditIsComparedOnce(t *testing.T) {
	t.Parallel()
	reads := 0
	page := Edit(screen.Env{}, cloud.Empty(), "edit", ops.Edit{Of: counted{reads: &reads}, Base: ops.FlavorState{}}, nil, "")
	for n := range 2 {
		page.snap = cloud.Empty()
		for range 3 {
			must.Be(t, len(page.spec.Keys()), 3)
		}
		must.Be(t, reads, n+1)
	}
}
