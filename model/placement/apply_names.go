package placement

import (
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/internal/ordered"
	"github.com/placetop/placetop/model/suggest"
	"github.com/placetop/placetop/model/versioned"
)

// class returns the number of a class, or InvalidError with names like it.
func (e *edit) class(name ResourceClass) (ClassID, error) {
	if id, ok := e.ClassID(name); ok {
		return id, nil
	}
	return 0, Invalid("resource class", string(name), "no such resource class"+e.ClassHint(name))
}

// ClassHint returns ", did you mean A?" with the known classes that look most
// like name, or "" if none does.
func (s *state) ClassHint(name ResourceClass) string { return hint(s.classesLike(name)) }

// TraitHint is ClassHint for traits.
func (s *state) TraitHint(name Trait) string { return hint(s.traitsLike(name)) }

func (s *state) classesLike(name ResourceClass) []string { return like(name, s.Classes()) }

func (s *state) traitsLike(name Trait) []string { return like(name, s.Traits()) }

// like returns those of all names that are most like name.
func like[ID ~int32, N ~string](name N, all iter.Seq2[ID, N]) []string {
	var names []string
	for _, n := range all {
		names = append(names, string(n))
	}
	return suggest.Nearest(string(name), names)
}

func hint(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", did you mean " + strings.Join(names, " or ") + "?"
}

func (op CreateClass) apply(e *edit) error {
	_, taken := e.ClassID(op.Name)
	if taken && op.IfAbsent {
		return nil
	}
	if err := validCustomName("resource class", string(op.Name)); err != nil {
		return err
	}
	if taken {
		return &ExistsError{What: "resource class", Field: "name", Value: string(op.Name)}
	}
	e.putClass(ClassID(nextID(e.classIndex)), op.Name)
	return nil
}

func (op RenameClass) apply(e *edit) error {
	if err := validCustomName("resource class", string(op.To)); err != nil {
		return err
	}
	id, err := e.customClass(op.Name)
	if err != nil {
		return err
	}
	if op.To == op.Name {
		return nil
	}
	if _, taken := e.ClassID(op.To); taken {
		return &ExistsError{What: "resource class", Field: "name", Value: string(op.To)}
	}
	e.putClass(id, op.To)
	return nil
}

// touchUsers notes everything that uses the class: records hold names, so renaming a
// class changes them.
func (e *edit) touchUsers(class ClassID) {
	for n := range editSet(&e.classSets, class, e.WithClass).All() {
		p := e.mut(uint32(n))
		for c := range e.ConsumersOf(p) {
			for used := range e.UsedBy(c, p) {
				if used == class {
					e.touchConsumer(c)
				}
			}
		}
	}
}

func (op DeleteClass) apply(e *edit) error {
	id, err := e.customClass(op.Name)
	if err != nil {
		return err
	}
	return e.deleteClass(id)
}

func (e *edit) deleteClass(id ClassID) error {
	name := e.ClassName(id)
	if set := editSet(&e.classSets, id, e.WithClass); set.Len() > 0 {
		return &InUseError{What: "resource class", Name: string(name), Providers: e.names(*set)}
	}
	e.putClass(id, "")
	return nil
}

// customClass returns the number of a custom class.
func (e *edit) customClass(name ResourceClass) (ClassID, error) {
	id, ok := e.ClassID(name)
	switch {
	case !ok:
		return 0, &NotFoundError{What: "resource class", Name: string(name), Like: e.classesLike(name)}
	case id < CustomID:
		return 0, Invalid("resource class", string(name), "standard classes cannot be changed")
	}
	return id, nil
}

// putClass gives the class id its name; an empty name removes it.
func (e *edit) putClass(id ClassID, name ResourceClass) {
	putName(e.classIndex, e.classIDs, &e.classesWere, uint32(id), string(name), func() { e.touchUsers(id) })
}

// putName gives a number its name; an empty name removes it. It notes the old name in
// were, and calls touch if there was one.
func putName(all ordered.Map[uint32, *index], ids ordered.Map[string, uint32], were *map[uint32]string, id uint32, name string, touch func()) {
	ix := indexAt(all, id)
	if holder, ok := ids.Get(ix.name); ok && holder == id {
		ids.Delete(ix.name)
	}
	if ix.name != "" && name != "" && name != ix.name {
		touch()
	}
	if *were == nil {
		*were = map[uint32]string{}
	}
	if _, seen := (*were)[id]; !seen {
		(*were)[id] = ix.name
	}
	if name == "" {
		all.Delete(id)
		return
	}
	ix.name = name
	all.Set(id, &ix)
	ids.Set(name, id)
}

func (op CreateTrait) apply(e *edit) error {
	if _, ok := e.TraitID(op.Name); ok {
		return nil
	}
	if err := validCustomName("trait", string(op.Name)); err != nil {
		return err
	}
	e.putTrait(TraitID(nextID(e.traitIndex)), op.Name)
	return nil
}

func (op DeleteTrait) apply(e *edit) error {
	id, ok := e.TraitID(op.Name)
	switch {
	case !ok:
		return &NotFoundError{What: "trait", Name: string(op.Name), Like: e.traitsLike(op.Name)}
	case id < CustomID:
		return Invalid("trait", string(op.Name), "standard traits cannot be changed")
	}
	return e.deleteTrait(id)
}

func (e *edit) deleteTrait(id TraitID) error {
	if set := editSet(&e.traitSets, id, e.WithTrait); set.Len() > 0 {
		return &InUseError{What: "trait", Name: string(e.TraitName(id)), Providers: e.names(*set)}
	}
	e.putTrait(id, "")
	return nil
}

// putTrait gives the trait id its name; an empty name removes it.
func (e *edit) putTrait(id TraitID, name Trait) {
	putName(e.traitIndex, e.traitIDs, &e.traitsWere, uint32(id), string(name), func() {
		for n := range editSet(&e.traitSets, id, e.WithTrait).All() {
			e.mut(uint32(n)) // its record names the trait
		}
	})
}

// nextID returns one above the highest custom number in use, or the lowest free
// one if there is none above.
//
// Source: placement/objects/resource_class.py, _get_next_id.
func nextID(all ordered.Map[uint32, *index]) uint32 {
	switch last, _, _ := all.Max(); {
	case last < CustomID:
		return CustomID
	case last < versioned.MaxID:
		return last + 1
	}
	id := uint32(CustomID)
	all.Ascend(id, func(taken uint32, _ *index) bool {
		if taken != id {
			return false
		}
		id++
		return true
	})
	return id
}

// names returns up to ten names of the providers in set.
func (e *edit) names(set Set) []string {
	var out []string
	for n := range set.All() {
		if len(out) == 10 {
			break
		}
		out = append(out, e.ProviderAt(n).name)
	}
	slices.Sort(out)
	return out
}
