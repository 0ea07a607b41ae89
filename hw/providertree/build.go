package providertree

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Build returns what nova-compute would report for h with opts. The error matches
// placement.ErrInvalid where the options contradict themselves or the machine, or
// where the machine has no name.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree.
func Build(h hw.Host, opts Options) (tracker.Tree, error) {
	name := cmp.Or(opts.Hostname, h.Hostname.Value)
	if name == "" {
		return tracker.Tree{}, &placement.InvalidError{Field: "host name", Why: "neither proc/sys/kernel/hostname nor etc/hostname has it"}
	}
	id, source := rootID(h, name, opts.RootID)
	b := builder{host: h, opts: opts, tree: tracker.NewTree(id, source, name)}
	b.tree.OwnID = !opts.RootID.IsZero() || h.ComputeID.Known()
	b.tree.Notes, b.tree.Configs = slices.Clone(opts.Notes), opts.ProviderConfigs
	for _, part := range []func() error{b.root, b.accelerators, b.pgpus, b.pciDevices, b.vfio, b.tree.Finish} {
		if err := part(); err != nil {
			return tracker.Tree{}, fmt.Errorf("compute node %s: %w", name, err)
		}
	}
	b.idle()
	b.seen()
	says, err := hypervisor(h, opts.MyIP)
	if err != nil {
		return tracker.Tree{}, fmt.Errorf("compute node %s: %w", name, err)
	}
	b.tree.Hypervisor = says
	b.tree.ReportsPCI, b.tree.SeesPCI = opts.ReportPCI, true
	return b.tree, nil
}

// builder builds one Tree.
type builder struct {
	host hw.Host
	opts Options
	tree tracker.Tree
}

func (b *builder) root() error {
	if err := b.cpus(); err != nil {
		return err
	}
	b.memory()
	b.disk()
	has, without := cpuTraits(b.host)
	b.tree.Root.Traits = append(b.tree.Root.Traits, has...)
	b.tree.Root.Without = without
	return nil
}

// idle notes which options match no device of the machine: a mistyped type or address, or
// a card that is gone.
func (b *builder) idle() {
	for _, t := range b.opts.MdevTypes {
		if !slices.ContainsFunc(b.host.Mediated.Parents, func(p sysfs.MdevParent) bool { _, ok := p.Type(t.ID); return ok }) {
			b.tree.Note("mdev type %s is enabled, but no card of the machine supports it", t.ID)
		}
	}
	has := func(s pci.DeviceSpec) bool {
		return slices.ContainsFunc(b.host.PCI, func(d hw.PCIDevice) bool { return s.Matches(function(b.host, d)) })
	}
	for _, s := range b.opts.Cyborg {
		if !has(s) {
			b.tree.Note("%s is meant for Cyborg, but the machine has no such device", s)
		}
	}
	for _, s := range b.opts.PCIDevices {
		if !has(s) {
			b.tree.Note("%s is meant to be passed through, but the machine has no such device", s)
		}
	}
	if b.opts.ReportPCI && len(b.opts.PCIDevices) == 0 {
		b.tree.Note("there is no device_spec, so no PCI devices are passed through")
	}
}

// supply sets how much the machine has of a class of the root provider.
func (b *builder) supply(c placement.ResourceClass, total int64, source string) {
	b.tree.Supply(b.opts.Conf, c, total, source)
}

// cpus reports VCPU and PCPU.
//
// Source: nova/virt/libvirt/driver.py, _get_vcpu_available and
// _get_pcpu_available.
func (b *builder) cpus() error {
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
	b.supply(placement.PCPU, int64(len(o.DedicatedCPUs)), "option cpu_dedicated_set "+o.DedicatedCPUs.String())
	switch {
	case len(o.SharedCPUs) > 0:
		b.supply(placement.VCPU, int64(len(o.SharedCPUs)), "option cpu_shared_set "+o.SharedCPUs.String())
	case len(o.DedicatedCPUs) > 0:
		// whatever is not dedicated belongs to the host
	case threads.Known():
		b.supply(placement.VCPU, int64(threads.Value), threads.Source)
	default:
		b.tree.CannotTell(placement.VCPU, "the number of CPUs could not be read")
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

func (b *builder) memory() {
	const mib = 1 << 20
	total := b.host.Memory.Total
	if backed := b.opts.FileBackedMemoryMB; backed > 0 {
		b.supply(placement.MemoryMB, backed, "option file_backed_memory")
		return
	}
	if !total.Known() {
		b.tree.CannotTell(placement.MemoryMB, "the size of the memory could not be read")
		return
	}
	b.supply(placement.MemoryMB, int64(total.Value/mib), total.Source)
}

// disk reports the file system of the instances.
func (b *builder) disk() {
	const gib = 1 << 30
	fs := b.host.Instances
	if kind := b.opts.ImagesType; kind != "" {
		b.tree.CannotTell(placement.DiskGB, "the disks of instances are not in a file system, but in "+kind+" by the option images_type, whose size cannot be read here")
		return
	}
	if fs.Source == "" {
		b.tree.CannotTell(placement.DiskGB, "the size of the file system of "+fs.Path+" could not be read")
		return
	}
	b.supply(placement.DiskGB, int64(fs.Total/gib), fs.Source+" "+fs.Asked)
}

// seen notes which PCI devices the probe found, and which it may have missed.
func (b *builder) seen() {
	b.tree.Present = make(map[sysfs.Address]bool, len(b.host.PCI))
	for _, d := range b.host.PCI {
		b.tree.Present[d.Address] = true
	}
	if len(b.host.PCI) == 0 {
		b.doubt("", hw.Gap{What: "no PCI devices were found at all"})
	}
	for _, p := range b.host.Gaps {
		switch p.Path {
		case "", // a whole part of the machine did not answer
			"/sys/bus/pci/devices", "/sys/class/mdev_bus":
			b.doubt("", p)
			continue
		}
		for _, dir := range []string{"/sys/bus/pci", "/sys/class/mdev_bus", "/sys/bus/mdev", "/sys/devices/pci"} {
			if strings.HasPrefix(p.Path, dir) {
				b.doubt(p.Path, p)
				break
			}
		}
	}
}

func (b *builder) doubt(path string, p hw.Gap) {
	b.tree.Doubts = append(b.tree.Doubts, tracker.ReportGap{Path: path, Why: p.String()})
}
