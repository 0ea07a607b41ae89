package main

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// movedRow is what a consumer holds of one class on one provider, before and after a
// step. Generations are null if there is none.
type movedRow struct {
	Step       string                  `json:"step"`
	Consumer   placement.ConsumerID    `json:"consumer_uuid"`
	Type       placement.ConsumerType  `json:"consumer_type"`
	Provider   string                  `json:"provider"`
	Class      placement.ResourceClass `json:"resource_class"`
	Before     int64                   `json:"before"`
	After      int64                   `json:"after"`
	OwnerWas   string                  `json:"owner_before"`
	Owner      string                  `json:"owner"`
	Generation [2]ops.Generation       `json:"generation"`
	OfConsumer [2]ops.Generation       `json:"consumer_generation"`
}

func newMovedRow(step string, d ops.HoldingDiff) movedRow {
	return movedRow{
		Step: step, Consumer: d.Consumer, Type: d.Type, Provider: d.Provider, Class: d.Class, Before: d.Before, After: d.After,
		OwnerWas: d.OwnerBefore.String(), Owner: d.OwnerAfter.String(),
		Generation: [2]ops.Generation{d.GenerationBefore, d.GenerationAfter},
		OfConsumer: [2]ops.Generation{d.ConsumerBefore, d.ConsumerAfter},
	}
}

// movedBy returns the effect of a step.
func movedBy(step string, p ops.Preview) []movedRow {
	var out []movedRow
	for _, d := range p.Holdings() {
		out = append(out, newMovedRow(step, d))
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
		owner := r.Owner
		if r.OwnerWas != owner {
			owner = r.OwnerWas + ">" + owner
		}
		list.Row(r.Step, strings.ToLower(string(r.Type)), arrow(r.OfConsumer), r.Provider, r.Class, fmt.Sprintf("%d>%d", r.Before, r.After), owner, arrow(r.Generation))
	}
	return list
}
