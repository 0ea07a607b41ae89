package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// unlikeFlavor finds instances and migrations that hold something else than their
// flavor asks for.
func unlikeFlavor() rule {
	return rule{
		Rule: Rule{
			ID: RuleUnlikeFlavor, Title: "claim unlike its flavor", Severity: Warning,
			Why:    "Placement believes more, or less, to be free than there is.",
			Advice: "Heal the allocations from the flavor.",
		},
		consumer: func(a *auditor, h *holder) {
			if h.mismatch != wrongSum || h.split || h.lone >= 0 || a.stuckOnly(h) {
				return
			}
			text := a.mismatchText(h.Consumer, h.wanted)
			_, first := a.holds(h.Consumer)
			a.found(Finding{Provider: first, Consumer: h.ID(), Subject: h.name(), Text: text})
		},
		fixes: healFixes,
	}
}

// mismatchText says of which classes c holds something else than w.
func (a *auditor) mismatchText(c *placement.Consumer, w *survey.Wanted) string {
	held := map[placement.ClassID]int64{}
	for h := range c.Held() {
		held[h.Class] += h.Used
	}
	var parts []string
	for _, want := range w.Classes {
		if held[want.Class] != want.Amount {
			parts = append(parts, fmt.Sprintf("%s %d, not %d", a.Ledger.ClassName(want.Class), held[want.Class], want.Amount))
		}
		delete(held, want.Class)
	}
	for class, amount := range held {
		if a.mustBeWanted(class, w) {
			parts = append(parts, fmt.Sprintf("%s %d, not 0", a.Ledger.ClassName(class), amount))
		}
	}
	slices.Sort(parts)
	return fmt.Sprintf("holds %s as its flavor %s asks for", strings.Join(parts, ", "), w.Flavor)
}

// ofWrongOwner finds instances that hold devices of another service than the one
// that their flavor asks. Of a split claim it is the part on the host of the
// instance that is looked at. What a move has left behind, and goes when it is
// confirmed, is passed over.
func ofWrongOwner() rule {
	return rule{
		Rule: Rule{
			ID: RuleWrongOwner, Title: "device of the wrong owner", Severity: Critical,
			Why:    "No boot ends so (ComputeResourcesUnavailable): the claim, or the card, changed hands later.",
			Advice: "Move the claim to the card whose device the guest runs with: only the claim moves. Where it runs with none, migrate or rebuild the instance.",
		},
		consumer: func(a *auditor, h *holder) {
			of := func(*placement.ResourceProvider) bool { return true }
			if m, ok := a.Cloud.Nova().Migration(h.ID()); ok && m.Status == nova.Finished {
				return
			}
			switch {
			case h.split && h.wanted != nil && h.live() && h.instance.Host != "":
				of = func(p *placement.ResourceProvider) bool { return a.hostOf(p.RootNumber()) == h.instance.Host }
			case h.mismatch != wrongOwner:
				return
			}
			p, class, right := a.misplaced(h, of)
			if p == nil {
				return
			}
			a.found(Finding{
				Provider: p.ID(), Consumer: h.ID(), Class: class, Subject: h.name(),
				Text: fmt.Sprintf("holds %s of %s, which is %s's, and its flavor %s asks %s for it",
					class, p.Name(), a.Ledger.Owner(p), h.wanted.Flavor, right),
			})
		},
		fixes: rightOwnerFixes,
	}
}

// misplaced returns the first provider of an owner of which h holds more than its
// flavor asks for, the class, and whom the flavor asks. Only what h holds of the
// providers that of picks is looked at.
func (a *auditor) misplaced(h *holder, of func(*placement.ResourceProvider) bool) (*placement.ResourceProvider, placement.ResourceClass, placement.Owner) {
	for _, want := range h.wanted.Classes {
		if !a.Accelerators.Has(want.Class) {
			continue
		}
		left := map[placement.Owner]int64{placement.OwnedByNova: want.Nova, placement.OwnedByCyborg: want.Cyborg}
		for held := range h.Held() {
			if held.Class != want.Class {
				continue
			}
			p := a.Ledger.ProviderAt(held.Number)
			owner := a.Ledger.Owner(p)
			if !of(p) {
				continue
			}
			rest, one := left[owner]
			if left[owner] = rest - held.Used; !one || left[owner] >= 0 {
				continue
			}
			right := placement.OwnedByNova
			if owner == placement.OwnedByNova {
				right = placement.OwnedByCyborg
			}
			return p, a.Ledger.ClassName(want.Class), right
		}
	}
	return nil, "", placement.OwnedByNone
}

// unheldTrait finds traits that flavors ask for and no provider has.
func unheldTrait() rule {
	return rule{
		Rule: Rule{
			ID: RuleUnheldTrait, Title: "trait that nobody has", Severity: Warning,
			Why:    "No instance of these flavors can be placed anywhere.",
			Advice: "Add the trait to the providers that have what it stands for, or take it from the flavors.",
		},
		cloud: func(a *auditor) {
			askers := map[placement.Trait][]string{}
			for f := range survey.NewestFlavors(a.Cloud.Nova()) {
				for _, t := range a.traitsAsked(f) {
					if !slices.Contains(askers[t], f.Name) {
						askers[t] = append(askers[t], f.Name)
					}
				}
			}
			for t, names := range askers {
				slices.Sort(names)
				a.found(Finding{
					Subject: string(t),
					Text:    fmt.Sprintf("no provider has it, and %s it: %s", asks(len(names)), strings.Join(names, ", ")),
				})
			}
		},
	}
}

func asks(n int) string {
	if n == 1 {
		return "1 flavor asks for"
	}
	return fmt.Sprintf("%d flavors ask for", n)
}

// traitsAsked returns the traits that a flavor, or its device profile, requires
// and no provider has. Those of owners are left out: which services there are is
// no flavor's business.
func (a *auditor) traitsAsked(f *nova.Flavor) []placement.Trait {
	spec, err := ops.RequestSpecOf(a.Cloud, new(nova.Instance), f)
	if err != nil {
		return nil
	}
	r, err := a.Cloud.Nova().Ask(spec, nova.AskOptions{Gate: nova.GateHeldClosed})
	if err != nil {
		return nil
	}
	var out []placement.Trait
	for _, g := range r.Query.Groups {
		for _, any := range g.Required {
			if !slices.ContainsFunc(any.Names, a.anybodyHas) {
				out = append(out, any.Names...)
			}
		}
	}
	return slices.DeleteFunc(out, placement.Trait.IsOwner)
}

func (a *auditor) anybodyHas(t placement.Trait) bool { return a.Ledger.Having(t).Len() > 0 }
