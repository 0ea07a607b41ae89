package main

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/ops"
)

// movedRow is what a step changed of what a consumer holds.
type movedRow struct {
	Step string `json:"step"`
	ops.HoldingDiff
}

// movedBy returns the effect of a step.
func movedBy(step string, p ops.Preview) []movedRow {
	var out []movedRow
	for _, d := range p.Holdings() {
		out = append(out, movedRow{step, d})
	}
	return out
}

// movedList lists what consumers hold before and after.
func movedList(rows []movedRow) *print.List {
	arrow := func(of [2]ops.Generation) string {
		return strings.ReplaceAll(of[0].String()+">"+of[1].String(), "none", "-")
	}
	list := print.Columns("step", "consumer", "gen", "provider", "class", "amount", "owner", "gen")
	for _, r := range rows {
		owner := r.OwnerAfter.String()
		if r.OwnerBefore != r.OwnerAfter {
			owner = r.OwnerBefore.String() + ">" + owner
		}
		list.Row(r.Step, strings.ToLower(string(r.Type)), arrow(r.OfConsumer), r.Provider, r.Class, fmt.Sprintf("%d>%d", r.Before, r.After), owner, arrow(r.Generation))
	}
	return list
}
