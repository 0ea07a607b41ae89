package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/wire"
)

// novaMirror holds what Nova answered, by part.
type novaMirror struct {
	config      *nova.Config
	services    []novaService
	flavors     []novaFlavor
	hypervisors []novaHypervisor
	aggregates  []novaAggregate
	servers     []novaServer
	migrations  []novaMigration
}

// The answers of the Compute API, as far as they are read.
//
// Source: nova/api/openstack/compute/views/.
type (
	novaService struct {
		ID       uuid.UUID `json:"id"`
		Binary   string    `json:"binary"`
		Host     string    `json:"host"`
		Status   string    `json:"status"`
		State    string    `json:"state"`
		Updated  when      `json:"updated_at"`
		Zone     string    `json:"zone"`
		Reason   string    `json:"disabled_reason"`
		ForcedTo bool      `json:"forced_down"`
	}
	novaFlavor struct {
		ID          string            `json:"id"`
		Name        string            `json:"name"`
		RAM         int64             `json:"ram"`
		VCPUs       int64             `json:"vcpus"`
		Disk        int64             `json:"disk"`
		Ephemeral   int64             `json:"OS-FLV-EXT-DATA:ephemeral"`
		Swap        amount            `json:"swap"`
		Disabled    bool              `json:"OS-FLV-DISABLED:disabled"`
		Public      bool              `json:"os-flavor-access:is_public"`
		Description string            `json:"description"`
		ExtraSpecs  map[string]string `json:"extra_specs"`
	}
	novaHypervisor struct {
		ID      placement.ProviderID `json:"id"`
		Name    string               `json:"hypervisor_hostname"`
		Type    string               `json:"hypervisor_type"`
		Version int64                `json:"hypervisor_version"`
		Service struct {
			Host string `json:"host"`
		} `json:"service"`
		VCPUs      int64 `json:"vcpus"`
		MemoryMB   int64 `json:"memory_mb"`
		LocalGB    int64 `json:"local_gb"`
		VCPUsUsed  int64 `json:"vcpus_used"`
		MemoryUsed int64 `json:"memory_mb_used"`
		LocalUsed  int64 `json:"local_gb_used"`
		RunningVMs int64 `json:"running_vms"`
	}
	novaAggregate struct {
		Number   int64                 `json:"id"`
		UUID     placement.AggregateID `json:"uuid"`
		Name     string                `json:"name"`
		Hosts    []string              `json:"hosts"`
		Metadata map[string]string     `json:"metadata"`
	}
	novaServer struct {
		ID      placement.ConsumerID `json:"id"`
		Name    string               `json:"name"`
		Project string               `json:"tenant_id"`
		User    string               `json:"user_id"`
		Host    string               `json:"OS-EXT-SRV-ATTR:host"`
		Node    string               `json:"OS-EXT-SRV-ATTR:hypervisor_hostname"`
		Status  string               `json:"status"`
		Zone    string               `json:"OS-EXT-AZ:availability_zone"`
		VMState nova.VMState         `json:"OS-EXT-STS:vm_state"`
		Task    nova.TaskState       `json:"OS-EXT-STS:task_state"`
		Created when                 `json:"created"`
		Updated when                 `json:"updated"`
		Image   json.RawMessage      `json:"image"` // "" if it boots from a volume
		Fault   struct {
			Message string `json:"message"`
		} `json:"fault"`
		Flavor struct {
			Name       string             `json:"original_name"`
			RAM        int64              `json:"ram"`
			VCPUs      int64              `json:"vcpus"`
			Disk       int64              `json:"disk"`
			Ephemeral  int64              `json:"ephemeral"`
			Swap       amount             `json:"swap"`
			ExtraSpecs *map[string]string `json:"extra_specs"` // nil if the user may not see them
		} `json:"flavor"`
	}
	novaMigration struct {
		ID       int64                `json:"id"`
		UUID     placement.ConsumerID `json:"uuid"`
		Instance placement.ConsumerID `json:"instance_uuid"`
		Type     nova.MigrationType   `json:"migration_type"`
		Status   nova.MigrationStatus `json:"status"`
		Source   string               `json:"source_compute"`
		Dest     string               `json:"dest_compute"`
		Created  when                 `json:"created_at"`
		Updated  when                 `json:"updated_at"`
	}
)

// when is a time as Nova writes it, with or without a zone; zero for none.
type when int64 // Unix milliseconds

func (w *when) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05.999999"} {
		if at, err := time.Parse(layout, text); err == nil {
			*w = when(versioned.Millis(at))
			return nil
		}
	}
	*w = 0
	return nil
}

// amount is a number for which Nova writes "" if it is 0.
type amount int64

func (a *amount) UnmarshalJSON(b []byte) error {
	if string(b) == `""` || string(b) == "null" {
		*a = 0
		return nil
	}
	return json.Unmarshal(b, (*int64)(a))
}

// page is how many items of a list are requested at a time, and mostPages the most pages
// that are read: a cloud keeps its migrations for ever, and returns the newest first. A
// page may come in up to mostParts if [api] max_limit is lower.
const (
	page      = 1000
	mostPages = 100
	mostMoves = 3
	mostParts = 20
)

// readNova reads the parts of Nova that exist and may be read, one after the other. It
// takes few requests, however many hosts there are.
//
// Errors: why nothing of it could be read.
func (r *reader) readNova(ctx context.Context) error {
	r.m.mu.Lock()
	n, began := r.m.nova, r.m.order.tick()
	r.m.mu.Unlock()
	err := r.parts(ctx, wire.Compute, append([]partReading{
		{cloud.Flavors, func() (int, error) {
			return r.readPages(ctx, "/flavors/detail?is_public=None", mostPages, pagesOf("flavors", &n.flavors))
		}},
		{cloud.Hypervisors, func() (int, error) {
			return r.readPages(ctx, "/os-hypervisors/detail?", mostPages, pagesOf("hypervisors", &n.hypervisors))
		}},
		{cloud.HostAggregates, func() (int, error) {
			return r.readList(ctx, wire.Compute, "/os-aggregates", listOf("aggregates", &n.aggregates))
		}},
	}, r.serverParts(ctx, &n)...))
	n.checkCells(&r.reads, r.call.services[wire.Compute].newest())
	n.checkLists(&r.reads)
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.m.lists(began, n)
	return err
}

// serverParts are the servers and migrations, and last the services: these say whether all
// cells answer.
func (r *reader) serverParts(ctx context.Context, n *novaMirror) []partReading {
	return []partReading{
		{cloud.Instances, func() (int, error) {
			servers := pagesOf("servers", &n.servers)
			rows, err := r.readPages(ctx, "/servers/detail?all_tenants=1", mostPages, servers)
			if forbidden(err) {
				if own, of := r.readPages(ctx, "/servers/detail?", mostPages, servers); of == nil {
					rows, err = own, &cutError{what: err.Error() + "; only those of the user's own project were read"}
				}
			}
			if err == nil && len(r.needs) == 0 {
				err = r.readSoftDeleted(ctx, n)
				rows = len(n.servers)
			}
			return rows, err
		}},
		{cloud.Migrations, func() (int, error) {
			return r.readMigrations(ctx, n)
		}},
		{cloud.Services, func() (int, error) {
			return r.readList(ctx, wire.Compute, "/os-services", listOf("services", &n.services))
		}},
	}
}

// readSoftDeleted adds the servers that were deleted and can still be restored, which hold
// what they held. Lists leave them out, unless they are asked for.
//
// Errors: *cutError if they could not be read.
//
// Source: nova/db/main/api.py, instance_get_all_by_filters; nova/api/openstack/common.py.
func (r *reader) readSoftDeleted(ctx context.Context, n *novaMirror) error {
	var deleted []novaServer
	_, err := r.readPages(ctx, "/servers/detail?all_tenants=1&deleted=true&status=SOFT_DELETED", mostPages, pagesOf("servers", &deleted))
	known := n.known()
	for _, s := range deleted {
		if s.VMState == nova.SoftDeleted && !known[s.ID] {
			n.servers = append(n.servers, s)
		}
	}
	if err != nil {
		return &cutError{what: "not those that can be restored: " + err.Error()}
	}
	return nil
}

// readMigrations reads the newest migrations, and of the older ones those that may hold
// something: a cloud has few of these, however old it is.
//
// Errors: *cutError if not all of it could be read; the service's answer.
//
// Source: nova/api/openstack/compute/migrations.py, _index: of several statuses in a query
// only the last counts.
func (r *reader) readMigrations(ctx context.Context, n *novaMirror) (int, error) {
	rows, err := r.readPages(ctx, "/os-migrations?", mostMoves, pagesOf("migrations", &n.migrations))
	cut, isCut := errors.AsType[*cutError](err)
	switch {
	case !isCut && err != nil, !isCut && !endsAtPage(rows):
		return rows, err
	case !isCut:
		cut = &cutError{what: "the list ended early"}
	}
	known := n.known()
	for _, status := range nova.HoldingStatuses() {
		var more []novaMigration
		_, err := r.readPages(ctx, "/os-migrations?status="+string(status), mostMoves, pagesOf("migrations", &more))
		if err != nil {
			return rows, cut
		}
		for _, m := range more {
			if !known[m.UUID] {
				known[m.UUID] = true
				n.migrations = append(n.migrations, m)
			}
		}
	}
	if !isCut && len(n.migrations) == rows {
		return rows, nil
	}
	return len(n.migrations), &cutError{what: cut.what + ", and all that may hold something", over: true}
}

// endsAtPage reports whether a list of so many rows ends where a page does: it is long,
// and an empty page, which a proxy may have made, says that this is its end.
func endsAtPage(rows int) bool { return rows > 0 && rows%page == 0 }

// checkLists looks for what one list speaks of and another lacks: of a server that is being
// moved there is a migration, and on a hypervisor with guests there are as many servers.
// Guests are counted only once a minute, or not at all where nova-compute is down: they are
// believed only where the list of servers may have ended early.
func (n *novaMirror) checkLists(reads *readings) {
	moves := map[placement.ConsumerID][]nova.MigrationStatus{}
	for _, m := range n.migrations {
		moves[m.Instance] = append(moves[m.Instance], m.Status)
	}
	on := map[string]int64{}
	var lone, hosts []string
	for _, s := range n.servers {
		on[s.Host]++
		if lacksMigration(s.VMState, s.Task, moves[s.ID]) {
			lone = append(lone, orElse(s.Name, s.ID.String()))
		}
	}
	for _, h := range n.hypervisors {
		if reads.rows(cloud.Instances)%page == 0 && h.RunningVMs > on[h.Service.Host] {
			hosts = append(hosts, h.Service.Host)
		}
	}
	if len(lone) > 0 && !reads.failed(cloud.Migrations) {
		reads.cut("there is none of "+someOf(lone)+", which is being moved", cloud.Migrations)
	}
	if len(hosts) > 0 && !reads.failed(cloud.Instances) {
		reads.cut("there are fewer than the guests that are reported of "+someOf(hosts), cloud.Instances)
	}
}

// lacksMigration reports whether a server waits for a move to be confirmed, or is in a live
// migration, and no migration of it has a status that can be that of this one.
func lacksMigration(vm nova.VMState, task nova.TaskState, has []nova.MigrationStatus) bool {
	switch {
	case vm == nova.Resized:
		return !slices.ContainsFunc(has, func(m nova.MigrationStatus) bool { return m.UnderWay() || m == nova.Error })
	case task == nova.LiveMigrating:
		return len(has) == 0
	}
	return false
}

// checkCells looks for signs that a cell does not answer. What Nova tells nothing about is
// forgotten.
func (n *novaMirror) checkCells(reads *readings, newest int) {
	var bare []string
	nodes := map[string]bool{}
	for _, h := range n.hypervisors {
		nodes[h.Service.Host] = true
	}
	why := cellsGap(newest, n.services, maps.Keys(nodes))
	n.services = slices.DeleteFunc(n.services, silent)
	for _, s := range n.services {
		if s.Binary == nova.Compute && !nodes[s.Host] {
			bare = append(bare, s.Host)
		}
	}
	stubs := len(n.servers)
	n.servers = slices.DeleteFunc(n.servers, func(s novaServer) bool { return strings.EqualFold(s.Status, "unknown") })
	stubs -= len(n.servers)
	all := []cloud.Part{cloud.Services, cloud.Hypervisors, cloud.Instances, cloud.Migrations}
	switch {
	case reads.failed(cloud.Services):
		reads.cut("services could not be read, so it is not known whether all cells have answered", all[1:]...)
	case why != "":
		reads.cut(why, all...)
	case stubs > 0:
		reads.cut(fmt.Sprintf("a cell does not answer: of %d servers no more is known than their uuid", stubs), all...)
	case len(bare) > 0 && !reads.failed(cloud.Hypervisors):
		reads.cut("there is none of "+someOf(bare)+", where nova-compute runs", cloud.Hypervisors)
	}
}

// cellsGap returns why a cell may not have answered, "" if all have: Nova leaves out its
// servers, migrations and hypervisors without a word, and of its services tells no more than
// their names. That is only known of a Nova that tells of every host with a hypervisor that
// it has a nova-compute.
//
// Source: nova/api-guide/source/down_cells.rst; microversion 2.69.
func cellsGap(newest int, services []novaService, hosts iter.Seq[string]) string {
	if newest < wire.CellsVersion {
		return fmt.Sprintf("whether all cells answer, this Nova does not say: it speaks 2.%d, and would from 2.%d on", newest, wire.CellsVersion)
	}
	var down, lone []string
	computes := map[string]bool{"": true}
	for _, s := range services {
		if silent(s) {
			down = append(down, orElse(s.Host, "an unknown host"))
		}
		computes[s.Host] = computes[s.Host] || s.Binary == nova.Compute
	}
	for host := range hosts {
		if !computes[host] {
			lone = append(lone, host)
		}
	}
	switch {
	case len(down) > 0:
		return "a cell does not answer: nothing is known of " + someOf(down)
	case len(lone) > 0:
		return "whether all cells answer, Nova does not say: it lists no nova-compute of " + someOf(lone) + ", where a hypervisor is"
	}
	return ""
}

// silent reports whether the cell of a service does not answer.
func silent(s novaService) bool { return untold(s.Status) || untold(s.State) }

// untold reports whether Nova does not know a status or a state.
func untold(word string) bool { return word == "" || strings.EqualFold(word, "unknown") }

// someOf names the first of several.
func someOf(names []string) string {
	const most = 3
	slices.Sort(names)
	names = slices.Compact(names)
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

// partReading reads a part of a cloud, and returns how many rows it has.
type partReading struct {
	part cloud.Part
	read func() (int, error)
}

// parts reads parts of Nova or Cyborg, one after the other, and notes when, or why not.
// Once one gets no answer at all, the rest is not asked for: the service is away, and
// each would wait as long.
//
// Errors: why none was read, unless the service itself refused; that one got no answer.
func (r *reader) parts(ctx context.Context, of wire.Service, all []partReading) error {
	all = slices.DeleteFunc(all, func(p partReading) bool { return !r.wants(p.part) })
	met := r.call.meet(ctx, of)
	lost, away, answered := error(nil), met != nil, false
	for _, p := range all {
		rows, err := 0, cmp.Or(met, lost)
		if !away {
			rows, err = p.read()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.reads.note(p.part, rows, r.clock(), err)
		if broken(err) {
			lost, away = err, away || unheard(err)
		} else {
			answered = true
		}
	}
	if answered && !away {
		return nil
	}
	return lost
}

// forbidden reports whether err means that the user lacks permission.
func forbidden(err error) bool { return withStatus(err, http.StatusForbidden) != nil }

// readList reads a list that has no pages, and returns its length.
func (r *reader) readList(ctx context.Context, of wire.Service, path string, answer *list) (int, error) {
	if err := r.call.get(ctx, of, path, r.call.services[of].newest(), answer); err != nil {
		return 0, err
	}
	return answer.rows.Len(), nil
}

// marked are rows that a list can continue after; one without a marker has no identity.
type marked interface{ marker() string }

func (f *novaFlavor) marker() string     { return f.ID }
func (h *novaHypervisor) marker() string { return uuidText(h.ID) }
func (s *novaServer) marker() string     { return uuidText(s.ID) }
func (m *novaMigration) marker() string  { return uuidText(m.UUID) }

// uuidText returns a uuid as text, "" for none.
func uuidText(id interface {
	IsZero() bool
	String() string
},
) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// pagesOf is listOf for a list that has pages.
func pagesOf[T any, P interface {
	*T
	marked
}](key string, into *[]T) *list {
	return listOf(key, into)
}

// readPages reads a list in pages: as many items as most full pages have, and at most
// mostInAll bytes. A service may return fewer than requested, and then says that there
// are more. Rows that come twice are taken once.
//
// Errors: *cutError if not all of it could be read; the service's answer.
//
// Source: nova/api/openstack/common.py, get_limit_and_marker and _get_collection_links.
func (r *reader) readPages(ctx context.Context, path string, most int, into *list) (int, error) {
	all := reflect.New(into.into.Type()).Elem()
	seen := map[string]bool{}
	marker, nameless, size := "", 0, int64(0)
	var cut error
	for tries := 0; cut == nil; tries++ {
		if tries == most*mostParts || all.Len() >= most*page || size >= mostInAll {
			cut = &cutError{what: fmt.Sprintf("only the first %d were read", all.Len())}
			break
		}
		answer := list{key: into.key, most: page, into: reflect.New(into.into.Type()).Elem()}
		path := strings.Replace(path+"&limit="+fmt.Sprint(page)+marker, "?&", "?", 1)
		if err := r.call.get(ctx, wire.Compute, path, r.call.services[wire.Compute].newest(), &answer); err != nil {
			return 0, err
		}
		n, had, last := answer.rows.Len(), all.Len(), ""
		for i := range n {
			row := answer.rows.Index(i)
			last = row.Addr().Interface().(marked).marker() // a list of pagesOf
			switch {
			case last == "":
				nameless++
			case !seen[last]:
				seen[last], all = true, reflect.Append(all, row)
			}
		}
		size += answer.size
		switch {
		case n < page && !answer.more:
			if nameless > 0 {
				cut = &cutError{what: fmt.Sprintf("%d of them have no uuid", nameless)}
			}
			into.into.Set(all)
			return all.Len(), cut
		case all.Len() == had || last == "":
			cut = &cutError{what: fmt.Sprintf("only %d were read: the next page does not continue the list", all.Len())}
		}
		marker = "&marker=" + url.QueryEscape(last)
	}
	into.into.Set(all)
	return all.Len(), cut
}

// records returns Nova's records.
func (n *novaMirror) records(of seen) []versioned.Record {
	var out []versioned.Record
	owners := n.owners(of)
	for _, s := range n.services {
		if s.Host == "" || s.Binary == "" {
			continue
		}
		r := &nova.Service{UUID: s.ID, Host: s.Host, Binary: s.Binary, Disabled: s.Status == "disabled", DisabledReason: s.Reason, ForcedDown: s.ForcedTo, Zone: s.Zone, Updated: int64(s.Updated)}
		r.Told = nova.ServiceState(s.State)
		if r.Told != nova.ServiceUp {
			r.LastSeenUp = int64(s.Updated)
		}
		if owner, ok := owners[s.Host]; ok && s.Binary == nova.Compute {
			r.Judged, r.Version = true, nova.VersionOwnerNova-1
			if owner {
				r.Version = nova.VersionOwnerNova
			}
		}
		out = append(out, r)
	}
	for _, a := range n.aggregates {
		if a.UUID.IsZero() || a.Name == "" {
			continue
		}
		r := &nova.HostAggregate{UUID: a.UUID, Number: max(a.Number, 0), Name: a.Name, Hosts: slices.SortedStableFunc(slices.Values(a.Hosts), cmp.Compare), Metadata: orNil(a.Metadata)}
		out = append(out, r)
	}
	flavors, refs := n.flavorRecords()
	out = append(out, flavors...)
	for _, h := range n.hypervisors {
		if h.ID.IsZero() || h.Name == "" || h.Service.Host == "" {
			continue
		}
		out = append(out, &nova.ComputeNode{
			UUID: h.ID, Host: h.Service.Host, Hostname: h.Name, Type: h.Type, Version: max(h.Version, 0),
			VCPUs: max(h.VCPUs, 0), MemoryMB: max(h.MemoryMB, 0), LocalGB: max(h.LocalGB, 0),
			VCPUsUsed: max(h.VCPUsUsed, 0), MemoryMBUsed: max(h.MemoryUsed, 0), LocalGBUsed: max(h.LocalUsed, 0), RunningVMs: max(h.RunningVMs, 0),
		})
	}
	flavorOf := map[placement.ConsumerID]string{}
	for i, s := range n.servers {
		if s.ID.IsZero() {
			continue
		}
		flavorOf[s.ID] = refs[i]
		out = append(out, &nova.Instance{
			UUID: s.ID, Name: cmp.Or(s.Name, s.ID.String()), Project: s.Project, User: s.User, Host: s.Host, Node: s.Node, Flavor: refs[i],
			VMState: s.VMState, TaskState: s.Task, Created: int64(s.Created), Updated: int64(s.Updated), HostZone: s.Zone,
			BootFromVolume: string(s.Image) == `""`, Fault: clip(s.Fault.Message),
		})
	}
	for _, g := range n.migrations {
		if g.UUID.IsZero() || g.Instance.IsZero() {
			continue
		}
		r := &nova.Migration{
			UUID: g.UUID, Instance: g.Instance, Type: g.Type, Status: g.Status, Source: g.Source, Dest: g.Dest,
			Created: int64(g.Created), Updated: int64(g.Updated),
		}
		// The API identifies the flavors of a migration only by database ids.
		switch {
		case !r.Status.UnderWay():
		case r.Type != nova.Resize:
			r.OldFlavor, r.NewFlavor = flavorOf[r.Instance], flavorOf[r.Instance]
		case r.Status == nova.Finished:
			r.NewFlavor = flavorOf[r.Instance]
		}
		out = append(out, r)
	}
	return out
}

func orNil(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}

// owners says for each host whether the roots of its compute nodes all have OWNER_NOVA:
// the version of its service, which no API reports, is judged by that. Hosts of which it
// is not known yet are missing.
func (n *novaMirror) owners(of seen) map[string]bool {
	out := map[string]bool{}
	for _, h := range n.hypervisors {
		has, known := of.owner[h.ID]
		if !known {
			continue
		}
		if was, ok := out[h.Service.Host]; ok {
			has = has && was
		}
		out[h.Service.Host] = has
	}
	return out
}

// flavorRecords returns the flavors, and the ref of the flavor of each server. A server
// keeps the flavor that it was booted with; if that has changed since, or is gone, it
// becomes an older revision of that name.
func (n *novaMirror) flavorRecords() (records []versioned.Record, refs []string) {
	now := map[string]*nova.Flavor{}
	for _, f := range n.flavors {
		r := &nova.Flavor{
			Name: f.Name, FlavorID: f.ID, VCPUs: f.VCPUs, MemoryMB: f.RAM, RootGB: f.Disk, EphemeralGB: f.Ephemeral, SwapMB: int64(f.Swap),
			Disabled: f.Disabled, Private: !f.Public, Description: f.Description, ExtraSpecs: orNil(f.ExtraSpecs),
		}
		if r.Validate() == nil {
			now[r.Name] = r
		}
	}
	old := map[string]map[string]*nova.Flavor{} // by name and content
	of := make([]*nova.Flavor, len(n.servers))
	for i, s := range n.servers {
		f := s.Flavor
		r := &nova.Flavor{
			Name: f.Name, VCPUs: f.VCPUs, MemoryMB: f.RAM, RootGB: f.Disk, EphemeralGB: f.Ephemeral, SwapMB: int64(f.Swap), Deleted: true,
		}
		is := now[f.Name]
		switch {
		case f.ExtraSpecs != nil:
			r.ExtraSpecs = orNil(*f.ExtraSpecs)
		case is != nil && sameAmounts(is, r):
			r.ExtraSpecs = is.ExtraSpecs
		default:
			continue // what else it asks for is not known
		}
		if is != nil && alike(is, r) {
			of[i] = is
			continue
		}
		if r.Validate() != nil {
			continue
		}
		if is != nil {
			r.FlavorID, r.Private, r.Description, r.Deleted = is.FlavorID, is.Private, is.Description, false
		}
		key, err := json.Marshal(r)
		if err != nil {
			continue
		}
		if old[r.Name] == nil {
			old[r.Name] = map[string]*nova.Flavor{}
		}
		if has := old[r.Name][string(key)]; has != nil {
			r = has
		}
		old[r.Name][string(key)] = r
		of[i] = r
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		for _, key := range slices.Sorted(maps.Keys(old[name])) {
			records = append(records, old[name][key])
		}
	}
	count := map[string]int64{}
	for _, r := range records {
		f := r.(*nova.Flavor)
		f.Revision = count[f.Name]
		count[f.Name]++
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		now[name].Revision = count[name]
		records = append(records, now[name])
	}
	refs = make([]string, len(of))
	for i, f := range of {
		if f != nil {
			refs[i] = f.Ref()
		} else {
			refs[i] = n.servers[i].Flavor.Name
		}
	}
	return records, refs
}

// alike reports whether two flavors request the same.
func alike(a, b *nova.Flavor) bool {
	return sameAmounts(a, b) && maps.Equal(a.ExtraSpecs, b.ExtraSpecs)
}

// sameAmounts reports whether two flavors request the same, but for their extra specs.
func sameAmounts(a, b *nova.Flavor) bool {
	return a.VCPUs == b.VCPUs && a.MemoryMB == b.MemoryMB && a.RootGB == b.RootGB && a.EphemeralGB == b.EphemeralGB && a.SwapMB == b.SwapMB
}
