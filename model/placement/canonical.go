package placement

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/versioned"
)

// A claim writes the records of a consumer and of each provider.
var (
	_ versioned.Canonical = (*ProviderRecord)(nil)
	_ versioned.Canonical = (*ConsumerRecord)(nil)
)

func (d *providerDraft) UnmarshalCanonical(from *versioned.CanonicalReader) bool {
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			from.Bytes(d.id[:])
		case 2:
			d.name = string(from.Text())
		case 3:
			from.Bytes(d.parent[:])
			d.child = true
		case 4:
			d.generation = from.Int()
		case 5:
			return d.readInventories(from)
		case 6:
			d.aggregates = make([]AggregateID, from.Array())
			for i := range d.aggregates {
				from.Bytes(d.aggregates[i][:])
			}
		case 7:
			d.created = from.Int()
		case 8:
			d.updated = from.Int()
		default:
			return false
		}
		return true
	})
	return from.OK()
}

// readInventories reads the map of inventories, and reports whether its keys are in
// order.
func (d *providerDraft) readInventories(from *versioned.CanonicalReader) bool {
	d.inventories = make([]inventoryDraft, from.Map())
	for i := range d.inventories {
		to := &d.inventories[i]
		to.class = ResourceClass(from.Shared())
		if i > 0 && !ascend(d.inventories[i-1].class, to.class) || !from.OK() {
			return false
		}
		to.read(from)
	}
	return true
}

// read reads an inventory.
func (inv *Inventory) read(from *versioned.CanonicalReader) {
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			inv.Total = from.Int()
		case 2:
			inv.Reserved = from.Int()
		case 3:
			inv.MinUnit = from.Int()
		case 4:
			inv.MaxUnit = from.Int()
		case 5:
			inv.StepSize = from.Int()
		case 6:
			inv.AllocationRatio = from.Float()
		default:
			return false
		}
		return true
	})
}

func (d *consumerDraft) UnmarshalCanonical(from *versioned.CanonicalReader) bool {
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			from.Bytes(d.id[:])
		case 2:
			d.typ = ConsumerType(from.Shared())
		case 3:
			d.project = from.Shared()
		case 4:
			d.user = from.Shared()
		case 5:
			d.generation = from.Int()
		case 6:
			return d.readAllocations(from)
		case 7:
			d.created = from.Int()
		case 8:
			d.updated = from.Int()
		default:
			return false
		}
		return true
	})
	return from.OK()
}

// readAllocations reads the map of allocations, and reports whether the keys of all maps
// are in order and every provider has an allocation.
func (d *consumerDraft) readAllocations(from *versioned.CanonicalReader) bool {
	var few [8]allocationDraft
	rows := few[:0]
	var last ProviderID
	for i := range from.Map() {
		var id ProviderID
		from.Bytes(id[:])
		classes := from.Map()
		if i > 0 && last.Compare(id) >= 0 || classes == 0 {
			return false
		}
		last = id
		for c := range classes {
			class := ResourceClass(from.Shared())
			if c > 0 && !ascend(rows[len(rows)-1].class, class) || !from.OK() {
				return false
			}
			rows = append(rows, allocationDraft{id, class, from.Int()})
		}
	}
	d.allocations = append(make([]allocationDraft, 0, len(rows)), rows...)
	return true
}

// ascend reports whether two keys of a map are in order: by length, then by their bytes.
//
// Source: RFC 8949, 4.2.1.
func ascend(a, b ResourceClass) bool { return inOrder(a, b) < 0 }

// inOrder compares two keys of a map as ascend does.
func inOrder(a, b ResourceClass) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// MarshalCanonical implements versioned.Canonical.
func (r *ProviderRecord) MarshalCanonical(to *versioned.CanonicalWriter) {
	to.Map(3 + count(r.Parent != nil, len(r.Inventories) > 0, len(r.Aggregates) > 0, r.Created != 0, r.Updated != 0))
	to.Int(1)
	to.Bytes(r.UUID[:])
	to.Int(2)
	to.Text(r.Name)
	if r.Parent != nil {
		to.Int(3)
		to.Bytes(r.Parent[:])
	}
	to.Int(4)
	to.Int(r.Generation)
	if len(r.Inventories) > 0 {
		to.Int(5)
		writeMap(to, r.Inventories, inOrder, func(class ResourceClass, inv Inventory) {
			to.Text(string(class))
			inv.write(to)
		})
	}
	if len(r.Aggregates) > 0 {
		to.Int(6)
		to.Array(len(r.Aggregates))
		for i := range r.Aggregates {
			to.Bytes(r.Aggregates[i][:])
		}
	}
	writeUnless0(to, 7, r.Created)
	writeUnless0(to, 8, r.Updated)
}

// write writes an inventory.
func (inv *Inventory) write(to *versioned.CanonicalWriter) {
	to.Map(1 + count(inv.Reserved != 0, inv.MinUnit != 0, inv.MaxUnit != 0, inv.StepSize != 0, inv.AllocationRatio != 0))
	to.Int(1)
	to.Int(inv.Total)
	writeUnless0(to, 2, inv.Reserved)
	writeUnless0(to, 3, inv.MinUnit)
	writeUnless0(to, 4, inv.MaxUnit)
	writeUnless0(to, 5, inv.StepSize)
	if inv.AllocationRatio != 0 {
		to.Int(6)
		to.Float(inv.AllocationRatio)
	}
}

// MarshalCanonical implements versioned.Canonical.
func (r *ConsumerRecord) MarshalCanonical(to *versioned.CanonicalWriter) {
	to.Map(5 + count(r.Type != "", r.Created != 0, r.Updated != 0))
	to.Int(1)
	to.Bytes(r.UUID[:])
	if r.Type != "" {
		to.Int(2)
		to.Text(string(r.Type))
	}
	to.Int(3)
	to.Text(r.Project)
	to.Int(4)
	to.Text(r.User)
	to.Int(5)
	to.Int(r.Generation)
	to.Int(6)
	writeMap(to, r.Allocations, ProviderID.Compare, func(id ProviderID, of map[ResourceClass]int64) {
		to.Bytes(id[:])
		writeMap(to, of, inOrder, func(class ResourceClass, used int64) {
			to.Text(string(class))
			to.Int(used)
		})
	})
	writeUnless0(to, 7, r.Created)
	writeUnless0(to, 8, r.Updated)
}

// count returns how many of the given hold.
func count(all ...bool) (n int) {
	for _, holds := range all {
		if holds {
			n++
		}
	}
	return n
}

// writeUnless0 writes a field of a struct, unless it is 0.
func writeUnless0(to *versioned.CanonicalWriter, key, n int64) {
	if n != 0 {
		to.Int(key)
		to.Int(n)
	}
}

// writeMap writes a map with the keys in order.
func writeMap[K comparable, V any](to *versioned.CanonicalWriter, m map[K]V, order func(a, b K) int, write func(K, V)) {
	if m == nil {
		to.Null()
		return
	}
	to.Map(len(m))
	var few [8]K
	keys := few[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, order)
	for _, k := range keys {
		write(k, m[k])
	}
}
