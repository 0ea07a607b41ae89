package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// ownersGone asks the owner of each claim that an event releases whether it still exists,
// and returns an error unless every one is gone. What was read says nothing about that: a
// list may be cut, lack a cell, or be that of another project.
//
// Errors: *cloud.OwnerError; that of ctx.
func (s *Store) ownersGone(ctx context.Context, now *cloud.Snapshot, ev cloud.Event) error {
	q := &questions{call: s.reader.call, now: now}
	for _, r := range api.Releases(now, ev) {
		err := q.gone(ctx, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &cloud.OwnerError{Owner: r.Name, Lives: errors.As(err, new(*ownerExistsError)), Why: err.Error()}
		}
	}
	return nil
}

// gone returns nil if the owner of r is gone, a *ownerExistsError if it is not, and any other
// error if that is not known.
func (q *questions) gone(ctx context.Context, r api.Release) error {
	if r.Consumer.IsZero() {
		return q.unbound(ctx, r.ARQs)
	}
	if !r.Server && !r.Migration {
		return errors.New("it is no server and no migration of Nova's, and no other owner can be asked")
	}
	if err := q.noServer(ctx, r.Consumer); err != nil {
		return err
	}
	if r.Migration {
		if err := q.noMigration(ctx, r); err != nil {
			return err
		}
		if err := q.noMove(r); err != nil {
			return err
		}
	}
	if err := q.allCells(ctx); err != nil {
		return err
	}
	if err := q.noGuests(r); err != nil {
		return err
	}
	if r.Foreign != "" {
		return errors.New(r.Foreign + ", and may be a server of another one")
	}
	return q.noARQ(ctx, r)
}

// noServer asks for a server: for its one record, which Nova finds in whichever cell it is, and in the
// list of all projects. One that was shelved and taken off its host holds nothing.
//
// Source: nova/compute/api.py, get.
func (q *questions) noServer(ctx context.Context, id placement.ConsumerID) error {
	var answer serverAnswer
	switch err := q.get(ctx, api.Compute, api.ServerPath(id), &answer); {
	case err == nil && answer.Server.offloaded():
	case err == nil:
		return ownerExists("Nova has the server (%s, on %s)", orElse(string(answer.Server.VMState), "in an unknown state"), orElse(answer.Server.Host, "an unknown host"))
	case !absent(err):
		return err
	}
	listed, err := wholeList[novaServer](ctx, q, api.ServerListPath(id), "servers")
	if forbidden(err) {
		return fmt.Errorf("%w; a user who may not list the servers of all projects gets 404 for those of others", err)
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(listed, func(s novaServer) bool { return s.ID == id && !s.offloaded() }) {
		return ownerExists("Nova lists the server")
	}
	return q.administrator(ctx)
}

// noMigration looks for a migration among all that Nova lists: none can be asked for by
// its uuid. One that is over holds nothing any more, unless its server still runs where the
// claim is: without a claim of its own there or, if it was not moved, with less.
func (q *questions) noMigration(ctx context.Context, r api.Release) error {
	if err := q.readMigrations(ctx); err != nil {
		return err
	}
	m, ok := q.migrations[r.Consumer]
	switch {
	case !ok:
		return nil
	case m.Status.UnderWay():
		return ownerExists("Nova has the %s of %s, which is %s", m.Type, m.Instance, orElse(string(m.Status), "in an unknown state"))
	}
	var answer serverAnswer
	switch err := q.get(ctx, api.Compute, api.ServerPath(m.Instance), &answer); {
	case absent(err): // as for a user who may only see the records of one project
		return q.noServer(ctx, m.Instance)
	case err != nil:
		return err
	}
	// A revert is told as over before its source has the server back.
	if answer.Server.Task != "" || answer.Server.VMState == nova.Resized {
		return ownerExists("the %s is %s, but Nova is not done with %s", m.Type, m.Status, orElse(answer.Server.Name, m.Instance.String()))
	}
	is, name := &nova.Instance{Host: answer.Server.Host, Node: answer.Server.Node}, orElse(answer.Server.Name, m.Instance.String())
	resized := slices.Contains([]nova.MigrationStatus{nova.Confirmed, nova.Completed, nova.Done}, m.Status) // it may be of another flavor since
	for _, id := range r.Lost {
		p, _ := q.now.Placement().Provider(id)
		node, ok := q.now.Nova().ComputeNode(q.now.Placement().Root(p).ID())
		switch {
		case ok && cmp.Or(answer.Server.Node, answer.Server.Host) == "":
			return fmt.Errorf("the %s is %s, and Nova does not say on which host %s is", m.Type, m.Status, m.Instance)
		case ok && !q.now.Nova().MayBeOn(is, node.UUID), !ok && !q.now.Placement().Shares(p):
			continue // of another host, which may be another Nova's
		case ok && len(q.held(m.Instance, p)) == 0:
			return ownerExists("the %s is %s, but %s is on %s and holds nothing else there", m.Type, m.Status, name, is.Host)
		}
		holds := q.held(m.Instance, p)
		for class, parked := range q.held(r.Consumer, p) {
			if _, has := p.Inventory(class); !ok && !has {
				continue // not of the pool
			}
			has, what := holds[class], q.now.Placement().ClassName(class)
			if has < parked && (!resized || has == 0 && answer.Server.asks(what)) {
				return ownerExists("the %s is %s, but %s is on %s and holds less there: %s %d, not %d", m.Type, m.Status, name, is.Host, what, has, parked)
			}
		}
	}
	return nil
}

// noMove returns an error if a consumer that Nova does not know may hold what a move of a
// server of its project does: one is being moved, and Nova lists no migration of it, or one is
// where the claim is, and holds nothing there.
func (q *questions) noMove(r api.Release) error {
	c, ok := q.now.Placement().Consumer(r.Consumer)
	if _, known := q.migrations[r.Consumer]; known || !ok {
		return nil
	}
	moves, held := map[placement.ConsumerID]bool{}, map[placement.ConsumerID]bool{} // servers with a migration, and with one that holds something
	for id, m := range q.migrations {
		moves[m.Instance] = true
		if _, holds := q.now.Placement().Consumer(id); holds && m.Status.UnderWay() {
			held[m.Instance] = true
		}
	}
	for i := range q.now.Nova().Instances() {
		if i.Project == c.Project() && (isMoved(i.VMState, i.TaskState) || i.TaskState == nova.ResizePrep) && !moves[i.UUID] {
			return fmt.Errorf("of %s, which is being moved, Nova lists no migration", i.Name)
		}
	}
	for _, id := range r.Lost {
		p, _ := q.now.Placement().Provider(id)
		node, ok := q.now.Nova().ComputeNode(q.now.Placement().Root(p).ID())
		if !ok {
			continue
		}
		for i := range q.now.Nova().InstancesOn(node.Host) {
			if i.Live() && !held[i.UUID] && i.Project == c.Project() && q.now.Nova().MayBeOn(i, node.UUID) && len(q.held(i.UUID, q.now.Placement().Root(p))) == 0 {
				return fmt.Errorf("it is unknown to Nova, but may be of a move of %s, which is on %s and holds nothing there: heal that first", i.Name, i.Host)
			}
		}
	}
	return nil
}

// noGuests returns an error if a hypervisor whose claim is released reports more guests than
// Nova lists servers there, and the list of servers is not whole: see checkLists.
func (q *questions) noGuests(r api.Release) error {
	if q.now.Gap(cloud.Instances) == "" {
		return nil
	}
	for _, id := range r.Lost {
		p, ok := q.now.Placement().Provider(id)
		if !ok {
			continue
		}
		node, ok := q.now.Nova().ComputeNode(q.now.Placement().Root(p).ID())
		if !ok {
			continue
		}
		var n int64
		for i := range q.now.Nova().InstancesOn(node.Host) {
			if i.Live() { // the guest of one that is deleted may be what is counted there
				n++
			}
		}
		if n < node.RunningVMs {
			return fmt.Errorf("%s reports %d guests, and Nova lists %d servers there", node.Host, node.RunningVMs, n)
		}
	}
	return nil
}

// noARQ returns an error if Cyborg has accelerator requests of the owner which the change
// does not remove: the device would be given to others, and is still attached. Those that it
// listed before, and not any more, are asked for one by one.
func (q *questions) noARQ(ctx context.Context, r api.Release) error {
	if !r.Cyborg {
		return nil
	}
	var arqs []cyborgARQ
	if err := q.get(ctx, api.Accelerator, api.ARQsPath(r.Consumer), listOf("arqs", &arqs)); err != nil {
		return err
	}
	for _, a := range arqs {
		free := slices.Contains([]cyborg.ARQState{cyborg.ARQInitial, cyborg.ARQBindFailed, cyborg.ARQUnbound}, a.State) // without a device
		if a.Instance != nil && *a.Instance == r.Consumer && !free && !slices.Contains(r.ARQs, a.UUID) {
			return ownerExists("Cyborg has its accelerator request %s, which is %s", a.UUID, a.State)
		}
	}
	if !r.Instance.IsZero() { // a device on the source may still be attached under the server's own uuid
		if err := q.get(ctx, api.Accelerator, api.ARQsPath(r.Instance), listOf("arqs", &arqs)); err != nil {
			return err
		}
		for _, a := range arqs {
			if a.Provider == nil || !a.State.HoldsHandle() || !slices.Contains(r.Lost, *a.Provider) || slices.Contains(r.ARQs, a.UUID) {
				continue
			}
			if p, ok := q.now.Placement().Provider(*a.Provider); ok && !q.holdsOf(r.Instance, p) {
				return ownerExists("Cyborg has accelerator request %s of its server there, which is %s", a.UUID, a.State)
			}
		}
	}
	var before []uuid.UUID
	for a := range q.now.Cyborg().ARQsOf(r.Consumer) {
		if !slices.Contains(r.ARQs, a.UUID) {
			before = append(before, a.UUID)
		}
	}
	return q.unbound(ctx, before)
}
