package confirm

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
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
