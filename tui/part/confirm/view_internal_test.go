package confirm

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// TestRecordWords counts records whose names have an irregular plural, or none.
func TestRecordWords(t *testing.T) {
	t.Parallel()
	traits := versioned.Change{After: &placement.ProviderTraitsRecord{}}
	class := versioned.Change{After: &placement.ClassRecord{}}
	must.Be(t, recordWords([]versioned.Change{traits, class, traits, class}), "resource class (2), resource provider traits (2)")
	must.Be(t, recordWords([]versioned.Change{class}), "resource class")
}

// TestWhatWritesIsFinal has no key write that was typed ahead of the page.
func TestWhatWritesIsFinal(t *testing.T) {
	t.Parallel()
	for _, stage := range []stage{planned, asking, stopped} {
		p := &Page{stage: stage, courses: Courses{Run: ops.Confirm{}, Undo: ops.Revert{}}}
		n := 0
		for _, a := range p.Actions() {
			if len(a.Writes) > 0 {
				n++
				must.Be(t, string(a.ID)+map[bool]string{true: " is final"}[a.Final], string(a.ID)+" is final")
			}
		}
		if n == 0 {
			t.Errorf("nothing writes in stage %d", stage)
		}
	}
}
