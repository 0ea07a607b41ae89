package tracker

import (
	"fmt"
	"strconv"

	"github.com/placetop/placetop/model/placement"
)

// Verdict is what Plan does about a Difference.
type Verdict string

// The verdicts.
const (
	Written  Verdict = "written"  // the Change makes Placement say what the machine says
	Kept     Verdict = "kept"     // Placement says something else, and rightly so
	Untold   Verdict = "unknown"  // the machine does not say, so that Placement is left alone
	Conflict Verdict = "conflict" // left alone until an operator decides: Why gives the reason
)

// Difference is a disagreement between Placement and the machine.
type Difference struct {
	Provider string          `json:"resource_provider"`
	What     string          `json:"what"` // such as "VCPU total" or "trait HW_CPU_X86_AVX2"
	Has      string          `json:"has"`  // what Placement says; "" for nothing
	Want     string          `json:"want"` // what the machine says; "" for nothing
	Trait    placement.Trait `json:"-"`    // that What names; "" for anything else
	Verdict  Verdict         `json:"verdict"`
	Why      string          `json:"why,omitempty"` // for every verdict but Written
	Source   string          `json:"source"`        // where Want comes from
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func ratio(r float64) string { return strconv.FormatFloat(r, 'g', -1, 64) }

// amounts writes an inventory in short.
func amounts(inv placement.Inventory) string {
	return fmt.Sprintf("total %d, reserved %d, ratio %s", inv.Total, inv.Reserved, ratio(inv.AllocationRatio))
}

// summary writes the inventories of a child in short.
func summary(c Provider) string {
	text := ""
	for _, inv := range c.Inventories {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%s %s", inv.Class, amounts(inv.Inventory))
	}
	return text
}
