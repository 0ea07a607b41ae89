package insight

import (
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// other returns a figure under the name that another exporter uses.
func other(name, help string, points func(*view, add), labels ...string) figure {
	return figure{Family: Family{Name: "openstack_" + name, Help: help, Labels: labels, Untyped: strings.HasSuffix(name, "_total")}, points: points}
}

// each returns f as a figure with points for each provider.
func each(f figure) figure {
	f.Each = true
	return f
}

// exporterTable returns openstack-exporter's figures of Placement.
//
// Source: openstack-exporter, exporters/placement.go.
func exporterTable() []figure {
	return []figure{
		each(other("placement_resource_total", "Units in an inventory of a provider.",
			ofInventories(func(iu placement.InventoryUsage) float64 { return float64(iu.Total) }), "hostname", "resourcetype")),
		each(other("placement_resource_allocation_ratio", "The allocation_ratio of an inventory of a provider.",
			ofInventories(func(iu placement.InventoryUsage) float64 { return iu.AllocationRatio }), "hostname", "resourcetype")),
		each(other("placement_resource_reserved", "Reserved units of an inventory of a provider.",
			ofInventories(func(iu placement.InventoryUsage) float64 { return float64(iu.Reserved) }), "hostname", "resourcetype")),
		each(other("placement_resource_usage", "Allocated units of an inventory of a provider.",
			ofInventories(func(iu placement.InventoryUsage) float64 { return float64(iu.Used) }), "hostname", "resourcetype")),
	}
}

// capacityTable returns the figures of os-capacity.
//
// Source: os-capacity, os_capacity/prometheus.py.
func capacityTable() []figure {
	return []figure{
		other("free_capacity_by_flavor_total", "Free capacity if the cloud is filled with one flavor.", flavorCapacity, "flavor_name"),
		other("project_usage", "Current allocations of a project.", projectUsage, "project_id", "project_name", "placement_resource"),
		each(other("free_capacity_hypervisor_by_flavor", "Free capacity of a hypervisor if it is filled with one flavor.", hypervisorFlavors,
			"hypervisor", "flavor_name", "az_aggregate", "project_aggregate")),
		each(other("hypervisor_placement_allocated", "Allocated units of a provider.",
			ofInventories(func(iu placement.InventoryUsage) float64 { return float64(iu.Used) }), "hypervisor", "resource")),
		each(other("hypervisor_placement_allocatable_capacity", "Units of a provider that may be allocated.",
			ofInventories(func(iu placement.InventoryUsage) float64 { return float64(iu.Capacity()) }), "hypervisor", "resource")),
	}
}

// ofInventories has a point for each inventory of each provider.
func ofInventories(of func(placement.InventoryUsage) float64) func(*view, add) {
	return func(v *view, add add) {
		p := v.Snapshot.Placement()
		for n := range p.AllProviders().All() {
			rp := p.ProviderAt(n)
			for _, iu := range rp.Inventories() {
				add(of(iu), rp.Name(), string(p.ClassName(iu.Class)))
			}
		}
	}
}

func flavorCapacity(v *view, add add) {
	for _, f := range v.Room.flavors() {
		add(float64(f.Copies), f.Name)
	}
}

// hypervisorFlavors has a point for each flavor and each tree that takes one more of it.
func hypervisorFlavors(v *view, add add) {
	s := v.Snapshot
	for _, f := range v.Room.flavors() {
		for _, t := range f.Trees {
			host := ops.HostOf(s, t.Root)
			add(float64(t.Copies), t.Root.Name(), f.Name, s.Nova().ZoneOf(host), tenantAggregate(s.Nova(), host))
		}
	}
}

// tenantAggregate returns the name of the aggregate that reserves a host for some
// projects, "" if there is none.
func tenantAggregate(s *nova.Snapshot, host string) string {
	for a := range s.AggregatesOf(host) {
		for key := range a.Metadata {
			if strings.HasPrefix(key, "filter_tenant_id") {
				return a.Name
			}
		}
	}
	return ""
}

// projectUsage adds up what the consumers of each project hold. Placement does not know
// the names of projects, so the uuid is used.
func projectUsage(v *view, add add) {
	p := v.Snapshot.Placement()
	used := map[string]map[placement.ClassID]int64{}
	for t := range p.Tallies("", "") {
		of := used[t.Project]
		if of == nil {
			of = map[placement.ClassID]int64{}
			used[t.Project] = of
		}
		for class, units := range t.Used() {
			of[class] += units
		}
	}
	for _, project := range slices.Sorted(maps.Keys(used)) {
		for _, class := range slices.Sorted(maps.Keys(used[project])) {
			add(float64(used[project][class]), project, project, string(p.ClassName(class)))
		}
	}
}
