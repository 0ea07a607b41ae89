package panel

import (
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// ToMake says how the custom trait or class that an extra spec names can be made, if
// Placement does not have it yet and no name is like it; "" otherwise. It follows what is
// wrong with the spec.
func ToMake(s *placement.Snapshot, key, name string) string {
	trait, class := placement.Trait(name), placement.ResourceClass(name)
	list := ":traits"
	switch {
	case !trait.IsCustom() || trait.Validate() != nil:
		return ""
	case strings.HasPrefix(key, "trait"):
		if _, ok := s.TraitID(trait); ok || s.TraitHint(trait) != "" {
			return ""
		}
	default:
		if _, ok := s.ClassID(class); ok || s.ClassHint(class) != "" {
			return ""
		}
		list = ":classes"
	}
	return ": make it in " + list
}
