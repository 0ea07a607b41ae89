package object_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

const pools = `{"nova_object.data":{"objects":[{"nova_object.data":{"count":3,"numa_node":1,"product_id":"1eb8","tags":{"dev_type":"type-PCI"},"vendor_id":"10de"},` +
	`"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.1"}]},` +
	`"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.1"}`

// cloud returns a ledger with a row of every class, and the rows.
func cloud(t testing.TB) (*nova.Snapshot, []ledger.Row) {
	t.Helper()
	const second, ms = 1_767_323_046_000, 789
	all := []ledger.Row{
		&nova.Service{Host: "h", Binary: nova.Compute, Cell: "cell1", Version: 73, DisabledReason: "r", Disabled: true, LastSeenUp: second + ms, ReportInterval: 5, Created: second},
		&nova.Flavor{
			Name: "f", FlavorID: "1", VCPUs: 2, MemoryMB: 512, RootGB: 10, EphemeralGB: 1, SwapMB: 64, Private: true, Description: "words",
			ExtraSpecs: map[string]string{"hw:cpu_policy": "dedicated"}, Created: second + ms,
		},
		&nova.ComputeNode{
			UUID: modeltest.ProviderID("h"), Host: "h", Hostname: "h.example.org", Type: "QEMU", Version: 7002000, VCPUs: 8, PCPUs: 4, MemoryMB: 4096, LocalGB: 100,
			VCPUsUsed: 2, MemoryMBUsed: 1024, LocalGBUsed: 11, RunningVMs: 1, CPURatio: 4, RAMRatio: 1, DiskRatio: 1, ReservedMemoryMB: 512,
			Capabilities: []placement.Trait{"COMPUTE_ACCELERATORS"}, PCIStats: pools, ObjectVersion: "1.19", Updated: second + ms,
		},
		&nova.Instance{
			UUID: modeltest.ConsumerID("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: "f", NewFlavor: "f", VMState: nova.Active, TaskState: nova.ResizePrep,
			BootFromVolume: true, Zone: "az", Mappings: map[string][]placement.ProviderID{"": {modeltest.ProviderID("h")}}, Created: second + ms, Updated: second,
		},
		&nova.Migration{
			UUID: modeltest.ConsumerID("m"), Instance: modeltest.ConsumerID("i"), Type: nova.Resize, Status: nova.PreMigrating, Source: "h", OldFlavor: "f", NewFlavor: "f",
			Created: second + ms, Deadline: second,
		},
	}
	return modeltest.NewWorld(t).Record(all...).Nova(), all
}

func object1(t testing.TB, s *nova.Snapshot, row ledger.Row) *object.Object {
	t.Helper()
	o := must.Get(object.Of(s, row))(t)
	return o
}

// Sending an object of any version, from the oldest to the current one, back unchanged
// changes nothing: what an older version does not have stays. Only a compute node's row
// takes the version of the sender.
func TestEveryVersionIsRead(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	for _, row := range all {
		o := object1(t, s, row)
		class := o.Class
		major, last := object.Newest(class)
		for minor := range last + 1 {
			v := versioned.Version{Major: major, Minor: minor}
			sent := decode(t, encode(t, s, o, &v))
			got, err := object.Row(s, sent)
			if err != nil {
				t.Fatalf("%s %s: %v", class, v, err)
			}
			want := row
			if node, ok := row.(*nova.ComputeNode); ok {
				want = node.Edit(func(n *nova.ComputeNode) {
					n.ObjectVersion = v.String()
					if minor >= 9 && minor < 11 { // with pools that have no NUMA node
						n.PCIStats = strings.ReplaceAll(strings.Replace(pools, `"numa_node":1,`, "", 1), `"1.1"`, `"1.0"`)
					}
				})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", class, v, diff)
			}
		}
	}
}

// A row is sent as the release that wrote it would send it, whatever its columns hold:
// its object has the fields of that version, including all that it requires.
func TestRowOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	newest := all[slices.IndexFunc(all, func(r ledger.Row) bool { return r.RecordKind() == nova.KindComputeNode })].(*nova.ComputeNode)
	for minor := range uint16(20) {
		v := versioned.Version{Major: 1, Minor: minor}
		want := encode(t, s, object1(t, s, newest), &v)
		written := newest.Edit(func(n *nova.ComputeNode) { n.ObjectVersion = v.String() })
		got := encode(t, s, object1(t, s, written), nil)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("written in %s (-want +got):\n%s", v, diff)
		}
	}
}

// A new object must be complete; an error names the field that is missing or wrong.
func TestRowOfANewObject(t *testing.T) {
	t.Parallel()
	full, all := cloud(t)
	for _, tt := range []struct {
		name  string
		class string
		edit  values
		unset string
		want  string // part of the error; "" for none
	}{
		{"a service", "Service", values{"host": "k"}, "", ""},
		{"a service without a host", "Service", nil, "host", "Service.host"},
		{"a service of a version below zero", "Service", values{"version": -1}, "", "service version"},
		{"a service of a version that no column holds", "Service", values{"version": int64(math.MaxInt32) + 1}, "", "service version"},
		{"a service of version 0", "Service", values{"host": "k", "version": 0}, "", "version 0, but all others have at least 73"},
		{"a service without a version", "Service", values{"host": "k"}, "version", "version 0, but all others have at least 73"},
		{"the first of its binary without a version", "Service", values{"host": "k", "binary": "nova-conductor"}, "version", ""},
		{"a service that reported less than never", "Service", values{"report_count": -5}, "", "Service.report_count"},
		{"a ratio below zero", "ComputeNode", values{"cpu_allocation_ratio": -1.0}, "", "ComputeNode.cpu_allocation_ratio"},
		{"a ratio that Placement cannot hold", "ComputeNode", values{"disk_allocation_ratio": 1e300}, "", "ComputeNode.disk_allocation_ratio"},
		{"more disk than Placement can hold", "ComputeNode", values{"local_gb": int64(math.MaxInt64)}, "", "ComputeNode.local_gb"},
		{"an instance of the uuid of a migration", "Instance", values{"uuid": modeltest.ConsumerID("m").String()}, "", "conflicting consumer uuid"},
		{"an instance that is deleted and active", "Instance", values{"deleted": true}, "", "Instance.deleted"},
		{"a migration of no status", "Migration", values{"status": nil}, "", "Migration.status"},
		{"a migration from nowhere", "Migration", values{"source_compute": nil}, "", "source_compute"},
		{"a compute node", "ComputeNode", values{"hypervisor_hostname": "k"}, "uuid", ""},
		{"a compute node of the host and name of another", "ComputeNode", values{"uuid": modeltest.ProviderID("k").String()}, "", "conflicting compute node name: h.example.org on h already exists"},
		{"a compute node without a name", "ComputeNode", nil, "hypervisor_hostname", "ComputeNode.hypervisor_hostname"},
		{"a new one without vcpus", "ComputeNode", values{"hypervisor_hostname": "k"}, "uuid vcpus", "ComputeNode.vcpus"},
		{"a flavor", "Flavor", values{"name": "g", "flavorid": "2"}, "", ""},
		{"a flavor without vcpus", "Flavor", nil, "vcpus", "Flavor.vcpus"},
		{"an instance", "Instance", values{"uuid": modeltest.ConsumerID("j").String()}, "", ""},
		{"a new one without a name", "Instance", values{"uuid": modeltest.ConsumerID("j").String()}, "display_name", "Instance.display_name"},
		{"an instance in an unknown state", "Instance", values{"vm_state": "asleep"}, "", "Instance.vm_state"},
		{"a migration", "Migration", values{"uuid": modeltest.ConsumerID("n").String()}, "", ""},
		{"a migration in an unknown state", "Migration", values{"status": "asleep"}, "", "Migration.status"},
		{"a migration of nobody", "Migration", values{"instance_uuid": modeltest.ConsumerID("x").String()}, "", "instance"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, row := range all {
				o := object1(t, full, row)
				if o.Class != tt.class {
					continue
				}
				o = edited(t, o, tt.edit, strings.Fields(tt.unset)...)
				got, err := object.Row(full, o)
				switch {
				case tt.want == "" && err != nil:
					t.Fatal(err)
				case tt.want == "":
					if err := got.Validate(); err != nil || full.Held(got) != nil {
						t.Errorf("row %+v: %v, want a new one", got, err)
					}
				case err == nil || !strings.Contains(err.Error(), tt.want):
					t.Errorf("%v, want an error about %s", err, tt.want)
				}
			}
		})
	}
}

// An object or a row without a class is an error.
func TestNoClass(t *testing.T) {
	t.Parallel()
	s, _ := cloud(t)
	must.Fail(t, must.Err(object.Of(s, &nova.Cell{Name: "c"})), placement.ErrInvalid)
	must.Fail(t, must.Err(object.Row(s, object.New("PciDevicePool", values{}))), placement.ErrInvalid)
}

// Pools that are sent are checked one by one; stored ones are read as they are.
func TestPoolsThatCannotBe(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	row := all[slices.IndexFunc(all, func(r ledger.Row) bool { return r.RecordKind() == nova.KindComputeNode })].(*nova.ComputeNode)
	for _, tt := range []struct {
		name      string
		from, to  string // replaced in the second of two pools
		path, why string // of the error; "" for none
	}{
		{"two pools", "", "", "", ""},
		{"none left", `"count":3`, `"count":0`, "", ""},
		{"no NUMA node", `"numa_node":1`, `"numa_node":null`, "", ""},
		{"fewer than none", `"count":3`, `"count":-1`, "count", "from 0 to 2147483647"},
		{"more than can be counted", `"count":3`, `"count":2147483648`, "count", "from 0 to 2147483647"},
		{"no count", `"count":3,`, "", "count", "required"},
		{"a product in upper case", `"1eb8"`, `"1EB8"`, "product_id", "four lower-case hexadecimal digits"},
		{"a product of two digits", `"1eb8"`, `"1e"`, "product_id", "four lower-case hexadecimal digits"},
		{"a vendor that is none", `"10de"`, `"zzzz"`, "vendor_id", "four lower-case hexadecimal digits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, list, _ := strings.Cut(pools, "[")
			one, _, _ := strings.Cut(list, "]")
			sent := json.RawMessage(strings.Replace(pools, one, one+","+strings.Replace(one, tt.from, tt.to, 1), 1))
			_, err := object.Row(s, edited(t, object1(t, s, row), values{"pci_device_pools": sent}))
			var wrong *placement.InvalidError
			switch path := "ComputeNode.pci_device_pools.objects[1]." + tt.path; {
			case tt.path == "" && err != nil:
				t.Error(err)
			case tt.path != "" && (!errors.As(err, &wrong) || wrong.Field != path || !strings.Contains(wrong.Why, tt.why)):
				t.Errorf("%v, want %q about %s", err, tt.why, path)
			}
		})
	}
}

// A compute node is sent with the workload of its instances. The workload in a received
// one is kept only if it differs.
func TestWorkloadGoesOut(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	find := func(kind versioned.Kind) ledger.Row {
		return all[slices.IndexFunc(all, func(r ledger.Row) bool { return r.RecordKind() == kind })]
	}
	row, guest := find(nova.KindComputeNode).(*nova.ComputeNode), find(nova.KindInstance).(*nova.Instance)
	stats := func(s *nova.Snapshot) map[string]string {
		t.Helper()
		held, _ := s.ComputeNode(row.UUID)
		out := map[string]string{}
		for key, n := range object1(t, s, held).Data["stats"].(values) {
			out[key] = n.(string)
		}
		return out
	}
	want := map[string]string{
		"num_instances": "1", "num_vm_active": "1", "num_task_resize_prep": "1", "num_os_type_None": "1", "num_proj_p": "1", "io_workload": "1", "failed_builds": "0",
	}
	must.Match(t, want, stats(s))
	node := object1(t, s, row)
	must.Be(t, node.Data["current_workload"], any(json.Number("1")))
	if back, err := object.Row(s, node); err != nil || !ledger.Equal(back, row) {
		t.Errorf("what is counted is kept: %v %v", back, err)
	}

	// The operating system is known from the instance's own object, too.
	o := object1(t, s, guest)
	o = edited(t, o, values{"os_type": "linux"})
	said, err := object.Row(s, o)
	must.Succeed(t, err)
	s = must.Get(put(s, said))(t)
	if got := stats(s); got["num_os_type_linux"] != "1" || got["num_os_type_None"] != "" {
		t.Errorf("%v, want an instance of linux", got)
	}

	// A different workload is kept as received, whatever the instances do later; the same
	// one is not kept.
	for _, sent := range []map[string]string{{"num_instances": "7"}, {}, stats(s)} {
		node = edited(t, node, values{"stats": sent})
		sentRow := must.Get(object.Row(s, node))(t)
		next, err := put(s, sentRow)
		must.Succeed(t, err)
		if diff := cmp.Diff(sent, stats(next)); diff != "" {
			t.Errorf("(-sent +got):\n%s", diff)
		}
		next = must.Get(put(next, said.(*nova.Instance).Edit(func(i *nova.Instance) { i.Host = "" })))(t)
		if sent["failed_builds"] != "" {
			sent = map[string]string{"failed_builds": "0"}
		}
		must.Match(t, sent, stats(next))
	}
}
