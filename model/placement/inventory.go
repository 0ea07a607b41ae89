package placement

import (
	"fmt"
	"iter"
	"math"
	"strconv"
)

// Inventory is how much of one resource class a provider has, and in which portions it
// may be allocated. Total, Reserved and the units are in units of the class.
type Inventory struct {
	Total           int64   `json:"total" cbor:"1,keyasint"`
	Reserved        int64   `json:"reserved" cbor:"2,keyasint,omitempty"`
	MinUnit         int64   `json:"min_unit" cbor:"3,keyasint,omitempty"`
	MaxUnit         int64   `json:"max_unit" cbor:"4,keyasint,omitempty"`
	StepSize        int64   `json:"step_size" cbor:"5,keyasint,omitempty"`
	AllocationRatio float64 `json:"allocation_ratio" cbor:"6,keyasint,omitempty"`
}

// Limits of the fields of an inventory.
//
// Source: placement/schemas/inventory.py and placement/db/constants.py, MAX_INT.
const (
	MaxInt   = math.MaxInt32 // of total, reserved, min_unit, max_unit, step_size, and of one allocation
	MaxRatio = 3.40282e+38   // of allocation_ratio
)

// NewInventory returns an inventory of total units with the default of every
// other field: nothing reserved, portions of 1 to MaxInt, ratio 1.0.
func NewInventory(total int64) Inventory {
	return Inventory{Total: total, MinUnit: 1, MaxUnit: MaxInt, StepSize: 1, AllocationRatio: 1}
}

// Whole yields the integer fields, in the order of the API and by its names, to be
// read or set: all but allocation_ratio, which comes after them.
func (inv *Inventory) Whole() iter.Seq2[string, *int64] {
	return func(yield func(string, *int64) bool) {
		_ = yield("total", &inv.Total) && yield("reserved", &inv.Reserved) && yield("min_unit", &inv.MinUnit) &&
			yield("max_unit", &inv.MaxUnit) && yield("step_size", &inv.StepSize)
	}
}

// Ratio is the name of the one field of an inventory that is not an integer.
const Ratio = "allocation_ratio"

// FieldChange is a field that differs between two inventories, with both values as
// people write them.
type FieldChange struct{ Name, Was, Is string }

// ChangesTo returns the fields that differ between inv and is, in the order of the API.
func (inv Inventory) ChangesTo(is Inventory) []FieldChange {
	if inv == is {
		return nil
	}
	var out []FieldChange
	note := func(name, was, is string) {
		if was != is {
			out = append(out, FieldChange{name, was, is})
		}
	}
	now := map[string]int64{}
	for name, n := range is.Whole() {
		now[name] = *n
	}
	for name, n := range inv.Whole() {
		note(name, strconv.FormatInt(*n, 10), strconv.FormatInt(now[name], 10))
	}
	ratio := func(r float64) string { return strconv.FormatFloat(r, 'g', -1, 64) }
	note(Ratio, ratio(inv.AllocationRatio), ratio(is.AllocationRatio))
	return out
}

// Unusual returns the fields of inv, other than its total, that differ from those of
// NewInventory.
func (inv Inventory) Unusual() []FieldChange { return NewInventory(inv.Total).ChangesTo(inv) }

// Validate returns an error that matches ErrInvalid and names the field unless
// every field is within its limits and the truncated capacity is not negative.
// Reserved may equal Total (a drained provider). As upstream, MinUnit may be above
// MaxUnit, and MaxUnit above Total.
//
// Source: placement/schemas/inventory.py; placement/handlers/inventory.py,
// _validate_inventory_capacity (microversion 1.26).
func (inv Inventory) Validate() error {
	for _, f := range []struct {
		name     string
		v, least int64
	}{
		{"total", inv.Total, 1},
		{"reserved", inv.Reserved, 0},
		{"min_unit", inv.MinUnit, 1},
		{"max_unit", inv.MaxUnit, 1},
		{"step_size", inv.StepSize, 1},
	} {
		if f.v < f.least || f.v > MaxInt {
			return Invalid(
				f.name, strconv.FormatInt(f.v, 10),
				fmt.Sprintf("must be from %d to %d", f.least, int64(MaxInt)))
		}
	}
	if r := inv.AllocationRatio; math.IsNaN(r) || math.IsInf(r, 0) || r > MaxRatio || r < -MaxRatio {
		return Invalid(
			Ratio, strconv.FormatFloat(r, 'g', -1, 64),
			"must be a number of at most 3.40282e+38")
	}
	if inv.Capacity() < 0 {
		return Invalid(
			"reserved", strconv.FormatInt(inv.Reserved, 10),
			fmt.Sprintf("capacity (total - reserved) * allocation_ratio = (%d - %d) * %g is below zero", inv.Total, inv.Reserved, inv.AllocationRatio))
	}
	return nil
}

// InventoryUsage is an inventory of a provider with how much of it is allocated.
type InventoryUsage struct {
	Inventory
	Class ClassID
	Used  int64 // sum of the allocations, units of the class; may be above the capacity
}

// Free returns the capacity less what is used, in units of the class; negative
// when over-full.
func (iu InventoryUsage) Free() int64 {
	return toInt64(math.Floor(iu.limit() - float64(iu.Used)))
}

// OverCapacity reports whether the usage exceeds the capacity: a legal state, which
// happens when an inventory shrinks.
func (iu InventoryUsage) OverCapacity() bool { return !iu.HasRoom(iu.Used, 0) }
