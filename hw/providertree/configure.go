package providertree

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/novaconf"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Configure returns the options that the files of nova-compute on a machine set, with
// Nova's defaults for the others. The error matches placement.ErrInvalid where
// nova-compute would not start either.
//
// Source: nova/conf/{base,compute,devices,libvirt,netconf,pci}.py.
func Configure(c hw.Configuration) (Options, error) {
	o := DefaultOptions()
	r := confReader{conf: c.Nova}
	o.ReservedCPUs = r.integer(novaconf.Default, "reserved_host_cpus", o.ReservedCPUs)
	o.ReservedMemoryMB = r.integer(novaconf.Default, "reserved_host_memory_mb", o.ReservedMemoryMB)
	o.ReservedDiskMB = r.integer(novaconf.Default, "reserved_host_disk_mb", o.ReservedDiskMB)
	for _, x := range []struct {
		name         string
		set, initial *float64
	}{
		{"cpu_allocation_ratio", &o.Ratios.CPU, &o.InitialRatios.CPU},
		{"ram_allocation_ratio", &o.Ratios.RAM, &o.InitialRatios.RAM},
		{"disk_allocation_ratio", &o.Ratios.Disk, &o.InitialRatios.Disk},
	} {
		*x.set = r.ratio(x.name, *x.set)
		*x.initial = r.ratio("initial_"+x.name, *x.initial)
	}
	o.SharedCPUs = r.cpus("compute", "cpu_shared_set")
	o.DedicatedCPUs = r.cpus("compute", "cpu_dedicated_set")
	if pinned := r.cpus(novaconf.Default, "vcpu_pin_set"); len(pinned) > 0 {
		o.SharedCPUs = pinned // the old option wins while it is set
	}
	if v, ok := r.conf.Lookup(novaconf.Default, "my_ip"); ok {
		ip, err := netip.ParseAddr(v.Text)
		if err != nil || ip.Zone() != "" {
			r.fault(novaconf.Option{Section: novaconf.Default, Name: "my_ip"}, v, "is not an IP address")
		}
		o.MyIP = ip
	}
	o.FileBackedMemoryMB = r.integer("libvirt", "file_backed_memory", 0)
	if v, ok := r.conf.Lookup("libvirt", "images_type"); ok {
		switch v.Text {
		case "rbd", "lvm":
			o.ImagesType = v.Text
		case "raw", "flat", "qcow2", "ploop", "default":
		default:
			r.fault(novaconf.Option{Section: "libvirt", Name: "images_type"}, v, "must be raw, flat, qcow2, lvm, rbd, ploop or default")
		}
	}
	r.mdevs(&o)
	o.ReportPCI = r.boolean("pci", "report_in_placement")
	r.devices(&o)
	r.ignored(&o)
	for _, f := range c.Providers {
		configs, notes, err := parseProviderConfig(f)
		if err != nil && r.err == nil {
			r.err = err
		}
		o.ProviderConfigs = append(o.ProviderConfigs, configs...)
		o.Notes = append(o.Notes, notes...)
	}
	if r.err == nil {
		r.err = twice(o.ProviderConfigs)
	}
	return o, r.err
}

// confReader reads options; err is the first that is wrong.
type confReader struct {
	conf novaconf.Conf
	err  error
}

func (r *confReader) fault(o novaconf.Option, v novaconf.Value, why string) {
	if r.err == nil {
		r.err = &placement.InvalidError{Field: v.File + ": " + o.String(), Value: v.Text, Why: why}
	}
}

func (r *confReader) integer(section, name string, usual int64) int64 {
	v, ok := r.conf.Lookup(section, name)
	if !ok {
		return usual
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil || n < 0 || n > placement.MaxInt {
		r.fault(novaconf.Option{Section: section, Name: name}, v, fmt.Sprintf("must be a whole number from 0 to %d", placement.MaxInt))
		return usual
	}
	return n
}

// ratio reads an allocation ratio of [DEFAULT]; 0, and nothing, are "not set".
func (r *confReader) ratio(name string, usual float64) float64 {
	v, ok := r.conf.Lookup(novaconf.Default, name)
	if !ok || v.Text == "" {
		return usual
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || !(n >= 0 && n <= placement.MaxInt) {
		r.fault(novaconf.Option{Section: novaconf.Default, Name: name}, v, "must be a number of at least 0")
		return usual
	}
	return cmp.Or(n, usual)
}

// boolean reads an option as oslo.config does.
//
// Source: oslo_config/types.py, Boolean.
func (r *confReader) boolean(section, name string) bool {
	v, ok := r.conf.Lookup(section, name)
	switch strings.ToLower(v.Text) {
	case "true", "1", "on", "yes":
		return true
	case "false", "0", "off", "no":
		return false
	}
	if ok {
		r.fault(novaconf.Option{Section: section, Name: name}, v, "must be true or false")
	}
	return false
}

// list splits a value at its commas.
func list(text string) []string {
	var out []string
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// cpus reads a set of CPUs such as "4-12,^8,15".
//
// Source: nova/virt/hardware.py, parse_cpu_spec.
func (r *confReader) cpus(section, name string) sysfs.CPUSet {
	v, ok := r.conf.Lookup(section, name)
	if !ok || strings.TrimSpace(v.Text) == "" {
		return nil
	}
	in, out := map[int]bool{}, map[int]bool{}
	for _, part := range list(v.Text) {
		into := in
		if rest, not := strings.CutPrefix(part, "^"); not {
			part, into = rest, out
		}
		set, err := sysfs.ParseCPUList(strings.ReplaceAll(part, " ", ""))
		if err != nil || len(set) == 0 {
			r.fault(novaconf.Option{Section: section, Name: name}, v, "must be CPUs such as 4-12,^8,15")
			return nil
		}
		for _, cpu := range set {
			into[cpu] = true
		}
	}
	var set sysfs.CPUSet
	for cpu := range in {
		if !out[cpu] {
			set = append(set, cpu)
		}
	}
	if len(set) == 0 {
		r.fault(novaconf.Option{Section: section, Name: name}, v, "leaves no CPU")
	}
	slices.Sort(set)
	return set
}

// mdevs reads the enabled types of mediated devices, with the section of each.
func (r *confReader) mdevs(o *Options) {
	v, _, ok := r.conf.Either(novaconf.Option{Section: "devices", Name: "enabled_mdev_types"}, novaconf.Option{Section: "devices", Name: "enabled_vgpu_types"})
	if !ok {
		return
	}
	for _, id := range list(v.Text) {
		t := MdevType{ID: id}
		own := "mdev_" + id
		if v, opt, ok := r.conf.Either(novaconf.Option{Section: own, Name: "device_addresses"}, novaconf.Option{Section: "vgpu_" + id, Name: "device_addresses"}); ok {
			for _, text := range list(v.Text) {
				a, err := sysfs.ParseAddress(text)
				if err != nil {
					r.fault(opt, v, text+" is not a PCI address such as 0000:84:00.0")
				}
				t.Addresses = append(t.Addresses, a)
			}
		}
		if v, ok := r.conf.Lookup(own, "mdev_class"); ok {
			if t.Class = placement.ResourceClass(v.Text); v.Text == "" {
				r.fault(novaconf.Option{Section: own, Name: "mdev_class"}, v, "must be VGPU or start with CUSTOM_")
			}
		}
		t.MaxInstances = r.integer(own, "max_instances", 0)
		o.MdevTypes = append(o.MdevTypes, t)
	}
}

// devices reads the PCI devices that may be passed through.
func (r *confReader) devices(o *Options) {
	values := r.conf.All("pci", "device_spec")
	if len(values) == 0 {
		values = r.conf.All("pci", "passthrough_whitelist")
	}
	for _, v := range values {
		specs, err := pci.ParseDeviceSpecs([]string{v.Text}, o.ReportPCI)
		if err != nil && r.err == nil {
			r.err = fmt.Errorf("%s: %w", v.File, err)
		}
		o.PCIDevices = append(o.PCIDevices, specs...)
	}
}

// ignored notes the options that change what nova-compute reports, and that are not
// honoured here.
func (r *confReader) ignored(o *Options) {
	const traits = "the traits are those of the processors"
	why := map[string]string{
		"[DEFAULT]reserved_huge_pages":                       "it is for the NUMA topology of the compute node, which Placement does not have",
		"[DEFAULT]host":                                      "the service has the name of the machine",
		"[DEFAULT]compute_driver":                            "the machine is reported as libvirt's driver does",
		"[DEFAULT]update_resources_interval":                 "ticks have an interval of their own",
		"[compute]resource_provider_association_refresh":     "each tick compares with Placement as it is",
		"[libvirt]cpu_mode":                                  traits,
		"[libvirt]cpu_model_extra_flags":                     traits,
		"[libvirt]cpu_models":                                traits,
		"[libvirt]num_memory_encrypted_guests":               "MEM_ENCRYPTION_CONTEXT is not reported",
		"[libvirt]pmem_namespaces":                           "persistent memory is not reported",
		"[libvirt]swtpm_enabled":                             "traits of emulated TPMs are not reported",
		"[libvirt]virt_type":                                 traits,
		"[workarounds]reserve_disk_resource_for_image_cache": "the cache of images is not measured",
	}
	for opt := range r.conf.Options() {
		v, _ := r.conf.Lookup(opt.Section, opt.Name)
		text := why[opt.String()]
		usual := opt.Name == "compute_driver" && strings.HasPrefix(v.Text, "libvirt") || opt.Name == "virt_type" && v.Text == "kvm" || opt.Name == "cpu_mode" && v.Text == "host-passthrough"
		id, section := mdevSection(opt.Section)
		switch {
		case text != "" && !usual:
			o.Notes = append(o.Notes, fmt.Sprintf("%s: %s is ignored: %s", v.File, opt, text))
		case section && !slices.ContainsFunc(o.MdevTypes, func(t MdevType) bool { return t.ID == id }):
			o.Notes = append(o.Notes, fmt.Sprintf("%s: %s is ignored, as nova does: %s is not in [devices]enabled_mdev_types", v.File, opt, id))
		}
	}
}

// mdevSection returns the type of mediated devices that a section is about.
func mdevSection(section string) (id string, ok bool) {
	for _, prefix := range []string{"mdev_", "vgpu_"} {
		if id, ok := strings.CutPrefix(section, prefix); ok {
			return id, true
		}
	}
	return "", false
}
