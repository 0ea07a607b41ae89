package insight

import (
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/placement"
)

// byName sorts the rows of a table.
func byName(all []figure) {
	slices.SortStableFunc(all, func(a, b figure) int { return strings.Compare(a.Name, b.Name) })
}

// own returns a figure of our own.
func own(name, help string, points func(*view, add), labels ...string) figure {
	return figure{Family: Family{Name: "placetop_" + name, Help: help, Labels: labels}, points: points}
}

// ownTable returns our own figures that are not by provider. No name ends in _total, as
// those of counters do.
func ownTable() []figure {
	return []figure{
		own("revision", "Revision of the cloud that the figures describe.", one(func(v *view) float64 { return float64(v.Snapshot.Revision()) })),
		own("providers", "Resource providers.", one(func(v *view) float64 { return float64(v.totals.Providers) })),
		own("root_providers", "Resource providers without a parent: compute nodes and sharing pools.", one(func(v *view) float64 { return float64(v.totals.Roots) })),
		own("consumers", "Consumers that hold allocations.", one(func(v *view) float64 { return float64(v.totals.Consumers) })),

		own("resource_inventory", "Units of a resource class in all inventories, each provider once.", byClass(total), "resource_class"),
		own("resource_reserved", "Units of a resource class that are reserved.", byClass(reserved), "resource_class"),
		own("resource_capacity", "Units of a resource class that may be allocated: (total - reserved) * allocation_ratio.", byClass(capacity), "resource_class"),
		own("resource_used", "Units of a resource class that are allocated.", byClass(used), "resource_class"),
		own("resource_held", "Units of a resource class held by migrations, included in those used.", byClass(func(t ClassTotal) int64 { return t.Held }), "resource_class"),
		own("resource_free", "Units of a resource class that are free on providers with room.", byClass(func(t ClassTotal) int64 { return t.Free }), "resource_class"),
		own("resource_largest_free", "The largest single allocation of a resource class that one provider can still take.", byClass(func(t ClassTotal) int64 { return t.Largest }), "resource_class"),
		own("resource_over", "Units of a resource class used beyond the capacity of their providers.", byClass(func(t ClassTotal) int64 { return t.Over }), "resource_class"),

		own("owner_resource_inventory", "Units of an accelerator class in all inventories of an owner.", byOwner(total), "owner", "resource_class"),
		own("owner_resource_reserved", "Units of an accelerator class of an owner that are reserved.", byOwner(reserved), "owner", "resource_class"),
		own("owner_resource_capacity", "Units of an accelerator class of an owner that may be allocated.", byOwner(capacity), "owner", "resource_class"),
		own("owner_resource_used", "Units of an accelerator class of an owner that are allocated.", byOwner(used), "owner", "resource_class"),
		own("owner_consumers", "Consumers that hold accelerators of an owner.", ownerConsumers, "owner"),

		own("zone_resource_inventory", "Units of a resource class in all inventories of an availability zone.", byZone(total), "zone", "resource_class"),
		own("zone_resource_reserved", "Units of a resource class of an availability zone that are reserved.", byZone(reserved), "zone", "resource_class"),
		own("zone_resource_capacity", "Units of a resource class of an availability zone that may be allocated.", byZone(capacity), "zone", "resource_class"),
		own("zone_resource_used", "Units of a resource class of an availability zone that are allocated.", byZone(used), "zone", "resource_class"),

		own("instances", "Instances that are not deleted.", instances, "state"),
		own("moves", "Migrations and resizes that are under way.", moves, "state"),
		own("accelerator_requests", "Cyborg's accelerator requests, by state.", requests, "state"),

		own("gate_open", "Whether the gate of the owner filter is open.", one(func(v *view) float64 { return truth(v.gate.Gate.Open) })),
		own("gate_enforced", "Whether requests require an owner: the gate is open and the owner filter is on.", one(func(v *view) float64 { return truth(v.gate.Enforced()) })),
		own("gate_minimum_version", "The lowest version among the nova-computes that count.", one(func(v *view) float64 { return float64(v.gate.Gate.Minimum) })),
		own("gate_needed_version", "The version that every nova-compute must have for the gate to open.", one(func(v *view) float64 { return float64(v.gate.Gate.Need) })),
		own("gate_holds", "How many nova-computes hold the gate closed.", holds, "state"),
		own("gate_check", "The state of each requirement of the owner filter: 1 for the state that it is in.", checks, "check", "state"),

		own("problems", "Open problems, by rule.", problems, "rule", "severity"),
		own("problems_acknowledged", "Problems that are acknowledged or muted.", acknowledged),
		own("problems_unjudged", "Rules that could not be judged, or not about everything, because not all of the cloud was read.", unjudged),

		own("flavor_fits", "How many more instances of a flavor fit into the cloud.", fits, "flavor"),
		own("flavor_hosts", "How many hosts have room for another instance of a flavor.", fitHosts, "flavor"),
		own("flavor_revision", "Revision of the cloud for which it was counted how many more of each flavor fit.", roomRevision),
	}
}

func total(t ClassTotal) int64    { return t.Total }
func reserved(t ClassTotal) int64 { return t.Reserved }
func capacity(t ClassTotal) int64 { return t.Capacity }
func used(t ClassTotal) int64     { return t.Used }

// one returns the points of a figure that is a single number.
func one(of func(*view) float64) func(*view, add) {
	return func(v *view, add add) { add(of(v)) }
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func byClass(of func(ClassTotal) int64) func(*view, add) {
	return func(v *view, add add) {
		for _, t := range v.totals.Classes {
			add(float64(of(t)), string(t.Class))
		}
	}
}

func byOwner(of func(ClassTotal) int64) func(*view, add) {
	return func(v *view, add add) {
		for _, o := range owners() {
			for _, t := range v.owners.Owners[o].Classes {
				add(float64(of(t)), o.String(), string(t.Class))
			}
		}
	}
}

func byZone(of func(ClassTotal) int64) func(*view, add) {
	return func(v *view, add add) {
		for _, z := range v.zones {
			for _, t := range z.Classes {
				add(float64(of(t)), z.Zone, string(t.Class))
			}
		}
	}
}

// owners returns all owners that a provider can have.
func owners() []placement.Owner {
	return []placement.Owner{placement.OwnedByNone, placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth}
}

func ownerConsumers(v *view, add add) {
	for _, o := range owners() {
		add(float64(v.owners.Consumers[o]), o.String())
	}
}

func instances(v *view, add add) {
	for _, state := range slices.Sorted(maps.Keys(v.stands.Instances)) {
		add(float64(v.stands.Instances[state]), string(state))
	}
}

func moves(v *view, add add) {
	add(float64(v.stands.Broken), "broken")
	add(float64(v.stands.UnderWay), "under_way")
	add(float64(v.stands.Waiting), "waiting")
}

func requests(v *view, add add) {
	for _, state := range slices.Sorted(maps.Keys(v.stands.ARQs)) {
		add(float64(v.stands.ARQs[state]), string(state))
	}
}

func holds(v *view, add add) {
	n := map[HoldState]int{}
	for _, s := range v.gate.Holds {
		n[s.State]++
	}
	for _, state := range []HoldState{HoldsDisabled, HoldsOld, HoldsSilent, HoldsUnheard} {
		add(float64(n[state]), string(state))
	}
}

// checks has a point for each state that a check may be in, so that no old state stays
// behind in a scraper.
func checks(v *view, add add) {
	for _, c := range v.gate.Checks {
		for s := CheckMet; s <= CheckBroken; s++ {
			add(truth(c.State == s), string(c.ID), s.String())
		}
	}
}

// problems has a point for each rule that was evaluated, so that an alert sees it fall to
// 0; none if it found nothing and was not judged about everything.
func problems(v *view, add add) {
	if v.Found == nil {
		return
	}
	n := map[audit.RuleID]int{}
	for _, f := range v.Found.Open {
		n[audit.RuleOf(f.Finding).ID]++
	}
	for _, r := range v.Found.Rules {
		of := func(u audit.UnjudgedRule) bool { return u.Rule == r.ID }
		if n[r.ID] == 0 && slices.ContainsFunc(v.Found.Unjudged, of) {
			continue
		}
		add(float64(n[r.ID]), string(r.ID), r.Severity.String())
	}
}

func unjudged(v *view, add add) {
	if v.Found != nil {
		add(float64(len(v.Found.Unjudged)))
	}
}

func acknowledged(v *view, add add) {
	if v.Found != nil {
		add(float64(len(v.Found.Acknowledged) + len(v.Found.Muted)))
	}
}

func fits(v *view, add add) {
	for _, f := range v.Room.flavors() {
		add(float64(f.Copies), f.Name)
	}
}

func fitHosts(v *view, add add) {
	for _, f := range v.Room.flavors() {
		add(float64(f.Hosts), f.Name)
	}
}

func roomRevision(v *view, add add) {
	if v.Room != nil {
		add(float64(v.Room.Of.Revision()))
	}
}
