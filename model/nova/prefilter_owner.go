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
func (f *filtering) owner() (PrefilterState, string) {
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

// forbids reports whether the group itself already forbids a trait.
func (g *draftGroup) forbids(t placement.Trait) bool {
	return slices.ContainsFunc(g.Forbidden, func(f candidates.Trait) bool { return f.Name == t })
}

// gate reports whether the owner filter applies, and why.
func (f *filtering) gate() (open bool, why string) {
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
	if minimum := f.s.MinimumVersion(Compute); minimum < VersionOwnerNova {
		said := fmt.Sprintf("min_version=%d", minimum)
		for svc := range f.s.Services() {
			if svc.Binary != Compute || !svc.Judged {
				continue
			}
			said = "not all have OWNER_NOVA on their providers"
			break
		}
		text := fmt.Sprintf("OWNER_NOVA trait not added to scheduling request: not all nova-compute services are upgraded (%s, need %d).", said, VersionOwnerNova)
		f.warnings = append(f.warnings, Warning{Text: text})
		return false, text
	}
	return true, fmt.Sprintf("all nova-compute services are at version %d or later", VersionOwnerNova)
}
