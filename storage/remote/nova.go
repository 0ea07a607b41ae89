package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// novaMirror holds what Nova answered, by part.
type novaMirror struct {
	config      *nova.Config
	services    []novaService
	flavors     []novaFlavor
	hypervisors []novaHypervisor
	aggregates  []novaAggregate
	servers     []novaServer
	early       bool         // the list of servers may have been cut: see list.early
	deleted     []novaServer // that hold something; see reader.readDeleted
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
		ID          string             `json:"id"`
		Name        string             `json:"name"`
		RAM         int64              `json:"ram"`
		VCPUs       int64              `json:"vcpus"`
		Disk        int64              `json:"disk"`
		Ephemeral   int64              `json:"OS-FLV-EXT-DATA:ephemeral"`
		Swap        amount             `json:"swap"`
		Disabled    bool               `json:"OS-FLV-DISABLED:disabled"`
		Public      bool               `json:"os-flavor-access:is_public"`
		Description string             `json:"description"`
		ExtraSpecs  *map[string]string `json:"extra_specs"` // nil if the user may not see them
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
		Image   json.RawMessage      `json:"image"`
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

// volume is the image of a server that boots from a volume.
const volume = `""`

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

// readNova reads the parts of Nova that exist and may be read, one after the other. It
// takes few requests, however many hosts there are.
//
// Errors: why nothing of it could be read.
func (r *reader) readNova(ctx context.Context) error {
	r.m.mu.Lock()
	n, began := r.m.nova, r.m.order.tick()
	r.m.mu.Unlock()
	err := r.parts(ctx, api.Compute, append([]partReading{
		{cloud.Flavors, func() (int, error) {
			return r.readPages(ctx, "/flavors/detail?is_public=None", mostPages, pagesOf("flavors", &n.flavors))
		}},
		{cloud.Hypervisors, func() (int, error) {
			return r.readPages(ctx, "/os-hypervisors/detail?", mostPages, pagesOf("hypervisors", &n.hypervisors))
		}},
		{cloud.HostAggregates, func() (int, error) {
			return r.readList(ctx, api.Compute, "/os-aggregates", listOf("aggregates", &n.aggregates))
		}},
	}, r.serverParts(ctx, &n)...))
	n.checkCells(&r.reads, r.call.services[api.Compute].newest()) // first: a record in a former cell hides nothing
	n.oneOfEach(&r.reads)
	n.checkLists(&r.reads)
	n.checkFlavors(&r.reads)
	if err == nil {
		r.readDeleted(ctx, &n)
	}
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.m.lists(began, n)
	return err
}

// readDeleted asks whether strangers are servers that Nova deleted, which it remembers until
// they are archived. What it does not remember may be of another service: consumers seldom
// have a type. Each is asked for once.
//
// Source: nova/api/openstack/compute/servers.py, _get_servers, deleted; nova/cmd/manage.py,
// archive_deleted_rows.
func (r *reader) readDeleted(ctx context.Context, n *novaMirror) {
	var mu sync.Mutex
	asked := make(map[placement.ConsumerID]*novaServer, len(r.strangers))
	_ = each(ctx, r.call.inFlight, r.strangers, func(ctx context.Context, id placement.ConsumerID) error {
		was, known := r.remembered[id]
		if !known {
			var rows []novaServer
			path := api.ServerListPath(id) + "&deleted=true"
			if err := r.call.read(ctx, api.Compute, path, listOf("servers", &rows)); err != nil {
				return err // it is asked again at the next reading
			}
			if i := slices.IndexFunc(rows, func(s novaServer) bool { return s.ID == id && s.VMState == nova.Deleted }); i >= 0 {
				was = &rows[i]
			}
		}
		mu.Lock()
		defer mu.Unlock()
		asked[id] = was
		return nil
	})
	r.remembered, n.deleted = asked, nil
	for _, id := range r.strangers {
		if s := asked[id]; s != nil {
			n.deleted = append(n.deleted, *s)
		}
	}
}

// strangers returns the consumers without a type in trees of hypervisors of its Nova that it
// does not list, up to a number that can be asked for.
func strangers(s *cloud.Snapshot) []placement.ConsumerID {
	const most = 500
	var out []placement.ConsumerID
	for c := range s.Placement().Consumers() {
		if c.Type() != "" || len(out) == most {
			continue
		}
		i, server := s.Nova().Instance(c.ID())
		if _, move := s.Nova().Migration(c.ID()); !move && (!server || !i.Live()) && s.Foreign(c) == "" {
			out = append(out, c.ID())
		}
	}
	return out
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
			n.early = servers.early
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
			return r.readList(ctx, api.Compute, "/os-services", listOf("services", &n.services))
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
	var err error
	if !r.admin { // once: where many deleted servers are still in its database, Nova looks for long
		err = r.call.get(ctx, api.Compute, api.AdministratorPath, r.call.services[api.Compute].newest(), listOf("servers", new([]novaServer)))
		r.admin = err == nil
	}
	if err == nil {
		_, err = r.readPages(ctx, "/servers/detail?all_tenants=1&deleted=true&status=SOFT_DELETED", mostPages, pagesOf("servers", &deleted))
	}
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
	migrations := pagesOf("migrations", &n.migrations)
	rows, err := r.readPages(ctx, "/os-migrations?", mostMoves, migrations)
	cut, isCut := errors.AsType[*cutError](err)
	switch {
	case !isCut && err != nil, !isCut && (rows == 0 || !migrations.early):
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
		if _, twice := flavorOf[s.ID]; twice || s.ID.IsZero() {
			continue
		}
		flavorOf[s.ID] = refs[i]
		out = append(out, &nova.Instance{
			UUID: s.ID, Name: cmp.Or(s.Name, s.ID.String()), Project: s.Project, User: s.User, Host: s.Host, Node: s.Node, Flavor: refs[i],
			VMState: s.VMState, TaskState: s.Task, Created: int64(s.Created), Updated: int64(s.Updated), HostZone: s.Zone,
			BootFromVolume: string(s.Image) == volume, Fault: clip(s.Fault.Message),
		})
	}
	for _, s := range n.deleted {
		out = append(out, &nova.Instance{UUID: s.ID, Name: cmp.Or(s.Name, s.ID.String()), Project: s.Project, User: s.User, Host: s.Host, Node: s.Node, Flavor: s.Flavor.Name, VMState: nova.Deleted, Created: int64(s.Created), Updated: int64(s.Updated)})
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
	now, told := map[string]*nova.Flavor{}, map[string]bool{}
	for _, f := range n.flavors {
		if r := f.record(); r.Validate() == nil {
			now[r.Name], told[r.Name] = r, f.ExtraSpecs != nil
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
		case told[f.Name] && sameAmounts(is, r):
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
		name := n.servers[i].Flavor.Name
		switch {
		case f != nil:
			refs[i] = f.Ref()
		case now[name] != nil, nova.FlavorName(name) != name: // it is not known whether that is the one, or a revision
			refs[i] = (&nova.Flavor{Name: name, Revision: nova.UnknownRevision}).Ref()
		default:
			refs[i] = name
		}
	}
	return records, refs
}

// record returns the record of a flavor, which may not be valid.
func (f *novaFlavor) record() *nova.Flavor {
	r := &nova.Flavor{
		Name: f.Name, FlavorID: f.ID, VCPUs: f.VCPUs, MemoryMB: f.RAM, RootGB: f.Disk, EphemeralGB: f.Ephemeral, SwapMB: int64(f.Swap),
		Disabled: f.Disabled, Private: !f.Public, Description: f.Description,
	}
	if f.ExtraSpecs != nil {
		r.ExtraSpecs = orNil(*f.ExtraSpecs)
	}
	return r
}

// alike reports whether two flavors request the same.
func alike(a, b *nova.Flavor) bool {
	return sameAmounts(a, b) && maps.Equal(a.ExtraSpecs, b.ExtraSpecs)
}

// sameAmounts reports whether two flavors request the same, but for their extra specs.
func sameAmounts(a, b *nova.Flavor) bool {
	return slices.EqualFunc(a.Amounts(), b.Amounts(), func(a, b nova.Amount) bool { return *a.Of == *b.Of })
}
