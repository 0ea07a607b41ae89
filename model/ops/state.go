package ops

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// State is what people edit of a Editable.
type State interface {
	// fields returns everything in it, in a fixed order.
	fields(s *cloud.Snapshot) []field
	// onto returns now with what differs in the state from base. All three have one type.
	onto(base, now State) State
}

// field is a part of a State.
type field struct {
	name, value string
	element     bool // value is an element of the set called name
	detail      bool // it goes without saying where all of it comes or goes
}

// key identifies a field within a State.
func (f field) key() string {
	if f.element {
		return f.name + " " + f.value
	}
	return f.name
}

// change says that f has another value, "" for none.
func (f field) change(to string) string {
	if f.element {
		return f.name + " -" + f.value
	}
	return fmt.Sprintf("%s %s > %s", f.name, cmp.Or(f.value, "none"), cmp.Or(to, "none"))
}

// changed returns how b differs from a, with a line for each field: "VCPU total 16 > 32",
// "traits +CUSTOM_A".
func changed(a, b []field) []string {
	was, is := valuesOf(a), valuesOf(b)
	var out []string
	for _, f := range a {
		if to, ok := is[f.key()]; to != f.value && (ok || !f.detail) {
			out = append(out, f.change(to))
		}
	}
	for _, f := range b {
		switch _, ok := was[f.key()]; {
		case ok || f.detail || f.value == "":
		case f.element:
			out = append(out, f.name+" +"+f.value)
		default:
			out = append(out, field{name: f.name}.change(f.value))
		}
	}
	return out
}

func valuesOf(list []field) map[string]string {
	out := make(map[string]string, len(list))
	for _, f := range list {
		out[f.key()] = f.value
	}
	return out
}

func elements[T any](name string, list []T) []field {
	var out []field
	for _, x := range list {
		out = append(out, field{name: name, value: fmt.Sprint(x), element: true})
	}
	return out
}

// pick returns want if it differs from base, else now.
func pick[T comparable](base, want, now T) T {
	if want == base {
		return now
	}
	return want
}

// pickSet returns now with what want adds to base, and without what it removes.
func pickSet[T comparable](base, want, now []T) []T {
	added, removed := setDiff(base, want)
	return slices.DeleteFunc(unionOf(now, added), func(x T) bool { return slices.Contains(removed, x) })
}

// pickMap returns now with what differs in want from base; value does so for a value that
// all three have.
func pickMap[K, V comparable](base, want, now map[K]V, value func(base, want, now V) V) map[K]V {
	out := maps.Clone(now)
	if out == nil {
		out = map[K]V{}
	}
	for k := range base {
		if _, stays := want[k]; !stays {
			delete(out, k)
		}
	}
	for k, w := range want {
		b, had := base[k]
		n, has := now[k]
		switch {
		case had && has:
			out[k] = value(b, w, n)
		case !had || b != w:
			out[k] = w
		}
	}
	return out
}

// pickInventory picks each field of an inventory.
func pickInventory(base, want, now placement.Inventory) placement.Inventory {
	for _, f := range inventoryFields() {
		if f.of != nil {
			*f.of(&now) = pick(*f.of(&base), *f.of(&want), *f.of(&now))
		}
	}
	now.AllocationRatio = pick(base.AllocationRatio, want.AllocationRatio, now.AllocationRatio)
	return now
}

func (st ProviderState) fields(s *cloud.Snapshot) []field {
	out := []field{{name: "name", value: st.Name}}
	if !st.Parent.IsZero() {
		out = append(out, field{name: "parent", value: s.Placement().ProviderName(st.Parent)})
	}
	for _, class := range slices.Sorted(maps.Keys(st.Inventories)) {
		inv := st.Inventories[class]
		for _, f := range inventoryFields() {
			value := strconv.FormatFloat(inv.AllocationRatio, 'g', -1, 64)
			if f.of != nil {
				value = strconv.FormatInt(*f.of(&inv), 10)
			}
			out = append(out, field{name: string(class) + " " + f.name, value: value, detail: f.name != "total"})
		}
	}
	return append(append(out, elements("traits", st.Traits)...), elements("aggregates", st.Aggregates)...)
}

func (st ProviderState) onto(base, now State) State {
	b, n := base.(ProviderState), now.(ProviderState)
	return ProviderState{
		Name: pick(b.Name, st.Name, n.Name), Parent: pick(b.Parent, st.Parent, n.Parent),
		Inventories: pickMap(b.Inventories, st.Inventories, n.Inventories, pickInventory),
		Traits:      pickSet(b.Traits, st.Traits, n.Traits), Aggregates: pickSet(b.Aggregates, st.Aggregates, n.Aggregates),
	}
}

func (st ProvidersState) fields(s *cloud.Snapshot) []field {
	var out []field
	for _, id := range slices.SortedStableFunc(maps.Keys(st.Providers), placement.ProviderID.Compare) {
		for _, f := range st.Providers[id].fields(s) {
			f.name = s.Placement().ProviderName(id) + " " + f.name
			out = append(out, f)
		}
	}
	return out
}

func (st ProvidersState) onto(base, now State) State {
	b, n := base.(ProvidersState), now.(ProvidersState)
	out := ProvidersState{map[placement.ProviderID]ProviderState{}}
	for id, want := range st.Providers {
		out.Providers[id] = want.onto(b.Providers[id], n.Providers[id]).(ProviderState)
	}
	return out
}

func (st FlavorState) fields(*cloud.Snapshot) []field {
	return append([]field{{name: "disabled", value: strconv.FormatBool(st.Disabled)}}, pairs(st.ExtraSpecs)...)
}

func (st FlavorState) onto(base, now State) State {
	b, n := base.(FlavorState), now.(FlavorState)
	return FlavorState{Disabled: pick(b.Disabled, st.Disabled, n.Disabled), ExtraSpecs: pickMap(b.ExtraSpecs, st.ExtraSpecs, n.ExtraSpecs, pick)}
}

func (st HostAggregateState) fields(*cloud.Snapshot) []field {
	return append(elements("hosts", st.Hosts), pairs(st.Metadata)...)
}

func (st HostAggregateState) onto(base, now State) State {
	b, n := base.(HostAggregateState), now.(HostAggregateState)
	return HostAggregateState{Hosts: pickSet(b.Hosts, st.Hosts, n.Hosts), Metadata: pickMap(b.Metadata, st.Metadata, n.Metadata, pick)}
}

// pairs returns a field for each key of a map.
func pairs(of map[string]string) []field {
	var out []field
	for _, k := range slices.Sorted(maps.Keys(of)) {
		out = append(out, field{name: k, value: of[k]})
	}
	return out
}

func (st ConsumerState) fields(*cloud.Snapshot) []field {
	out := []field{{name: "type", value: st.Type}, {name: "project", value: st.Project}, {name: "user", value: st.User}}
	for _, name := range slices.Sorted(maps.Keys(st.Allocations)) {
		for _, class := range slices.Sorted(maps.Keys(st.Allocations[name])) {
			out = append(out, field{name: name + " " + class, value: strconv.FormatInt(st.Allocations[name][class], 10)})
		}
	}
	return out
}

func (st ConsumerState) onto(base, now State) State {
	b, n := base.(ConsumerState), now.(ConsumerState)
	out := ConsumerState{Type: pick(b.Type, st.Type, n.Type), Project: pick(b.Project, st.Project, n.Project), User: pick(b.User, st.User, n.User)}
	out.Allocations = map[string]map[string]int64{}
	for _, of := range []map[string]map[string]int64{st.Allocations, n.Allocations} {
		for name := range of {
			if units := pickMap(b.Allocations[name], st.Allocations[name], n.Allocations[name], pick); len(units) > 0 {
				out.Allocations[name] = units
			}
		}
	}
	return out
}

func (st PoolState) fields(*cloud.Snapshot) []field {
	out := []field{{name: "total", value: strconv.FormatInt(st.Total, 10)}}
	if !st.Link.IsZero() {
		out = append(out, field{name: "link", value: st.Link.String()})
	}
	return out
}

func (st PoolState) onto(base, now State) State {
	b, n := base.(PoolState), now.(PoolState)
	return PoolState{Total: pick(b.Total, st.Total, n.Total), Link: pick(b.Link, st.Link, n.Link)}
}
