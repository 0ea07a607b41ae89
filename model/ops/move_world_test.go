package ops_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// The flavors of a cloud in which VGPUs move between owners.
func vgpuFlavors() []*nova.Flavor {
	small := nova.Flavor{VCPUs: 2, MemoryMB: 4096, RootGB: 20}
	big := nova.Flavor{VCPUs: 4, MemoryMB: 8192, RootGB: 20}
	of := func(f nova.Flavor, name string, specs map[string]string) *nova.Flavor {
		f.Name, f.FlavorID, f.ExtraSpecs = name, name, specs
		return &f
	}
	byNova, byCyborg := "resources1:VGPU", "accel:device_profile"
	return []*nova.Flavor{
		of(small, "nova", map[string]string{byNova: "1"}),
		of(big, "nova.big", map[string]string{byNova: "1"}),
		of(big, "cyborg", map[string]string{byCyborg: "dp-vgpu"}),
		of(small, "cyborg.small", map[string]string{byCyborg: "dp-vgpu"}),
		of(small, "both", map[string]string{byNova: "1", byCyborg: "dp-vgpu"}),
		of(big, "cyborg.two", map[string]string{byCyborg: "dp-two"}),
		of(small, "plain", nil),
	}
}

// newVGPUCloud returns a cloud of hosts compute1, compute2 and so on, each with a
// card of Nova's and a card of Cyborg's of four VGPUs, called n1 and y1.
func newVGPUCloud(t *testing.T, hosts int) *world {
	t.Helper()
	w := newWorld(t)
	var c cloud.Change
	for _, f := range vgpuFlavors() {
		c.Nova.Put(w.Nova(), f)
	}
	for name, units := range map[string]string{"dp-vgpu": "1", "dp-two": "2"} {
		c.Cyborg.Put(w.Cyborg(), &cyborg.DeviceProfile{
			UUID: uuid.NewSHA1(uuid.NameSpaceDNS, []byte(name)), Name: name,
			Groups: []map[string]string{{"resources:VGPU": units, "trait:OWNER_CYBORG": "required"}},
		})
	}
	w.change(c)
	for n := 1; n <= hosts; n++ {
		w.vgpuHost(n)
	}
	return w
}

// vgpuHost adds a host with its two cards.
func (w *world) vgpuHost(n int) {
	w.t.Helper()
	host, ny, yy := fmt.Sprint("compute", n), fmt.Sprint("n", n), fmt.Sprint("y", n)
	w.provider(host, "", resources{placement.VCPU: 16, placement.MemoryMB: 65536, placement.DiskGB: 500},
		"COMPUTE_NODE", placement.OwnerNova, "COMPUTE_ACCELERATORS")
	w.provider(ny, host, resources{placement.VGPU: 4}, placement.OwnerNova)
	w.provider(yy, host, resources{placement.VGPU: 4}, placement.OwnerCyborg)
	w.record(&nova.Service{Host: host, Binary: nova.Compute, Version: 73})
	w.record(&nova.ComputeNode{UUID: rp(host), Host: host, Hostname: host})
	id := func(what string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(what+yy)) }
	var c cloud.Change
	c.Cyborg.Put(w.Cyborg(), &cyborg.Device{UUID: id("device"), Type: cyborg.GPU, Hostname: host, Status: cyborg.Enabled})
	c.Cyborg.Put(w.Cyborg(), &cyborg.Deployable{UUID: id("deployable"), Device: id("device"), Name: yy, Accelerators: 4, Provider: rp(yy)})
	for k := range 4 {
		c.Cyborg.Put(w.Cyborg(), &cyborg.AttachHandle{UUID: id(fmt.Sprint("handle", k)), Deployable: id("deployable"), Type: cyborg.AttachMdev})
	}
	w.change(c)
}

// vgpuInstance puts an active instance with a flavor on a host, as a boot leaves
// it: with its claim, and its accelerator bound.
func (w *world) vgpuInstance(name, flavor string, n int) *world {
	w.t.Helper()
	f, ok := w.Nova().FlavorNamed(flavor)
	if !ok {
		w.t.Fatalf("no flavor %s", flavor)
	}
	host, mappings := fmt.Sprint("compute", n), map[string][]placement.ProviderID{"": {rp(fmt.Sprint("compute", n))}}
	claim := map[string]resources{host: {placement.VCPU: f.VCPUs, placement.MemoryMB: f.MemoryMB, placement.DiskGB: f.RootGB}}
	if f.ExtraSpecs["resources1:VGPU"] != "" {
		card := fmt.Sprint("n", n)
		claim[card], mappings["1"] = resources{placement.VGPU: 1}, []placement.ProviderID{rp(card)}
	}
	profile := f.DeviceProfile()
	if profile != "" {
		card := fmt.Sprint("y", n)
		claim[card], mappings["device_profile_0"] = resources{placement.VGPU: 1}, []placement.ProviderID{rp(card)}
	}
	w.claim(name, placement.InstanceConsumer, claim)
	i := &nova.Instance{
		UUID: vm(name), Name: name, Project: "p", User: "u", Host: host, Flavor: f.Ref(), VMState: nova.Active, Mappings: mappings,
	}
	w.record(i)
	if profile == "" {
		return w
	}
	change, ids, err := cyborg.CreateARQs(w.Cyborg(), cyborg.NewARQs{Profile: profile, Owner: i.UUID, Project: i.Project})
	w.must(change, err)
	w.must(cyborg.StartBind(w.Cyborg(), cyborg.Binding{ARQs: ids, Instance: i.UUID, Host: host, Mappings: mappings}))
	w.must(cyborg.FinishBind(w.Cyborg(), i.UUID))
	return w
}

// must applies a change of Cyborg's.
func (w *world) must(c cyborg.Change, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	w.change(cloud.Change{Cyborg: c})
}

// holds returns what a consumer holds, and nil where it holds nothing.
func holds(s *cloud.Snapshot, id placement.ConsumerID) ops.Amounts {
	c, ok := s.Placement().Consumer(id)
	if !ok {
		return nil
	}
	return s.Placement().ConsumerRecord(c).Allocations
}

// vgpuFaults returns what is wrong with the VGPUs of a cloud, whatever is under
// way in it: usage that is not what allocations sum up to, a card of Cyborg's
// whose units in use are not those allocated, a device promised twice.
func vgpuFaults(s *cloud.Snapshot) []error {
	faults := append(s.Check(), s.Cyborg().Check()...)
	for d := range s.Cyborg().Deployables() {
		p, ok := s.Placement().Provider(d.Provider)
		if !ok {
			continue
		}
		handles, requests := s.Cyborg().Units(d)
		for _, iu := range p.Inventories() {
			// A claim comes before its device and goes after it.
			if iu.Used < handles || handles != requests {
				faults = append(faults, fmt.Errorf("%s: %d allocated, %d handles in use, %d requests", d.Name, iu.Used, handles, requests))
			}
		}
	}
	return faults
}
