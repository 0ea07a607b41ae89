package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// physnetTrait is the prefix of the traits for the network of a port.
const physnetTrait = "CUSTOM_PHYSNET_"

// portGroups returns the request groups of the ports of an instance: the bandwidth and
// packet rate that it holds on its host, which its flavor does not say, and a move must
// not lose. Neutron, which would know, is not available here. While the instance moves,
// its migration holds them.
func portGroups(s *cloud.Snapshot, i *nova.Instance) []candidates.Group {
	if f, ok := s.Nova().Flavor(i.Flavor); ok && asksForNet(f) {
		return nil
	}
	if groups := portsOn(s, i.UUID, i.Host); len(groups) > 0 {
		return groups
	}
	for m := range s.Nova().MigrationsOf(i.UUID) {
		if groups := portsOn(s, m.UUID, m.Source); m.Status.HoldsClaim() && len(groups) > 0 {
			return groups
		}
	}
	return nil
}

// asksForNet reports whether a flavor itself asks for what usually only ports do.
func asksForNet(f *nova.Flavor) bool {
	for key := range f.ExtraSpecs {
		if _, class, ok := strings.Cut(key, ":"); ok && placement.ResourceClass(class).MayBeOfPort() {
			return true
		}
	}
	return false
}

// countsPorts reports whether Neutron reports resources for ports on a host.
func countsPorts(s *cloud.Snapshot, host string) bool {
	p := s.Placement()
	for n := range s.Nova().ComputeNodesOf(host) {
		root, ok := p.Provider(n.UUID)
		if !ok {
			continue
		}
		for _, rp := range p.Tree(root) {
			for _, inv := range rp.Inventories() {
				if p.ClassName(inv.Class).MayBeOfPort() {
					return true
				}
			}
		}
	}
	return false
}

// portsOn returns what a consumer holds for ports on a host as request groups: one for
// each provider, on the same network.
func portsOn(s *cloud.Snapshot, id placement.ConsumerID, host string) []candidates.Group {
	p := s.Placement()
	c, ok := p.Consumer(id)
	if !ok {
		return nil
	}
	of := map[*placement.ResourceProvider][]candidates.Resource{}
	for a := range p.Allocations(c) {
		if class := p.ClassName(a.Class); class.MayBeOfPort() && HostOf(s, p.Root(a.Provider)) == host {
			of[a.Provider] = append(of[a.Provider], candidates.Resource{Class: class, Amount: a.Used})
		}
	}
	var providers []*placement.ResourceProvider
	for rp := range of {
		providers = append(providers, rp)
	}
	slices.SortFunc(providers, placement.ByName)
	var groups []candidates.Group
	for n, rp := range providers {
		g := candidates.Group{Suffix: fmt.Sprintf("port_%d", n), Resources: of[rp]}
		for _, t := range p.TraitsOf(rp) {
			if strings.HasPrefix(string(t), physnetTrait) {
				g.Required = append(g.Required, candidates.AnyTrait{Names: []placement.Trait{t}})
			}
		}
		groups = append(groups, g)
	}
	return groups
}
