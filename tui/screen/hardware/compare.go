package hardware

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// row is something on which machine and Placement may differ.
type row struct {
	provider, what     string
	machine, placement string
	verdict            verdict
	why, source        string
}

// verdict is how the two compare.
type verdict string

const (
	same    verdict = "same"
	differs verdict = "differs"   // importing settles it
	absent  verdict = "not there" // Placement does not know the provider
	foreign verdict = "not a host here"
	stays   verdict = "kept" // rightly different
	unknown verdict = "not reported by the machine"
	doubt   verdict = "conflict" // needs a decision
)

// compare returns how machine and cloud compare, provider by provider, the traits of each
// as one row.
func compare(snap *cloud.Snapshot, tick ops.Tick, at time.Time) ([]*row, error) {
	_, found, err := tick.Plan(snap, at)
	if err != nil {
		return nil, err
	}
	by := map[string][]tracker.Difference{}
	for _, d := range found.Out.Differences {
		by[d.Provider] = append(by[d.Provider], d)
	}
	var out []*row
	for _, p := range found.Tree.All() {
		out = append(out, ofProvider(snap.Placement(), p, by[p.Name])...)
		delete(by, p.Name)
	}
	for _, d := range found.Out.Differences {
		if _, left := by[d.Provider]; left {
			out = append(out, ofDifference(d))
		}
	}
	if _, alike, there := known(snap, found.Tree.Root.Name); !there && !alike {
		// A laptop from which a cloud is looked at lacks nothing there.
		for _, r := range out {
			r.verdict = foreign
		}
	}
	return out, nil
}

// known returns the root provider of the machine with a name, or one with a similar name:
// short instead of fully qualified, or the reverse.
func known(snap *cloud.Snapshot, name string) (p *placement.ResourceProvider, alike, there bool) {
	if p, there := snap.Placement().ProviderByName(name); there {
		return p, false, true
	}
	short, _, _ := strings.Cut(name, ".")
	for p := range snap.Placement().Roots() {
		if other, _, _ := strings.Cut(p.Name(), "."); other == short {
			return p, true, false
		}
	}
	return nil, false, false
}

// ofProvider returns the rows of a provider of the machine.
func ofProvider(pl *placement.Snapshot, p tracker.Provider, differ []tracker.Difference) []*row {
	var out []*row
	told := map[string]bool{}
	more, less := 0, 0
	for _, d := range differ {
		if d.Trait != "" && d.Verdict == tracker.Written {
			if d.Want != "" {
				more++
			} else {
				less++
			}
			continue
		}
		class, _, _ := strings.Cut(d.What, " ")
		told[class] = true
		r := ofDifference(d)
		if i := slices.IndexFunc(p.Inventories, func(i tracker.Inventory) bool { return string(i.Class) == d.What }); i >= 0 && d.Has == "" {
			r.machine = amounts(p.Inventories[i].Inventory)
		}
		out = append(out, r)
	}
	rp, there := pl.ProviderByName(p.Name)
	for i := range out {
		if !there && out[i].verdict == differs {
			out[i].verdict = absent
		}
	}
	for _, inv := range p.Inventories {
		if !told[string(inv.Class)] {
			text := amounts(inv.Inventory)
			out = append(out, &row{provider: p.Name, what: string(inv.Class), machine: text, placement: text, verdict: same, source: inv.Source})
		}
	}
	traits := &row{provider: p.Name, what: "traits", machine: fmt.Sprint(len(p.Traits)), verdict: same}
	if there {
		traits.placement = fmt.Sprint(len(rp.TraitIDs()))
		if others := len(rp.TraitIDs()) - len(p.Traits); others > 0 && more+less == 0 {
			traits.placement = fmt.Sprintf("%d + %d more", len(p.Traits), others)
			traits.why = fmt.Sprintf("others set %d", others)
		}
	}
	if more+less > 0 {
		traits.verdict, traits.why = differs, fmt.Sprintf("+%d -%d", more, less)
		if !there {
			traits.verdict, traits.why = absent, ""
		}
	}
	if len(p.Traits) > 0 || there {
		out = append(out, traits)
	}
	return out
}

// ofDifference returns a difference as a row.
func ofDifference(d tracker.Difference) *row {
	r := &row{provider: d.Provider, what: d.What, machine: d.Want, placement: d.Has, why: d.Why, source: d.Source}
	switch d.Verdict {
	case tracker.Written:
		r.verdict = differs
	case tracker.Kept:
		r.verdict = stays
	case tracker.Untold:
		r.verdict = unknown
	default:
		r.verdict = doubt
	}
	return r
}

// amounts returns an inventory in short: "128 r8 x4".
func amounts(i placement.Inventory) string {
	text := fmt.Sprint(i.Total)
	if i.Reserved > 0 {
		text += fmt.Sprintf(" r%d", i.Reserved)
	}
	if i.AllocationRatio != 1 {
		text += " x" + panel.Ratio(i.AllocationRatio, 5)
	}
	return text
}

// differences counts the rows that are not the same.
func differences(rows []*row) (n int) {
	for _, r := range rows {
		if r.verdict == differs || r.verdict == absent || r.verdict == doubt {
			n++
		}
	}
	return n
}

// severity returns the severity of a verdict.
func (v verdict) severity() style.Severity {
	switch v {
	case same:
		return style.SeverityOK
	case differs, absent:
		return style.SeverityWarn
	case doubt:
		return style.SeverityCritical
	case stays, unknown, foreign:
	}
	return style.SeverityInfo
}

// unlike says that the machine is no host of the cloud, or which provider has a similar
// name. It returns "" if it is one.
func unlike(snap *cloud.Snapshot, name string) string {
	p, alike, there := known(snap, name)
	switch {
	case there || name == "":
		return ""
	case alike:
		return "Placement has no provider " + name + ", but " + p.Name() + ": is that this machine by another name? Rename it there, else an import makes a second one"
	}
	return "this machine is not a host of this cloud: an import adds it, as its nova-compute would"
}
