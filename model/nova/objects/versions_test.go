package objects_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/versioned/object"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := registry()
	for _, name := range r.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := must.Get(r.EncodeJSON(sample(t, r, name)))(t)
			o := must.Get(r.DecodeJSON(text))(t)
			again := must.Get(r.EncodeJSON(o))(t)
			must.Match(t, string(text), string(again))
		})
	}
}

// lacks returns, by class and minor version, the fields that lower versions lack.
func lacks() map[string]map[int][]string {
	return map[string]map[int][]string{
		"ComputeNode": {
			17: {"mapped"}, 16: {"disk_allocation_ratio"}, 15: {"uuid"}, 14: {"ram_allocation_ratio", "cpu_allocation_ratio"},
			9: {"pci_device_pools"}, 7: {"host"}, 6: {"supported_hv_specs"}, 5: {"numa_topology"}, 4: {"host_ip"}, 3: {"stats"},
		},
		"Instance": {
			8: {"compute_id"}, 7: {"resources"}, 6: {"hidden"}, 4: {"trusted_certs"}, 3: {"device_metadata"}, 2: {"keypairs"},
			1: {"services"},
		},
		"Migration": {
			8: {"dest_compute_id"}, 7: {"user_id", "project_id"}, 6: {"cross_cell_move"}, 5: {"uuid"},
			4: {"memory_total", "memory_processed", "memory_remaining", "disk_total", "disk_processed", "disk_remaining"},
			2: {"migration_type", "hidden"},
		},
		"Flavor":  {2: {"description"}},
		"Service": {21: {"uuid"}, 16: {"version"}, 14: {"forced_down"}, 13: {"last_seen_up"}},
		"PciDevicePool": {
			1: {"numa_node"},
		},
		"PciDevice":        {6: {"uuid"}, 4: {"parent_addr"}, 3: {"numa_node"}, 2: {"request_id"}},
		"HVSpec":           {},
		"MigrationContext": {2: {"new_resources", "old_resources"}, 1: {"new_pci_devices", "old_pci_devices", "new_pci_requests", "old_pci_requests"}},
		"InstancePCIRequest": {
			3: {"requester_id"}, 2: {"numa_policy"}, 1: {"request_id"},
		},
		"ResourceProvider": {}, "ResourceProviderList": {}, "Inventory": {}, "InventoryList": {}, "Allocation": {}, "AllocationList": {},
		"InstancePCIRequests": {}, "Resource": {}, "ResourceList": {},
		"ComputeNodeList": {}, "InstanceList": {}, "MigrationList": {}, "FlavorList": {}, "ServiceList": {}, "PciDevicePoolList": {},
		"PciDeviceList": {},
		"KeyPair":       {2: {"type"}}, "KeyPairList": {}, "SecurityGroup": {2: {"uuid"}}, "SecurityGroupList": {}, "Tag": {}, "TagList": {},
		"InstanceFault": {}, "InstanceInfoCache": {},
		"InstanceNUMATopology": {3: {"emulator_threads_policy"}},
		"InstanceNUMACell": {
			5: {"pcpuset"}, 4: {"cpuset_reserved"}, 3: {"cpu_policy", "cpu_thread_policy"}, 2: {"cpu_pinning_raw", "cpu_topology"},
			1: {"pagesize"},
		},
		"NetworkInterfaceMetadata": {2: {"vf_trusted"}, 1: {"vlan"}},
	}
}

// TestEveryOlderVersion lowers each class to each older minor version, has a reader of
// exactly that version read it, and checks which fields are missing.
func TestEveryOlderVersion(t *testing.T) {
	t.Parallel()
	r := registry()
	for _, name := range r.Names() {
		class, _ := r.Class(name)
		table, ok := lacks()[name]
		if !ok && len(class.History) > 1 {
			t.Errorf("the table lacks %s", name)
		}
		for n := range len(class.History) {
			t.Run(name+"/"+minor(int(class.Major), n).String(), func(t *testing.T) {
				t.Parallel()
				o := changed(t, r, name)
				want := map[string]bool{}
				for _, field := range o.ObjectHeader().Fields() {
					want[field] = true
				}
				for since, fields := range table {
					for _, field := range fields {
						if n < since {
							delete(want, field)
						}
					}
				}
				p := must.Get(r.EncodeFor(o, object.Target{Version: minor(int(class.Major), n), Manifest: r.Manifest(name)}))(t)
				must.Match(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(data(p))))
				old := release(r, map[string]int{name: n})
				got := must.Get(old.Decode(wire(t, p)))(t)
				must.Match(t, slices.Sorted(maps.Keys(want)), got.ObjectHeader().WhatChanged())
			})
		}
	}
}

// changed returns the sample of a class with all fields marked changed.
func changed(t testing.TB, r *object.Registry, name string) object.Object {
	t.Helper()
	p := must.Get(r.Encode(sample(t, r, name)))(t)
	var all []any
	for field := range data(p) {
		all = append(all, field)
	}
	p["nova_object.changes"] = all
	o := must.Get(r.Decode(wire(t, p)))(t)
	o.ObjectHeader().Upgrade()
	return o
}

// TestNewerIsRefusedThenLowered sends each class from a release that is one
// minor version ahead.
func TestNewerIsRefusedThenLowered(t *testing.T) {
	t.Parallel()
	r := registry()
	for _, name := range r.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			class, _ := r.Class(name)
			future := release(r, map[string]int{name: len(class.History)})
			p := must.Get(future.Encode(sample(t, future, name)))(t)
			var tooNew *object.IncompatibleObjectVersionError
			if _, err := r.Decode(wire(t, p)); !errors.As(err, &tooNew) || tooNew.Object != name || tooNew.Knows != class.Version() {
				t.Fatalf("error is %v", err)
			}
			lowered := must.Get(future.EncodeUpTo(sample(t, future, name), r.Manifest(name)))(t)
			o := must.Get(r.Decode(wire(t, lowered)))(t)
			got := must.Get(r.EncodeJSON(o))(t)
			want := must.Get(r.EncodeJSON(sample(t, r, name)))(t)
			must.Match(t, string(want), string(got))
		})
	}
}

// TestFieldRules checks of every class that fields that are not nullable refuse null, and
// that those that cannot be loaded say so.
func TestFieldRules(t *testing.T) {
	t.Parallel()
	r := registry()
	refused := 0
	for _, name := range r.Names() {
		class, _ := r.Class(name)
		o := class.New()
		for _, field := range o.ObjectHeader().Fields() {
			err := o.ObjectHeader().Set(field, nil)
			var wrong *object.ValueError
			switch {
			case err == nil && !o.ObjectHeader().IsSet(field):
				t.Errorf("%s.%s: null left it unset", name, field)
			case err != nil && !errors.As(err, &wrong):
				t.Errorf("%s.%s: error is %v", name, field, err)
			case err != nil:
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("no field refused null")
	}
}

func TestReadOnlyFields(t *testing.T) {
	t.Parallel()
	node, service := objects.NewComputeNode(), objects.NewService()
	for _, set := range []func(id int64) error{node.ID.Set, service.ID.Set} {
		must.Succeed(t, set(1))
		var readOnly *object.ReadOnlyFieldError
		if err := set(2); !errors.As(err, &readOnly) {
			t.Errorf("error is %v", err)
		}
	}
	must.Succeed(t, node.UUID.SetAny(aUUID))
	if err := node.UUID.SetAny(bUUID); err == nil {
		t.Error("a compute node changed its uuid")
	}
}
