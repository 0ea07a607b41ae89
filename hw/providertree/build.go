package providertree

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/placement"
)

// Build returns what nova-compute would report of h under opts. The error
// matches placement.ErrInvalid where the options contradict themselves or the
// machine, or where the machine has no name.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree.
func Build(h hw.Host, opts Options) (Tree, error) {
	b := builder{host: h, opts: opts, name: cmp.Or(opts.Hostname, h.Hostname.Value)}
	if b.name == "" {
		return Tree{}, &placement.InvalidError{Field: "host name", Why: "the machine does not tell it in proc/sys/kernel/hostname, nor in etc/hostname"}
	}
	if err := b.root(); err != nil {
		return Tree{}, fmt.Errorf("compute node %s: %w", b.name, err)
	}
	for _, part := range []func() error{b.pgpus, b.pciDevices} {
		if err := part(); err != nil {
			return Tree{}, fmt.Errorf("compute node %s: %w", b.name, err)
		}
	}
	slices.SortFunc(b.tree.Children, func(p, q Provider) int { return cmp.Compare(p.Name, q.Name) })
	slices.SortStableFunc(b.tree.Left, func(p, q Left) int { return p.Address.Compare(q.Address) })
	for _, p := range b.tree.All() {
		for _, inv := range p.Inventories {
			if err := inv.Validate(); err != nil {
				return Tree{}, fmt.Errorf("%s of %s: %w", inv.Class, p.Name, err)
			}
		}
	}
	b.seen()
	b.tree.reportsPCI = opts.ReportPCI
	return b.tree, nil
}

// builder builds one Tree.
type builder struct {
	host hw.Host
	opts Options
	name string // of the root
	tree Tree
}

func (b *builder) note(format string, args ...any) {
	b.tree.Notes = append(b.tree.Notes, fmt.Sprintf(format, args...))
}

func (b *builder) left(a sysfs.Address, k Kind, remove bool, format string, args ...any) {
	b.tree.Left = append(b.tree.Left, Left{Address: a, Kind: k, Why: fmt.Sprintf(format, args...), Remove: remove})
}

// child starts a provider below the root.
func (b *builder) child(k Kind, a sysfs.Address, suffix string) Provider {
	name := b.name + "_" + suffix
	return Provider{
		ID: childID(b.tree.Root.ID, name), IDSource: "uuid5 of " + b.tree.Root.ID.String() + " and the name",
		Name: name, Kind: k, Address: a,
	}
}

// novas is the source of traits that every compute node has.
const novas = "nova-compute sets it on every provider it makes"

func (b *builder) root() error {
	p := Provider{
		Name: b.name, Kind: ComputeNode,
		managed: []placement.ResourceClass{placement.VCPU, placement.PCPU, placement.MemoryMB, placement.DiskGB},
	}
	p.ID, p.IDSource = rootID(b.host, b.name, b.opts.RootID)
	if err := b.cpus(&p); err != nil {
		return err
	}
	b.memory(&p)
	b.disk(&p)
	p.Traits, p.Without = cpuTraits(b.host)
	p.Traits = append(p.Traits,
		Trait{placement.ComputeNode, "nova-compute sets it on the compute node"},
		Trait{placement.OwnerNova, novas},
	)
	slices.SortFunc(p.Traits, byName)
	slices.Sort(p.Without)
	b.tree.Root = p
	return nil
}

// put adds an inventory to the root; Nova does not report a class of which there
// is nothing.
func (b *builder) put(p *Provider, c placement.ResourceClass, total, reserved int64, ratio, initial float64, source string) {
	if total <= 0 {
		return
	}
	if reserved > total {
		b.note("%s: %d reserved is more than the machine has (%d); all of it is reserved", c, reserved, total)
		reserved = total
	}
	inv := Inventory{Class: c, Source: source, RatioSet: ratio != 0}
	inv.Inventory = placement.Inventory{
		Total: total, Reserved: reserved, MinUnit: 1, MaxUnit: total, StepSize: 1,
		AllocationRatio: cmp.Or(ratio, initial, 1),
	}
	p.Inventories = append(p.Inventories, inv)
}

func (b *builder) unknown(c placement.ResourceClass, why string) {
	b.tree.Unknown = append(b.tree.Unknown, Unknown{c, why})
}

// cpus reports VCPU and PCPU.
//
// Source: nova/virt/libvirt/driver.py, _get_vcpu_available and
// _get_pcpu_available.
func (b *builder) cpus(p *Provider) error {
	o, threads := b.opts, b.host.CPU.Threads
	for _, set := range []struct {
		name string
		cpus sysfs.CPUSet
	}{{"cpu_shared_set", o.SharedCPUs}, {"cpu_dedicated_set", o.DedicatedCPUs}} {
		if err := b.online(set.name, set.cpus); err != nil {
			return err
		}
	}
	for _, cpu := range o.DedicatedCPUs {
		if slices.Contains(o.SharedCPUs, cpu) {
			return &placement.InvalidError{Field: "cpu_dedicated_set", Value: o.DedicatedCPUs.String(), Why: "CPU " + strconv.Itoa(cpu) + " is also in cpu_shared_set"}
		}
	}
	b.put(p, placement.PCPU, int64(len(o.DedicatedCPUs)), 0, 1, 1, "option cpu_dedicated_set "+o.DedicatedCPUs.String())
	switch {
	case len(o.SharedCPUs) > 0:
		b.put(p, placement.VCPU, int64(len(o.SharedCPUs)), o.ReservedCPUs, o.Ratios.CPU, o.InitialRatios.CPU, "option cpu_shared_set "+o.SharedCPUs.String())
	case len(o.DedicatedCPUs) > 0:
		// all that is not dedicated is the host's own
	case threads.Known():
		b.put(p, placement.VCPU, int64(threads.Value), o.ReservedCPUs, o.Ratios.CPU, o.InitialRatios.CPU, threads.Source)
	default:
		b.unknown(placement.VCPU, "the number of CPUs could not be read")
	}
	return nil
}

// online checks that a configured set names only CPUs that are online.
func (b *builder) online(option string, set sysfs.CPUSet) error {
	online := b.host.CPU.Topology.Online
	if len(online) == 0 {
		return nil
	}
	for _, cpu := range set {
		if _, ok := slices.BinarySearch(online, cpu); !ok {
			return &placement.InvalidError{Field: option, Value: set.String(), Why: fmt.Sprintf("CPU %d is not online; online are %s", cpu, online)}
		}
	}
	return nil
}

func (b *builder) memory(p *Provider) {
	const mib = 1 << 20
	total := b.host.Memory.Total
	if !total.Known() {
		b.unknown(placement.MemoryMB, "the size of the memory could not be read")
		return
	}
	b.put(p, placement.MemoryMB, int64(total.Value/mib), b.opts.ReservedMemoryMB, b.opts.Ratios.RAM, b.opts.InitialRatios.RAM, total.Source)
}

// disk reports the file system of the instances. On shared storage every compute
// node reports all of it (Nova bug 1784020).
func (b *builder) disk(p *Provider) {
	const gib, mibPerGiB = 1 << 30, 1024
	fs := b.host.Instances
	if fs.Source == "" {
		b.unknown(placement.DiskGB, "the size of the file system of "+fs.Path+" could not be read")
		return
	}
	reserved := (b.opts.ReservedDiskMB + mibPerGiB - 1) / mibPerGiB
	b.put(p, placement.DiskGB, int64(fs.Total/gib), reserved, b.opts.Ratios.Disk, b.opts.InitialRatios.Disk, fs.Source+" "+fs.Asked)
}

// seen notes which PCI devices the probe saw, and which it may have missed.
func (b *builder) seen() {
	b.tree.present = make(map[sysfs.Address]bool, len(b.host.PCI))
	for _, d := range b.host.PCI {
		b.tree.present[d.Address] = true
	}
	if len(b.host.PCI) == 0 {
		b.tree.doubts = append(b.tree.doubts, hw.Problem{What: "no PCI device was seen at all"})
	}
	for _, p := range b.host.Problems {
		bus := p.Path == "" // a part of the machine that did not answer at all
		for _, dir := range []string{"/sys/bus/pci", "/sys/class/mdev_bus", "/sys/bus/mdev", "/sys/devices/pci"} {
			bus = bus || strings.HasPrefix(p.Path, dir)
		}
		if bus {
			b.tree.doubts = append(b.tree.doubts, p)
		}
	}
}

// doubt returns why the device at a may be there although it is not reported.
func (t Tree) doubt(a sysfs.Address) (string, bool) {
	for _, p := range t.doubts {
		switch p.Path {
		case "", "/sys/bus/pci/devices", "/sys/class/mdev_bus":
			return p.String(), true
		}
		if strings.Contains(p.Path, a.String()) {
			return p.String(), true
		}
	}
	return "", false
}
