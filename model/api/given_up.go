package api

import (
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/placement"
)

// GivenUp is a provider that a change deletes, or takes from its owner. Placement refuses the
// former while something of it is allocated, and the latter never; but a guest whose allocations
// were lost uses it all the same. On a live cloud Nova and Cyborg are asked who does.
type GivenUp struct {
	*placement.ResourceProvider
	Deleted bool
	Cyborg  bool        // Cyborg must not have a request that is bound to it
	ARQs    []uuid.UUID // requests that are bound to it, but for those that the change removes
	Host    string      // of its tree; "" for one that is none of this Nova's
}

// GivesUp returns the providers that the changes of an event that follows s give up.
func GivesUp(s *cloud.Snapshot, ev cloud.Event) []GivenUp {
	deleted, removed := map[placement.ProviderID]bool{}, map[uuid.UUID]bool{}
	for _, c := range ev.Changes {
		switch was := c.Before.(type) {
		case *placement.ProviderRecord:
			deleted[was.UUID] = c.After == nil
		case *cyborg.ARQ:
			removed[was.UUID] = c.After == nil
		}
	}
	var out []GivenUp
	add := func(id placement.ProviderID, ofCyborg bool) {
		p, ok := s.Placement().Provider(id)
		if !ok {
			return
		}
		card := slices.ContainsFunc(p.Inventories(), func(iu placement.InventoryUsage) bool { return s.Placement().ClassName(iu.Class).IsAccelerator() })
		was := s.Placement().Having(placement.OwnerCyborg).Has(p.Number())
		g := GivenUp{ResourceProvider: p, Deleted: deleted[id], Cyborg: !ofCyborg && (was || card && !withoutCyborg(s) && !s.Reading(cloud.ARQs).Without)}
		if g.Deleted && p.IsRoot() || card {
			g.Host = hostOf(s, p)
		}
		for a := range s.Cyborg().ARQsAt(id) {
			if !removed[a.UUID] {
				g.ARQs = append(g.ARQs, a.UUID)
			}
		}
		if g.Cyborg || g.Host != "" {
			out = append(out, g)
		}
	}
	for _, c := range ev.Changes {
		switch was := c.Before.(type) {
		case *placement.ProviderRecord:
			if deleted[was.UUID] {
				add(was.UUID, false)
			}
		case *placement.ProviderTraitsRecord:
			var traits []placement.Trait
			if is, ok := c.After.(*placement.ProviderTraitsRecord); ok {
				traits = is.Traits
			}
			if !deleted[was.Provider] && changesOwner(was.Traits, traits) {
				add(was.Provider, slices.Contains(traits, placement.OwnerCyborg))
			}
		}
	}
	return out
}

// changesOwner reports whether whoever owns a provider no longer does alone.
func changesOwner(before, after []placement.Trait) bool {
	owners := func(traits []placement.Trait) []placement.Trait {
		return slices.DeleteFunc(slices.Clone(traits), func(t placement.Trait) bool { return !t.IsOwner() })
	}
	was := owners(before)
	return len(was) > 0 && !slices.Equal(was, owners(after))
}

// hostOf returns the host of the compute node in whose tree a provider is, "" if there is none. If
// it is not known which there are, that may be named as its root is.
func hostOf(s *cloud.Snapshot, p *placement.ResourceProvider) string {
	root := s.Placement().Root(p)
	if node, ok := s.Nova().ComputeNode(root.ID()); ok {
		return node.Host
	}
	if read := s.Reading(cloud.Hypervisors); s.Live() && read.Gap() != "" && !read.Without {
		return root.Name()
	}
	return ""
}

// AllARQsPath lists all accelerator requests.
const AllARQsPath = "/accelerator_requests"

// ServersOnPath lists the servers of all projects on a host.
func ServersOnPath(host string) string {
	return "/servers/detail?all_tenants=1&host=" + url.QueryEscape(host)
}

// questions returns what is asked before, with the answers that let the change go on.
func (g GivenUp) questions() []Call {
	var out []Call
	if g.Cyborg {
		out = append(out, call(Accelerator, "GET", AllARQsPath, microversion.AcceleratorFirst, statusOK, nil)...)
	}
	if g.Host != "" {
		out = append(out, askNova(ServersOnPath(g.Host), statusOK)...)
		out = append(out, askNova(MigrationsPath+"limit=1000", statusOK)...)
		out = append(out, askNova(ServicesPath, statusOK)...)
	}
	return out
}
