package candidates_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestPartsAddUp compares the parts of a candidate with what it uses by provider, and
// with what each group asks for.
func TestPartsAddUp(t *testing.T) {
	t.Parallel()
	type where struct {
		provider *placement.ResourceProvider
		class    placement.ResourceClass
	}
	type asked struct {
		suffix string
		class  placement.ResourceClass
	}
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		found := must.Get(searched(candidates.NewIndex(s), q, candidates.Options{Most: 50}))(t)
		for i := range found.Len() {
			used, given := map[where]int64{}, map[asked]int64{}
			for _, p := range found.Parts(i) {
				used[where{p.Provider, p.Class}] += p.Amount
				given[asked{p.Suffix, p.Class}] += p.Amount
			}
			for _, u := range found.At(i).Uses {
				if got := used[where{u.Provider, s.ClassName(u.Class)}]; got != u.Amount {
					t.Fatalf("%s: parts give %d of %s, not %d", q.URL(), got, s.ClassName(u.Class), u.Amount)
				}
				delete(used, where{u.Provider, s.ClassName(u.Class)})
			}
			if len(used) > 0 {
				t.Fatalf("%s: parts that are not used: %v", q.URL(), used)
			}
			for _, g := range q.Groups {
				for _, r := range g.Resources {
					if got := given[asked{g.Suffix, r.Class}]; got != r.Amount {
						t.Fatalf("%s: group %q gets %d %s", q.URL(), g.Suffix, got, r.Class)
					}
				}
			}
		}
	})
}
