package kinds

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Finder finds a thing by what a user types: its uuid, its name, or the beginning of its
// uuid. Whoever may create something may give it the uuid of another one as its name, so a
// uuid is a uuid first; and one of an instance, which its project names, is nothing else.
type Finder struct {
	*cloud.Snapshot
}

// Provider returns the provider that text names.
func (f Finder) Provider(text string) (*placement.ResourceProvider, error) {
	if id, err := placement.ParseProviderID(text); err == nil { // these are looked up: there may be many
		if p, ok := f.Placement().Provider(id); ok {
			return p, nil
		}
	} else if p, ok := f.Placement().ProviderByName(text); ok && !beginsUUID(text) {
		return p, nil
	}
	return named(f, "resource provider", text, f.Placement().Providers(),
		func(rp *placement.ResourceProvider) string { return rp.ID().String() },
		(*placement.ResourceProvider).Name, cloud.Providers)
}

// Consumer returns the consumer with a uuid, or the instance with a name.
func (f Finder) Consumer(text string) (*placement.Consumer, error) {
	parts := []cloud.Part{cloud.Allocations, cloud.Instances}
	var called []*nova.Instance // whether or not all hold something: any may be meant
	if isUUID(text) {
		parts = parts[:1] // Placement knows it, whatever its name is
	} else {
		for i := range f.Nova().Instances() {
			if _, holds := f.Placement().Consumer(i.UUID); i.Name == text && (holds || i.Live()) {
				called = append(called, i)
			}
		}
	}
	if len(called) > 1 {
		return nil, ambiguous("instance", text, "the name of", called, instanceID)
	}
	if len(called) == 1 {
		if c, holds := f.Placement().Consumer(called[0].UUID); holds {
			return c, nil
		}
	}
	return named(f, "consumer", text, f.Placement().Consumers(), consumerID,
		func(c *placement.Consumer) string { return unlessUUID(text, f.ConsumerName(c.ID())) }, parts...)
}

func consumerID(c *placement.Consumer) string { return c.ID().String() }

// ConsumerName returns the name of the instance that a consumer is, "" if Nova knows
// no such instance.
func (f Finder) ConsumerName(id placement.ConsumerID) string {
	if i, ok := f.Nova().Instance(id); ok {
		return i.Name
	}
	return ""
}

// Class returns the number of a resource class.
func (f Finder) Class(name string) (placement.ClassID, error) {
	p := f.Placement()
	if id, ok := p.ClassID(placement.ResourceClass(name)); ok {
		return id, nil
	}
	return 0, f.unknown("resource class", name, p.ClassHint(placement.ResourceClass(name)), Classes)
}

// Trait returns the number of a trait.
func (f Finder) Trait(name string) (placement.TraitID, error) {
	p := f.Placement()
	if id, ok := p.TraitID(placement.Trait(name)); ok {
		return id, nil
	}
	return 0, f.unknown("trait", name, p.TraitHint(placement.Trait(name)), Traits)
}

// unknown is the error about a class or a trait that the cloud does not know, with hint
// or, without one, names like it.
func (f Finder) unknown(what, name, hint string, all Name) error {
	if hint != "" {
		return fmt.Errorf("%w%s", placement.NotFound(what, name), hint)
	}
	return f.missing(what, name, slices.Values(namesIn(all, "name")(f)), cloud.Names)
}

// missing is the error that none of all names is text, with names like it. The parts are
// those that must have been read for that to mean that there is none.
func (f Finder) missing(what, text string, all iter.Seq[string], parts ...cloud.Part) error {
	return f.Missing(&placement.NotFoundError{What: what, Name: text, Like: Alike(text, all)}, parts...)
}

// Instance returns the instance that text names.
func (f Finder) Instance(text string) (*nova.Instance, error) {
	return f.instance(text, f.Nova().Instances())
}

// LiveInstance is Instance among those that are not deleted.
func (f Finder) LiveInstance(text string) (*nova.Instance, error) {
	return f.instance(text, func(yield func(*nova.Instance) bool) {
		for i := range f.Nova().Instances() {
			if i.Live() && !yield(i) {
				return
			}
		}
	})
}

func (f Finder) instance(text string, all iter.Seq[*nova.Instance]) (*nova.Instance, error) {
	return named(f, "instance", text, all, instanceID, func(i *nova.Instance) string { return unlessUUID(text, i.Name) }, cloud.Instances)
}

func instanceID(i *nova.Instance) string { return i.UUID.String() }

// Migration returns the migration that text names.
func (f Finder) Migration(text string) (*nova.Migration, error) {
	return named(f, "migration", text, f.Nova().Migrations(),
		func(m *nova.Migration) string { return m.UUID.String() },
		func(*nova.Migration) string { return "" }, cloud.Migrations)
}

// Flavor returns the flavor with a name (its newest revision that is not deleted), a
// ref, or an id.
func (f Finder) Flavor(text string) (*nova.Flavor, error) {
	if v, ok := f.Nova().FlavorNamed(text); ok {
		return v, nil
	}
	if v, ok := f.Nova().Flavor(text); ok {
		return v, nil
	}
	for v := range f.Nova().CurrentFlavors() {
		if v.FlavorID == text {
			return v, nil
		}
	}
	return nil, f.missing("flavor", text, slices.Values(namesIn(Flavors, "name")(f)), cloud.Flavors)
}

// Services returns the services of a host.
func (f Finder) Services(host string) ([]*nova.Service, error) {
	var out []*nova.Service
	for s := range f.Nova().Services() {
		if s.Host == host {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, f.missing("service of host", host, slices.Values(namesIn(Services, "host")(f)), cloud.Services)
	}
	return out, nil
}

// Cell returns the cell with the given name.
func (f Finder) Cell(name string) (*nova.Cell, error) {
	if c, ok := f.Nova().Cell(name); ok {
		return c, nil
	}
	return nil, f.missing("cell", name, slices.Values(namesIn(Cells, "name")(f)), cloud.Services)
}

// ComputeNode returns the compute node that text names: by its hypervisor's name,
// by its uuid, or by its host.
func (f Finder) ComputeNode(text string) (*nova.ComputeNode, error) {
	there := slices.Collect(f.Nova().ComputeNodesOf(text))
	if len(there) == 1 {
		return there[0], nil
	}
	return named(f, "compute node", text, f.Nova().ComputeNodes(),
		func(n *nova.ComputeNode) string { return n.UUID.String() },
		func(n *nova.ComputeNode) string { return n.Hostname }, cloud.Hypervisors)
}

// Aggregate returns the aggregate that text names: by the name that Nova has for
// it, or by its uuid.
func (f Finder) Aggregate(text string) (placement.AggregateID, error) {
	return named(f, "aggregate", text, slices.Values(f.Aggregates()), placement.AggregateID.String, f.AggregateName, cloud.HostAggregates, cloud.Contents)
}

// Aggregates returns the aggregates of Placement and Nova by uuid; those with the same
// uuid are one.
func (f Finder) Aggregates() []placement.AggregateID {
	var out []placement.AggregateID
	for id := range f.Placement().Aggregates() {
		out = append(out, id)
	}
	for a := range f.Nova().Aggregates() {
		out = append(out, a.UUID)
	}
	slices.SortStableFunc(out, func(a, b placement.AggregateID) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(out)
}

// AggregateName returns the name that Nova has for an aggregate, "" for none.
func (f Finder) AggregateName(id placement.AggregateID) string {
	if a, ok := f.Nova().Aggregate(id); ok {
		return a.Name
	}
	return ""
}

// HostAggregate returns Nova's aggregate that text names: by its name, or by its uuid.
func (f Finder) HostAggregate(text string) (*nova.HostAggregate, error) {
	return named(f, "host aggregate", text, f.Nova().Aggregates(),
		func(a *nova.HostAggregate) string { return a.UUID.String() },
		func(a *nova.HostAggregate) string { return a.Name }, cloud.HostAggregates)
}

// Profile returns the device profile that text names.
func (f Finder) Profile(text string) (*cyborg.DeviceProfile, error) {
	return named(f, "device profile", text, f.Cyborg().DeviceProfiles(),
		func(p *cyborg.DeviceProfile) string { return p.UUID.String() },
		func(p *cyborg.DeviceProfile) string { return p.Name }, cloud.Profiles)
}

// Device returns the device that text names: HOST:ADDRESS, or its uuid.
func (f Finder) Device(text string) (*cyborg.Device, error) {
	return named(f, "device", text, f.Cyborg().Devices(),
		func(d *cyborg.Device) string { return d.UUID.String() }, f.DeviceName, cloud.Devices, cloud.Deployables)
}

// DeviceName returns the display name of a device, host and address, such as
// "compute1:0000:af:00.0".
func (f Finder) DeviceName(d *cyborg.Device) string {
	return d.Hostname + ":" + f.Cyborg().AddressOf(d.UUID)
}

// ARQ returns the accelerator request that text names.
func (f Finder) ARQ(text string) (*cyborg.ARQ, error) {
	return named(f, "accelerator request", text, f.Cyborg().ARQs(),
		func(a *cyborg.ARQ) string { return a.UUID.String() },
		func(*cyborg.ARQ) string { return "" }, cloud.ARQs)
}

// PCIDevice returns the PCI device that text names: by its host and address, or only by
// its address.
func (f Finder) PCIDevice(text string) (*nova.PciDevice, error) {
	var there []*nova.PciDevice
	var names []string
	for d := range f.Nova().PciDevices() {
		name := f.pciDeviceName(d)
		if name == text {
			return d, nil
		}
		if d.Address == text {
			there = append(there, d)
		}
		names = append(names, name)
	}
	switch len(there) {
	case 0:
		return nil, f.missing("PCI device", text, slices.Values(names), cloud.Hypervisors)
	case 1:
		return there[0], nil
	default:
		return nil, &NameError{
			What: fmt.Sprintf("%d hosts have a PCI device %s", len(there), text),
			Hint: "give the host too, as in " + f.pciDeviceName(there[0]),
		}
	}
}

// pciDeviceName returns the name of a PCI device: its host and its address.
func (f Finder) pciDeviceName(d *nova.PciDevice) string { return f.hostOf(d) + ":" + d.Address }

// hostOf returns the host of a PCI device, "" if its compute node is gone.
func (f Finder) hostOf(d *nova.PciDevice) string {
	if node, ok := f.Nova().ComputeNode(d.ComputeNode); ok {
		return node.Host
	}
	return ""
}

// unlessUUID returns the name of a thing that no whole uuid names.
func unlessUUID(text, name string) string {
	if isUUID(text) {
		return ""
	}
	return name
}

// isUUID reports whether text is a whole uuid.
func isUUID(text string) bool {
	_, err := uuid.Parse(text)
	return err == nil
}

// named returns the one of all with the uuid or the name text, or else the only one whose
// uuid begins with it. A name from which another uuid begins, as far as people shorten one,
// may mean either. If there are several the message lists them in the order of all. The
// parts are those that have them.
func named[T any](f Finder, what, text string, all iter.Seq[T], id, name func(T) string, parts ...cloud.Part) (T, error) {
	var none T
	var called, begin []T
	prefix := strings.ToLower(text)
	digits := prefix != "" && strings.Trim(prefix, "0123456789abcdef-") == ""
	for t := range all {
		switch u := id(t); {
		case isOf(u, prefix):
			return t, nil
		case text != "" && name(t) == text:
			called = append(called, t)
		case digits && strings.HasPrefix(u, prefix):
			begin = append(begin, t)
		}
	}
	switch {
	case len(called) > 0 && !beginsUUID(text):
		begin = nil
	case len(called) == 0 && len(begin) > 1:
		return none, ambiguous(what, text, "the beginning of", begin, func(t T) string {
			if n := name(t); n != "" {
				return id(t) + " (" + n + ")"
			}
			return id(t)
		})
	}
	switch {
	case len(called)+len(begin) == 1:
		return append(called, begin...)[0], nil
	case len(called) == 0:
		names := func(yield func(string) bool) {
			for t := range all {
				if n := name(t); n != "" && !yield(n) {
					return
				}
			}
		}
		return none, f.missing(what, text, names, parts...)
	case len(begin) == 0:
		return none, ambiguous(what, text, "the name of", called, id)
	default:
		return none, ambiguous(what, text, "the name, or the beginning of the uuid, of", append(called, begin...), id)
	}
}

// beginsUUID reports whether text may be the beginning of a uuid, as far as people shorten one.
func beginsUUID(text string) bool {
	const short = 8
	return len(text) >= short && strings.Trim(strings.ToLower(text), "0123456789abcdef-") == ""
}

// isOf reports whether text is the whole of a uuid, with or without its dashes.
func isOf(id, text string) bool {
	text = strings.ToLower(text)
	return id == text || strings.ReplaceAll(id, "-", "") == text
}

// ambiguous is the error that text may mean any of found.
func ambiguous[T any](what, text, how string, found []T, show func(T) string) error {
	const most = 5
	var names []string
	for _, t := range found[:min(most, len(found))] {
		names = append(names, show(t))
	}
	if more := len(found) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return &NameError{
		What: fmt.Sprintf("%q is %s %d %ss: %s", text, how, len(found), what, strings.Join(names, ", ")),
		Hint: "give more of the uuid",
	}
}

// Alike returns up to three of names that contain text, or are contained in it,
// ignoring case; for hints in errors.
func Alike(text string, names iter.Seq[string]) []string {
	const most = 3
	text = strings.ToLower(text)
	var out []string
	if len(text) < 2 {
		return nil
	}
	for n := range names {
		low := strings.ToLower(n)
		if strings.Contains(low, text) || len(low) > 2 && strings.Contains(text, low) {
			out = append(out, n)
			if len(out) == most {
				break
			}
		}
	}
	return out
}

// idText writes an id in a cell, "" if there is none.
func idText[T ~[16]byte](u T) string {
	if u == (T{}) {
		return ""
	}
	return uuid.UUID(u).String()
}

// CheckPlace refuses a host or availability zone that does not exist; "" is accepted.
func (f Finder) CheckPlace(host, zone string) error {
	if host != "" {
		if _, err := f.Services(host); err != nil {
			return err
		}
	}
	if zones := f.Zones(); zone != "" && !slices.Contains(zones, zone) {
		return f.missing("availability zone", zone, slices.Values(zones), cloud.Services, cloud.HostAggregates)
	}
	return nil
}

// AggregateToBe is Aggregate, but accepts the full uuid of an aggregate that does not
// exist yet.
func (f Finder) AggregateToBe(text string) (placement.AggregateID, error) {
	id, err := placement.ParseAggregateID(text)
	if err == nil {
		return id, nil
	}
	id, err = f.Aggregate(text)
	if errors.Is(err, placement.ErrNotFound) {
		return id, placement.Invalid("aggregate", text, "no such name or uuid; give the full uuid of a new one")
	}
	return id, err
}
