package placement

import (
	"fmt"
	"math"
	"strconv"
)

// Inventory is how much of one resource class a provider has, and in which
// portions it is given out. Total, Reserved and the units are in units of the
// class.
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
			return &InvalidError{
				Field: f.name, Value: strconv.FormatInt(f.v, 10),
				Why: fmt.Sprintf("must be from %d to %d", f.least, int64(MaxInt)),
			}
		}
	}
	if r := inv.AllocationRatio; math.IsNaN(r) || math.IsInf(r, 0) || r > MaxRatio || r < -MaxRatio {
		return &InvalidError{
			Field: "allocation_ratio", Value: strconv.FormatFloat(r, 'g', -1, 64),
			Why: "must be a number up to 3.40282e+38",
		}
	}
	if inv.Capacity() < 0 {
		return &InvalidError{
			Field: "reserved", Value: strconv.FormatInt(inv.Reserved, 10),
			Why: fmt.Sprintf("capacity (total - reserved) * allocation_ratio = (%d - %d) * %g is below zero", inv.Total, inv.Reserved, inv.AllocationRatio),
		}
	}
	return nil
}

// Capacity returns how much of inv may be allocated in all, in units of its
// class: (Total - Reserved) * AllocationRatio, truncated toward zero. It is the
// number to show; claims are checked against the number that is not truncated.
//
// Source: placement/objects/inventory.py, Inventory.capacity.
func (inv Inventory) Capacity() int64 { return toInt64(inv.limit()) }

// toInt64 truncates f toward zero, to the nearest number where f is beyond all
// of them.
func toInt64(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// limit is the capacity that claims are checked against.
func (inv Inventory) limit() float64 {
	return float64(inv.Total-inv.Reserved) * inv.AllocationRatio
}

// HasRoom reports whether used + amount is within the capacity, compared
// without truncation.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded.
func (inv Inventory) HasRoom(used, amount int64) bool {
	return float64(used)+float64(amount) <= inv.limit()
}

// CheckUnits says what keeps one allocation of amount from being made whatever
// the usage: "" when nothing does. StepSize counts from zero and MinUnit is not
// exempt from it.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded.
func (inv Inventory) CheckUnits(amount int64) Refusal {
	switch {
	case amount < inv.MinUnit:
		return BelowMinUnit
	case amount > inv.MaxUnit:
		return AboveMaxUnit
	case amount%inv.StepSize != 0:
		return OffStep
	}
	return ""
}

// UsableUnits returns the least and the largest amount that inv allows one allocation
// to have, whatever is used; the least is above the largest where it allows none.
func (inv Inventory) UsableUnits() (first, last int64) {
	first = (inv.MinUnit + inv.StepSize - 1) / inv.StepSize * inv.StepSize
	return first, inv.MaxUnit / inv.StepSize * inv.StepSize
}

// Fits says what keeps an allocation of amount from being made beside used:
// "" when nothing does.
//
// Source: placement/objects/research_context.py, _capacity_check_clause.
func (inv Inventory) Fits(used, amount int64) Refusal {
	if r := inv.CheckUnits(amount); r != "" {
		return r
	}
	if !inv.HasRoom(used, amount) {
		return NoRoom
	}
	return ""
}

// Refusal is the rule that keeps an amount from being allocated.
type Refusal string

// The rules, in the order in which they are checked.
const (
	NoInventory  Refusal = "no inventory" // the provider does not have the class
	BelowMinUnit Refusal = "min_unit"     // amount < MinUnit
	AboveMaxUnit Refusal = "max_unit"     // amount > MaxUnit
	OffStep      Refusal = "step_size"    // amount is no multiple of StepSize
	NoRoom       Refusal = "capacity"     // used + amount > capacity
)

// InventoryUsage is an inventory of a provider with what is allocated of it.
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

// OverCapacity reports whether more is used than the capacity: a legal state,
// which a shrunk inventory leaves behind.
func (iu InventoryUsage) OverCapacity() bool { return !iu.HasRoom(iu.Used, 0) }
