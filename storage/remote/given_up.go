package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// unused returns an error if a provider that an event gives up is in use, or may be: a request is
// bound to it, or a server that holds no such thing may use it. Placement does not know these.
//
// Errors: *cloud.GivenUpError; that of ctx.
func (s *Store) unused(ctx context.Context, now *cloud.Snapshot, ev cloud.Event) error {
	q := &questions{call: s.reader.call, now: now, servers: map[string][]novaServer{}}
	for _, g := range api.GivesUp(now, ev) {
		err := q.unused(ctx, g)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &cloud.GivenUpError{Provider: g.ID(), Name: g.Name(), Used: errors.As(err, new(*ownerExistsError)), Why: err.Error()}
		}
	}
	return nil
}

// unused returns a *ownerExistsError if something uses what is given up, and any other error if
// that is not known.
func (q *questions) unused(ctx context.Context, g api.GivenUp) error {
	if g.Cyborg {
		if q.arqs == nil {
			var arqs []cyborgARQ
			if err := q.get(ctx, api.Accelerator, api.AllARQsPath, listOf("arqs", &arqs)); err != nil {
				return err
			}
			q.arqs = &arqs
		}
		for _, a := range *q.arqs {
			if a.Provider != nil && *a.Provider == g.ID() && a.State.HoldsHandle() && !slices.Contains(g.ARQs, a.UUID) {
				g.ARQs = append(g.ARQs, a.UUID)
			}
		}
		if err := q.unbound(ctx, g.ARQs); err != nil {
			return err
		}
	}
	if g.Host == "" && !g.Pool {
		return nil
	}
	if err := q.administrator(ctx); err != nil {
		return err
	}
	if err := q.allCells(ctx); err != nil {
		return err
	}
	var servers []novaServer
	for _, path := range g.ServerPaths() {
		if _, read := q.servers[path]; !read {
			more, err := wholeList[novaServer](ctx, q, path, "servers")
			if err != nil {
				return err
			}
			q.servers[path] = more
		}
		servers = append(servers, q.servers[path]...)
	}
	listed := make(map[placement.ConsumerID]bool, len(servers))
	for _, s := range servers {
		listed[s.ID] = true
	}
	for i := range q.now.Nova().Instances() { // one may have been left out of a page
		if i.Live() && !listed[i.UUID] {
			servers = append(servers, q.remembered(i, i.Host))
		}
	}
	if err := q.readMigrations(ctx); err != nil {
		return err
	}
	for _, m := range q.migrations { // while a server moves, it is on two hosts, and listed on one
		if m.Status.UnderWay() && g.Host != "" && (m.Source == g.Host || m.Dest == g.Host) {
			i, ok := q.now.Nova().Instance(m.Instance)
			if !ok {
				i = &nova.Instance{UUID: m.Instance, Name: m.Instance.String()}
			}
			servers = append(servers, q.remembered(i, g.Host))
		}
	}
	for _, s := range servers {
		switch name := orElse(s.Name, s.ID.String()); {
		case s.Host == "" || !q.mayUse(&s, g):
		case s.Flavor.ExtraSpecs == nil && !g.Whole:
			return fmt.Errorf("%s is on %s, and Nova does not say what its flavor asks for", name, s.Host)
		case !g.Whole && len(g.Classes) > 0 && !slices.ContainsFunc(g.Classes, func(c placement.ResourceClass) bool { return !c.MayBeOfPort() }):
			return fmt.Errorf("%s is on %s, and only Neutron knows whether its ports ask for it", name, s.Host)
		default:
			return ownerExists("%s is on %s, and holds nothing of what it may use of it", name, s.Host)
		}
	}
	return nil
}

// remembered returns a server as it was listed, on a host.
func (q *questions) remembered(i *nova.Instance, host string) novaServer {
	s := novaServer{ID: i.UUID, Name: i.Name, Host: host, Node: i.Node, VMState: i.VMState}
	if f, ok := q.now.Nova().Flavor(i.Flavor); ok {
		s.Flavor.Name, s.Flavor.Disk, s.Flavor.Ephemeral, s.Flavor.Swap, s.Flavor.ExtraSpecs = f.Name, f.RootGB, f.EphemeralGB, amount(f.SwapMB), &f.ExtraSpecs
	}
	if i.BootFromVolume {
		s.Image = json.RawMessage(volume)
	}
	return s
}

// mayUse reports whether a server may use a provider without holding anything of it: it holds less
// than its flavor asks for, of this kind of devices or of any, or nothing of what a pool has, or
// of what its ports may ask for, or nothing at all on its host.
func (q *questions) mayUse(s *novaServer, g api.GivenUp) bool {
	root := q.now.Placement().Root(g.ResourceProvider)
	node, ok := q.now.Nova().ComputeNode(root.ID())
	on := s.Host == g.Host && (!ok || q.now.Nova().MayBeOn(&nova.Instance{Host: s.Host, Node: s.Node}, node.UUID))
	switch {
	case on && g.Whole:
		return true
	case g.Pool:
		return q.mayUsePool(s, g)
	case !on || s.Flavor.ExtraSpecs == nil:
		return on
	}
	holds := map[placement.ResourceClass]int64{} // the most that the server, or a move of it, does
	note := func(id placement.ConsumerID) {
		for of, n := range q.held(id, root) {
			class := q.now.Placement().ClassName(of)
			holds[class] = max(holds[class], n)
		}
	}
	note(s.ID)
	for m := range q.now.Nova().MigrationsOf(s.ID) {
		note(m.UUID)
	}
	classes, unnamed := g.Classes, int64(0) // devices that the flavor does not name
	if len(classes) == 0 {
		classes = s.devices()
	}
	for class, n := range holds {
		if class.MayBeDevice() {
			unnamed += max(0, n-s.amountOf(class))
		}
	}
	card := len(g.Classes) == 0 || slices.ContainsFunc(g.Classes, placement.ResourceClass.MayBeDevice)
	return card && unnamed == 0 && s.indirect() || slices.ContainsFunc(classes, func(class placement.ResourceClass) bool {
		return s.amountOf(class) > holds[class] || class.MayBeOfPort() && holds[class] == 0 || len(holds) == 0 && !class.IsAccelerator()
	})
}

// mayUsePool is mayUse for a pool. Of a move the source is held by the migration.
func (q *questions) mayUsePool(s *novaServer, g api.GivenUp) bool {
	lacks := func(id placement.ConsumerID) bool {
		held := q.held(id, g.ResourceProvider)
		return slices.ContainsFunc(g.Classes, func(class placement.ResourceClass) bool {
			of, _ := q.now.Placement().ClassID(class)
			return held[of] == 0 && s.asks(class)
		})
	}
	for m := range q.now.Nova().MigrationsOf(s.ID) {
		if m.Status.UnderWay() && m.Type != nova.Evacuation && lacks(m.UUID) {
			return true
		}
	}
	return lacks(s.ID)
}
