package placement

import "github.com/placetop/placetop/model/versioned"

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
func ascend(a, b ResourceClass) bool {
	return len(a) < len(b) || len(a) == len(b) && a < b
}
