package tracker

import (
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// traits plans the traits of one provider: Nova's are added, or removed if the machine
// lacks them; all others stay.
func (p *planner) traits(t *target, want Provider, has *placement.ResourceProvider) {
	set := make(map[placement.Trait]bool, len(want.Traits))
	if has != nil {
		for _, name := range p.s.TraitsOf(has) {
			set[name] = true
		}
	}
	changed := false
	for _, trait := range want.Traits {
		if set[trait.Name] {
			continue
		}
		d := lacks(t.name, trait, p.ensureTrait(trait.Name))
		owned := set[placement.OwnerNova] || set[placement.OwnerCyborg]
		if owned && trait.Name.IsOwner() {
			p.inUse(t.id, &d)
		}
		p.unknownStatus(&d)
		if d.Verdict == Written {
			set[trait.Name], changed = true, true
		}
		p.differ(d)
	}
	for _, name := range want.Without {
		if !set[name] {
			continue
		}
		d := Difference{Provider: t.name, What: "trait " + string(name), Trait: name, Has: string(name), Source: "the processors do not have it", Verdict: Written}
		if p.unknownStatus(&d); d.Verdict == Written {
			delete(set, name)
			changed = true
		}
		p.differ(d)
	}
	if !changed {
		return
	}
	names := make([]placement.Trait, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	p.ops = append(p.ops, placement.SetTraits{Provider: t.id, Generation: t.next(), Traits: names})
}

// unknownStatus leaves the trait of a disabled host as it is where it is not known whether it is.
func (p *planner) unknownStatus(d *Difference) {
	if d.Trait == placement.ComputeStatusDisabled && p.tree.UnknownStatus != "" {
		d.Verdict, d.Why = Conflict, "it is not known whether nova-compute is disabled: "+p.tree.UnknownStatus
	}
}

// lacks is the difference that a provider lacks a trait of Nova's, which is written if
// the cloud knows it.
func lacks(provider string, trait Trait, known bool) Difference {
	d := Difference{Provider: provider, What: "trait " + string(trait.Name), Trait: trait.Name, Want: string(trait.Name), Source: trait.Source, Verdict: Written}
	if !known {
		d.Verdict, d.Why = Conflict, "this cloud does not know the standard trait; its Placement is older"
	}
	return d
}

// ensureClass plans to create a custom class that the cloud does not know.
func (p *planner) ensureClass(c placement.ResourceClass) {
	if _, known := p.s.ClassID(c); !known && !p.classes[c] {
		p.classes[c] = true
		p.before = append(p.before, placement.CreateClass{Name: c, IfAbsent: true})
	}
}

// ensureTrait is ensureClass for traits; it reports whether the trait will exist.
func (p *planner) ensureTrait(t placement.Trait) bool {
	if _, known := p.s.TraitID(t); known || p.made[t] {
		return true
	}
	if !t.IsCustom() {
		return false
	}
	p.made[t] = true
	p.before = append(p.before, placement.CreateTrait{Name: t})
	return true
}
