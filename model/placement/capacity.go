package placement

import "math"

// Capacity returns how much of inv may be allocated in all, in units of its class:
// (Total - Reserved) * AllocationRatio, truncated toward zero. It is the number to
// show; claims are checked against the number before truncation.
//
// Source: placement/objects/inventory.py, Inventory.capacity.
func (inv Inventory) Capacity() int64 { return toInt64(inv.limit()) }

// toInt64 truncates f toward zero, or to the largest or smallest number if f is out of
// range.
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

// CheckUnits says what keeps one allocation of amount from being made whatever the
// usage: "" when nothing does. StepSize counts from zero: an amount of MinUnit must be
// a multiple of it, too.
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

// UsableUnits returns the smallest and the largest amount that inv allows for one
// allocation, whatever the usage; if it allows none, first is above last.
func (inv Inventory) UsableUnits() (first, last int64) {
	first = (inv.MinUnit + inv.StepSize - 1) / inv.StepSize * inv.StepSize
	return first, inv.MaxUnit / inv.StepSize * inv.StepSize
}

// Fits says what prevents an allocation of amount in addition to used: "" when nothing
// does.
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
	OffStep      Refusal = "step_size"    // amount is not a multiple of StepSize
	NoRoom       Refusal = "capacity"     // used + amount > capacity
)

// checkFits checks that one new allocation does not exceed the capacity: asked is what
// all new ones of the change take from the same slot, usedBefore is its usage before the
// change.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded.
func (e *edit) checkFits(c ConsumerID, a allocation, asked, usedBefore int64) error {
	p := e.providers.at(a.provider)
	iu, ok := p.Inventory(a.class)
	refuse := func(r Refusal, amount int64) error {
		return &CapacityError{
			Consumer: c, Provider: p.id, Name: p.name, Class: e.ClassName(a.class),
			Asked: amount, Free: iu.Free(), Rule: r, Has: iu.Inventory,
		}
	}
	if !ok {
		return refuse(NoInventory, a.used)
	}
	if r := iu.CheckUnits(a.used); r != "" {
		return refuse(r, a.used)
	}
	if !iu.HasRoom(iu.Used, asked) && iu.Used+asked > usedBefore {
		return refuse(NoRoom, asked)
	}
	return nil
}
