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

// GivenUp is a provider that a change deletes, takes from its owner, or of which it removes what
// there is of a class. Placement refuses the first and the last while something of it is allocated,
// and the other never; but a guest whose allocations were lost uses it all the same. On a live
// cloud Nova and Cyborg are asked who does.
type GivenUp struct {
	*placement.ResourceProvider
	Host    string                    // of its tree; "" for none
	Whole   bool                      // the host itself: all that is on it uses it
	Pool    bool                      // of all hosts
	Classes []placement.ResourceClass // that it no longer has; none if that is not known
	Cyborg  bool                      // Cyborg must not have a request that is bound to it
	ARQs    []uuid.UUID               // requests that are bound to it, but for those that the change removes
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
	add := func(id placement.ProviderID, remains map[placement.ResourceClass]placement.Inventory, ofCyborg bool) {
		p, ok := s.Placement().Provider(id)
		if !ok {
			return
		}
		g := GivenUp{ResourceProvider: p, Whole: deleted[id] && p.IsRoot()}
		pool := s.Placement().Shares(p) && !s.Reading(cloud.Hypervisors).Without
		for _, iu := range p.Inventories() {
			class := s.Placement().ClassName(iu.Class)
			if _, stays := remains[class]; !stays && (class.MayBeDevice() || pool || deleted[id]) {
				g.Classes = append(g.Classes, class)
			}
		}
		bare := deleted[id] && len(p.Inventories()) == 0 // and may have been a card
		devices := slices.ContainsFunc(g.Classes, placement.ResourceClass.MayBeDevice)
		card := bare || devices
		was := s.Placement().Having(placement.OwnerCyborg).Has(p.Number())
		// Of one that is bare, nothing but Cyborg itself says that it was its card.
		asks := devices && !withoutCyborg(s) || bare && !cyborgUnlisted(s)
		g.Cyborg = !ofCyborg && (was || asks && !s.Reading(cloud.ARQs).Without)
		if card || deleted[id] {
			g.Host = hostOf(s, p)
		}
		g.Pool = pool && len(g.Classes) > 0
		for a := range s.Cyborg().ARQsAt(id) {
			if !removed[a.UUID] {
				g.ARQs = append(g.ARQs, a.UUID)
			}
		}
		if g.Cyborg || g.Host != "" || g.Pool {
			out = append(out, g)
		}
	}
	for _, c := range ev.Changes {
		switch was := c.Before.(type) {
		case *placement.ProviderRecord:
			is, _ := c.After.(*placement.ProviderRecord)
			if is == nil {
				is = &placement.ProviderRecord{}
			}
			less := false
			for class := range was.Inventories {
				_, stays := is.Inventories[class]
				less = less || !stays
			}
			if less || deleted[was.UUID] {
				add(was.UUID, is.Inventories, false)
			}
		case *placement.ProviderTraitsRecord:
			var traits []placement.Trait
			if is, ok := c.After.(*placement.ProviderTraitsRecord); ok {
				traits = is.Traits
			}
			unshared := slices.Contains(was.Traits, placement.SharesViaAggregate) && !slices.Contains(traits, placement.SharesViaAggregate)
			if !deleted[was.Provider] && (unshared || changesOwner(was.Traits, traits)) {
				cyborgAlone := slices.Contains(traits, placement.OwnerCyborg) && !slices.Contains(traits, placement.OwnerNova)
				add(was.Provider, nil, cyborgAlone)
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

// hostOf returns the host of the compute node in whose tree a provider is. One that Nova does not
// list may be named as its root is; "" if no Nova can be asked.
func hostOf(s *cloud.Snapshot, p *placement.ResourceProvider) string {
	root := s.Placement().Root(p)
	if node, ok := s.Nova().ComputeNode(root.ID()); ok {
		return node.Host
	}
	if s.Live() && !s.Reading(cloud.Hypervisors).Without {
		return root.Name()
	}
	return ""
}

// AllARQsPath lists all accelerator requests.
const AllARQsPath = "/accelerator_requests"

// ServerPaths list the servers of all projects that may use it: those on its host, or all. Those
// that were deleted and can be restored are in a list of their own.
func (g GivenUp) ServerPaths() []string {
	path := "/servers/detail?all_tenants=1"
	if !g.Pool {
		path += "&host=" + url.QueryEscape(g.Host)
	}
	return []string{path, path + "&deleted=true&status=SOFT_DELETED"}
}

// questions returns what is asked before, with the answers that let the change go on.
func (g GivenUp) questions() []Call {
	var out []Call
	if g.Cyborg {
		out = append(out, call(Accelerator, "GET", AllARQsPath, microversion.AcceleratorFirst, statusOK, nil)...)
	}
	if g.Host != "" || g.Pool {
		out = append(out, askNova(AdministratorPath, statusOK)...)
		for _, path := range g.ServerPaths() {
			out = append(out, askNova(path, statusOK)...)
		}
		out = append(out, askNova(MigrationsPath+"limit=1000", statusOK)...)
		out = append(out, askNova(ServicesPath, statusOK)...)
	}
	return out
}
