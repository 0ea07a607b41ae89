package insight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// check runs one check.
func (g *gateReading) check(id CheckID) Check {
	switch id {
	case CheckTraits:
		return g.traits()
	case CheckComputes:
		return g.computes()
	case CheckRoots:
		return g.roots()
	case CheckOverlap:
		return g.overlap()
	case CheckUnowned:
		return g.unowned()
	default:
		return g.mixedHosts()
	}
}

// traits checks that Placement knows the owner traits: it refuses requests with unknown
// traits.
//
// Source: placement/handlers/allocation_candidate.py, and os_traits.
func (g *gateReading) traits() Check {
	c := Check{Title: "traits known", All: 2}
	var missing []string
	for _, t := range []placement.Trait{placement.OwnerNova, placement.OwnerCyborg} {
		if _, ok := g.Ledger.TraitID(t); ok {
			c.Done++
		} else {
			missing = append(missing, string(t))
		}
	}
	c.Text = "OWNER_NOVA and OWNER_CYBORG are in Placement"
	if len(missing) > 0 {
		c.State = CheckBroken
		c.Text = "Placement does not know " + strings.Join(missing, " and ") + ", and refuses requests that name it"
	}
	return c
}

// computes checks that every nova-compute that counts is new enough.
//
// Source: nova/scheduler/request_filter.py, owner_nova_filter.
func (g *gateReading) computes() Check {
	gate := g.out.Gate
	c := Check{Title: fmt.Sprintf("computes >= %d", gate.Need)}
	var cells []string
	for _, cell := range g.out.Cells {
		c.All += cell.Asked
		c.Done += cell.Asked - cell.Old
		if cell.Services > 0 {
			cells = append(cells, cellWords(cell, gate.Need))
		}
	}
	c.Text = strings.Join(cells, ", ")
	if gate.Judged {
		c.Text = "by OWNER_NOVA on their roots, as Nova's API tells no versions: " + c.Text
	}
	switch {
	case g.out.unread != "" && len(gate.Holds) == 0:
		c.State, c.Text = CheckUnknown, strings.TrimPrefix(c.Text+"; not judged: "+g.out.unread, "; ")
	case c.All == 0:
		c.State, c.Text = CheckUnknown, "no nova-compute service says its version: Nova is not connected"
	case gate.Inferred():
		c.State, c.Text = CheckUnknown, "inferred "+c.Text+"; others may have set it"
	case !gate.Open:
		c.State = CheckWaiting
		for _, h := range g.out.Holds {
			if h.State.Dead() {
				c.State = CheckWarning
			}
			if c.Rule == "" && h.Rule != "" {
				c.Rule, c.Subject = h.Rule, h.Host
			}
		}
	}
	return c
}

// cellWords says how far the upgrade of a cell is: "cell1 11/12, 1 at 66: cmp-012".
func cellWords(c CellVersions, need int) string {
	name := c.Name
	if name == "" {
		name = "no cell"
	}
	if c.Down {
		return name + " does not answer"
	}
	text := fmt.Sprintf("%s %d/%d", name, c.Asked-c.Old, c.Asked)
	for _, v := range c.Versions {
		switch {
		case v.Version >= need:
		case v.Judged:
			text += fmt.Sprintf(", %d before %d: %s", len(v.Hosts), need, words.First(v.Hosts, 2))
		default:
			text += fmt.Sprintf(", %d at %d: %s", len(v.Hosts), v.Version, words.First(v.Hosts, 2))
		}
	}
	return text
}

// roots checks that the compute nodes have OWNER_NOVA, which the filter requires of the
// root.
//
// Source: nova/scheduler/request_filter.py, owner_nova_filter.
func (g *gateReading) roots() Check {
	c := Check{Title: "nova roots"}
	bare := g.bareRoots()
	for n := range g.Ledger.Having(placement.ComputeNode).All() {
		if g.RootSet.Has(n) {
			c.All++
		}
	}
	c.Done = c.All - len(bare)
	switch {
	case c.All == 0:
		c.State, c.Text = CheckUnknown, "no provider is a compute node"
	case len(bare) == 0:
		c.Text = "every compute node has OWNER_NOVA"
	default:
		c.State, c.Text = CheckWaiting, named(bare)+" without OWNER_NOVA"
		c.Rule, c.Subject = audit.RuleComputeNoOwner, bare[0]
		waits := map[string]bool{}
		for _, h := range g.out.Holds {
			if p, ok := g.Ledger.Provider(h.Root); ok && h.State != NotAsked {
				waits[p.Name()] = true
			}
		}
		if slices.ContainsFunc(bare, func(name string) bool { return !waits[name] }) {
			c.State = CheckWarning
			c.Text += ", not all of which only wait for the upgrade"
		}
		if c.Done == 0 {
			c.Rule, c.Subject = "", "" // if no compute node has it yet, none is an exception
		}
	}
	return c
}

// bareRoots returns the names of the compute nodes without OWNER_NOVA.
func (g *gateReading) bareRoots() []string {
	var out []string
	for n := range g.Ledger.Having(placement.ComputeNode).All() {
		if g.RootSet.Has(n) && !g.Nova.Has(n) {
			out = append(out, g.Ledger.ProviderAt(n).Name())
		}
	}
	slices.Sort(out)
	return out
}

// overlap checks that no card is claimed by both services: by its traits, or by two
// providers for one PCI address.
func (g *gateReading) overlap() Check {
	c := Check{Title: "no overlap", Text: "no card is claimed by both services"}
	both, twice := g.names(g.owners.Both), g.owners.Twice
	var parts, brief []string
	if len(both) > 0 {
		brief = append(brief, words.Count(len(both), "provider")+" with both owners")
		parts = append(parts, brief[0]+": "+named(both))
		c.Rule, c.Subject = audit.RuleBothOwners, both[0]
	}
	if len(twice) > 0 {
		cards := words.Count(len(twice), "card") + " reported twice"
		brief = append(brief, cards)
		parts = append(parts, cards+": "+twice[0].Subject)
		if c.Rule == "" {
			c.Rule, c.Subject = audit.RuleCardTwice, twice[0].Subject
		}
	}
	if len(parts) > 0 {
		c.State, c.Text, c.Brief = CheckBroken, strings.Join(parts, "; "), strings.Join(brief, "; ")
	}
	return c
}

// unowned checks for compute nodes and accelerators without an owner, which requests for
// an owner do not get. The form of the filter that checks only the root keeps such a card
// below a root of Nova's.
//
// Source: nova/scheduler/request_filter.py, owner_nova_filter.
func (g *gateReading) unowned() Check {
	c := Check{Title: "nothing unowned", Text: "no provider would drop out of Nova's and Cyborg's requests", Brief: "no provider would drop out"}
	roots, cards := g.bareRoots(), g.names(g.owners.None)
	gone, stays := roots, []string(nil)
	for _, id := range g.owners.None {
		p, _ := g.Ledger.Provider(id) // it is in this Snapshot
		if g.out.Form == nova.OwnerOnRoot && g.Nova.Has(p.RootNumber()) {
			stays = append(stays, p.Name())
		} else {
			gone = append(gone, p.Name())
		}
	}
	slices.Sort(gone)
	gone = slices.Compact(gone) // a root may have the inventory itself
	var parts, brief []string
	if len(gone) > 0 {
		providers := words.Count(len(gone), "provider")
		brief = append(brief, providers+" "+g.leave())
		parts = append(parts, g.leaving(providers)+": "+named(gone))
	}
	if len(stays) > 0 {
		cards := words.Count(len(stays), "card") + " without an owner"
		brief = append(brief, cards)
		parts = append(parts, cards+", kept as only the root is checked: "+named(stays))
	}
	if flavors := g.unservedFlavors(); len(flavors) > 0 {
		text := words.Count(len(flavors), "flavor") + " ask for what only providers without OWNER_NOVA have"
		brief, parts = append(brief, text), append(parts, text+": "+named(flavors))
	}
	if len(parts) == 0 {
		if gap := g.Cloud.Gap(cloud.Flavors); gap != "" && g.out.Form == nova.OwnerOnGroups {
			c.State, c.Text, c.Brief = CheckUnknown, fmt.Sprintf("not judged: %s: %s", cloud.Flavors, gap), "not judged"
		}
		return c
	}
	c.State, c.Text, c.Brief = CheckWarning, strings.Join(parts, "; "), strings.Join(brief, "; ")
	switch {
	case len(cards) > 0:
		c.Rule, c.Subject = audit.RuleNoOwner, cards[0]
	case len(roots) == 0:
	case len(roots) < g.Ledger.Having(placement.ComputeNode).Len():
		c.Rule, c.Subject = audit.RuleComputeNoOwner, roots[0]
	}
	return c
}

// unservedFlavors returns the flavors with a group that the filter leaves no provider for,
// as those that could serve it are the operators' or another service's.
func (g *gateReading) unservedFlavors() []string {
	var out []string
	if g.out.Form != nova.OwnerOnGroups {
		return nil
	}
	for f := range survey.NewestFlavors(g.Cloud.Nova()) {
		spec, err := ops.RequestSpecOf(g.Cloud, new(nova.Instance), f)
		if err != nil {
			continue
		}
		r, err := g.Cloud.Nova().Ask(spec, nova.AskOptions{Placement: g.Ledger, Gate: nova.GateHeldOpen})
		if err == nil && len(r.Unowned) > 0 {
			out = append(out, f.Name)
		}
	}
	slices.Sort(out)
	return out
}

// leaving says when some providers drop out of every request.
func (g *gateReading) leaving(providers string) string {
	switch {
	case g.out.Enforced():
		return providers + " dropped out of every request when it opened"
	case g.out.OffBy == "":
		return "if it opened now, " + providers + " would drop out of every request"
	case g.out.Gate.Open:
		return "the filter is off; once on, " + providers + " would drop out of every request"
	default:
		return "the filter is off; once on and the gate open, " + providers + " would drop out of every request"
	}
}

// leave is leaving in a few words.
func (g *gateReading) leave() string {
	if g.out.Enforced() {
		return "dropped out"
	}
	return "would drop out"
}

// mixedHosts checks on how many hosts a flavor that asks Nova for an accelerator could
// get one of Cyborg's: the filter prevents that unless it checks only the root.
//
// Source: nova/scheduler/request_filter.py, owner_nova_filter.
func (g *gateReading) mixedHosts() Check {
	c := Check{Title: "mixed hosts", Text: "no Nova host carries a Cyborg card"}
	var names []string
	for _, h := range g.owners.Hosts {
		if h.Mixed {
			names = append(names, h.Name)
		}
	}
	if len(names) == 0 {
		return c
	}
	c.Brief = words.Count(len(names), "Nova host") + map[bool]string{true: " carries", false: " carry"}[len(names) == 1] + " Cyborg cards"
	hosts := c.Brief + ": " + named(names)
	switch g.out.Form {
	case nova.OwnerOnGroups:
		c.Text = hosts + "; once the gate opens, every request group requires its owner, so Nova keeps off them"
		if g.out.Gate.Open {
			c.Text = hosts + "; every request group requires its owner, so Nova keeps off them"
		}
	case nova.OwnerOnRoot:
		c.State, c.Text = CheckWarning, "only the root must be Nova's, so Nova may take them: "+hosts
	default:
		c.State, c.Text = CheckWarning, "the filter is off, so Nova may take them: "+hosts
	}
	if g.out.Basis != "" {
		c.Text += "; " + g.out.Basis
	}
	if c.State == CheckWarning {
		c.Rule, c.Subject = audit.RuleMixedHost, names[0]
	}
	return c
}
