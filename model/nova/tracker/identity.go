package tracker

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// IdentityError reports that the name or the uuid of a provider is taken by another
// one: after a re-installation, which creates a new uuid, after the host was renamed,
// or if two machines were cloned from one image and have the same machine id. It
// matches placement.ErrExists.
//
// nova-compute does not start in these cases either.
//
// Source: nova/compute/manager.py, _check_for_host_rename; Launchpad bug 1817833.
type IdentityError struct {
	Name      string // of the provider as this machine would report it
	ID        placement.ProviderID
	TwinName  string // of the provider that is in the way
	Twin      placement.ProviderID
	Consumers int // how many hold allocations in the tree of the twin
}

func (e *IdentityError) Error() string {
	held := fmt.Sprintf("%d consumers hold allocations in its tree", e.Consumers)
	if e.Name == e.TwinName {
		return fmt.Sprintf("resource provider %s exists with uuid %s, but this machine's is %s; %s: delete or rename the old one; or, if it is this machine, write that uuid into its /etc/nova/compute_id",
			e.Name, e.Twin, e.ID, held)
	}
	return fmt.Sprintf("resource provider %s is called %s, but this machine is called %s; %s: rename it if the machine was renamed, or give the machine an id of its own if it is a clone",
		e.ID, e.TwinName, e.Name, held)
}

// Is reports whether target is placement.ErrExists.
func (e *IdentityError) Is(target error) bool { return target == placement.ErrExists }

// findRoot returns the provider of the compute node, nil if it does not exist yet.
func (p *planner) findRoot() (*placement.ResourceProvider, error) {
	want := p.tree.Root
	if has, ok := p.s.Provider(want.ID); ok {
		if has.Name() != want.Name {
			return nil, p.identity(want, has)
		}
		return has, nil
	}
	if twin, ok := p.s.ProviderByName(want.Name); ok {
		return nil, p.identity(want, twin)
	}
	return nil, nil
}

// findChild returns the provider of a child, nil if it does not exist yet.
func (p *planner) findChild(want Provider) (*placement.ResourceProvider, error) {
	has, ok := p.s.Provider(want.ID)
	if !ok {
		has, ok = p.s.ProviderByName(want.Name)
	}
	if !ok {
		return nil, nil
	}
	if p.root == nil || p.s.Root(has) != p.s.Root(p.root) {
		return nil, p.identity(want, has)
	}
	return has, nil
}

func (p *planner) identity(want Provider, twin *placement.ResourceProvider) error {
	consumers := make(map[placement.ConsumerID]bool)
	for _, member := range p.s.Tree(twin) {
		for c := range p.s.ConsumersOf(member) {
			consumers[c.ID()] = true
		}
	}
	return &IdentityError{Name: want.Name, ID: want.ID, TwinName: twin.Name(), Twin: twin.ID(), Consumers: len(consumers)}
}
