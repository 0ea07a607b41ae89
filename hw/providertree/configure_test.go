package providertree_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/novaconf"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// configured returns the configuration in a nova.conf, and in files of provider_config.
func configured(t *testing.T, conf string, yamls ...string) hw.Configuration {
	t.Helper()
	c := hw.Configuration{Nova: must.Get(novaconf.Parse(novaconf.File{Path: "nova.conf", Text: conf}))(t), Files: []string{"nova.conf"}}
	for i, text := range yamls {
		c.Providers = append(c.Providers, novaconf.File{Path: "/etc/nova/provider_config/" + string(rune('a'+i)) + ".yaml", Text: text})
	}
	return c
}

// A machine without nova.conf has Nova's defaults, and so has an empty one.
func TestConfigureDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []hw.Configuration{{}, configured(t, "[DEFAULT]\ncpu_allocation_ratio =\n[compute]\ncpu_shared_set =\n[libvirt]\nimages_type = qcow2\n")} {
		if got := must.Get(providertree.Configure(c))(t); !reflect.DeepEqual(got, providertree.DefaultOptions()) {
			t.Errorf("options %+v, want %+v", got, providertree.DefaultOptions())
		}
	}
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	o := must.Get(providertree.Configure(configured(t, `
[DEFAULT]
cpu_allocation_ratio = 0.0
initial_cpu_allocation_ratio = 16
ram_allocation_ratio = 1.5
reserved_host_disk_mb = 2048
my_ip = 192.0.2.7
[compute]
cpu_dedicated_set = 4-7,^5, 9
[devices]
enabled_vgpu_types = nvidia-35, nvidia-36
[mdev_nvidia-35]
device_addresses = 0000:84:00.0,0000:85:00.0
max_instances = 3
[vgpu_nvidia-36]
device_addresses = 0000:86:00.0
[libvirt]
images_type = rbd
[pci]
passthrough_whitelist = {"vendor_id": "10de"}
`)))(t)
	must.Be(t, o.DedicatedCPUs.String(), "4,6-7,9")
	must.Be(t, o.Ratios, tracker.Ratios{RAM: 1.5})
	must.Be(t, o.InitialRatios.CPU, 16)
	must.Be(t, o.ReservedDiskMB, 2048)
	must.Be(t, o.ReservedMemoryMB, 512)
	must.Be(t, o.MyIP.String(), "192.0.2.7")
	must.Be(t, o.ImagesType, "rbd")
	must.Be(t, len(o.PCIDevices), 1)
	if len(o.MdevTypes) != 2 || len(o.MdevTypes[0].Addresses) != 2 || o.MdevTypes[0].MaxInstances != 3 || len(o.MdevTypes[1].Addresses) != 1 {
		t.Errorf("types %+v", o.MdevTypes)
	}
	tree := build(t, host(t), providertree.Options{ImagesType: "rbd", FileBackedMemoryMB: 1024})
	if inv, _ := tree.Root.Inventory(placement.MemoryMB); inv.Total != 1024 {
		t.Errorf("MEMORY_MB %+v, want what is backed by files", inv)
	}
	if len(tree.Unknown) != 1 || tree.Unknown[0].Class != placement.DiskGB {
		t.Errorf("unknown %+v, want DISK_GB, which is in rbd", tree.Unknown)
	}
}

// With what nova-compute would not start with, nothing is reported.
func TestConfigureRefused(t *testing.T) {
	t.Parallel()
	const head = "meta: {schema_version: '1.0'}\nproviders:\n"
	of := func(rest string) string { return head + "- identification: {name: p}\n  " + rest }
	traits := of("traits: {additional: [CUSTOM_A]}\n")
	for _, c := range []struct {
		name, conf string
		yamls      []string
		want       string // a part of the error
	}{
		{"CPUs", "[compute]\ncpu_shared_set = 4-2", nil, "[compute]cpu_shared_set"},
		{"no CPU left", "[compute]\ncpu_dedicated_set = 4,^4", nil, "leaves no CPU"},
		{"a ratio", "[DEFAULT]\ncpu_allocation_ratio = -1", nil, "cpu_allocation_ratio"},
		{"a reserve", "[DEFAULT]\nreserved_host_memory_mb = all", nil, "reserved_host_memory_mb"},
		{"an address", "[devices]\nenabled_mdev_types = a\n[mdev_a]\ndevice_addresses = 84:00", nil, "84:00 is not a PCI address"},
		{"a truth", "[pci]\nreport_in_placement = maybe", nil, "must be true or false"},
		{"a device spec", "[pci]\ndevice_spec = 8086", nil, "device_spec"},
		{"a kind of image", "[libvirt]\nimages_type = RBD", nil, "images_type"},
		{"no class", "[devices]\nenabled_mdev_types = a\n[mdev_a]\nmdev_class =", nil, "mdev_class"},
		{"no YAML", "", []string{"a: ["}, "cannot be read as YAML"},
		{"an empty file", "", []string{""}, "schema_version"},
		{"a version that is no text", "", []string{"meta: {schema_version: 1.0}"}, "must be a text"},
		{"a later major version", "", []string{"meta: {schema_version: '2.0'}"}, "not supported"},
		{"providers that are no list", "", []string{"meta: {schema_version: '1.0'}\nproviders: {}"}, "cannot be read as YAML: yaml: unmarshal errors: line 2"},
		{"no list of providers", "", []string{"meta: {schema_version: '1.0'}\nproviders: ~"}, "line 2: providers: must be a list"},
		{"no provider", "", []string{head + "- ~"}, "providers.*: must be a mapping"},
		{"a file of Nova's own", "", []string{"meta: {schema_version: '1.0'}\n__source_file: ~"}, "for Nova's own use"},
		{"two documents", "", []string{traits + "---\n" + traits}, "more than one document"},
		{"a name that is no text", "", []string{head + "- identification: {name: 2020-01-01}"}, "identification.*: must be a text"},
		{"no traits", "", []string{of("traits: ~")}, "traits: must be a mapping"},
		{"no list of traits", "", []string{of("traits: {additional: ~}")}, "traits.additional: must be a list"},
		{"no trait", "", []string{"a: &a {traits: {additional: [~]}}\n" + of("<<: *a")}, "traits.additional.*: must be a text"},
		{"a trait of another type", "", []string{of("traits: {additional: [!!python/object:x CUSTOM_A]}")}, "traits.additional.*: must be a text"},
		{"no inventories", "", []string{of("inventories: {additional: ~}")}, "inventories.additional: must be a list"},
		{"no inventory", "", []string{of("inventories: {additional: [{CUSTOM_A: ~}]}")}, "inventories.additional.*.*: must be a mapping"},
		{"an empty total", "", []string{of("inventories: {additional: [{CUSTOM_A: {total: ~}}]}")}, "must be a number"},
		{"no identification", "", []string{head + "- traits: {additional: [CUSTOM_A]}"}, "identification"},
		{"two identifications", "", []string{head + "- identification: {name: a, uuid: $COMPUTE_NODE}"}, "nothing else"},
		{"no uuid", "", []string{head + "- identification: {uuid: abc}"}, "neither a uuid"},
		{"a standard trait", "", []string{of("traits: {additional: [HW_CPU_X86_AVX]}")}, "only custom traits"},
		{"a trait in small letters", "", []string{of("traits: {additional: [CUSTOM_a]}")}, "only custom traits"},
		{"a standard class", "", []string{of("inventories: {additional: [{VCPU: {total: 1}}]}")}, "only custom resource classes"},
		{"no total", "", []string{of("inventories: {additional: [{CUSTOM_A: {reserved: 1}}]}")}, "must have a total"},
		{"half a unit", "", []string{of("inventories: {additional: [{CUSTOM_A: {total: 1.5}}]}")}, "total is 1.5, which is not a whole number"},
		{"another field", "", []string{of("inventories: {additional: [{CUSTOM_A: {total: 1, used: 1}}]}")}, "no field of an inventory"},
		{"more reserved than there is", "", []string{of("inventories: {additional: [{CUSTOM_A: {total: 1, reserved: 2}}]}")}, "a.yaml"},
		{"a provider in two files", "", []string{traits, traits}, "defined twice, in a.yaml and b.yaml"},
	} {
		_, err := providertree.Configure(configured(t, c.conf, c.yamls...))
		must.Fail(t, err, placement.ErrInvalid)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
	}
}

// Provider configs are merged as nova does: what is named wins over $COMPUTE_NODE, and no
// provider is named twice.
func TestProviderConfigs(t *testing.T) {
	t.Parallel()
	const head = "meta: {schema_version: '1.3'}\nproviders:\n"
	node := "- identification: {uuid: $COMPUTE_NODE}\n  traits: {additional: [CUSTOM_ANY]}\n"
	root := "- identification: {name: compute1}\n  traits: {additional: [CUSTOM_ROOT]}\n"
	card := "- identification: {name: compute1_pci_0000_84_00_0}\n  inventories: {additional: [{CUSTOM_FANS: {total: 2, allocation_ratio: 2}}]}\n"
	empty := "- identification: {name: other}\n"
	o := must.Get(providertree.Configure(configured(t, "[devices]\nenabled_mdev_types = nvidia-231", head+node+root+card+empty)))(t)
	tree := build(t, host(t), o)
	merged := must.Get(tree.Merged())(t)
	traits := func(p tracker.Provider) (out []string) {
		for _, tr := range p.Traits {
			out = append(out, string(tr.Name))
		}
		return out
	}
	if got := strings.Join(traits(merged.Root), " "); !strings.Contains(got, "CUSTOM_ROOT") || strings.Contains(got, "CUSTOM_ANY") {
		t.Errorf("traits of the root %s, want CUSTOM_ROOT alone", got)
	}
	if inv, ok := merged.Children[0].Inventory("CUSTOM_FANS"); !ok || inv.Total != 2 || inv.AllocationRatio != 2 || inv.MaxUnit != placement.MaxInt {
		t.Errorf("inventories of the card %+v", merged.Children[0].Inventories)
	}
	if !noted(merged, "schema_version 1.3 is newer") || !noted(merged, "provider other has no additional inventories or traits") {
		t.Errorf("notes %q", merged.Notes)
	}
	s, _ := report(t, placement.Empty(), tree)
	if change, _ := plan(t, s, tree); len(change.Ops) > 0 {
		t.Errorf("a second report writes %v", change.Ops)
	}

	// By name and by uuid.
	id := tree.Root.ID.String()
	o = must.Get(providertree.Configure(configured(t, "", head+root+"- identification: {uuid: "+id+"}\n  traits: {additional: [CUSTOM_X]}\n")))(t)
	_, err := build(t, host(t), o).Merged()
	must.Fail(t, err, placement.ErrInvalid)

	// A class that the driver reports.
	o = must.Get(providertree.Configure(configured(t, "[devices]\nenabled_mdev_types = nvidia-231\n[mdev_nvidia-231]\ndevice_addresses = 0000:84:00.0\nmdev_class = CUSTOM_FANS", head+card)))(t)
	_, err = build(t, host(t), o).Merged()
	must.Fail(t, err, placement.ErrInvalid)
}
