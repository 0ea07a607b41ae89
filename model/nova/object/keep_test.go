package object_test

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
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Every field of every class, including nested objects and lists, comes out as it went
// in, whether a row has a column for it or not, and in each version that a service may
// have.
func TestEveryFieldIsKept(t *testing.T) {
	t.Parallel()
	start, _ := cloud(t)
	rapid.Check(t, func(r *rapid.T) {
		s := start
		name := rapid.SampledFrom([]string{"ComputeNode", "Flavor", "Instance", "Migration", "Service"}).Draw(r, "class")
		major, last := object.Newest(name)
		for _, minor := range []uint16{last, uint16(rapid.IntRange(0, int(last)).Draw(r, "minor"))} {
			v := versioned.Version{Major: major, Minor: minor}
			whole := must.Get(object.Decode(must.Get(json.Marshal(drawn(r, name, 2, possible(r, name))))(r)))(r)
			want := must.Get(object.Encode(s, whole, &v))(r)
			row, err := object.Row(s, must.Get(object.Decode([]byte(want)))(r))
			if err != nil {
				r.Fatalf("%s %s: %v", name, v, err)
			}
			if s, err = put(s, row); err != nil {
				r.Fatalf("%s %s: %v", name, v, err)
			}
			o, err := object.Of(s, s.Held(row).(ledger.Row))
			if err != nil {
				r.Fatalf("%s %s: %v", name, v, err)
			}
			got, err := object.Encode(s, o, &v)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				r.Fatalf("%s %s: %v (-sent +got):\n%s", name, v, err, diff)
			}
			if again, err := object.Row(s, o); err != nil || !ledger.Equal(again, row) {
				r.Fatalf("%s %s: taken over again: %v (-want +got):\n%s", name, v, err, cmp.Diff(row, again))
			}
		}
	})
}

// put returns the ledger with a row added or replaced.
func put(s *nova.Snapshot, row ledger.Row) (*nova.Snapshot, error) {
	var c nova.PutRecords
	modeltest.Put(&c, s, row)
	next, _, err := s.Apply(nova.Change{Ops: []nova.Op{c}})
	return next, err
}

// possible returns the fields that make an object of a class valid: its identity, and
// columns with rules.
func possible(r *rapid.T, name string) values {
	pick := func(field string, of ...any) any { return rapid.SampledFrom(of).Draw(r, "possible "+field) }
	flavor := func() any {
		return drawn(r, "Flavor", 1, values{"name": "f"})
	}
	switch name {
	case "ComputeNode":
		return values{
			"uuid": modeltest.ProviderID("h").String(), "host": "h", "hypervisor_hostname": "h.example.org", "vcpus": 8, "memory_mb": pick("memory_mb", 4096, 1<<20),
			"local_gb": 100, "cpu_allocation_ratio": pick("cpu", 0.0, 4.0, 2.5), "ram_allocation_ratio": 1.0, "disk_allocation_ratio": 1.0, "pci_device_pools": pick("pools", nil, pools2(r, 0), pools2(r, 2)),
		}
	case "Flavor":
		// Instances refer to a flavor by its columns, which never change.
		return values{
			"name": "f", "flavorid": "1", "deleted": false, "vcpus": 2, "memory_mb": 512, "root_gb": 10, "ephemeral_gb": 1, "swap": 64,
			"extra_specs": map[string]string{"hw:cpu_policy": "dedicated"}, "created_at": "2026-01-02T03:04:06Z",
		}
	case "Instance":
		return values{
			"uuid": modeltest.ConsumerID("i").String(), "display_name": pick("name", "i", "é"), "vm_state": pick("vm_state", "active", "resized", "deleted"), "deleted": false,
			"flavor": flavor(), "old_flavor": pick("old", nil, flavor()), "new_flavor": pick("new", nil, flavor()),
		}
	case "Migration":
		return values{
			"uuid": modeltest.ConsumerID("m").String(), "instance_uuid": modeltest.ConsumerID("i").String(), "source_compute": "h",
			"migration_type": pick("type", "resize", "evacuation"), "status": pick("status", "finished", "error", "confirmed"), "created_at": "2026-01-02T03:04:06Z",
		}
	default:
		return values{"host": "h", "binary": nova.Compute, "version": 73, "report_count": pick("count", 0, 9)}
	}
}

// Changes to a row are sent, and the rest of the object stays; a kept field gives way to
// its column once that has changed.
func TestEditsGoOut(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	i := all[slices.IndexFunc(all, func(r ledger.Row) bool { return r.RecordKind() == nova.KindInstance })].(*nova.Instance)
	o := object1(t, s, i)
	o = edited(t, o, values{
		"key_name": "k", "node": "elsewhere", "task_state": "resize_prep", "system_metadata": values{"a": nil}, "terminated_at": "2015-06-30T12:00:00Z",
	})
	row, err := object.Row(s, o)
	must.Succeed(t, err)
	s = must.Get(put(s, row))(t)
	s = must.Get(put(s, row.(*nova.Instance).Edit(func(i *nova.Instance) { i.Host, i.TaskState = "", "" })))(t)
	held, _ := s.Instance(i.UUID)
	data := data(encode(t, s, object1(t, s, held), nil))
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
	for kept, want := range map[nova.ExtraFields]error{
		`{"version":"1.99","data":{"topic":"t"}}`: versioned.ErrNewer, `{"version":"1.22","data":[]}`: versioned.ErrMalformed, `{`: versioned.ErrMalformed,
		`{"version":"1.22","data":{"id":"many"}}`: versioned.ErrMalformed,
	} {
		_, err := object.Of(s, svc.Edit(func(svc *nova.Service) { svc.Kept = kept }))
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "nova-compute") {
			t.Errorf("%s: %v, want %v of the service", kept, err, want)
		}
	}
}

// pools2 returns pools of PCI devices that a compute node may have.
func pools2(r *rapid.T, count int) any {
	list := []any{}
	for n := range count {
		list = append(list, drawn(r, "PciDevicePool", 1, values{"vendor_id": "10de", "product_id": "1eb8", "count": n}))
	}
	return envelope("PciDevicePoolList", "1.1", values{"objects": list})
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
	meta := func(o *object.Object) values { return o.Data["system_metadata"].(values) }
	o := object1(t, s, with)
	for key, want := range map[string]string{"image_hw_disk_bus": "scsi", "image_disk_format": "raw", "image_trait:HW_CPU_X86_AVX": "required"} {
		if got := meta(o)[key]; got != want {
			t.Errorf("%s is not %s in %v", key, want, meta(o))
		}
	}
	if back, err := object.Row(s, o); err != nil || !ledger.Equal(back, with) {
		t.Errorf("it comes back as %+v, %v", back, err)
	}
	o = edited(t, o, values{"system_metadata": values{
		"image_hw_disk_bus": "virtio", "image_min_ram": "64", "image_none": nil, "own": "1", "image_trait:HW_CPU_X86_AVX": "required",
	}})
	row, err := object.Row(s, o)
	must.Succeed(t, err)
	if d := cmp.Diff(map[string]string{"hw_disk_bus": "virtio"}, row.(*nova.Instance).Image); d != "" {
		t.Errorf("image (-want +got):\n%s", d)
	}
	s = must.Get(put(s, row))(t)
	if is := meta(object1(t, s, row)); len(is) != 5 || is["own"] == nil || is["image_min_ram"] == nil {
		t.Errorf("metadata %v", is)
	}
}
