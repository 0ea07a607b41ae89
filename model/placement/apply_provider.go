package placement

import (
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"
)

func validProviderName(name string) error {
	switch {
	case name == "":
		return &InvalidError{Field: "name", Why: "a resource provider needs a name"}
	case !utf8.ValidString(name):
		return Invalid("name", name, "not valid UTF-8")
	case utf8.RuneCountInString(name) > maxProviderName:
		return Invalid("name", clip(name), "longer than 200 characters")
	}
	return nil
}

// parentFor returns the number of the provider that is to be a parent;
// noProvider for the zero id.
func (e *edit) parentFor(id ProviderID) (uint32, error) {
	if id.IsZero() {
		return noProvider, nil
	}
	p, ok := e.Provider(id)
	if !ok {
		return 0, Invalid("parent_provider_uuid", id.String(), "no such resource provider")
	}
	return p.number, nil
}

func (op CreateProvider) apply(e *edit) error {
	if err := validProviderName(op.Name); err != nil {
		return err
	}
	if op.ID.IsZero() {
		return Invalid("uuid", op.ID.String(), "the nil uuid names no provider")
	}
	if op.Parent == op.ID {
		return Invalid("parent_provider_uuid", op.ID.String(), "a provider cannot be its own parent")
	}
	parent, err := e.parentFor(op.Parent)
	if err != nil {
		return err
	}
	p, err := e.insert(op.ID, op.Name)
	if err != nil {
		return err
	}
	p.created, p.updated = e.now, e.now
	e.attach(p, parent)
	return nil
}

// insert makes a provider without parent, or returns ExistsError.
func (e *edit) insert(id ProviderID, name string) (*ResourceProvider, error) {
	e.shape++
	if holder, ok := e.ProviderByName(name); ok {
		return nil, &ExistsError{What: "resource provider", Field: "name", Value: name, Holder: holder.id}
	}
	if _, ok := e.Provider(id); ok {
		return nil, &ExistsError{What: "resource provider", Field: "uuid", Value: id.String(), Holder: id}
	}
	number := e.takeNumber()
	p := &ResourceProvider{id: id, name: name, number: number, parent: noProvider, root: number, by: e.by}
	e.providersWere.note(id, nil)
	e.providers.set(number, p, e.by)
	e.all.add(int(number), e.by)
	e.roots.add(int(number), e.by)
	e.byID.Set(numbered{number, uuid.UUID(id)})
	e.byName.Set(name, number)
	return p, nil
}

// takeNumber returns the lowest number that has become free, or a new one.
func (e *edit) takeNumber() uint32 {
	for n := range e.free.All() {
		e.free.remove(n, e.by)
		return uint32(n)
	}
	return uint32(e.all.Len())
}

// attach makes p, a root without a parent, a child of parent.
func (e *edit) attach(p *ResourceProvider, parent uint32) {
	e.shape++
	if parent == noProvider {
		return
	}
	up := e.parentOf(parent)
	i, _ := slices.BinarySearch(up.children, p.number)
	up.children = slices.Insert(up.children, i, p.number)
	p.parent = parent
	e.roots.remove(int(p.number), e.by)
	e.reroot(p.number, up.root)
}

// parentOf returns the provider with the given number for writing, its list of
// children too, which is copied once and not again for each child that comes or goes.
func (e *edit) parentOf(number uint32) *ResourceProvider {
	p := e.mut(number)
	if !e.ownChildren[number] {
		p.children = slices.Clone(p.children)
		if e.ownChildren == nil {
			e.ownChildren = map[uint32]bool{}
		}
		e.ownChildren[number] = true
	}
	return p
}

// detach makes p a root.
func (e *edit) detach(p *ResourceProvider) {
	e.shape++
	if p.parent == noProvider {
		return
	}
	up := e.parentOf(p.parent)
	i, _ := slices.BinarySearch(up.children, p.number)
	up.children = slices.Delete(up.children, i, i+1)
	p.parent = noProvider
	e.roots.add(int(p.number), e.by)
	e.reroot(p.number, p.number)
}

// reroot sets the root of all the tree below and including number.
func (e *edit) reroot(number, root uint32) {
	if e.providers.at(number).root != root {
		e.mut(number).root = root
	}
	for _, c := range e.providers.at(number).children {
		e.reroot(c, root)
	}
}

// below reports whether a or one of its ancestors is p.
func (e *edit) below(a, p uint32) bool {
	for a != noProvider {
		if a == p {
			return true
		}
		a = e.providers.at(a).parent
	}
	return false
}

func (op UpdateProvider) apply(e *edit) error {
	p, err := e.FindProvider(op.ID)
	if err != nil {
		return err
	}
	if err := validProviderName(op.Name); err != nil {
		return err
	}
	if op.Reparent {
		parent, err := e.parentFor(op.Parent)
		if err != nil {
			return err
		}
		if parent != noProvider && e.below(parent, p.number) {
			return Invalid(
				"parent_provider_uuid", op.Parent.String(),
				"creating loop in the provider tree is not allowed: it is "+e.providers.at(parent).name+", at or below "+p.name)
		}
		if parent != p.parent {
			p = e.mut(p.number)
			e.detach(p)
			e.attach(p, parent)
			p.updated = e.now
		}
	}
	if op.Name != p.name {
		return e.rename(p.number, op.Name)
	}
	return nil
}

func (e *edit) rename(number uint32, name string) error {
	e.shape++
	if holder, ok := e.ProviderByName(name); ok {
		return &ExistsError{What: "resource provider", Field: "name", Value: name, Holder: holder.id}
	}
	p := e.mut(number)
	e.byName.Delete(p.name)
	e.byName.Set(name, number)
	p.name = name
	p.updated = e.now
	return nil
}

func (op DeleteProvider) apply(e *edit) error {
	p, err := e.FindProvider(op.ID)
	if err != nil {
		return err
	}
	return e.deleteProvider(p)
}

func (e *edit) deleteProvider(p *ResourceProvider) error {
	e.shape++
	if len(p.children) > 0 {
		use := &InUseError{What: "resource provider", Name: p.name}
		for _, c := range e.Children(p) {
			use.Children = append(use.Children, c.name)
		}
		return use
	}
	if use := e.usedBy(p, func(ClassID) bool { return true }); use != nil {
		use.What, use.Name = "resource provider", p.name
		return use
	}
	p = e.mut(p.number)
	e.setInventories(p, nil)
	e.setTraits(p, nil)
	e.setAggregates(p, nil)
	e.detach(p)
	e.roots.remove(int(p.number), e.by)
	e.all.remove(int(p.number), e.by)
	e.free.add(int(p.number), e.by)
	e.byID.Delete(numbered{id: uuid.UUID(p.id)})
	if n, ok := e.byName.Get(p.name); ok && n == p.number {
		e.byName.Delete(p.name)
	}
	e.providers.set(p.number, nil, e.by)
	return nil
}

// usedBy returns the consumers with allocations of p of the classes that match, nil if
// there are none.
func (e *edit) usedBy(p *ResourceProvider, match func(ClassID) bool) *InUseError {
	const most = 10
	use := &InUseError{}
	for c := range e.ConsumersOf(p) {
		for class := range e.UsedBy(c, p) {
			if match(class) {
				if len(use.Consumers) == most {
					use.More++
				} else {
					use.Consumers = append(use.Consumers, c.id)
				}
				break
			}
		}
	}
	if len(use.Consumers) == 0 {
		return nil
	}
	return use
}
