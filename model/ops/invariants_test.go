package ops_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// checkInvariants fails the test for each of broken.
func checkInvariants(tb testing.TB, s *cloud.Snapshot) {
	tb.Helper()
	for _, text := range broken(s) {
		tb.Error(text)
	}
}

// broken returns which invariants of a cloud at rest do not hold in s, found without
// shortcuts: everything is held by a consumer that should, as much as its flavor asks
// for, from the right owners, and the devices agree. During an operation more may be held
// than at its end, and fewer devices.
func broken(s *cloud.Snapshot) []string {
	c := checker{p: s.Placement(), n: s.Nova(), y: s.Cyborg()}
	for _, err := range slices.Concat(s.Check(), c.y.Check()) {
		c.report("%v", err)
	}
	for p := range c.p.Providers() {
		c.provider(p)
	}
	for d := range c.y.Deployables() {
		c.card(d)
	}
	for u := range c.p.Consumers() {
		c.consumer(u)
	}
	for i := range c.n.Instances() {
		c.instance(i)
	}
	for a := range c.y.ARQs() {
		c.request(a)
	}
	slices.Sort(c.broken)
	return c.broken
}

type checker struct {
	p      *placement.Snapshot
	n      *nova.Snapshot
	y      *cyborg.Snapshot
	broken []string
}

// holdings is what a consumer holds.
type holdings = map[placement.ProviderID]modeltest.Resources

func (c *checker) report(format string, args ...any) {
	c.broken = append(c.broken, fmt.Sprintf(format, args...))
}

// provider: no usage exceeds the capacity, every accelerator has one owner, and no card
// exists twice.
func (c *checker) provider(p *placement.ResourceProvider) {
	for _, iu := range p.Inventories() {
		class := c.p.ClassName(iu.Class)
		if iu.Used > iu.Capacity() {
			c.report("%s: %s %d is used of %d", p.Name(), class, iu.Used, iu.Capacity())
		}
		if iu.Reserved > iu.Total {
			c.report("%s: %s %d is reserved of %d", p.Name(), class, iu.Reserved, iu.Total)
		}
		owner := c.p.Owner(p)
		if accelerator(class) && owner != placement.OwnedByNova && owner != placement.OwnedByCyborg {
			c.report("%s: the owner of its %s is %v", p.Name(), class, owner)
		}
	}
	root := c.p.Root(p)
	address, _, ok := pci.OfProvider(p.Name())
	for _, other := range c.p.Tree(root) {
		if is, _, known := pci.OfProvider(other.Name()); ok && known && is == address && other.Name() < p.Name() {
			c.report("%s and %s are one card", other.Name(), p.Name())
		}
	}
}

func accelerator(class placement.ResourceClass) bool {
	return class == placement.VGPU || class == placement.PGPU || class == "FPGA" || strings.HasPrefix(string(class), "CUSTOM_PCI_")
}

// card: as many units are allocated as requests hold.
func (c *checker) card(d *cyborg.Deployable) {
	p, ok := c.p.Provider(d.Provider)
	if !ok {
		return
	}
	_, bound := c.y.Units(d)
	busy := false
	for u := range c.p.ConsumersOf(p) {
		busy = busy || c.busy(u.ID())
	}
	for _, iu := range p.Inventories() {
		if iu.Used < bound || iu.Used > bound && !busy {
			c.report("%s: %d allocated, %d requests have one", p.Name(), iu.Used, bound)
		}
	}
}

// busy reports whether a consumer is an instance or a migration with an operation in
// progress.
func (c *checker) busy(id placement.ConsumerID) bool {
	if m, ok := c.n.Migration(id); ok {
		return m.Status.UnderWay() && m.Status != nova.Finished
	}
	i, ok := c.n.Instance(id)
	return ok && i.TaskState != ""
}

// consumer: it is a live instance or an unfinished migration, and holds what its flavor
// asks for, in one tree.
func (c *checker) consumer(u *placement.Consumer) {
	holds := c.p.ConsumerRecord(u).Allocations
	if m, ok := c.n.Migration(u.ID()); ok {
		i, known := c.n.Instance(m.Instance)
		if !known || !m.Status.HoldsClaim() {
			c.report("migration %s is %s and holds %v", m.UUID, m.Status, holds)
			return
		}
		if m.Status != nova.Error {
			c.claim("migration of "+i.Name, i.Edit(func(i *nova.Instance) { i.Mappings = m.Mappings }), m.OldFlavor, holds)
		}
		return
	}
	i, ok := c.n.Instance(u.ID())
	switch {
	case !ok || !i.Live():
		c.report("%s holds %v and is no live instance", u.ID(), holds)
	case i.VMState == nova.Broken && i.Host != "" && i.Fault != "" && len(c.stuck(u.ID())) > 0:
		if !maps.EqualFunc(holds, c.stuck(u.ID()), maps.Equal[modeltest.Resources]) {
			c.report("%s is in error and holds %v, %v did not let go", i.Name, holds, c.stuck(u.ID()))
		}
	case i.TaskState == "":
		c.claim(i.Name, i, i.Flavor, c.withoutEvacuated(i, holds))
	}
}

// stuck returns the units of a consumer whose devices failed to unbind.
func (c *checker) stuck(id placement.ConsumerID) holdings {
	out := holdings{}
	for a := range c.y.ARQsOf(id) {
		if a.State != cyborg.ARQUnbindFailed {
			continue
		}
		if out[a.Provider] == nil {
			out[a.Provider] = modeltest.Resources{}
		}
		out[a.Provider][placement.VGPU]++
	}
	return out
}

// withoutEvacuated returns what an instance holds, without what is left on hosts that it
// was evacuated from.
func (c *checker) withoutEvacuated(i *nova.Instance, holds holdings) holdings {
	holds = maps.Clone(holds)
	for m := range c.n.MigrationsOf(i.UUID) {
		if m.Type != nova.Evacuation || m.Status != nova.Done {
			continue
		}
		for id := range holds {
			if p, ok := c.p.Provider(id); ok && c.host(p) == m.Source {
				delete(holds, id)
			}
		}
	}
	return holds
}

func (c *checker) host(p *placement.ResourceProvider) string {
	root := c.p.Root(p)
	if n, ok := c.n.ComputeNode(root.ID()); ok {
		return n.Host
	}
	return root.Name()
}

// claim: the amounts are those of the flavor, by owner, and on one host.
func (c *checker) claim(who string, i *nova.Instance, flavor string, holds holdings) {
	want, err := c.wants(i, flavor)
	if err != nil {
		c.report("%s: %v", who, err)
		return
	}
	has := map[placement.Owner]modeltest.Resources{}
	hosts := map[string]bool{}
	for id, amounts := range holds {
		p, _ := c.p.Provider(id)
		if !slices.Contains(c.p.TraitsOf(p), placement.SharesViaAggregate) {
			hosts[c.host(p)] = true
		}
		for class, n := range amounts {
			owner := placement.OwnedByNova
			if accelerator(class) {
				owner = c.p.Owner(p)
			}
			if has[owner] == nil {
				has[owner] = modeltest.Resources{}
			}
			has[owner][class] += n
		}
	}
	if !maps.EqualFunc(has, want, maps.Equal[modeltest.Resources]) {
		c.report("%s holds %v by owner, its flavor %s asks for %v", who, has, flavor, want)
	}
	if len(hosts) > 1 {
		c.report("%s holds something of %d hosts", who, len(hosts))
	}
}

// wants returns what an instance with a flavor should hold, by owner.
func (c *checker) wants(i *nova.Instance, flavor string) (map[placement.Owner]modeltest.Resources, error) {
	f, ok := c.n.Flavor(flavor)
	if !ok {
		return nil, &placement.NotFoundError{What: "flavor", Name: flavor}
	}
	spec := i.RequestSpec(f)
	if name := f.DeviceProfile(); name != "" {
		p, ok := c.y.DeviceProfile(name)
		if !ok {
			return nil, &placement.NotFoundError{What: "device profile", Name: name}
		}
		groups, err := p.RequestGroups()
		if err != nil {
			return nil, err
		}
		spec.Devices = groups
	}
	spec.PCI = i.PCIGroups(f)
	groups, err := nova.Amounts(spec)
	if err != nil {
		return nil, err
	}
	out := map[placement.Owner]modeltest.Resources{}
	for _, owner := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg} {
		if sum := nova.Total(groups, owner); len(sum) > 0 {
			out[owner] = sum
		}
	}
	return out, nil
}

// instance: it holds something if it runs, and so does its migration exactly while the
// instance waits to be confirmed.
func (c *checker) instance(i *nova.Instance) {
	if !i.Live() || i.TaskState != "" {
		return
	}
	_, holds := c.p.Consumer(i.UUID)
	if running := i.VMState == nova.Active || i.VMState == nova.Stopped || i.VMState == nova.Resized; running && !holds {
		c.report("%s is %s on %s and holds nothing", i.Name, i.VMState, i.Host)
	}
	parked := false
	for m := range c.n.MigrationsOf(i.UUID) {
		if _, ok := c.p.Consumer(m.UUID); ok && m.Status == nova.Finished {
			parked = true
		}
	}
	if parked != (i.VMState == nova.Resized) {
		c.report("%s is %s, and that a migration of it waits with a claim is %v", i.Name, i.VMState, parked)
	}
}

// request: its holder exists.
func (c *checker) request(a *cyborg.ARQ) {
	if a.State == cyborg.ARQBound || a.State == cyborg.ARQUnbindFailed {
		if _, ok := c.p.Consumer(a.Instance); ok {
			return
		}
		m, ok := c.n.Migration(a.Instance) // it may keep requests for an instance that was evacuated
		if ok && (m.Status.HoldsClaim() || m.Type == nova.Evacuation && m.Status == nova.Done) {
			return
		}
	}
	for i := range c.n.Instances() {
		if i.TaskState != "" {
			return // it may belong to an operation in progress
		}
	}
	c.report("accelerator request %s is %s for %s", a.UUID, a.State, a.Instance)
}
