package nova

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// checkNames returns an error unless p knows the classes and traits of extra specs and
// image, and each of the flavor's own groups asks for resources. The groups of others are
// checked with the whole query.
func (d *draft) checkNames(p *placement.Snapshot) error {
	for _, g := range d.groups {
		for _, r := range g.Resources {
			if why := unknownClass(p, r.Class); why != "" {
				if err, ok := d.blame(r.Origin, why); ok {
					return err
				}
			}
		}
		for _, t := range g.traits() {
			why := unknownTrait(p, t.Name)
			if why == "" {
				continue
			}
			if err, ok := d.blame(t.Origin, why); ok {
				return err
			}
			return &placement.InvalidError{Field: t.Origin, Why: why}
		}
		if g.source == FromFlavor && g.Suffix != "" && len(g.Resources) == 0 {
			// It is not empty, so it has traits: extra specs add nothing else.
			err, _ := d.blame(g.traits()[0].Origin, fmt.Sprintf("group %s asks for no resources: add resources%s:CLASS=AMOUNT", g.Suffix, g.Suffix))
			return err
		}
	}
	return nil
}

// traits returns the traits that the group requires or forbids, without other terms.
func (g *draftGroup) traits() []candidates.Trait {
	var out []candidates.Trait
	for _, r := range g.Required {
		for _, name := range r.Names {
			out = append(out, candidates.Trait{Name: name, Origin: r.Origin})
		}
	}
	return append(out, g.Forbidden...)
}

// unknownClass says what is wrong with the name of a class, "" if nothing is. A nil p
// knows all valid names.
func unknownClass(p *placement.Snapshot, c placement.ResourceClass) string {
	if err := c.Validate(); err != nil {
		return err.Error()
	}
	if p != nil {
		if _, ok := p.ClassID(c); !ok {
			return "no such resource class " + string(c) + p.ClassHint(c)
		}
	}
	return ""
}

// unknownTrait is unknownClass for traits.
func unknownTrait(p *placement.Snapshot, t placement.Trait) string {
	if err := t.Validate(); err != nil {
		return err.Error()
	}
	if p != nil {
		if _, ok := p.TraitID(t); !ok {
			return "no such trait " + string(t) + p.TraitHint(t)
		}
	}
	return ""
}

// checkConflicts returns an error about a trait that a group both requires and forbids.
// It names the extra spec to blame.
func (d *draft) checkConflicts() error {
	for _, g := range d.groups {
		for _, r := range g.Required {
			if len(r.Names) != 1 {
				continue
			}
			i := slices.IndexFunc(g.Forbidden, func(f candidates.Trait) bool { return f.Name == r.Names[0] })
			if i < 0 {
				continue
			}
			if err, ok := d.blame(r.Origin, "requires what "+g.Forbidden[i].Origin+" forbids"); ok {
				return err
			}
			if err, ok := d.blame(g.Forbidden[i].Origin, "forbids what "+r.Origin+" requires"); ok {
				return err
			}
		}
	}
	return nil
}
