package ops

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// inventoryField is a field of an inventory as users write it: by its API name, or a
// short one.
type inventoryField struct {
	name, short string
	of          func(*placement.Inventory) *int64 // nil for the ratio
}

func inventoryFields() []inventoryField {
	return []inventoryField{
		{"total", "total", func(inv *placement.Inventory) *int64 { return &inv.Total }},
		{"reserved", "reserved", func(inv *placement.Inventory) *int64 { return &inv.Reserved }},
		{"allocation_ratio", "ratio", nil},
		{"min_unit", "min", func(inv *placement.Inventory) *int64 { return &inv.MinUnit }},
		{"max_unit", "max", func(inv *placement.Inventory) *int64 { return &inv.MaxUnit }},
		{"step_size", "step", func(inv *placement.Inventory) *int64 { return &inv.StepSize }},
	}
}

// InventoryWords returns the short names of the fields of an inventory.
func InventoryWords() []string {
	var out []string
	for _, f := range inventoryFields() {
		out = append(out, f.short)
	}
	return out
}

// InventoryText formats an inventory as EditInventory reads it: "total=16 reserved=2
// ratio=4 min=1 max=16 step=1".
func InventoryText(inv placement.Inventory) string {
	var words []string
	for _, f := range inventoryFields() {
		if f.of == nil {
			words = append(words, f.short+"="+strconv.FormatFloat(inv.AllocationRatio, 'g', -1, 64))
			continue
		}
		words = append(words, fmt.Sprintf("%s=%d", f.short, *f.of(&inv)))
	}
	return strings.Join(words, " ")
}

// EditInventory sets the fields of an inventory that a text names, such as "reserved=2
// ratio=4"; a bare number is the total.
//
// Errors: placement.ErrInvalid, at the word that cannot be read.
func EditInventory(inv *placement.Inventory, text string) error {
	seen := map[string]bool{}
	for _, word := range strings.Fields(text) {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			name, value = "total", word
		}
		f, known := inventoryFieldNamed(name)
		switch {
		case !known:
			return &placement.InvalidError{Field: "inventory", Value: word, Why: "there is no field " + name + "; there are " + strings.Join(InventoryWords(), ", ")}
		case seen[f.name]:
			return &placement.InvalidError{Field: "inventory", Value: word, Why: f.short + " is given twice"}
		}
		seen[f.name] = true
		if err := f.set(inv, value); err != nil {
			return err
		}
	}
	return nil
}

func inventoryFieldNamed(name string) (inventoryField, bool) {
	for _, f := range inventoryFields() {
		if f.name == name || f.short == name {
			return f, true
		}
	}
	return inventoryField{}, false
}

// set gives an inventory the value of the field.
func (f inventoryField) set(inv *placement.Inventory, value string) error {
	if f.of == nil {
		r, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(r) || math.IsInf(r, 0) {
			return &placement.InvalidError{Field: f.name, Value: value, Why: f.short + " must be a number, such as 1.5"}
		}
		inv.AllocationRatio = r
		return nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return &placement.InvalidError{Field: f.name, Value: value, Why: f.short + " must be a whole number"}
	}
	*f.of(inv) = n
	return nil
}
