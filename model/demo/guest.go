package demo

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// guest is an instance with what it is planned to hold.
type guest struct {
	id      placement.ConsumerID
	name    string
	project string
	user    string
	flavor  *flavor
	volume  bool // it boots from a volume
	host    *host
	parts   []part // that its flavor asks for
	port    []part // added by one of its ports
	created int64  // Unix milliseconds
}

// place returns where the parts of g are, as one candidate.
func (g *guest) place() *ops.Place {
	return &ops.Place{Host: g.host.name, Root: g.host.root.id, Allocations: amounts(g.parts)}
}

// boot starts g in a world, where it was planned to be.
func (g *guest) boot(w *world) error {
	err := w.run(ops.Boot{
		Instance: g.id, Pick: g.place(), Indexer: &w.index,
		Wish: ops.BootWish{Name: g.name, Flavor: g.flavor.name, Project: g.project, User: g.user, BootFromVolume: g.volume},
	}, nil)
	if err != nil || len(g.port) == 0 {
		return err
	}
	c, ok := w.snap.Placement().Consumer(g.id)
	if !ok {
		return &placement.NotFoundError{What: "consumer", Name: g.id.String()}
	}
	claim := g.claim()
	claim.Generation = placement.Generation(c.Generation())
	return w.do(placement.ReplaceAllocations{Consumers: []placement.Claim{claim}})
}

// claim returns everything that g holds, as first written.
func (g *guest) claim() placement.Claim {
	all := g.parts
	if len(g.port) > 0 {
		all = append(append([]part(nil), g.parts...), g.port...)
	}
	return placement.Claim{
		Consumer: g.id, Generation: placement.NewConsumer(), Type: placement.InstanceConsumer,
		Project: g.project, User: g.user, Allocations: amounts(all),
	}
}

// records adds to c the records of Nova and Cyborg for g on a far host, as ops.Boot would
// leave them. Mappings of plain CPU, memory and disk are left out, as they are not needed
// and there are many.
func (g *guest) records(c *cloud.Change) {
	i := &nova.Instance{
		UUID: g.id, Name: g.name, Project: g.project, User: g.user, Host: g.host.name, Flavor: g.flavor.name,
		VMState: nova.Active, BootFromVolume: g.volume, Created: g.created, Updated: g.created,
	}
	novas := 0
	for n, d := range g.flavor.cards {
		if i.Mappings == nil {
			i.Mappings = map[string][]placement.ProviderID{}
		}
		by := g.parts[len(g.parts)-len(g.flavor.cards)+n].p
		if d.owner == placement.OwnerCyborg {
			i.Mappings[cyborg.GroupSuffix(0)] = []placement.ProviderID{by.id}
			g.bind(c, d, by)
			continue
		}
		for range d.n {
			novas++
			i.Mappings[fmt.Sprint(novas)] = []placement.ProviderID{by.id}
		}
		if by.device != nil {
			g.allocate(c, by.device)
		}
	}
	c.PutRecords(versioned.Change{After: i})
	g.host.landed = append(g.host.landed, tracker.Landing{Instance: i, Flavor: g.flavor.counts()})
}

// allocate adds to c the allocation of a PCI device to g.
func (g *guest) allocate(c *cloud.Change, device *nova.PciDevice) {
	was := versioned.Clone(device)
	device.Status, device.Instance = nova.DeviceAllocated, g.id
	c.PutRecords(versioned.Change{Before: was, After: versioned.Clone(device)})
}

// bind adds to c the accelerator requests of g, bound to free attach handles of a
// card.
func (g *guest) bind(c *cloud.Change, d device, card *provider) {
	for n := range d.n {
		was := card.handles[0]
		card.handles = card.handles[1:]
		is := was.Edit(func(h *cyborg.AttachHandle) { h.InUse = true })
		c.PutRecords(versioned.Change{Before: was, After: is}, versioned.Change{After: &cyborg.ARQ{
			UUID: cyborg.ARQID(g.id, 0, n), State: cyborg.ARQBound, Profile: g.flavor.profile, Hostname: g.host.name,
			Provider: card.id, Instance: g.id, AttachHandle: is.UUID, Project: g.project, Created: g.created,
		}})
	}
}

// keep remembers the attach handles that a report creates.
func (h *host) keep(report []cyborg.Op) {
	for _, op := range report {
		part, ok := op.(cyborg.ReportDeployable)
		if !ok {
			continue
		}
		for _, p := range h.cyborg {
			if p.id == part.Deployable.Provider {
				p.handles = append(p.handles, part.Handles...)
			}
		}
	}
}
