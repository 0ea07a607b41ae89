package ops

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// shortened returns the short name of a field of an inventory, for users.
func shortened(field string) string {
	if field == placement.Ratio {
		return "ratio"
	}
	return strings.TrimSuffix(strings.TrimSuffix(field, "_unit"), "_size")
}

// InventoryWords returns the short names of the fields of an inventory.
func InventoryWords() []string {
	var out []string
	for name := range new(placement.Inventory).Whole() {
		out = append(out, shortened(name))
	}
	return slices.Insert(out, 2, shortened(placement.Ratio))
}

// InventoryText formats an inventory as EditInventory reads it: "total=16 reserved=2
// ratio=4 min=1 max=16 step=1".
func InventoryText(inv placement.Inventory) string {
	var words []string
	for name, n := range inv.Whole() {
		words = append(words, fmt.Sprintf("%s=%d", shortened(name), *n))
	}
	return strings.Join(slices.Insert(words, 2, fmt.Sprintf("%s=%g", shortened(placement.Ratio), inv.AllocationRatio)), " ")
}

// EditInventory sets the fields of an inventory that a text names, such as "reserved=2
// ratio=4", by their short names or those of the API; a bare number is the total.
//
// Errors: placement.ErrInvalid, at the word that cannot be read.
func EditInventory(inv *placement.Inventory, text string) error {
	seen := map[string]bool{}
	for _, word := range strings.Fields(text) {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			name, value = "total", word
		}
		short := shortened(name)
		if seen[short] {
			return placement.Invalid("inventory", word, short+" is given twice")
		}
		seen[short] = true
		if err := setField(inv, name, value); err != nil {
			return err
		}
	}
	return nil
}

// setField gives an inventory the value of a field.
func setField(inv *placement.Inventory, name, value string) error {
	if name == placement.Ratio || name == shortened(placement.Ratio) {
		r, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(r) || math.IsInf(r, 0) {
			return placement.Invalid(placement.Ratio, value, "must be a number, such as 1.5")
		}
		inv.AllocationRatio = r
		return nil
	}
	for field, of := range inv.Whole() {
		if name != field && name != shortened(field) {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return placement.Invalid(field, value, "must be a whole number, in MB for MEMORY_MB, in GB for DISK_GB")
		}
		*of = n
		return nil
	}
	return placement.Invalid("inventory", name+"="+value, "there is no field "+name+"; there are "+strings.Join(InventoryWords(), ", "))
}
