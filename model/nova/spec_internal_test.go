package nova

import (
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/placement"
)

// Each row of the table refers to existing traits and pre-filters.
func TestSpecTable(t *testing.T) {
	t.Parallel()
	known := func(t placement.Trait) bool { return t == "" || slices.Contains(placement.StandardTraits(), t) }
	for _, s := range specs {
		name := s.key + " " + s.property
		if !known(s.trait) || s.filter != "" && !slices.Contains(PrefilterNames(), s.filter) {
			t.Errorf("%s: %+v", name, s)
		}
		if s.needs != "" && specsByName()[s.needs] == nil {
			t.Errorf("%s needs %s, which is not in the table", name, s.needs)
		}
		for _, trait := range s.traits {
			if !known(trait) {
				t.Errorf("%s: no trait %s", name, trait)
			}
		}
		starts := func(t placement.Trait) bool { return strings.HasPrefix(string(t), string(s.prefix)) }
		if s.prefix != "" && !slices.ContainsFunc(placement.StandardTraits(), starts) {
			t.Errorf("%s: no trait begins with %s", name, s.prefix)
		}
	}
}
