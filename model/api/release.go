package api

import (
	"cmp"
	"maps"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Release is a claim of which a change takes something away, or accelerator requests that
// it unbinds or deletes, by their owner: others may be given what the owner still uses.
// On a live cloud the owner is asked before, and only if it is gone the change goes on.
type Release struct {
	Consumer placement.ConsumerID
	Name     string
	// Server and Migration say as what it may be known to Nova. A consumer without a type
	// may be either; neither is set for one of another service, which nobody can be asked.
	Server, Migration bool
	Instance          placement.ConsumerID   // of the migration; zero if that is not known
	Lost              []placement.ProviderID // of which it loses something
	Foreign           string                 // why it may be of another Nova; "" if it cannot
	Cyborg            bool                   // it loses accelerators
	Offloaded         bool                   // the server exists, and is on no host
	ARQs              []uuid.UUID            // requests of its own that the change removes
}

// Releases returns what is released by the changes of an event that follows s, by consumer.
// What moves to another provider along with its whole inventory, as in a reshape, is not
// released.
func Releases(s *cloud.Snapshot, ev cloud.Event) []Release {
	kept := keptProviders(ev)
	all := map[placement.ConsumerID]*Release{}
	of := func(id placement.ConsumerID) *Release {
		if all[id] == nil {
			all[id] = newRelease(s, id)
		}
		return all[id]
	}
	for _, c := range ev.Changes {
		switch was := c.Before.(type) {
		case *placement.ConsumerRecord:
			is, _ := c.After.(*placement.ConsumerRecord)
			if is == nil {
				is = &placement.ConsumerRecord{}
			}
			for _, id := range slices.SortedStableFunc(maps.Keys(was.Allocations), placement.ProviderID.Compare) {
				for class, amount := range was.Allocations[id] {
					if is.Allocations[id][class] >= amount || movesAlong(was, is, id, class, kept) {
						continue
					}
					r := of(was.UUID)
					if !slices.Contains(r.Lost, id) {
						r.Lost = append(r.Lost, id)
					}
					r.Cyborg = r.Cyborg || class.MayBeDevice() && (!withoutCyborg(s) || byProfile(s, r))
				}
			}
		case *cyborg.ARQ:
			if is, _ := c.After.(*cyborg.ARQ); is == nil || is.Instance != was.Instance {
				r := of(was.Instance)
				r.ARQs, r.Cyborg = append(r.ARQs, was.UUID), true
			}
		}
	}
	out := make([]Release, 0, len(all))
	for _, id := range slices.SortedStableFunc(maps.Keys(all), placement.ConsumerID.Compare) {
		out = append(out, *all[id])
	}
	return out
}

// Claimant is a server whose claim a change alters.
type Claimant struct {
	*nova.Instance
	Gains bool // it gets something of a provider that it did not hold there
}

// Claimants returns the servers for which the changes of an event that follows s claim
// something. On a live cloud each is asked for before: one that has moved or gone since it was
// listed would hold what it does not use. With force, of which owners are not asked, those
// which only lose something are among them: whoever insists does so on what was shown.
func Claimants(s *cloud.Snapshot, ev cloud.Event, force bool) []Claimant {
	kept := keptProviders(ev)
	var out []Claimant
	for _, c := range ev.Changes {
		was, had := c.Before.(*placement.ConsumerRecord)
		is, has := c.After.(*placement.ConsumerRecord)
		if !had {
			was = &placement.ConsumerRecord{}
		}
		if !has {
			is = &placement.ConsumerRecord{UUID: was.UUID}
		}
		if i, known := s.Nova().Instance(is.UUID); known && (had || has) {
			if gains := claims(was, is, kept); gains || force {
				out = append(out, Claimant{i, gains})
			}
		}
	}
	return out
}

// claims reports whether a consumer holds more of a provider than before, other than what
// moves along with its inventory.
func claims(was, is *placement.ConsumerRecord, kept map[placement.ProviderID]*placement.ProviderRecord) bool {
	for id, of := range is.Allocations {
		for class, amount := range of {
			if amount <= was.Allocations[id][class] {
				continue
			}
			along := false
			for from, held := range was.Allocations {
				along = along || held[class] > is.Allocations[from][class] && movesAlong(was, is, from, class, kept)
			}
			if !along {
				return true
			}
		}
	}
	return false
}

// keptProviders returns the providers that an event changes, as they are afterwards; nil for
// those that it deletes.
func keptProviders(ev cloud.Event) map[placement.ProviderID]*placement.ProviderRecord {
	kept := map[placement.ProviderID]*placement.ProviderRecord{}
	for _, c := range ev.Changes {
		if r, ok := c.Before.(*placement.ProviderRecord); ok {
			kept[r.UUID], _ = c.After.(*placement.ProviderRecord)
		}
	}
	return kept
}

// movesAlong reports whether a consumer holds as much of a class as before, but not of a
// provider that has no inventory of the class any more.
func movesAlong(was, is *placement.ConsumerRecord, id placement.ProviderID, class placement.ResourceClass, kept map[placement.ProviderID]*placement.ProviderRecord) bool {
	p, touched := kept[id]
	if !touched {
		return false
	}
	if p != nil {
		if _, has := p.Inventories[class]; has {
			return false
		}
	}
	sum := func(r *placement.ConsumerRecord) (n int64) {
		for _, of := range r.Allocations {
			n += of[class]
		}
		return n
	}
	return sum(is) >= sum(was)
}

// cyborgUnlisted reports whether a live cloud is read whose service catalog has no Cyborg.
func cyborgUnlisted(s *cloud.Snapshot) bool {
	read := s.Reading(cloud.ARQs)
	return s.Live() && read.At.IsZero() && read.Gap() == ""
}

// withoutCyborg reports whether Cyborg is unlisted, and nothing says that it is Cyborg's.
func withoutCyborg(s *cloud.Snapshot) bool {
	return cyborgUnlisted(s) && s.Placement().Having(placement.OwnerCyborg).Len() == 0
}

// byProfile reports whether the flavor of a server, or of that of a migration, asks for a device
// profile, which is Cyborg's, even if the service catalog of the cloud has none.
func byProfile(s *cloud.Snapshot, r *Release) bool {
	for _, id := range []placement.ConsumerID{r.Consumer, r.Instance} {
		if i, ok := s.Nova().Instance(id); ok {
			if f, ok := s.Nova().Flavor(i.Flavor); ok && f.DeviceProfile() != "" {
				return true
			}
		}
	}
	return false
}

func newRelease(s *cloud.Snapshot, id placement.ConsumerID) *Release {
	r := &Release{Consumer: id, Name: id.String(), Server: true, Migration: true}
	if m, ok := s.Nova().Migration(id); ok {
		r.Instance = m.Instance
		r.Server = false
	}
	if i, ok := s.Nova().Instance(id); ok {
		r.Name, r.Migration, r.Offloaded = i.Name, false, i.Offloaded()
	}
	c, ok := s.Placement().Consumer(id)
	if !ok {
		return r // there is no claim: Cyborg's requests are about servers of this Nova
	}
	switch c.Type() {
	case "":
	case placement.InstanceConsumer:
		r.Server, r.Migration = true, false
	case placement.MigrationConsumer:
		r.Server, r.Migration = false, true
	default:
		r.Server, r.Migration = false, false
	}
	r.Foreign = s.Foreign(c)
	return r
}

// Paths of the questions.
const (
	serversPath    = "/servers/"
	MigrationsPath = "/os-migrations?"
	ServicesPath   = "/os-services"
)

// ServerPath is the one record of a server.
func ServerPath(id placement.ConsumerID) string { return serversPath + id.String() }

// ServerListPath lists a server among those of all projects.
func ServerListPath(id placement.ConsumerID) string {
	return "/servers/detail?all_tenants=1&uuid=" + url.QueryEscape(id.String())
}

// AdministratorPath is what Nova tells to its administrators alone. To all others the servers of
// other projects are 404, and no list has those of them that are deleted and can be restored.
//
// Source: nova/db/main/api.py, instance_get_by_uuid, project_only;
// nova/api/openstack/compute/servers.py, _get_servers, "Only administrators".
const AdministratorPath = "/servers/detail?all_tenants=1&status=DELETED&limit=1"

// ARQsPath lists the accelerator requests of a server.
func ARQsPath(id placement.ConsumerID) string {
	return "/accelerator_requests?instance=" + url.QueryEscape(id.String())
}

// ARQPath is the one record of an accelerator request.
func ARQPath(id uuid.UUID) string { return "/accelerator_requests/" + id.String() }

// Questions returns what the owner is asked before, with the answers that let the release
// go on. Nova has no record of one migration: all are listed.
func (r Release) Questions() []Call {
	var out []Call
	ask := func(q []Call) { out = append(out, q...) }
	if r.Consumer.IsZero() {
		for _, id := range r.ARQs {
			ask(call(Accelerator, "GET", ARQPath(id), microversion.AcceleratorFirst, statusOK, nil))
		}
		return out
	}
	if r.Server || r.Migration {
		status := statusNotFound
		if r.Offloaded {
			status = statusOK
		}
		ask(askNova(ServerPath(r.Consumer), status))
		ask(askNova(ServerListPath(r.Consumer), statusOK))
		ask(askNova(AdministratorPath, statusOK))
	}
	if r.Migration {
		ask(askNova(MigrationsPath+"limit=1000", statusOK))
		if !r.Instance.IsZero() {
			ask(askNova(ServerPath(r.Instance), statusOK))
			ask(askNova(ServerListPath(r.Instance), statusOK))
		}
	}
	if r.Server || r.Migration {
		ask(askNova(ServicesPath, statusOK))
	}
	if r.Cyborg {
		ask(call(Accelerator, "GET", ARQsPath(r.Consumer), microversion.AcceleratorFirst, statusOK, nil))
		if !r.Instance.IsZero() {
			ask(call(Accelerator, "GET", ARQsPath(r.Instance), microversion.AcceleratorFirst, statusOK, nil))
		}
	}
	return out
}

// askNova returns a question to Nova. Older lists leave out without a word what is in a cell
// that does not answer.
func askNova(path string, status int) []Call {
	return call(Compute, "GET", path, microversion.DownCells, status, nil)
}

// Asking returns all questions before operations on a cloud: to the owners of what is
// released and about who uses what is given up, unless that is forced, about the servers whose claims change, and about the
// services whose trait does.
func Asking(s *cloud.Snapshot, ops []cloud.Op, force bool) []Call {
	_, ev, err := s.Apply(cloud.Change{Ops: ops})
	if err != nil {
		return nil
	}
	var out []Call
	ask := func(calls []Call) {
		for _, q := range calls {
			if !slices.Contains(out, q) { // lists are read once for all
				out = append(out, q)
			}
		}
	}
	if !force {
		for _, r := range Releases(s, ev) {
			ask(r.Questions())
		}
		for _, g := range GivesUp(s, ev) {
			ask(g.questions())
		}
	}
	for _, i := range Claimants(s, ev, force) {
		ask(askNova(ServerPath(i.UUID), statusOK))
	}
	if len(StatusServices(s, ev)) > 0 {
		ask(askNova(ServicesPath, statusOK))
	}
	return out
}

// StatusServices returns the compute services, by host, whose trait an event that follows s
// changes: the trait decides whether servers land there, so that Nova is asked before.
func StatusServices(s *cloud.Snapshot, ev cloud.Event) map[string]*nova.Service {
	out := map[string]*nova.Service{}
	for _, c := range ev.Changes {
		was, had := c.Before.(*placement.ProviderTraitsRecord)
		is, has := c.After.(*placement.ProviderTraitsRecord)
		if !had && !has {
			continue
		}
		id := cmp.Or(is, was).Provider
		had = had && slices.Contains(was.Traits, placement.ComputeStatusDisabled)
		has = has && slices.Contains(is.Traits, placement.ComputeStatusDisabled)
		if node, ok := s.Nova().ComputeNode(id); ok && had != has {
			if svc, ok := s.Nova().Service(node.Host, nova.Compute); ok {
				out[svc.Host] = svc
			}
		}
	}
	return out
}
