package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// PlanTraits plans to add and remove traits of a provider; all others stay. Custom
// traits that do not exist yet are created. Adding one that is there, or removing one
// that is not, is no error.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for an unknown trait, or one
// that is both added and removed.
func PlanTraits(s *cloud.Snapshot, id placement.ProviderID, add, remove []placement.Trait) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		c := cloud.Change{Note: editNote(p.Name(), "trait", add, remove)}
		has := s.Placement().TraitsOf(p)
		want, err := edited(has, add, remove, "trait")
		if err != nil {
			return cloud.Change{}, err
		}
		for _, t := range append(slices.Clone(add), remove...) {
			if _, known := s.Placement().TraitID(t); known {
				continue
			}
			if !t.IsCustom() || !slices.Contains(add, t) {
				return cloud.Change{}, placement.Invalid("trait", string(t), "no such trait"+cmp.Or(s.Placement().TraitHint(t), "; a new one begins with CUSTOM_"))
			}
			c.Ops = append(c.Ops, placement.CreateTrait{Name: t})
		}
		slices.Sort(want)
		if !slices.Equal(want, has) {
			c.Ops = append(c.Ops, placement.SetTraits{
				Provider: id, Generation: p.Expect(), Traits: want,
			})
		}
		return c, nil
	})
}

// edited returns a set with add added and remove removed.
func edited[T comparable](has, add, remove []T, what string) ([]T, error) {
	var out []T
	for _, t := range append(slices.Clone(has), add...) {
		if !slices.Contains(remove, t) && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, t := range add {
		if slices.Contains(remove, t) {
			return nil, placement.Invalid(what, fmt.Sprint(t), "is both added and removed")
		}
	}
	return out, nil
}

// editNote says what is edited, for the journal.
func editNote[T ~string](name, what string, add, remove []T) string {
	var parts []string
	for _, t := range add {
		parts = append(parts, "+"+string(t))
	}
	for _, t := range remove {
		parts = append(parts, "-"+string(t))
	}
	return fmt.Sprintf("set %s of %s: %s", what, name, strings.Join(parts, " "))
}
