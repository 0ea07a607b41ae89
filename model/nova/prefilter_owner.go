package nova

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// GateForce assumes the gate of the owner filter to be open or closed, whatever the
// services say.
type GateForce string

// The forces.
const (
	GateAsked      GateForce = "" // the services are asked
	GateHeldOpen   GateForce = "open"
	GateHeldClosed GateForce = "closed"
)

// owner keeps Nova's requests on Nova's providers, and Cyborg's on Cyborg's, once every
// nova-compute reports who owns its providers. The services are checked at each request:
// after the last upgrade the rule applies without further action. A request to which it
// applied before stays under it.
//
// What a device profile asks for is Cyborg's, whatever its class. Cyborg's drivers for
// FPGAs, NICs, QAT and SSDs report no owner: until the operator adds OWNER_CYBORG to
// their providers, the rule excludes them, as it does Nova's providers without an owner.
//
// Source: nova/scheduler/request_filter.py, owner_nova_filter;
// nova/releasenotes/notes/owner-nova-trait-5895fdabd90e404e.yaml.
func (f *prefilterDraft) owner() (PrefilterState, string) {
	form, basis := f.config.OwnerFilter, f.config.Basis(OptionOwnerFilter)
	if f.o.OwnerFilter != nil {
		form, basis = *f.o.OwnerFilter, ""
	}
	if basis != "" {
		basis = "; " + basis
	}
	if form == OwnerOff {
		return Off, "the owner filter is off" + basis
	}
	open, why := f.gate()
	if !open {
		return Skipped, why
	}
	why += basis
	f.requireRoot(placement.OwnerNova)
	for _, g := range f.groups {
		f.warnOfOwner(g, form, basis)
		switch {
		case len(g.Resources) == 0:
			// It allocates nothing from its provider.
		case g.source == FromPCI || form == OwnerOnGroups && g.source == FromFlavor:
			f.require(g, placement.OwnerNova)
			if g.Suffix == "" {
				f.forbid(g, placement.OwnerCyborg)
			}
		case form == OwnerOnGroups && g.source == FromDeviceProfile && !g.forbids(placement.OwnerCyborg):
			f.require(g, placement.OwnerCyborg)
		}
	}
	return Applied, why
}

// warnOfOwner warns of a group of the flavor that a form of the filter leaves open to
// Cyborg's cards, or to no provider at all: what operators and other services made has no
// owner.
func (f *prefilterDraft) warnOfOwner(g *draftGroup, form OwnerFilter, basis string) {
	p := f.o.Placement
	if p == nil || g.source != FromFlavor || len(g.Resources) == 0 {
		return
	}
	group := "The un-suffixed group"
	if g.Suffix != "" {
		group = "Group " + g.Suffix
	}
	if form == OwnerOnGroups {
		if class, ok := onlyUnowned(p, g); ok {
			f.unowned = append(f.unowned, g.Suffix)
			f.warnings = append(f.warnings, Warning{Accepted: true, Text: fmt.Sprintf(
				"%s asks for %s, which only providers without OWNER_NOVA can give: the form groups of the owner filter finds no host for it%s. Add OWNER_NOVA to them, or use the form root.",
				group, class, basis)})
		}
		return
	}
	if g.forbids(placement.OwnerCyborg) || g.Suffix != "" && g.requires(placement.OwnerNova) {
		return
	}
	for _, r := range g.Resources {
		if r.Class.IsAccelerator() && anyWith(p, r.Class, placement.OwnerCyborg) {
			f.warnings = append(f.warnings, Warning{Accepted: true, Open: true, Text: fmt.Sprintf(
				"%s may be given %s by a card of Cyborg's: the owner filter asks only roots and PCI groups for OWNER_NOVA%s. A group of its own with trait:OWNER_NOVA=required keeps to Nova's.",
				group, r.Class, basis)})
		}
	}
}

// anyWith reports whether any provider of a class has a trait.
func anyWith(p *placement.Snapshot, class placement.ResourceClass, t placement.Trait) bool {
	id, ok := p.ClassID(class)
	if !ok {
		return false
	}
	having := p.Having(t)
	for n := range p.WithClass(id).All() {
		if having.Has(n) {
			return true
		}
	}
	return false
}

// onlyUnowned reports whether there are providers for a group, and none of them has
// OWNER_NOVA, with the first class that it asks for. The traits of the un-suffixed group
// are met by its providers together.
func onlyUnowned(p *placement.Snapshot, g *draftGroup) (placement.ResourceClass, bool) {
	owned := p.Having(placement.OwnerNova)
	if owned.Len() == 0 {
		return "", false // it is yet to come
	}
	first := g.Resources[0].Class
	if g.Suffix == "" {
		for _, r := range g.Resources {
			id, ok := p.ClassID(r.Class)
			if !ok || p.WithClass(id).Len() == 0 || anyWith(p, r.Class, placement.OwnerNova) {
				return "", false
			}
		}
		return first, true
	}
	id, ok := p.ClassID(first)
	if !ok {
		return "", false
	}
	found := false
	for n := range p.WithClass(id).All() {
		if !g.couldBe(p, n) {
			continue
		}
		if owned.Has(n) {
			return "", false
		}
		found = true
	}
	return first, found
}

// couldBe reports whether a provider has the classes and the traits of a group, whatever
// is free of it.
func (g *draftGroup) couldBe(p *placement.Snapshot, n int) bool {
	for _, r := range g.Resources {
		if id, ok := p.ClassID(r.Class); !ok || !p.WithClass(id).Has(n) {
			return false
		}
	}
	return !slices.ContainsFunc(g.Required, func(t candidates.AnyTrait) bool {
		return !slices.ContainsFunc(t.Names, func(name placement.Trait) bool { return name == placement.OwnerNova || p.Having(name).Has(n) })
	})
}

// forbids reports whether the group itself already forbids a trait.
func (g *draftGroup) forbids(t placement.Trait) bool {
	return slices.ContainsFunc(g.Forbidden, func(f candidates.Trait) bool { return f.Name == t })
}

// gate reports whether the owner filter applies, and why.
func (f *prefilterDraft) gate() (open bool, why string) {
	if f.rootHas(placement.OwnerNova) {
		return true, "the request already requires OWNER_NOVA: versions are not checked again"
	}
	switch f.o.Gate {
	case GateAsked:
	case GateHeldOpen:
		return true, "the gate is held open for this request"
	case GateHeldClosed:
		return false, "the gate is held closed for this request"
	}
	minimum, judged := f.s.MinimumVersion(Compute), false
	for _, svc := range f.s.oldest(Compute) {
		judged = judged || svc.Judged
	}
	switch {
	case minimum >= VersionOwnerNova && judged:
		text := "OWNER_NOVA trait not added to scheduling request: whether Nova adds it is not known, as every nova-compute has OWNER_NOVA on its providers, but others may have set it"
		f.warnings = append(f.warnings, Warning{Text: text})
		return false, text
	case minimum < VersionOwnerNova:
		said := fmt.Sprintf("min_version=%d", minimum)
		if judged {
			said = "not all have OWNER_NOVA on their providers"
		}
		text := fmt.Sprintf("OWNER_NOVA trait not added to scheduling request: not all nova-compute services are upgraded (%s, need %d).", said, VersionOwnerNova)
		f.warnings = append(f.warnings, Warning{Text: text})
		return false, text
	}
	return true, fmt.Sprintf("all nova-compute services are at version %d or later", VersionOwnerNova)
}
