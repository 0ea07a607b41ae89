package ops_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// newDevices returns a cloud whose host compute1 has no PCI device, and compute2 and
// compute3 two QAT cards each, of which Placement only knows those of compute3.
func newDevices(t testing.TB, inPlacement bool) *trip {
	w := modeltest.NewVGPUWorld(t, 3)
	w.Record(&nova.Config{PCIInPlacement: inPlacement, PCIAliases: []string{
		`{"name": "qat", "vendor_id": "8086", "product_id": "37C8"}`, `{"name": "nvme", "vendor_id": "144d", "product_id": "a80a"}`,
	}})
	for name, alias := range map[string]string{"qat.1": "qat:1", "qat.2": "qat:2", "nvme.1": "nvme:1", "more.qat": "qat:1"} {
		f := &nova.Flavor{Name: name, FlavorID: name, VCPUs: 1, MemoryMB: 1024, RootGB: 1, ExtraSpecs: map[string]string{"pci_passthrough:alias": alias}}
		if name == "more.qat" {
			f.VCPUs = 2
		}
		w.Record(f)
	}
	for host := 2; host <= 3; host++ {
		for n := 1; n <= 2; n++ {
			name, address := fmt.Sprint("compute", host), fmt.Sprintf("0000:3d:0%d.0", n)
			w.Record(&nova.PciDevice{ComputeNode: rp(name), Address: address, VendorID: "8086", ProductID: "37c8", DevType: "type-PCI", Status: "available"})
			if host == 3 {
				w.Provider(name+"_"+strings.ToUpper(address), name, resources{"CUSTOM_PCI_8086_37C8": 1}, placement.OwnerNova, placement.ComputeManagedPCI)
			}
		}
	}
	return &trip{store: &store{world: w}}
}

// devices returns the PCI devices of the cloud that are not free, as "2/1 allocated i":
// host, number, status and instance.
func (tr *trip) devices() []string {
	var out []string
	for host := 2; host <= 3; host++ {
		for d := range tr.Snapshot().Nova().PciDevicesOf(rp(fmt.Sprint("compute", host))) {
			if d.Status == "available" && d.Instance.IsZero() && d.RequestID == "" {
				continue
			}
			out = append(out, fmt.Sprintf("%d/%c %s %s", host, d.Address[9], d.Status, ops.ConsumerName(tr.Snapshot(), d.Instance)))
		}
	}
	return out
}

func (tr *trip) want(t *testing.T, when string, want ...string) {
	t.Helper()
	if got := tr.devices(); !slices.Equal(got, want) {
		t.Errorf("%s: devices %q, want %q", when, got, want)
	}
	checkInvariants(t, tr.Snapshot())
}

// bootOn returns the boot of an instance on a host.
func bootOn(name, flavor, host string) ops.Boot {
	return ops.Boot{Instance: vm(name), Wish: ops.BootWish{Name: name, Flavor: flavor, Host: host, Project: "p", User: "u"}}
}

// A host without the device is refused, with the reason; one that has it allocates it, in
// its records, in Placement, or both.
func TestBootWithPCIDevices(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, flavor, host string
		inPlacement        bool
		devices            []string
		holds              placement.ResourceClass // of the device, "" if it has none
		why                string                  // it is refused
	}{
		{name: "no device at all", flavor: "qat.1", host: "compute1", why: "PCI alias qat asks for 1 device, but the host has no PCI devices to pass through"},
		{name: "no such device", flavor: "nvme.1", host: "compute2", why: "PCI alias nvme asks for 1 device, but none of its 2 PCI devices matches"},
		{name: "by records", flavor: "qat.1", host: "compute2", devices: []string{"2/1 allocated i"}},
		{name: "two by records", flavor: "qat.2", host: "compute2", devices: []string{"2/1 allocated i", "2/2 allocated i"}},
		{name: "by records, and Placement is told", flavor: "qat.1", host: "compute3", devices: []string{"3/1 allocated i"}, holds: "CUSTOM_PCI_8086_37C8"},
		{name: "by Placement, which knows none", flavor: "qat.1", host: "compute2", inPlacement: true, why: "CUSTOM_PCI_8086_37C8"},
		{name: "by Placement", flavor: "qat.1", host: "compute3", inPlacement: true, devices: []string{"3/1 allocated i"}, holds: "CUSTOM_PCI_8086_37C8"},
		{name: "two by Placement", flavor: "qat.2", host: "compute3", inPlacement: true, devices: []string{"3/1 allocated i", "3/2 allocated i"}, holds: "CUSTOM_PCI_8086_37C8"},
		{name: "anywhere, by records", flavor: "qat.1", devices: []string{"2/1 allocated i"}},
		{name: "anywhere, by Placement", flavor: "qat.1", inPlacement: true, devices: []string{"3/1 allocated i"}, holds: "CUSTOM_PCI_8086_37C8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newDevices(t, tt.inPlacement)
			err := tr.advance(t.Context(), bootOn("i", tt.flavor, tt.host))
			var none *ops.NoValidHostError
			switch {
			case tt.why != "":
				if !errors.As(err, &none) || !strings.Contains(err.Error(), tt.why) {
					t.Errorf("booted with %v, want NoValidHostError with %q", err, tt.why)
				}
			case err != nil:
				t.Fatal(err)
			case tt.host != "" && tr.instance().Host != tt.host:
				t.Errorf("is on %s", tr.instance().Host)
			}
			if anywhere := tt.host == ""; anywhere && len(tt.devices) > 0 && fmt.Sprint(tr.devices()) != fmt.Sprint(tt.devices) {
				// If records decide, both hosts have one.
				if other := strings.Replace(tt.devices[0], "2/", "3/", 1); fmt.Sprint(tr.devices()) != fmt.Sprint([]string{other}) {
					t.Errorf("devices %q", tr.devices())
				}
				return
			}
			tr.want(t, "after the boot", tt.devices...)
			var held int64
			if c, ok := tr.Snapshot().Placement().Consumer(vm("i")); ok {
				for al := range tr.Snapshot().Placement().Allocations(c) {
					if tr.Snapshot().Placement().ClassName(al.Class) == tt.holds {
						held += al.Used
					}
				}
			}
			if tt.holds != "" && held != int64(len(tt.devices)) {
				t.Errorf("holds %d %s", held, tt.holds)
			}
			tr.mustEnd(t, ops.Terminate{Instance: vm("i")})
			tr.want(t, "after it is deleted")
		})
	}
}

// During a boot its device is claimed; two boots never get the same one, and with two
// devices a third boot is refused.
func TestBootsShareNoPCIDevice(t *testing.T) {
	t.Parallel()
	for _, inPlacement := range []bool{false, true} {
		tr := newDevices(t, inPlacement)
		host := map[bool]string{false: "compute2", true: "compute3"}[inPlacement]
		number := host[len(host)-1:]
		first := bootOn("i", "qat.1", host)
		tr.killedAfter(t, 2, first)
		tr.want(t, "once it is claimed", number+"/1 claimed i")
		tr.mustEnd(t, bootOn("j", "qat.1", host))
		tr.want(t, "with another", number+"/1 claimed i", number+"/2 allocated j")
		must.Fail(t, tr.advance(t.Context(), bootOn("k", "qat.1", host)), placement.ErrCapacity)
		tr.mustEnd(t, first)
		tr.want(t, "at the end", number+"/1 allocated i", number+"/2 allocated j")
		tr.mustEnd(t, ops.Terminate{Instance: vm("i")})
		tr.mustEnd(t, bootOn("l", "qat.1", host))
		tr.want(t, "given again", number+"/1 allocated l", number+"/2 allocated j")
	}
}

// A move claims at the destination; confirm frees the old device, revert the new one.
func TestMovePCIDevices(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		move  ops.Move
		waits []string // devices while it waits
		stays []string // after confirm
		back  []string // after revert
	}{
		{
			"migrate",
			ops.Move{Host: "compute3"},
			[]string{"2/1 allocated i", "3/1 allocated i"},
			[]string{"3/1 allocated i"},
			[]string{"2/1 allocated i"},
		},
		{
			"resize elsewhere",
			ops.Move{Flavor: "qat.2", Host: "compute3"},
			[]string{"2/1 allocated i", "3/1 allocated i", "3/2 allocated i"},
			[]string{"3/1 allocated i", "3/2 allocated i"},
			[]string{"2/1 allocated i"},
		},
		{
			"resize on the same host",
			ops.Move{Flavor: "more.qat", Host: "compute2", SameHost: true},
			[]string{"2/1 allocated i", "2/2 allocated i"},
			[]string{"2/2 allocated i"},
			[]string{"2/1 allocated i"},
		},
		{
			"resize to none",
			ops.Move{Flavor: "plain", Host: "compute1"},
			[]string{"2/1 allocated i"},
			nil,
			[]string{"2/1 allocated i"},
		},
	} {
		for _, end := range []string{"confirm", "revert"} {
			t.Run(tt.name+" "+end, func(t *testing.T) {
				t.Parallel()
				tr := newDevices(t, false)
				tr.mustEnd(t, bootOn("i", "qat.1", "compute2"))
				m := tt.move
				m.Migration, m.Instance = vm("m"), vm("i")
				must.Succeed(t, tr.advance(t.Context(), m))
				tr.want(t, "while it waits", tt.waits...)
				if end == "confirm" {
					tr.mustEnd(t, ops.Confirm{Migration: vm("m")})
					tr.want(t, "after confirm", tt.stays...)
				} else {
					tr.mustEnd(t, ops.Revert{Migration: vm("m")})
					tr.want(t, "after revert", tt.back...)
				}
				for _, r := range tr.instance().PCIRequests {
					if r.Flavor != tr.instance().Flavor {
						t.Errorf("keeps the request %s of flavor %s", r, r.Flavor)
					}
				}
			})
		}
	}
}

// Whatever is booted, moved and deleted, each device has at most one holder, each guest
// has as many as its flavor asks for, and Placement counts the same.
func TestPCIDevicesAreKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tr := newDevices(t, rapid.Bool().Draw(rt, "in Placement"))
		names, flavors := []string{"i", "j", "k"}, []string{"qat.1", "qat.2", "more.qat", "plain"}
		moves := 0
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			name, flavor := rapid.SampledFrom(names).Draw(rt, "name"), rapid.SampledFrom(flavors).Draw(rt, "flavor")
			i, ok := tr.Snapshot().Nova().Instance(vm(name))
			var c ops.Task
			waiting, err := ops.WaitingMigration(tr.Snapshot(), vm(name))
			switch does := rapid.IntRange(0, 3).Draw(rt, "does"); {
			case !ok || !i.Live():
				if ok {
					continue // its uuid was used
				}
				c = bootOn(name, flavor, "")
			case does == 0 || i.VMState == nova.Broken:
				c = ops.Terminate{Instance: vm(name)}
			case err == nil && does == 1:
				c = ops.Confirm{Migration: waiting.UUID}
			case err == nil:
				c = ops.Revert{Migration: waiting.UUID}
			default:
				moves++
				m := ops.Move{Migration: vm(fmt.Sprint("m", moves)), Instance: vm(name), SameHost: true}
				if flavor != nova.FlavorName(i.Flavor) {
					m.Flavor = flavor
				}
				c = m
			}
			_ = tr.advance(t.Context(), c) // it may be refused
			if fault := deviceFault(tr.Snapshot()); fault != "" {
				rt.Fatalf("after %T of %s: %s\n%q", c, name, fault, tr.devices())
			}
		}
	})
}

// deviceFault says which guest does not have what its requests ask for, or which provider
// disagrees with the records.
func deviceFault(s *cloud.Snapshot) string {
	has := map[string]int64{}
	for host := 2; host <= 3; host++ {
		name := fmt.Sprint("compute", host)
		for d := range s.Nova().PciDevicesOf(rp(name)) {
			if !d.Instance.IsZero() {
				has[d.Instance.String()+" "+d.RequestID+" "+name]++
			}
			p, ok := s.Placement().ProviderByName(name + "_" + strings.ToUpper(d.Address))
			if ok && (p.Inventories()[0].Used == 1) != (d.Status != "available") {
				return fmt.Sprintf("%s is %s, and %d is used of its provider", d.Address, d.Status, p.Inventories()[0].Used)
			}
		}
	}
	want := map[string]int64{}
	for i := range s.Nova().Instances() {
		at := map[string]string{i.Flavor: i.Host} // where the devices of a flavor are
		for m := range s.Nova().MigrationsOf(i.UUID) {
			if m.Status.UnderWay() {
				at = map[string]string{m.NewFlavor: m.Dest}
				if m.OldFlavor != m.NewFlavor {
					at[m.OldFlavor] = m.Source
				} else {
					at[m.OldFlavor+" "] = m.Source
				}
			}
		}
		for flavor, host := range at {
			for _, r := range i.PCIRequests {
				if r.Flavor == strings.TrimSpace(flavor) && i.Live() && host != "" {
					want[i.UUID.String()+" "+r.ID.String()+" "+host] = r.Count
				}
			}
		}
	}
	return cmp.Diff(want, has)
}
