package main

import (
	"fmt"
	"strings"

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

// owner returns who owns the provider, and who owned it if that is another.
func (r movedRow) owner() string {
	if r.OwnerWas == r.Owner {
		return r.Owner
	}
	return r.OwnerWas + ">" + r.Owner
}

// printMoved prints what consumers hold before and after.
func printMoved(out *printer, rows []movedRow) error {
	arrow := func(of [2]ops.Generation) string {
		return strings.ReplaceAll(of[0].String()+">"+of[1].String(), "none", "-")
	}
	return printList(out, []column[*movedRow]{
		text("step", func(r *movedRow) string { return r.Step }),
		text("consumer", func(r *movedRow) string { return strings.ToLower(string(r.Type)) }),
		text("gen", func(r *movedRow) string { return arrow(r.OfConsumer) }),
		text("provider", func(r *movedRow) string { return r.Provider }),
		text("class", func(r *movedRow) string { return string(r.Class) }),
		text("amount", func(r *movedRow) string { return fmt.Sprintf("%d>%d", r.Before, r.After) }),
		text("owner", (*movedRow).owner),
		text("gen", func(r *movedRow) string { return arrow(r.Generation) }),
	}, pointers(rows))
}
