package modeltest

import (
	"fmt"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// vgpuFlavors are for a cloud in which VGPUs move between owners.
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

// NewVGPUWorld returns a cloud of hosts compute1, compute2 and so on, each with a
// card of Nova's and a card of Cyborg's of four VGPUs, called n1 and y1.
func NewVGPUWorld(tb testing.TB, hosts int) *World {
	tb.Helper()
	w := NewWorld(tb)
	for _, f := range vgpuFlavors() {
		w.Record(f)
	}
	for name, units := range map[string]string{"dp-vgpu": "1", "dp-two": "2"} {
		w.Record(&cyborg.DeviceProfile{
			UUID: WorldUUID(name), Name: name, Groups: []map[string]string{{"resources:VGPU": units, "trait:OWNER_CYBORG": "required"}},
		})
	}
	for n := 1; n <= hosts; n++ {
		w.VGPUHost(n)
	}
	return w
}

// VGPUHost adds a host with its two cards.
func (w *World) VGPUHost(n int) {
	w.TB.Helper()
	host, byCyborg := fmt.Sprint("compute", n), fmt.Sprint("y", n)
	w.Provider(host, "", Resources{placement.VCPU: 16, placement.MemoryMB: 65536, placement.DiskGB: 500},
		"COMPUTE_NODE", placement.OwnerNova, "COMPUTE_ACCELERATORS").
		Provider(fmt.Sprint("n", n), host, Resources{placement.VGPU: 4}, placement.OwnerNova).
		card(byCyborg, host, 0).
		Record(
			&nova.Service{Host: host, Binary: nova.Compute, Version: 73},
			&nova.ComputeNode{UUID: ProviderID(host), Host: host, Hostname: host},
			&cyborg.Attribute{UUID: WorldUUID("class " + byCyborg), Deployable: WorldUUID("dep " + byCyborg), Key: "rc", Value: string(placement.VGPU)},
		)
}

// VGPUInstance puts an active instance with a flavor on a host, as a boot leaves
// it: with its claim, and its accelerator bound.
func (w *World) VGPUInstance(name, flavor string, n int) *World {
	w.TB.Helper()
	f, ok := w.Nova().FlavorNamed(flavor)
	if !ok {
		w.TB.Fatalf("no flavor %s", flavor)
	}
	host, mappings := fmt.Sprint("compute", n), map[string][]placement.ProviderID{"": {ProviderID(fmt.Sprint("compute", n))}}
	claim := map[string]Resources{host: {placement.VCPU: f.VCPUs, placement.MemoryMB: f.MemoryMB, placement.DiskGB: f.RootGB}}
	if f.ExtraSpecs["resources1:VGPU"] != "" {
		card := fmt.Sprint("n", n)
		claim[card], mappings["1"] = Resources{placement.VGPU: 1}, []placement.ProviderID{ProviderID(card)}
	}
	profile := f.DeviceProfile()
	if profile != "" {
		card := fmt.Sprint("y", n)
		claim[card], mappings["device_profile_0"] = Resources{placement.VGPU: 1}, []placement.ProviderID{ProviderID(card)}
	}
	w.Claim(name, placement.InstanceConsumer, claim)
	i := &nova.Instance{
		UUID: ConsumerID(name), Name: name, Project: "p", User: "u", Host: host, Flavor: f.Ref(), VMState: nova.Active, Mappings: mappings,
	}
	w.Record(i)
	if profile == "" {
		return w
	}
	p, _ := w.Cyborg().DeviceProfile(profile)
	ids, err := cyborg.ARQIDs(p, i.UUID)
	if err != nil {
		w.TB.Fatal(err)
	}
	return w.Change(cloud.Change{Ops: []cloud.Op{
		cyborg.CreateARQs{Profile: profile, Owner: i.UUID, Project: i.Project},
		cyborg.StartBind{ARQs: ids, Instance: i.UUID, Host: host, Mappings: mappings},
		cyborg.FinishBind{Instance: i.UUID},
	}})
}
