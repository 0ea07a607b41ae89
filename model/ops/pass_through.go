package ops

import (
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// passThrough says why a place cannot provide the PCI devices that are asked for,
// according to the records of its nova-compute; "" if it can. If Placement counts devices
// for which it was not asked, they are added to the claim, as upstream's resource tracker
// does at its next tick.
//
// Source: nova/scheduler/filters/pci_passthrough_filter.py;
// nova/compute/pci_placement_translator.py, update_provider_tree_for_pci.
func passThrough(s *cloud.Snapshot, p *Place, requests []nova.PCIRequest) string {
	if len(requests) == 0 || s.Nova().Config().Live != "" {
		return "" // no API reports the devices of a live cloud
	}
	node, ok := s.Nova().ComputeNode(p.Root)
	if !ok {
		return "Nova has no compute node for it, and so no PCI devices"
	}
	w := worldOf(s)
	taken, why := w.Take(node, requests, p.Mappings)
	if why != "" {
		return why
	}
	own := false
	for _, t := range taken {
		by, class, mapped := p.Root, placement.PCIDevice, false
		switch {
		case t.Provider != nil:
			by, class, mapped = t.Provider.ID(), t.Class, len(p.Mappings[t.Suffix]) > 0
		case t.Device.DevType != nova.TypePCI || !counts(s, p.Root, class):
			continue
		}
		if mapped {
			continue
		}
		if !own {
			p.own()
			own = true
		}
		p.Allocations.Add(by, class, 1)
		if from, ok := s.Placement().Provider(by); ok {
			p.Parts = append(p.Parts, candidates.Part{Suffix: t.Suffix, Provider: from, Class: class, Amount: 1})
		}
		if t.Provider != nil {
			p.Mappings[t.Suffix] = []placement.ProviderID{by}
		}
	}
	return ""
}

// unreportedDevicesText says that a live cloud picks PCI devices on its hosts, where no API reports
// them, and by which setting; "" if Placement is asked for all.
func unreportedDevicesText(s *cloud.Snapshot, r nova.Request, o nova.AskOptions) string {
	c := s.Nova().Config()
	if c.Live == "" || !slices.ContainsFunc(r.PCI, func(d nova.PCIRequest) bool { return !asks(r.Query, d) }) {
		return ""
	}
	text := "No API reports which PCI devices the hosts have: Nova picks from these candidates those that have them free"
	if o.PCIInPlacement == nil {
		text += "; " + c.Basis(nova.OptionInPlacement)
	}
	return text + "."
}

// asks reports whether a query has a group for PCI devices.
func asks(q candidates.Query, d nova.PCIRequest) bool {
	return slices.ContainsFunc(q.Groups, func(g candidates.Group) bool { return strings.HasPrefix(g.Suffix, d.ID.String()) })
}

// own gives p its own copies of its maps.
func (p *Place) own() {
	all := make(Amounts, len(p.Allocations))
	for id, amounts := range p.Allocations {
		all[id] = maps.Clone(amounts)
	}
	p.Allocations, p.Mappings = all, maps.Clone(p.Mappings)
	p.Parts = slices.Clone(p.Parts)
}

// counts reports whether a provider has an inventory of a class.
func counts(s *cloud.Snapshot, id placement.ProviderID, class placement.ResourceClass) bool {
	p, ok := s.Placement().Provider(id)
	if !ok {
		return false
	}
	_, has := s.Placement().InventoryOf(p, class)
	return has
}

// takes says what is claimed at p: resources and, if the host picks them, PCI devices.
func (p *Place) takes(r nova.Request) string {
	words := []string{api.Resources(p.Allocations.Sum())}
	for _, d := range r.PCI {
		if !asks(r.Query, d) {
			words = append(words, "PCI devices "+d.String())
		}
	}
	return strings.Join(words, ", ")
}
