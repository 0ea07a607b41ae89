package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
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

// unused returns an error if a provider that an event gives up is in use, or may be: a request is
// bound to it, or a server that holds no such thing may use it. Placement does not know these.
//
// Errors: *cloud.GivenUpError; that of ctx.
func (s *Store) unused(ctx context.Context, now *cloud.Snapshot, ev cloud.Event) error {
	q := &questions{call: s.reader.call, now: now}
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

// asListed returns an error unless Nova has the servers for which an event claims something
// as it listed them: a list grows old while people look at what is planned, and while much
// is written. One that is gone may lose what it holds; blindly, so may one about which Nova
// does not answer.
//
// Errors: *placement.StaleError; placement.ErrState for one that is listed more than once;
// that of Nova if it does not answer; that of ctx.
func (s *Store) asListed(ctx context.Context, now *cloud.Snapshot, ev cloud.Event, force cloud.Force) error {
	q := &questions{call: s.reader.call, now: now}
	listed, _ := s.reader.m.servers()
	return each(ctx, q.call.inFlight, api.Claimants(now, ev, force != cloud.ForceNone), func(ctx context.Context, i api.Claimant) error {
		var answer serverAnswer
		err := q.get(ctx, api.Compute, api.ServerPath(i.UUID), &answer)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil && !i.Gains && (absent(err) || force == cloud.ForceUnchecked):
			return nil
		case err != nil && !absent(err):
			return fmt.Errorf("the allocations of %s are left alone, as it is not known whether it is still where it was: %w", i.Name, err)
		case err == nil && answer.Server.Host == i.Host && slices.ContainsFunc(listed, answer.Server.isAs):
			if slices.ContainsFunc(listed, func(s novaServer) bool { return s.ID == i.UUID && !answer.Server.isAs(s) }) {
				return placement.StateErrorf("the allocations of %s are left alone, as Nova lists it more than once and not alike, as two cells may have it", i.Name)
			}
			return nil
		}
		return &placement.StaleError{Change: versioned.Change{Before: i.Instance}}
	})
}

// statusAsListed returns an error unless Nova says of each compute service whose trait an
// event changes what it said when it was listed: the trait decides whether servers land there.
//
// Errors: *placement.StaleError; that of Nova if it does not answer; that of ctx.
func (s *Store) statusAsListed(ctx context.Context, now *cloud.Snapshot, ev cloud.Event) error {
	listed := api.StatusServices(now, ev)
	if len(listed) == 0 {
		return nil
	}
	q := &questions{call: s.reader.call, now: now}
	var services []novaService
	if err := q.get(ctx, api.Compute, api.ServicesPath, listOf("services", &services)); err != nil {
		return err
	}
	for _, is := range services {
		if was := listed[is.Host]; was != nil && is.Binary == nova.Compute && (is.ID.String() == was.UUID.String() || was.Told != nova.ServiceUp) && (is.Status == "disabled") != was.Disabled {
			return &placement.StaleError{Change: versioned.Change{Before: was}}
		}
	}
	return nil
}

// isAs reports whether a server is where it was, and asks for what it did.
func (s *novaServer) isAs(was novaServer) bool {
	return s.ID == was.ID && s.Host == was.Host && s.Node == was.Node && s.VMState == was.VMState && s.Task == was.Task && reflect.DeepEqual(s.Flavor, was.Flavor)
}

// ownerExistsError says that an owner still exists.
type ownerExistsError struct{ why string }

func (e *ownerExistsError) Error() string { return e.why }

func ownerExists(format string, args ...any) error {
	return &ownerExistsError{fmt.Sprintf(format, args...)}
}

// questions are asked about the owners of claims. Lists are read once for all of them.
type questions struct {
	call       *caller
	now        *cloud.Snapshot
	migrations map[placement.ConsumerID]novaMigration // all; nil before they are read
	cells      bool                                   // all cells answer
	admin      bool                                   // servers of all projects are told
}

// get reads from a service at its newest microversion.
func (q *questions) get(ctx context.Context, of api.Service, path string, into any) error {
	if q.call.services[of] == nil {
		return fmt.Errorf("the cloud was opened without %s, which knows", map[api.Service]string{api.Compute: "Nova", api.Accelerator: "Cyborg"}[of])
	}
	if err := q.call.meet(ctx, of); err != nil {
		return err
	}
	return q.call.read(ctx, of, path, into)
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

// administrator returns an error unless Nova tells this user of the servers of all projects.
func (q *questions) administrator(ctx context.Context) error {
	if q.admin {
		return nil
	}
	err := q.get(ctx, api.Compute, api.AdministratorPath, listOf("servers", &[]novaServer{}))
	if forbidden(err) {
		return fmt.Errorf("%w; a user who is no administrator gets 404 for servers of other projects", err)
	}
	q.admin = err == nil
	return err
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

// offloaded reports whether a server is shelved and on no host, and is not being unshelved.
func (s *novaServer) offloaded() bool {
	return s.VMState == nova.ShelvedOffloaded && s.Task == "" && s.Host == ""
}

// asks reports whether a server must hold some of a class: its flavor asks for it, or that
// is not known.
func (s *novaServer) asks(class placement.ResourceClass) bool {
	switch class {
	case placement.VCPU, placement.PCPU:
		return false // either
	case placement.MemoryMB:
		return true
	case placement.DiskGB:
		if n, says := s.says(class); says {
			return n > 0
		}
		disk := s.Flavor.Ephemeral + int64(s.Flavor.Swap)
		if string(s.Image) != volume {
			disk += s.Flavor.Disk
		}
		return s.Flavor.Name == "" || disk > 0
	default:
	}
	if s.Flavor.ExtraSpecs == nil {
		return true
	}
	return s.amountOf(class) > 0 || class.IsAccelerator() && s.indirect()
}

// amountOf returns how much the flavor of a server asks for of a class, by its name.
func (s *novaServer) amountOf(class placement.ResourceClass) int64 {
	sum, _ := s.says(class)
	return sum
}

// says returns how much the extra specs of a server's flavor ask for of a class, by its name,
// and whether they name it: a flavor for bare metal says resources:DISK_GB=0, which stands
// above the size of its disk.
//
// Source: nova/scheduler/utils.py, ResourceRequest.from_request_spec.
func (s *novaServer) says(class placement.ResourceClass) (sum int64, names bool) {
	if s.Flavor.ExtraSpecs == nil {
		return 0, false
	}
	for key, amount := range *s.Flavor.ExtraSpecs {
		if strings.HasSuffix(key, ":"+string(class)) {
			names = true
			n, err := strconv.ParseInt(amount, 10, 64)
			if err != nil {
				n = 1
			}
			sum += n
		}
	}
	return sum, names
}

// devices returns the classes of devices that the flavor of a server names.
func (s *novaServer) devices() (out []placement.ResourceClass) {
	if s.Flavor.ExtraSpecs == nil {
		return nil
	}
	for key := range *s.Flavor.ExtraSpecs {
		_, class, _ := strings.Cut(key, ":")
		if is := placement.ResourceClass(class); is.IsAccelerator() {
			out = append(out, is)
		}
	}
	return out
}

// indirect reports whether the flavor of a server asks for devices without naming their class.
func (s *novaServer) indirect() bool {
	if s.Flavor.ExtraSpecs == nil {
		return false
	}
	specs := *s.Flavor.ExtraSpecs
	return specs["accel:device_profile"] != "" || specs["pci_passthrough:alias"] != ""
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

// readMigrations reads all migrations that Nova lists, once. If that ends where a page does,
// those that may hold something are asked for by status as well.
func (q *questions) readMigrations(ctx context.Context) error {
	if q.migrations != nil {
		return nil
	}
	rows, err := wholeList[novaMigration](ctx, q, api.MigrationsPath, "migrations")
	if err != nil {
		return err
	}
	if len(rows)%page == 0 {
		for _, status := range nova.HoldingStatuses() {
			more, err := wholeList[novaMigration](ctx, q, api.MigrationsPath+"status="+string(status), "migrations")
			if err != nil {
				return err
			}
			rows = append(rows, more...)
		}
	}
	q.migrations = map[placement.ConsumerID]novaMigration{}
	for _, m := range oneMigration(rows) {
		q.migrations[m.UUID] = m
	}
	return nil
}

// held returns how much a consumer holds of each class in the tree of p and of the pools
// that serve it; of a pool, wherever that is, as it serves many trees.
func (q *questions) held(id placement.ConsumerID, p *placement.ResourceProvider) map[placement.ClassID]int64 {
	out := map[placement.ClassID]int64{}
	c, ok := q.now.Placement().Consumer(id)
	if !ok {
		return out
	}
	root := q.now.Placement().Root(p)
	for h := range c.Held() {
		if q.now.Placement().Shares(p) || ops.WithinReach(q.now.Placement(), q.now.Placement().ProviderAt(h.Number), root) {
			out[h.Class] += h.Used
		}
	}
	return out
}

// holdsOf reports whether a consumer holds anything of a provider itself.
func (q *questions) holdsOf(id placement.ConsumerID, p *placement.ResourceProvider) bool {
	c, ok := q.now.Placement().Consumer(id)
	return ok && slices.Contains(slices.Collect(c.ProviderNumbers()), p.Number())
}

// allCells returns an error if a cell does not answer: lists leave out what is there.
func (q *questions) allCells(ctx context.Context) error {
	if q.cells {
		return nil
	}
	var services []novaService
	if err := q.get(ctx, api.Compute, api.ServicesPath, listOf("services", &services)); err != nil {
		return err
	}
	hosts := func(yield func(string) bool) {
		for node := range q.now.Nova().ComputeNodes() {
			if !yield(node.Host) {
				return
			}
		}
	}
	if why := cellsGap(q.call.services[api.Compute].newest(), services, hosts); why != "" {
		return errors.New(why)
	}
	q.cells = true
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

// unused returns a *ownerExistsError if something uses what is given up, and any other error if
// that is not known.
func (q *questions) unused(ctx context.Context, g api.GivenUp) error {
	if g.Cyborg {
		var arqs []cyborgARQ
		if err := q.get(ctx, api.Accelerator, api.AllARQsPath, listOf("arqs", &arqs)); err != nil {
			return err
		}
		for _, a := range arqs {
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
		more, err := wholeList[novaServer](ctx, q, path, "servers")
		if err != nil {
			return err
		}
		servers = append(servers, more...)
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
// nothing at all on its host, as its ports may ask for what no flavor does.
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
		if class.IsAccelerator() {
			unnamed += max(0, n-s.amountOf(class))
		}
	}
	card := len(g.Classes) == 0 || slices.ContainsFunc(g.Classes, placement.ResourceClass.IsAccelerator)
	return card && unnamed == 0 && s.indirect() || slices.ContainsFunc(classes, func(class placement.ResourceClass) bool {
		return s.amountOf(class) > holds[class] || len(holds) == 0 && !class.IsAccelerator()
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

// unbound returns an error unless requests are gone, or belong to nobody.
func (q *questions) unbound(ctx context.Context, ids []uuid.UUID) error {
	for _, id := range ids {
		var a cyborgARQ
		switch err := q.get(ctx, api.Accelerator, api.ARQPath(id), &a); {
		case absent(err):
		case err != nil:
			return err
		case a.Instance != nil && !a.Instance.IsZero() || a.State == cyborg.ARQBound || a.State == cyborg.ARQBindStarted:
			return ownerExists("Cyborg has accelerator request %s, which is %s", id, a.State)
		}
	}
	return nil
}

// wholeList reads one of Nova's lists to its end, which only an empty page proves: a page
// may be short because Nova left rows out.
//
// Source: nova/api/openstack/compute/migrations.py, _output.
func wholeList[T any, P interface {
	*T
	pagedRow
}](ctx context.Context, q *questions, path, key string) ([]T, error) {
	var all []T
	marker := ""
	for range mostPages * mostParts {
		var rows []T
		answer := pagesOf[T, P](key, &rows)
		answer.most = page
		if err := q.get(ctx, api.Compute, strings.Replace(path+fmt.Sprintf("&limit=%d", page)+marker, "?&", "?", 1), answer); err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return all, nil
		}
		all = append(all, rows...)
		next := "&marker=" + url.QueryEscape(P(&rows[len(rows)-1]).marker())
		if next == marker {
			return nil, fmt.Errorf("the list of %s does not come to an end", key)
		}
		marker = next
	}
	return nil, fmt.Errorf("the list of %s has too many pages", key)
}

// absent reports whether Nova itself says that it has no such thing. Other answers with
// status 404 come from something in between, or from a wrong address.
//
// Source: nova/api/openstack/wsgi.py, Fault; cyborg/common/exception.py, ResourceNotFound.
func absent(err error) bool {
	f := withStatus(err, http.StatusNotFound)
	return f != nil && f.absent
}
