package exchange_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

const pools = `{"nova_object.data":{"objects":[{"nova_object.data":{"count":3,"numa_node":1,"product_id":"1eb8","tags":{"dev_type":"type-PCI"},"vendor_id":"10de"},` +
	`"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.1"}]},` +
	`"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.1"}`

// cloud returns a ledger with a row of every class, and the rows.
func cloud(t *testing.T) (*nova.Snapshot, []ledger.Row) {
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

func object1(t *testing.T, s *nova.Snapshot, row ledger.Row) object.Object {
	t.Helper()
	o := must.Get(exchange.Object(s, row))(t)
	return o
}

// Sending an object of any version, from the oldest to the current one, back unchanged
// changes nothing: what an older version does not have stays. Only a compute node's row
// takes the version of the sender.
func TestEveryVersionIsRead(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	registry := exchange.Registry(s)
	for _, row := range all {
		o := object1(t, s, row)
		class, _ := registry.Class(o.ObjectHeader().ClassName())
		for minor := range class.Version().Minor + 1 {
			v := versioned.Version{Major: class.Major, Minor: minor}
			envelope, err := registry.EncodeFor(o, object.Target{Version: v})
			if err != nil {
				t.Fatalf("%s %s: %v", class.Name, v, err)
			}
			text := must.Get(json.Marshal(envelope))(t)
			sent, err := registry.DecodeJSON(text)
			if err != nil {
				t.Fatalf("%s %s: %v", class.Name, v, err)
			}
			got, err := exchange.Row(s, sent)
			if err != nil {
				t.Fatalf("%s %s: %v", class.Name, v, err)
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
				t.Errorf("%s %s (-want +got):\n%s", class.Name, v, diff)
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
	registry := exchange.Registry(s)
	for minor := range uint16(20) {
		v := versioned.Version{Major: 1, Minor: minor}
		want := must.Get(registry.EncodeFor(object1(t, s, newest), object.Target{Version: v}))(t)
		written := newest.Edit(func(n *nova.ComputeNode) { n.ObjectVersion = v.String() })
		got := must.Get(registry.Encode(object1(t, s, written)))(t)
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
		edit  object.Values
		unset string
		want  string // part of the error; "" for none
	}{
		{"a service", "Service", object.Values{"host": "k"}, "", ""},
		{"a service without a host", "Service", nil, "host", "Service.host"},
		{"a service of a version below zero", "Service", object.Values{"version": -1}, "", "service version"},
		{"a service of a version that no column holds", "Service", object.Values{"version": int64(math.MaxInt32) + 1}, "", "service version"},
		{"a service of version 0", "Service", object.Values{"host": "k", "version": 0}, "", "version 0, but all others have at least 73"},
		{"a service without a version", "Service", object.Values{"host": "k"}, "version", "version 0, but all others have at least 73"},
		{"the first of its binary without a version", "Service", object.Values{"host": "k", "binary": "nova-conductor"}, "version", ""},
		{"a service that reported less than never", "Service", object.Values{"report_count": -5}, "", "Service.report_count"},
		{"a ratio below zero", "ComputeNode", object.Values{"cpu_allocation_ratio": -1.0}, "", "ComputeNode.cpu_allocation_ratio"},
		{"a ratio that Placement cannot hold", "ComputeNode", object.Values{"disk_allocation_ratio": 1e300}, "", "ComputeNode.disk_allocation_ratio"},
		{"more disk than Placement can hold", "ComputeNode", object.Values{"local_gb": int64(math.MaxInt64)}, "", "ComputeNode.local_gb"},
		{"an instance of the uuid of a migration", "Instance", object.Values{"uuid": modeltest.ConsumerID("m").String()}, "", "conflicting consumer uuid"},
		{"an instance that is deleted and active", "Instance", object.Values{"deleted": true}, "", "Instance.deleted"},
		{"a migration of no status", "Migration", object.Values{"status": nil}, "", "Migration.status"},
		{"a migration from nowhere", "Migration", object.Values{"source_compute": nil}, "", "source_compute"},
		{"a compute node", "ComputeNode", object.Values{"hypervisor_hostname": "k"}, "uuid", ""},
		{"a compute node of the host and name of another", "ComputeNode", object.Values{"uuid": modeltest.ProviderID("k").String()}, "", "conflicting compute node name: h.example.org on h already exists"},
		{"a compute node without a name", "ComputeNode", nil, "hypervisor_hostname", "ComputeNode.hypervisor_hostname"},
		{"a new one without vcpus", "ComputeNode", object.Values{"hypervisor_hostname": "k"}, "uuid vcpus", "ComputeNode.vcpus"},
		{"a flavor", "Flavor", object.Values{"name": "g", "flavorid": "2"}, "", ""},
		{"a flavor without vcpus", "Flavor", nil, "vcpus", "Flavor.vcpus"},
		{"an instance", "Instance", object.Values{"uuid": modeltest.ConsumerID("j").String()}, "", ""},
		{"a new one without a name", "Instance", object.Values{"uuid": modeltest.ConsumerID("j").String()}, "display_name", "Instance.display_name"},
		{"an instance in an unknown state", "Instance", object.Values{"vm_state": "asleep"}, "", "Instance.vm_state"},
		{"a migration", "Migration", object.Values{"uuid": modeltest.ConsumerID("n").String()}, "", ""},
		{"a migration in an unknown state", "Migration", object.Values{"status": "asleep"}, "", "Migration.status"},
		{"a migration of nobody", "Migration", object.Values{"instance_uuid": modeltest.ConsumerID("x").String()}, "", "instance"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := exchange.Registry(full)
			for _, row := range all {
				envelope := must.Get(registry.Encode(object1(t, full, row)))(t)
				if envelope["nova_object.name"] != tt.class {
					continue
				}
				data := envelope["nova_object.data"].(map[string]any)
				maps.Copy(data, tt.edit)
				for _, field := range strings.Fields(tt.unset) {
					delete(data, field)
				}
				o := must.Get(registry.Decode(envelope))(t)
				got, err := exchange.Row(full, o)
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
	must.Fail(t, must.Err(exchange.Object(s, &nova.Cell{Name: "c"})), placement.ErrInvalid)
	must.Fail(t, must.Err(exchange.Row(s, objects.NewPciDevicePool())), placement.ErrInvalid)
}

// Pools that are sent are checked one by one; stored ones are read as they are.
func TestPoolsThatCannotBe(t *testing.T) {
	t.Parallel()
	s, all := cloud(t)
	row := all[slices.IndexFunc(all, func(r ledger.Row) bool { return r.RecordKind() == nova.KindComputeNode })].(*nova.ComputeNode)
	for _, tt := range []struct {
		name      string
		from, to  string // replaced in the second of two pools, as stored in the column
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
			stored := row.Edit(func(n *nova.ComputeNode) {
				n.PCIStats = strings.Replace(pools, one, one+","+strings.Replace(one, tt.from, tt.to, 1), 1)
			})
			o := object1(t, s, stored)
			_, err := exchange.Row(s, o)
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
		for key, n := range object1(t, s, held).(*objects.ComputeNode).Stats.Get() {
			out[key] = *n
		}
		return out
	}
	want := map[string]string{
		"num_instances": "1", "num_vm_active": "1", "num_task_resize_prep": "1", "num_os_type_None": "1", "num_proj_p": "1", "io_workload": "1", "failed_builds": "0",
	}
	must.Match(t, want, stats(s))
	node := object1(t, s, row).(*objects.ComputeNode)
	must.Be(t, node.CurrentWorkload.Get(), 1)
	if back, err := exchange.Row(s, node); err != nil || !ledger.Equal(back, row) {
		t.Errorf("what is counted is kept: %v %v", back, err)
	}

	// The operating system is known from the instance's own object, too.
	o := object1(t, s, guest)
	must.Succeed(t, object.Fill(o, object.Values{"os_type": "linux"}))
	said, err := exchange.Row(s, o)
	must.Succeed(t, err)
	s = must.Get(put(s, said))(t)
	if got := stats(s); got["num_os_type_linux"] != "1" || got["num_os_type_None"] != "" {
		t.Errorf("%v, want an instance of linux", got)
	}

	// A different workload is kept as received, whatever the instances do later; the same
	// one is not kept.
	for _, sent := range []map[string]string{{"num_instances": "7"}, {}, stats(s)} {
		must.Succeed(t, object.Fill(node, object.Values{"stats": sent}))
		sentRow := must.Get(exchange.Row(s, node))(t)
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
