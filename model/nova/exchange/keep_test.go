package exchange_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/exchange"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

// maker makes objects with every field set, to any value that the field takes.
type maker struct {
	registry *object.Registry
	takes    map[string][]any // the values that a field accepts, by class and field
}

func newMaker() *maker {
	return &maker{registry: exchange.Registry(nova.Empty()), takes: map[string][]any{}}
}

// words returns values that some field accepts.
func words() []any {
	return []any{
		nil, "", "x", "<é&\"\x7f", "x86_64", "kvm", "hvm", "resize", "evacuation", "type-VF", "type-PF", "available", "allocated", "dedicated", "share",
		"prefer", "legacy", "custom", "exact", "require", "10.0.0.9", "fd00::9", "FA-16-3E-00-00-01", "2015-06-30T12:00:00Z", "2031-01-01T00:00:59Z",
		"0000:00:09.0", "0:1", "1:0:2:0", "000200",
		"8e4b5a7e-02a7-4a4a-a0ee-3d5d9d4a1c11", "b3c1c4e2-7d5b-4d06-9d5e-6a0f8f1f2c22",
		0, 1, 7, -3, 1 << 31, 0.5, 2.25, true, false,
		[]any{},
		[]any{"a", "b"},
		[]any{1, 0, 3},
		[]any{map[string]any{"k": "v", "n": nil}},
		map[string]any{},
		map[string]any{"k": "v", "<": "é"},
		map[string]any{"n": nil, "m": "w"},
		map[string]any{"1": 2},
	}
}

// fill sets every field of a new object of a class, some as given.
func (m *maker) fill(t *rapid.T, name string, depth int, given object.Values) object.Object {
	class, _ := m.registry.Class(name)
	o := class.New()
	for _, field := range o.ObjectHeader().Fields() {
		where := name + "." + field
		if _, ok := given[field]; ok {
			continue
		}
		values, known := m.takes[where]
		if !known {
			if values = m.values(class, field); len(values) == 0 {
				t.Fatalf("no word is a value of %s: add one", where)
			}
			m.takes[where] = values
		}
		v := rapid.SampledFrom(values).Draw(t, where)
		switch of := v.(type) {
		case one:
			if v = nil; depth > 0 || class.New().ObjectHeader().Set(field, nil) != nil {
				v = m.fill(t, string(of), depth-1, nil)
			}
		case many:
			list := []object.Object{}
			for range rapid.IntRange(0, min(max(depth, 0), 2)).Draw(t, "length of "+where) {
				list = append(list, m.fill(t, string(of), depth-1, nil))
			}
			v = list
		}
		if err := o.ObjectHeader().Set(field, v); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
	}
	must.Succeed(t, object.Fill(o, given))
	o.ObjectHeader().ResetAllChanges()
	return o
}

// one and many stand for an object and for a list of objects of a class.
type (
	one  string
	many string
)

// values returns the values that a field accepts: objects of some class, or words. A
// boolean field accepts anything, and gets words.
func (m *maker) values(class object.Class, field string) []any {
	var holds, plain []any
	takes := func(v any) bool { return class.New().ObjectHeader().Set(field, v) == nil }
	for _, held := range m.registry.Names() {
		c, _ := m.registry.Class(held)
		if takes(c.New()) {
			holds = append(holds, one(held))
		} else if takes([]object.Object{c.New()}) {
			holds = append(holds, many(held))
		}
	}
	for _, w := range words() {
		if takes(w) {
			plain = append(plain, w)
		}
	}
	if len(holds) == 0 || len(holds) == len(m.registry.Names()) {
		return plain
	}
	if takes(nil) {
		holds = append(holds, nil)
	}
	return holds
}

// dataOf returns the data of an object as JSON with sorted keys.
func dataOf(t testing.TB, registry *object.Registry, o object.Object, v versioned.Version) (string, error) {
	t.Helper()
	envelope, err := registry.EncodeFor(o, object.Target{Version: v})
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(envelope["nova_object.data"], "", " ")
	return string(text), err
}

// Every field of every class, including nested objects and lists, comes out as it went
// in, whether a row has a column for it or not, and in each version that a service may
// have.
func TestEveryFieldIsKept(t *testing.T) {
	t.Parallel()
	m := newMaker()
	start, _ := cloud(t)
	rapid.Check(t, func(r *rapid.T) {
		s := start
		name := rapid.SampledFrom(exchange.Classes()).Draw(r, "class")
		class, _ := m.registry.Class(name)
		minors := []uint16{class.Version().Minor, uint16(rapid.IntRange(0, int(class.Version().Minor)).Draw(r, "minor"))}
		for _, minor := range minors {
			v := versioned.Version{Major: class.Major, Minor: minor}
			whole := m.fill(r, name, 2, possible(r, m, name))
			registry := exchange.Registry(s)
			envelope, err := registry.EncodeFor(whole, object.Target{Version: v})
			if errors.As(err, new(*object.NotExpressibleError)) {
				continue
			}
			must.Succeed(r, err)
			text, err := json.Marshal(envelope)
			must.Succeed(r, err)
			sent, err := registry.DecodeJSON(text)
			must.Succeed(r, err)
			want, err := dataOf(t, registry, sent, v)
			must.Succeed(r, err)
			row, err := exchange.Row(s, sent)
			if err != nil {
				r.Fatalf("%s %s: %v", name, v, err)
			}
			if s, err = put(s, row); err != nil {
				r.Fatalf("%s %s: %v", name, v, err)
			}
			o, err := exchange.Object(s, s.Held(row).(ledger.Row))
			if err != nil {
				r.Fatalf("%s %s: %v", name, v, err)
			}
			got, err := dataOf(t, exchange.Registry(s), o, v)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				r.Fatalf("%s %s: %v (-sent +got):\n%s", name, v, err, diff)
			}
			if again, err := exchange.Row(s, o); err != nil || !ledger.Equal(again, row) {
				r.Fatalf("%s %s: taken over again: %v (-want +got):\n%s", name, v, err, cmp.Diff(row, again))
			}
		}
	})
}

// put returns the ledger with a row added or replaced.
func put(s *nova.Snapshot, row ledger.Row) (*nova.Snapshot, error) {
	var c nova.PutRecords
	c.Put(s, row)
	next, _, err := s.Apply(nova.Change{Ops: []nova.Op{c}})
	return next, err
}

// possible returns the fields that make an object of a class valid: its identity, and
// columns with rules.
func possible(r *rapid.T, m *maker, name string) object.Values {
	pick := func(field string, of ...any) any { return rapid.SampledFrom(of).Draw(r, "possible "+field) }
	flavor := func() any {
		return m.fill(r, "Flavor", 1, object.Values{"name": "f"})
	}
	switch name {
	case "ComputeNode":
		return object.Values{
			"uuid": modeltest.ProviderID("h").String(), "host": "h", "hypervisor_hostname": "h.example.org", "vcpus": 8, "memory_mb": pick("memory_mb", 4096, 1<<20),
			"local_gb": 100, "cpu_allocation_ratio": pick("cpu", 0.0, 4.0, 2.5), "ram_allocation_ratio": 1.0, "disk_allocation_ratio": 1.0, "pci_device_pools": pick("pools", nil, m.pools(r, 0), m.pools(r, 2)),
		}
	case "Flavor":
		// Instances refer to a flavor by its columns, which never change.
		return object.Values{
			"name": "f", "flavorid": "1", "deleted": false, "vcpus": 2, "memory_mb": 512, "root_gb": 10, "ephemeral_gb": 1, "swap": 64,
			"extra_specs": map[string]string{"hw:cpu_policy": "dedicated"}, "created_at": versioned.Time(1_767_323_046_000),
		}
	case "Instance":
		return object.Values{
			"uuid": modeltest.ConsumerID("i").String(), "display_name": pick("name", "i", "é"), "vm_state": pick("vm_state", "active", "resized", "deleted"), "deleted": false,
			"flavor": flavor(), "old_flavor": pick("old", nil, flavor()), "new_flavor": pick("new", nil, flavor()),
		}
	case "Migration":
		return object.Values{
			"uuid": modeltest.ConsumerID("m").String(), "instance_uuid": modeltest.ConsumerID("i").String(), "source_compute": "h",
			"status": pick("status", "finished", "error", "confirmed"), "created_at": versioned.Time(1_767_323_046_000),
		}
	default:
		return object.Values{"host": "h", "binary": nova.Compute, "version": 73, "report_count": pick("count", 0, 9)}
	}
}

// Changes to a row are sent, and the rest of the object stays; a kept field gives way to
// its column once that has changed.
func TestEditsGoOut(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	i := all[slices.IndexFunc(all, func(r ledger.Row) bool { return r.RecordKind() == nova.KindInstance })].(*nova.Instance)
	o := object1(t, s, i)
	if err := object.Fill(o, object.Values{
		"key_name": "k", "node": "elsewhere", "task_state": "resize_prep", "system_metadata": map[string]any{"a": nil}, "terminated_at": "2015-06-30T12:00:00Z",
	}); err != nil {
		t.Fatal(err)
	}
	row, err := exchange.Row(s, o)
	must.Succeed(t, err)
	s = must.Get(put(s, row))(t)
	s = must.Get(put(s, row.(*nova.Instance).Edit(func(i *nova.Instance) { i.Host, i.TaskState = "", "" })))(t)
	held, _ := s.Instance(i.UUID)
	envelope, err := exchange.Registry(s).Encode(object1(t, s, held))
	must.Succeed(t, err)
	data := envelope["nova_object.data"].(map[string]any)
	for field, want := range map[string]any{
		"key_name": "k", "host": nil, "task_state": nil, "system_metadata": map[string]any{"a": nil}, "terminated_at": "2015-06-30T12:00:00Z",
	} {
		if diff := cmp.Diff(want, data[field]); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
	if node, ok := data["node"]; ok {
		t.Errorf("node %v, want none: the instance has no host any more", node)
	}
}

// Kept fields that a newer release wrote, or that are malformed, are an error.
func TestKeptOfANewerRelease(t *testing.T) {
	t.Parallel()
	s, _ := cloud(t)
	svc, _ := s.Service("h", nova.Compute)
	for kept, want := range map[nova.Kept]error{
		`{"version":"1.99","data":{"topic":"t"}}`: versioned.ErrNewer, `{"version":"1.22","data":[]}`: versioned.ErrMalformed, `{`: versioned.ErrMalformed,
		`{"version":"1.22","data":{"id":"many"}}`: versioned.ErrMalformed,
	} {
		_, err := exchange.Object(s, svc.Edit(func(svc *nova.Service) { svc.Kept = kept }))
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "nova-compute") {
			t.Errorf("%s: %v, want %v of the service", kept, err, want)
		}
	}
}

// pools returns pools of PCI devices that a compute node may have.
func (m *maker) pools(r *rapid.T, count int) object.Object {
	var list []object.Object
	for n := range count {
		list = append(list, m.fill(r, "PciDevicePool", 1, object.Values{"vendor_id": "10de", "product_id": "1eb8", "count": n}))
	}
	return m.fill(r, "PciDevicePoolList", 1, object.Values{"objects": list})
}

// The properties of an image are sent in the system metadata of its instances, and read
// back from them; other system metadata stay.
func TestImageGoesOut(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	i := all[slices.IndexFunc(all, func(r ledger.Row) bool { return r.RecordKind() == nova.KindInstance })].(*nova.Instance)
	with := i.Edit(func(i *nova.Instance) {
		i.Image, i.ImageTraits = map[string]string{"hw_disk_bus": "scsi", "disk_format": "raw"}, []placement.Trait{"HW_CPU_X86_AVX"}
	})
	s, err := put(s, with)
	must.Succeed(t, err)
	o := object1(t, s, with).(*objects.Instance)
	meta := o.SystemMetadata.Get()
	for key, want := range map[string]string{"image_hw_disk_bus": "scsi", "image_disk_format": "raw", "image_trait:HW_CPU_X86_AVX": "required"} {
		if got := meta[key]; got == nil || *got != want {
			t.Errorf("%s is not %s in %v", key, want, meta)
		}
	}
	if back, err := exchange.Row(s, o); err != nil || !ledger.Equal(back, with) {
		t.Errorf("it comes back as %+v, %v", back, err)
	}
	if err := object.Fill(o, object.Values{"system_metadata": map[string]any{
		"image_hw_disk_bus": "virtio", "image_min_ram": "64", "image_none": nil, "own": "1", "image_trait:HW_CPU_X86_AVX": "required",
	}}); err != nil {
		t.Fatal(err)
	}
	row, err := exchange.Row(s, o)
	must.Succeed(t, err)
	if d := cmp.Diff(map[string]string{"hw_disk_bus": "virtio"}, row.(*nova.Instance).Image); d != "" {
		t.Errorf("image (-want +got):\n%s", d)
	}
	s = must.Get(put(s, row))(t)
	meta = object1(t, s, row).(*objects.Instance).SystemMetadata.Get()
	if len(meta) != 5 || meta["own"] == nil || meta["image_min_ram"] == nil {
		t.Errorf("metadata %v", meta)
	}
}
