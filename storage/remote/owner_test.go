package remote

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// hypervisor adds a compute node whose root is that of storagetest.Host(1, ...), with its
// service.
func (s *standIn) hypervisor() {
	const host = "cmp-1"
	s.says("/os-services", object{"services": []any{object{"binary": "nova-compute", "host": host, "status": "enabled", "state": "up"}}})
	s.says("/os-hypervisors/detail", object{"hypervisors": []any{object{
		"id": storagetest.Provider(1).String(), "hypervisor_hostname": host, "hypervisor_type": "QEMU", "service": object{"host": host},
	}}})
}

// migration adds a migration of consumer 11 with the uuid of consumer 10.
func (s *standIn) migration(kind, status string) {
	s.says("/os-migrations", object{"migrations": []any{object{
		"id": 1, "uuid": storagetest.Consumer(10).String(), "instance_uuid": storagetest.Consumer(11).String(), "migration_type": kind, "status": status,
		"source_compute": "cmp-1", "dest_compute": "cmp-2",
	}}})
}

// resized makes the server of that migration one of cmp-1, of a flavor.
func (s *standIn) resized(flavor object) {
	s.says("/servers/"+storagetest.Consumer(11).String(), object{"server": object{
		"id": storagetest.Consumer(11), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-1", "flavor": flavor,
	}})
}

// hears returns a function that returns the paths of which it was asked since.
func (s *standIn) hears() func() []string {
	var paths []string
	s.mu.Lock()
	s.asked = func(path string) { paths = append(paths, path) }
	s.mu.Unlock()
	return func() []string {
		s.mu.Lock()
		defer s.mu.Unlock()
		slices.Sort(paths)
		return slices.Compact(paths)
	}
}

// checkAsked checks that a preview shows each path of Nova that was asked, and no other.
func checkAsked(t *testing.T, shown []api.Call, asked []string) {
	t.Helper()
	var paths []string
	for _, c := range shown {
		if c.Service == api.Compute {
			path, _, _ := strings.Cut(c.Path, "?")
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	must.Match(t, asked, slices.Compact(paths))
}

// TestOwnerIsAskedBeforeARelease has a Nova that says something else of the owner of a
// claim than what was read before: only if it says that the owner is gone, the claim is
// released. Nothing of it has reached the Snapshot by then.
func TestOwnerIsAskedBeforeARelease(t *testing.T) {
	t.Parallel()
	path := "/servers/" + storagetest.Consumer(10).String()
	status := func(of string, code int, body string) func(in *standIn) {
		return func(in *standIn) {
			in.odd = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasPrefix(r.URL.RequestURI(), of) {
					return false
				}
				if code == 0 {
					w.Header().Set("Content-Length", "100")
					w.Header().Set("Content-Type", "application/json")
					_, _ = w.Write([]byte(body)) // the rest never comes
					return true
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(code)
				_, _ = w.Write([]byte(body))
				return true
			}
		}
	}
	for name, test := range map[string]struct {
		typ    placement.ConsumerType
		minor  int               // of Nova's API; 87 unless given
		first  func(in *standIn) // before it is read
		then   func(in *standIn) // once everything was read
		away   bool              // the cloud was opened without Nova
		other  bool              // the root is no compute node of this Nova
		beyond bool              // it holds something on another root, too
		pool   bool              // which is a pool
		force  cloud.Force       // an operator insists
		keeps  ops.Amounts       // what the server of a migration holds
		want   string            // why it is refused; "" if it is released
	}{
		"a server that is gone":   {typ: placement.InstanceConsumer},
		"untyped, and neither":    {},
		"shelved, and on no host": {typ: placement.InstanceConsumer, first: func(in *standIn) { in.server("", "shelved_offloaded", "") }},
		"shelved, and being unshelved": {
			typ: placement.InstanceConsumer, first: func(in *standIn) { in.server("", "shelved_offloaded", "") },
			then: func(in *standIn) { in.server("", "shelved_offloaded", "unshelving") }, want: "as it still exists",
		},
		"a migration that is gone":   {typ: placement.MigrationConsumer},
		"a server":                   {then: func(in *standIn) { in.server("cmp-1", "active", "") }, want: "as it still exists: Nova has the server (active, on cmp-1)"},
		"a server, and insisted":     {then: func(in *standIn) { in.server("cmp-1", "active", "") }, force: cloud.ForceUnchecked},
		"forbidden":                  {then: status(path, 403, `{"forbidden":{"message":"not by you"}}`), want: "not known whether it still exists: compute GET " + path + ": 403"},
		"unavailable":                {then: status(path, 503, `{"error":{"message":"down"}}`), want: "not known whether it still exists"},
		"broken":                     {then: status(path, 500, `{"computeFault":{"message":"broken"}}`), want: "not known whether it still exists"},
		"a torn answer":              {then: status(path, 0, `{"server":{"id":`), want: "it is not known"},
		"404 of a proxy":             {then: status(path, 404, `<html>not here</html>`), want: "it is not known"},
		"404 of a gateway in JSON":   {then: status(path, 404, `{"message":"no such route"}`), want: "it is not known"},
		"a user of one project":      {then: status("/servers/detail?all_tenants", 403, `{"forbidden":{"message":"not by you"}}`), want: "a user who may not list the servers of all projects gets 404"},
		"no administrator":           {then: status("/servers/detail?all_tenants=1&status=DELETED", 403, `{"forbidden":{"message":"not by you"}}`), want: "a user who is no administrator"},
		"listed, though 404":         {then: func(in *standIn) { in.server("cmp-1", "active", ""); delete(in.answers, path) }, want: "it still exists: Nova lists the server"},
		"a migration in progress":    {then: func(in *standIn) { in.migration("live-migration", "accepted") }, want: "it still exists: Nova has the live-migration"},
		"a migration of some status": {then: func(in *standIn) { in.migration("resize", "some-day") }, want: "it still exists"},
		"typed, in progress":         {typ: placement.MigrationConsumer, then: func(in *standIn) { in.migration("resize", "finished") }, want: "it still exists"},
		"a migration in two cells, over in one": {then: func(in *standIn) {
			row := func(status string) object {
				return object{"id": 1, "uuid": storagetest.Consumer(10).String(), "instance_uuid": storagetest.Consumer(11).String(), "migration_type": "resize", "status": status}
			}
			in.says("/os-migrations", object{"migrations": []any{row("reverting"), row("reverted")}})
		}, want: "it still exists: Nova has the resize"},
		"a migration that is over": {then: func(in *standIn) { in.migration("resize", "confirmed") }},
		"over, its server stayed": {then: func(in *standIn) {
			in.migration("live-migration", "failed")
			in.says("/servers/"+storagetest.Consumer(11).String(), object{"server": object{"id": storagetest.Consumer(11), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-1"}})
		}, want: "web-1 is on cmp-1 and holds nothing else there"},
		"over, its server is listed, though 404": {then: func(in *standIn) {
			in.migration("resize", "reverted")
			in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(11).String(), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-1"}}})
		}, want: "Nova lists the server"},
		// As after a revert that was done by half.
		"reverted, its server holds less": {keeps: ops.Amounts{storagetest.Provider(1): {placement.VCPU: 2}}, then: func(in *standIn) {
			in.migration("resize", "reverted")
			in.says("/servers/"+storagetest.Consumer(11).String(), object{"server": object{"id": storagetest.Consumer(11), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-1"}})
		}, want: "the resize is reverted, but web-1 is on cmp-1 and holds less there: VGPU 0, not 1"},
		"reverted, its server holds as much": {keeps: ops.Amounts{storagetest.Provider(1): {placement.VCPU: 2}, storagetest.Provider(2): {placement.VGPU: 1}}, then: func(in *standIn) {
			in.migration("resize", "reverted")
			in.says("/servers/"+storagetest.Consumer(11).String(), object{"server": object{"id": storagetest.Consumer(11), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-1"}})
		}},
		// As after a resize on its host.
		"confirmed, its server holds less": {keeps: ops.Amounts{storagetest.Provider(1): {placement.VCPU: 1}}, then: func(in *standIn) {
			in.migration("resize", "confirmed")
			in.resized(object{"extra_specs": object{}})
		}},
		"confirmed, its server holds less than its flavor asks for": {keeps: ops.Amounts{storagetest.Provider(1): {placement.VCPU: 1}}, then: func(in *standIn) {
			in.migration("resize", "confirmed")
			in.resized(object{"extra_specs": object{"resources1:VGPU": "1"}})
		}, want: "the resize is confirmed, but web-1 is on cmp-1 and holds less there: VGPU 0, not 1"},
		"confirmed, its server holds less, and its flavor is not told": {keeps: ops.Amounts{storagetest.Provider(1): {placement.VCPU: 1}}, then: func(in *standIn) {
			in.migration("resize", "confirmed")
			in.resized(object{})
		}, want: "web-1 is on cmp-1 and holds less there: VGPU 0, not 1"},
		// As of a server whose claim lost the disk that it has on a shared pool.
		"confirmed, its server holds no disk": {beyond: true, pool: true, keeps: ops.Amounts{storagetest.Provider(1): {placement.VCPU: 2}, storagetest.Provider(2): {placement.VGPU: 1}}, then: func(in *standIn) {
			in.migration("resize", "confirmed")
			in.resized(object{"disk": 20, "extra_specs": object{}})
		}, want: "web-1 is on cmp-1 and holds less there: DISK_GB 0, not 1"},
		"reverted, its server holds as much disk": {beyond: true, pool: true, keeps: ops.Amounts{storagetest.Provider(1): {placement.VCPU: 2}, storagetest.Provider(2): {placement.VGPU: 1}, storagetest.Provider(3): {placement.DiskGB: 1}}, then: func(in *standIn) {
			in.migration("resize", "reverted")
			in.resized(object{})
		}},
		// As Nova tells a revert before its source has the server back.
		"reverted, and not over": {then: func(in *standIn) {
			in.migration("resize", "reverted")
			in.says("/servers/"+storagetest.Consumer(11).String(), object{"server": object{"id": storagetest.Consumer(11), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-2", "OS-EXT-STS:vm_state": "resized", "OS-EXT-STS:task_state": "resize_reverting"}})
		}, want: "the resize is reverted, but Nova is not done with web-1"},
		"over, its server moved": {then: func(in *standIn) {
			in.migration("live-migration", "completed")
			in.says("/servers/"+storagetest.Consumer(11).String(), object{"server": object{"id": storagetest.Consumer(11), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-2"}})
		}},
		"over, its server stayed on the node": {then: func(in *standIn) {
			in.migration("live-migration", "failed")
			in.says("/servers/"+storagetest.Consumer(11).String(), object{"server": object{"id": storagetest.Consumer(11), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-SRV-ATTR:hypervisor_hostname": "cmp-1"}})
		}, want: "web-1 is on cmp-1 and holds nothing else there"},
		// As of ironic, whose one service has many nodes.
		"over, its server is on another node of the host": {first: func(in *standIn) {
			in.answers["/os-hypervisors/detail"] = strings.Replace(in.answers["/os-hypervisors/detail"], `"service":`, `"hypervisor_type":"ironic","service":`, 1)
		}, then: func(in *standIn) {
			in.migration("live-migration", "completed")
			in.says("/servers/"+storagetest.Consumer(11).String(), object{"server": object{"id": storagetest.Consumer(11), "name": "web-1", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-SRV-ATTR:hypervisor_hostname": "node-b"}})
		}},
		"migrations are forbidden":    {then: status("/os-migrations", 403, `{"forbidden":{"message":"not by you"}}`), want: "it is not known"},
		"migrations are down":         {then: status("/os-migrations", 503, `{}`), want: "it is not known"},
		"migrations that are torn":    {then: status("/os-migrations", 0, `{"migrations":[`), want: "it is not known"},
		"a server needs no migration": {typ: placement.InstanceConsumer, then: status("/os-migrations", 503, `{}`)},
		"migrations go on for ever": {then: func(in *standIn) {
			in.migration("resize", "confirmed")
			body := strings.ReplaceAll(in.answers["/os-migrations"], storagetest.Consumer(10).String(), storagetest.Consumer(12).String())
			status("/os-migrations", 200, body)(in)
		}, want: "does not come to an end"},
		"a page without a row in the middle of migrations": {then: func(in *standIn) {
			rows := make([]any, page)
			for n := range rows {
				rows[n] = object{"id": n, "uuid": storagetest.Consumer(uint64(100 + n)).String(), "instance_uuid": storagetest.Consumer(12).String(), "migration_type": "resize", "status": "confirmed"}
			}
			in.says("/os-migrations", object{"migrations": rows})
			finished := must.Get(json.Marshal(object{"migrations": []any{object{"id": 1, "uuid": storagetest.Consumer(10).String(), "instance_uuid": storagetest.Consumer(11).String(), "migration_type": "resize", "status": "finished"}}}))(in.t)
			in.odd = func(w http.ResponseWriter, r *http.Request) bool {
				if q := r.URL.Query(); q.Get("status") != "finished" || q.Has("marker") {
					return false
				}
				_, _ = w.Write(finished)
				return true
			}
		}, want: "it still exists: Nova has the resize"},
		"no migration of a server that waits for its move": {first: func(in *standIn) {
			in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(11).String(), "name": "web-2", "tenant_id": "p", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-STS:vm_state": "resized"}}})
		}, want: "of web-2, which is being moved, Nova lists no migration"},
		"no migration of one that begins to move": {first: func(in *standIn) {
			in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(11).String(), "name": "web-2", "tenant_id": "p", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-STS:task_state": "resize_prep"}}})
		}, want: "of web-2, which is being moved, Nova lists no migration"},
		"a server of its project holds nothing there": {first: func(in *standIn) {
			in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(11).String(), "name": "web-2", "tenant_id": "p", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-STS:vm_state": "active"}}})
		}, want: "may be of a move of web-2, which is on cmp-1 and holds nothing there"},
		"a server of another project holds nothing there": {first: func(in *standIn) {
			in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(11).String(), "name": "web-2", "tenant_id": "q", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-STS:vm_state": "active"}}})
		}},
		"no migration of a live one": {first: func(in *standIn) {
			in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(11).String(), "name": "web-2", "tenant_id": "p", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-STS:task_state": "migrating"}}})
		}, want: "of web-2, which is being moved, Nova lists no migration"},
		"no server, and guests": {first: func(in *standIn) {
			in.answers["/os-hypervisors/detail"] = strings.Replace(in.answers["/os-hypervisors/detail"], `"service":`, `"running_vms":2,"service":`, 1)
		}, want: "cmp-1 reports 2 guests, and Nova lists 0 servers there"},
		"a cell is down": {then: func(in *standIn) {
			in.says("/os-services", object{"services": []any{object{"binary": "nova-compute", "host": "cmp-7", "status": "UNKNOWN"}}})
		}, want: "a cell does not answer: nothing is known of cmp-7"},
		"services are down":   {then: status("/os-services", 503, `{}`), want: "it is not known"},
		"a Nova before cells": {minor: 65, want: "it speaks 2.65"},
		"no services":         {then: func(in *standIn) { in.says("/os-services", object{"services": []any{}}) }, want: "it lists no nova-compute of cmp-1"},
		"services are null":   {then: func(in *standIn) { in.says("/os-services", object{"services": nil}) }, want: "null instead of ["},
		"other services": {then: func(in *standIn) {
			in.says("/os-services", object{"services": []any{object{"binary": "nova-compute", "host": "cmp-7", "status": "enabled", "state": "up"}, object{"binary": "nova-conductor", "host": "cmp-1", "status": "enabled", "state": "up"}}})
		}, want: "it lists no nova-compute of cmp-1"},
		"of another Nova":          {other: true, want: "may be a server of another one"},
		"in part of another Nova":  {beyond: true, want: "may be a server of another one"},
		"and of a pool":            {beyond: true, pool: true},
		"opened without Nova":      {away: true, want: "opened without Nova"},
		"without Nova, insisted":   {away: true, force: cloud.ForceUnchecked},
		"a consumer of somebody's": {typ: "VOLUME", want: "no other owner can be asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for what, change := range map[string]func(s *cloud.Snapshot) (ops.Plan, error){
				"all": func(s *cloud.Snapshot) (ops.Plan, error) {
					return ops.PlanRelease(s, storagetest.Consumer(10), placement.ProviderID{})
				},
				"part": func(s *cloud.Snapshot) (ops.Plan, error) {
					return ops.PlanRelease(s, storagetest.Consumer(10), storagetest.Provider(2))
				},
			} {
				w, in := newWorld(t, 0), newStandIn(t)
				w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
				holds := ops.Amounts{storagetest.Provider(1): {placement.VCPU: 2}, storagetest.Provider(2): {placement.VGPU: 1}}
				if test.beyond {
					w.do(t, cloud.Change{Ops: storagetest.Host(3, 8, 4)})
					class := placement.VCPU
					if test.pool {
						class = placement.DiskGB
						for _, n := range []uint64{1, 3} {
							w.do(t, cloud.Change{Ops: []cloud.Op{placement.SetAggregates{Provider: storagetest.Provider(n), Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{{7}}}}})
						}
						w.do(t, cloud.Change{Ops: []cloud.Op{placement.AddInventory{Provider: storagetest.Provider(3), Generation: placement.AnyGeneration(), Class: class, Inventory: placement.NewInventory(10)}}})
					}
					holds[storagetest.Provider(3)] = map[placement.ResourceClass]int64{class: 1}
				}
				if test.pool {
					w.do(t, cloud.Change{Ops: []cloud.Op{placement.SetTraits{Provider: storagetest.Provider(3), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.SharesViaAggregate}}}})
				}
				w.do(t, cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
					Consumer: storagetest.Consumer(10), Generation: placement.NewConsumer(), Type: test.typ, Project: "p", User: "u",
					Allocations: holds,
				}}}}})
				if test.keeps != nil {
					w.do(t, cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
						Consumer: storagetest.Consumer(11), Generation: placement.NewConsumer(), Type: placement.InstanceConsumer, Project: "p", User: "u", Allocations: test.keeps,
					}}}}})
				}
				if !test.other {
					in.hypervisor()
				}
				minor := test.minor
				if minor == 0 {
					minor = computeNewest
				}
				if test.first != nil {
					test.first(in)
				}
				s := w.openWith(t, api.Compute, in, minor)
				if test.away {
					s = w.mayWrite(t)
				}
				if test.then != nil {
					in.mu.Lock()
					test.then(in)
					in.mu.Unlock()
				}
				plan := must.Get(change(s.Snapshot()))(t)
				plan.Change.Force = test.force
				asks, asked := api.Asking(s.Snapshot(), plan.Change.Ops, test.force != cloud.ForceNone), in.hears()
				err := ops.Runner{}.Run(t.Context(), s, plan)
				if test.want == "" && !test.away {
					_, known := s.Snapshot().Nova().Migration(storagetest.Consumer(10)) // else its server cannot be shown
					checkAsked(t, asks, slices.DeleteFunc(asked(), func(path string) bool {
						return !known && path == "/servers/"+storagetest.Consumer(11).String()
					}))
				}
				left, ok := w.kept.Snapshot().Placement().Consumer(storagetest.Consumer(10))
				stays := ok && len(w.kept.Snapshot().Placement().ConsumerRecord(left).Allocations) == len(holds)
				if stays != (test.want != "") {
					t.Errorf("%s: it still holds all: %t, %v", what, stays, err)
				}
				switch owner := (*cloud.OwnerError)(nil); {
				case test.want == "":
					must.Succeed(t, err)
				case !errors.As(err, &owner) || !strings.Contains(err.Error(), test.want):
					t.Errorf("%s: %v, want %q", what, err, test.want)
				}
			}
		})
	}
}

// TestOwnerOfARequestIsAsked deletes accelerator requests: their owner is asked, and a
// claim stays while Cyborg has a request for it that the change does not delete.
func TestOwnerOfARequestIsAsked(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	w.do(t, storagetest.Claim(10, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1}))
	in.hypervisor()
	in.cyborg()
	s := w.openAt(t, api.Accelerator, in, &service{name: api.Accelerator, address: in.URL}, &service{name: api.Compute, address: in.URL, minor: computeNewest})
	release := must.Get(ops.PlanRelease(s.Snapshot(), storagetest.Consumer(10), placement.ProviderID{}))(t)
	if err := (ops.Runner{}).Run(t.Context(), s, release); err == nil || !strings.Contains(err.Error(), "accelerator request "+fixed(4).String()) {
		t.Errorf("with a bound request: %v", err)
	}
	both := must.Get(ops.Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		return ops.ReleaseExceptStuck(s, storagetest.Consumer(10), nil)
	}).Plan(s.Snapshot()))(t)
	in.mu.Lock()
	in.server("cmp-1", "active", "")
	in.mu.Unlock()
	in.written()
	if err := (ops.Runner{}).Run(t.Context(), s, both); err == nil || !strings.Contains(err.Error(), "Nova has the server") {
		t.Errorf("of a server: %v", err)
	}
	if sent := in.written(); sent != "" {
		t.Errorf("sent %s", sent)
	}
	if _, holds := w.kept.Snapshot().Placement().Consumer(storagetest.Consumer(10)); !holds {
		t.Error("it was released")
	}
}

// TestTraitOfAServiceIsAsked sets the trait of a compute node as its service was listed: not
// once somebody has disabled the service since.
func TestTraitOfAServiceIsAsked(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]error{"enabled": nil, "disabled": placement.ErrConflict} {
		w, in := newWorld(t, 0), newStandIn(t)
		w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
		set := func(traits ...placement.Trait) cloud.Change {
			return cloud.Change{Ops: []cloud.Op{placement.SetTraits{Provider: storagetest.Provider(1), Generation: placement.AnyGeneration(), Traits: traits}}}
		}
		w.do(t, set(placement.ComputeStatusDisabled))
		in.hypervisor()
		s := w.openWith(t, api.Compute, in, computeNewest)
		in.mu.Lock()
		in.says("/os-services", object{"services": []any{object{"binary": "nova-compute", "host": "cmp-1", "status": status, "state": "up"}}})
		in.mu.Unlock()
		asks, asked := api.Asking(s.Snapshot(), set().Ops, false), in.hears()
		if err := s.Apply(t.Context(), set()).Err(); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", status, err, want)
		}
		if want == nil {
			checkAsked(t, asks, asked())
		}
		must.Be(t, w.kept.Snapshot().Placement().Having(placement.ComputeStatusDisabled).Len() == 0, want == nil)
	}
}

// TestTwinServices reads a cloud in which a host has left a record of its service in a former
// cell: the one that is up counts, and the list is not whole. That each cell has a conductor
// means nothing, and a record in a former cell does not hide that the present one is down.
func TestTwinServices(t *testing.T) {
	t.Parallel()
	former := object{"id": fixed(1).String(), "binary": "nova-compute", "host": "cmp-1", "status": "disabled", "state": "down", "updated_at": "2026-02-01T00:00:00.000000"}
	up := object{"id": fixed(2).String(), "binary": "nova-compute", "host": "cmp-1", "status": "enabled", "state": "up", "updated_at": "2026-01-01T00:00:00.000000"}
	conductor := func(id byte) object {
		return object{"id": fixed(id).String(), "binary": "nova-conductor", "host": "ctl", "status": "enabled", "state": "up"}
	}
	for name, test := range map[string]struct {
		services []any
		gap      string
		disabled bool
	}{
		"a record in a former cell":   {[]any{former, up}, "there are several records of one service of cmp-1", false},
		"a conductor in each cell":    {[]any{up, conductor(3), conductor(4)}, "", false},
		"and the present one is down": {[]any{former, object{"binary": "nova-compute", "host": "cmp-1", "status": "UNKNOWN"}}, "a cell does not answer: nothing is known of cmp-1", true},
	} {
		w, in := newWorld(t, 0), newStandIn(t)
		w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
		in.hypervisor()
		in.says("/os-services", object{"services": test.services})
		s := w.openWith(t, api.Compute, in, computeNewest)
		if svc, ok := s.Snapshot().Nova().Service("cmp-1", nova.Compute); !ok || svc.Disabled != test.disabled {
			t.Errorf("%s: the service is %v", name, svc)
		}
		if gap := s.Snapshot().Gap(cloud.Services); gap != test.gap {
			t.Errorf("%s: %q, want %q", name, gap, test.gap)
		}
	}
}

// TestFlavorThatIsNotTold lists a server whose extra specs are hidden, and whose flavor was
// made again as another one: what it asked for is not known.
func TestFlavorThatIsNotTold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flavor object
		ref    string
	}{
		"as today's":                {object{"original_name": "small", "vcpus": 1, "ram": 128, "disk": 1}, "small"},
		"another":                   {object{"original_name": "small", "vcpus": 2, "ram": 4096, "disk": 1}, (&nova.Flavor{Name: "small", Revision: nova.UnknownRevision}).Ref()},
		"without CPUs":              {object{"original_name": "small", "vcpus": 0, "ram": 0, "disk": 1, "extra_specs": object{}}, (&nova.Flavor{Name: "small", Revision: nova.UnknownRevision}).Ref()},
		"of a name like a revision": {object{"original_name": "small#2", "vcpus": 2, "ram": 4096, "disk": 1, "extra_specs": object{}}, (&nova.Flavor{Name: "small#2", Revision: nova.UnknownRevision}).Ref()},
		"a deleted name":            {object{"original_name": "gone", "vcpus": 2, "ram": 4096, "disk": 1}, "gone"},
	} {
		w, in := newWorld(t, 0), newStandIn(t)
		w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
		in.server("cmp-1", "active", "")
		in.says("/servers/detail", object{"servers": []any{object{
			"id": storagetest.Consumer(10).String(), "name": "web-1", "tenant_id": "p", "user_id": "u", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-STS:vm_state": "active", "flavor": test.flavor,
		}}})
		s := w.openWith(t, api.Compute, in, computeNewest)
		i, ok := s.Snapshot().Nova().Instance(storagetest.Consumer(10))
		if !ok || i.Flavor != test.ref || nova.HasUnknownRevision(i.Flavor) != (test.ref != "small" && test.ref != "gone") {
			t.Errorf("%s: its flavor is %v, want %s", name, i, test.ref)
		}
	}
}

// TestFlavorThatCannotBeShown says that a flavor is not shown whose name ends like that of a
// revision.
func TestFlavorThatCannotBeShown(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	in.server("cmp-1", "active", "")
	in.answers["/flavors/detail"] = strings.Replace(in.answers["/flavors/detail"], `"large"`, `"large#2"`, 1)
	s := w.openWith(t, api.Compute, in, computeNewest).Snapshot()
	if _, ok := s.Nova().FlavorNamed("large#2"); ok || s.Gap(cloud.Flavors) != `"large#2" cannot be shown here` {
		t.Errorf("it is shown: %t, and of the list it says %q", ok, s.Gap(cloud.Flavors))
	}
}

// TestDeletedServersAreRemembered asks for each consumer that Nova does not list whether Nova
// has deleted a server with its uuid: once, however often the cloud is read.
func TestDeletedServersAreRemembered(t *testing.T) {
	t.Parallel()
	for state, remembered := range map[string]bool{"deleted": true, "active": false} {
		w, in := newWorld(t, 0), newStandIn(t)
		w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
		for n := range uint64(2) {
			c := storagetest.Claim(10+n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})
			c.Ops[0].(placement.ReplaceAllocations).Consumers[0].Type = ""
			w.do(t, c)
		}
		in.hypervisor()
		asked := map[string]int{}
		in.odd = func(w http.ResponseWriter, r *http.Request) bool {
			id := r.URL.Query().Get("uuid")
			if r.URL.Path != "/servers/detail" || id == "" {
				return false
			}
			asked[id]++
			rows := []any{}
			if id == storagetest.Consumer(10).String() {
				rows = append(rows, object{"id": id, "name": "web-1", "OS-EXT-STS:vm_state": state, "flavor": object{"original_name": "gone"}})
			}
			_, _ = w.Write(must.Get(json.Marshal(object{"servers": rows}))(t))
			return true
		}
		s := w.openWith(t, api.Compute, in, computeNewest)
		must.Succeed(t, s.Refresh(t.Context()))
		must.Succeed(t, s.Refresh(t.Context()))
		i, known := s.Snapshot().Nova().Instance(storagetest.Consumer(10))
		if known != remembered || known && i.Live() {
			t.Errorf("%s: %v", state, i)
		}
		if _, known := s.Snapshot().Nova().Instance(storagetest.Consumer(11)); known {
			t.Error("Nova never had the other")
		}
		must.Match(t, map[string]int{storagetest.Consumer(10).String(): 1, storagetest.Consumer(11).String(): 1}, asked)
	}
}

// TestReshapeAsksNobody moves a claim along with the inventory that it is of: nothing can be
// given to others.
func TestReshapeAsksNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	w.do(t, storagetest.Claim(10, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1}))
	s := w.mayWrite(t)
	plan := must.Get(ops.PlanReshape(s.Snapshot(), storagetest.Provider(2), storagetest.Provider(1), placement.VGPU))(t)
	must.Succeed(t, ops.Runner{}.Run(t.Context(), s, plan))
}

// TestReleaseWithoutCyborg releases accelerators of a cloud whose catalog has no Cyborg. Those
// of a provider that says it is Cyborg's may have requests that nobody can be asked about.
func TestReleaseWithoutCyborg(t *testing.T) {
	t.Parallel()
	const unasked = "opened without Cyborg, which knows"
	for name, test := range map[string]struct {
		class placement.ResourceClass
		owner placement.Trait
		also  bool // something else is Cyborg's
		want  string
	}{
		"Nova's":                   {placement.VGPU, placement.OwnerNova, false, ""},
		"Cyborg's":                 {placement.VGPU, placement.OwnerCyborg, false, unasked},
		"of a class that it makes": {"CUSTOM_NIC", placement.OwnerCyborg, false, unasked},
		"where it has others":      {"CUSTOM_NIC", placement.OwnerNova, true, unasked},
		"no device":                {placement.VCPU, placement.OwnerCyborg, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			has := map[placement.ResourceClass]placement.Inventory{test.class: placement.NewInventory(4)}
			w.do(t, cloud.Change{Ops: []cloud.Op{
				placement.CreateClass{Name: "CUSTOM_NIC"},
				placement.SetInventories{Provider: storagetest.Provider(2), Generation: placement.AnyGeneration(), Inventories: has},
				placement.SetTraits{Provider: storagetest.Provider(2), Generation: placement.AnyGeneration(), Traits: []placement.Trait{test.owner}},
			}})
			if test.also {
				w.do(t, cloud.Change{Ops: []cloud.Op{placement.SetTraits{Provider: storagetest.Provider(1), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}}}})
			}
			w.do(t, storagetest.Claim(10, storagetest.Provider(2), storagetest.Resources{test.class: 1}))
			in.hypervisor()
			s := w.openWith(t, api.Compute, in, computeNewest)
			plan := must.Get(ops.PlanRelease(s.Snapshot(), storagetest.Consumer(10), placement.ProviderID{}))(t)
			asks := slices.ContainsFunc(api.Asking(s.Snapshot(), plan.Change.Ops, false), func(c api.Call) bool { return c.Service == api.Accelerator })
			if asks != (test.want != "") {
				t.Errorf("the preview asks Cyborg: %t", asks)
			}
			err := ops.Runner{}.Run(t.Context(), s, plan)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestDeletesEmptyProviderWithoutCyborg deletes a provider that has nothing and says nothing,
// where the catalog has no Cyborg but another provider says that it is Cyborg's.
func TestDeletesEmptyProviderWithoutCyborg(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	w.do(t, cloud.Change{Ops: []cloud.Op{
		placement.SetTraits{Provider: storagetest.Provider(2), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}},
		placement.CreateProvider{ID: storagetest.Provider(9), Name: "empty"},
	}})
	in.hypervisor()
	s := w.openWith(t, api.Compute, in, computeNewest)
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.DeleteProvider{ID: storagetest.Provider(9)}}}).Err())
}

// TestCyborgContradictsItself releases nothing if a request that was listed is not among
// those of its instance any more, and deletes none that only a proxy says is gone.
func TestCyborgContradictsItself(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	w.do(t, storagetest.Claim(10, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1}))
	in.hypervisor()
	in.cyborg()
	s := w.openAt(t, api.Accelerator, in, &service{name: api.Accelerator, address: in.URL}, &service{name: api.Compute, address: in.URL, minor: computeNewest})
	in.says("/v2/accelerator_requests", object{"arqs": []any{}})
	one := "/v2/accelerator_requests/" + fixed(4).String()
	in.says(one, object{"uuid": fixed(4), "state": "Bound", "instance_uuid": storagetest.Consumer(10)})
	release := must.Get(ops.PlanRelease(s.Snapshot(), storagetest.Consumer(10), placement.ProviderID{}))(t)
	if err := (ops.Runner{}).Run(t.Context(), s, release); err == nil || !strings.Contains(err.Error(), "Cyborg has accelerator request "+fixed(4).String()+", which is Bound") {
		t.Errorf("with a request that is in no list: %v", err)
	}
	q := &questions{call: s.reader.call, now: s.Snapshot()}
	for name, test := range map[string]struct {
		kind, body string
		gone       bool
	}{
		"of a proxy":             {"text/html", "<html>", false},
		"of a gateway":           {"application/json", `{"message": "no route to /v2/accelerator_requests/` + fixed(5).String() + `", "path": "` + fixed(5).String() + `"}`, false},
		"of a gateway, as Nova":  {"application/json", `{"error": {"message": "no route to ` + fixed(5).String() + `"}}`, false},
		"of another request":     {"application/json", `{"faultcode": "Client", "faultstring": "ARQ ` + fixed(6).String() + ` not found."}`, false},
		"Cyborg's":               {"application/json", `{"faultcode": "Client", "faultstring": "ARQ ` + fixed(5).String() + ` not found."}`, true},
		"Cyborg's, within":       {"application/json", `{"error_message": {"faultcode": "Client", "faultstring": "ARQ ` + fixed(5).String() + ` not found."}}`, true},
		"Cyborg's, within, text": {"application/json", `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"ARQ ` + fixed(5).String() + ` not found.\"}"}`, true},
	} {
		in.odd = func(out http.ResponseWriter, _ *http.Request) bool {
			out.Header().Set("Content-Type", test.kind)
			out.WriteHeader(http.StatusNotFound)
			_, _ = out.Write([]byte(test.body))
			return true
		}
		if err := q.unbound(t.Context(), []uuid.UUID{fixed(5)}); (err == nil) != test.gone {
			t.Errorf("404 %s: %v", name, err)
		}
	}
}

// TestServerIsAskedBeforeAClaim claims something for a server that is not as it was listed:
// it would hold what it does not use. What is in between must not answer from memory.
func TestServerIsAskedBeforeAClaim(t *testing.T) {
	t.Parallel()
	path := "/servers/" + storagetest.Consumer(10).String()
	for name, test := range map[string]struct {
		then  func(in *standIn)
		holds bool // something on another host, which it loses
		loses bool // and claims nothing
		force cloud.Force
		want  error
	}{
		"as it was":         {then: func(*standIn) {}},
		"gone":              {then: func(in *standIn) { delete(in.answers, path); in.says("/servers/detail", object{"servers": []any{}}) }, want: placement.ErrConflict},
		"gone, and listed":  {then: func(in *standIn) { delete(in.answers, path) }, want: placement.ErrConflict},
		"on another host":   {then: func(in *standIn) { in.server("cmp-2", "active", "") }, want: placement.ErrConflict},
		"on no host":        {then: func(in *standIn) { in.server("", "shelved_offloaded", "") }, want: placement.ErrConflict},
		"being moved":       {then: func(in *standIn) { in.server("cmp-1", "active", "migrating") }, want: placement.ErrConflict},
		"of another flavor": {then: func(in *standIn) { in.flavor = "large"; in.server("cmp-1", "active", "") }, want: placement.ErrConflict},
		"not known":         {then: func(in *standIn) { in.odd = answers(http.StatusServiceUnavailable, `{}`)(in) }, want: placement.ErrUnavailable},
		"evacuated since, and insisted to take what it holds elsewhere": {
			then: func(in *standIn) { in.server("cmp-1", "active", "rebuilding") }, holds: true, force: cloud.ForceListed, loses: true, want: placement.ErrConflict,
		},
		"not known, and corrected":                                {then: func(in *standIn) { in.odd = answers(http.StatusServiceUnavailable, `{}`)(in) }, holds: true, force: cloud.ForceListed, loses: true, want: placement.ErrUnavailable},
		"not known, and insisted":                                 {then: func(in *standIn) { in.odd = answers(http.StatusServiceUnavailable, `{}`)(in) }, holds: true, force: cloud.ForceUnchecked, loses: true},
		"not known, and claims blindly":                           {then: func(in *standIn) { in.odd = answers(http.StatusServiceUnavailable, `{}`)(in) }, force: cloud.ForceUnchecked, want: placement.ErrUnavailable},
		"as it was, and insisted to take what it holds elsewhere": {then: func(*standIn) {}, holds: true, force: cloud.ForceListed, loses: true},
		"gone, and insisted to take what it held": {then: func(in *standIn) {
			delete(in.answers, path)
			in.says("/servers/detail", object{"servers": []any{}})
		}, holds: true, force: cloud.ForceListed, loses: true},
		"moved, and insisted to take from it what it holds there": {
			then: func(in *standIn) { in.server("cmp-2", "active", "") }, holds: true, force: cloud.ForceListed, want: placement.ErrConflict,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			w.do(t, cloud.Change{Ops: storagetest.Host(3, 8, 4)})
			if test.holds {
				w.do(t, storagetest.Claim(10, storagetest.Provider(3), storagetest.Resources{placement.VCPU: 1}))
			}
			in.server("cmp-1", "active", "")
			in.hypervisor()
			s := w.openWith(t, api.Compute, in, computeNewest)
			in.mu.Lock()
			test.then(in)
			odd := in.odd
			in.odd = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Header.Get("Cache-Control") != "no-cache" {
					t.Errorf("%s may be answered from memory", r.URL)
				}
				return odd != nil && odd(w, r)
			}
			in.mu.Unlock()
			before := w.kept.Snapshot()
			c := storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})
			c.Force = test.force
			claim := c.Ops[0].(placement.ReplaceAllocations)
			claim.Consumers[0].Generation = placement.AnyGeneration()
			if test.loses {
				c.Ops = []cloud.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(10)}}
			}
			asks := api.Asking(s.Snapshot(), c.Ops, test.force != cloud.ForceNone)
			asked := in.hears()
			if !test.loses && !slices.ContainsFunc(asks, func(c api.Call) bool { return c.Path == path && c.Answer.Status == http.StatusOK }) {
				t.Errorf("the preview asks %v", asks)
			}
			err := s.Apply(t.Context(), c).Err()
			if !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
			if wrote := w.kept.Snapshot() != before; wrote != (test.want == nil) {
				t.Errorf("it was written: %t", wrote)
			}
			if test.want == nil {
				checkAsked(t, asks, asked())
			}
		})
	}
}

// TestHealsNothingThatIsBeingMoved heals a server of which Nova begins an evacuation after that was
// planned: what it holds on the host that it goes to is not released when that is decided again.
func TestHealsNothingThatIsBeingMoved(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	w.do(t, cloud.Change{Ops: storagetest.Host(3, 8, 4)})
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.AddInventory{Provider: storagetest.Provider(1), Generation: placement.AnyGeneration(), Class: placement.DiskGB, Inventory: placement.NewInventory(9)}}})
	claim := placement.Claim{Consumer: storagetest.Consumer(10), Generation: placement.AnyGeneration(), Type: placement.InstanceConsumer, Project: "p", User: "u"}
	claim.Allocations = ops.Amounts{storagetest.Provider(1): {placement.VCPU: 1, placement.MemoryMB: 128, placement.DiskGB: 1}, storagetest.Provider(3): {placement.VCPU: 1, placement.MemoryMB: 128}}
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}}})
	in.flavor = "small"
	in.server("cmp-1", "active", "")
	in.hypervisor()
	s := w.openWith(t, api.Compute, in, computeNewest)
	heals := must.Get(ops.PlanHeal(s.Snapshot(), ops.HealOptions{Instance: storagetest.Consumer(10), Force: true}))(t)
	plan := heals[0].Plan
	if plan.Empty() {
		t.Fatalf("%+v", heals[0])
	}
	plan.Change.Force = cloud.ForceListed
	in.mu.Lock()
	in.server("cmp-1", "active", "rebuilding")
	in.hypervisor()
	in.mu.Unlock()
	before := w.kept.Snapshot()
	if err := (ops.Runner{Shown: plan.Shown()}).Run(t.Context(), s, plan); err == nil || w.kept.Snapshot() != before {
		t.Errorf("it was written: %v", err)
	}

	// Its state may be set by hand while it moves.
	for _, status := range []nova.MigrationStatus{nova.Accepted, nova.Migrating, "some-day"} {
		in.mu.Lock()
		in.server("cmp-1", "active", "")
		in.hypervisor()
		in.says("/os-migrations", object{"migrations": []any{object{
			"id": 1, "uuid": storagetest.Consumer(12), "instance_uuid": storagetest.Consumer(10), "migration_type": "evacuation", "status": status, "source_compute": "cmp-1", "dest_compute": "cmp-3",
		}}})
		in.mu.Unlock()
		must.Succeed(t, s.Refresh(t.Context()))
		heals := must.Get(ops.PlanHeal(s.Snapshot(), ops.HealOptions{Instance: storagetest.Consumer(10), Force: true}))(t)
		if h := heals[0]; !h.Plan.Empty() || h.Why != "it is being moved: its evacuation is "+string(status) {
			t.Errorf("%s: %+v", status, h)
		}
	}
}

// TestGivesUpNothingInUse deletes a card, or gives it to another owner, of which nobody holds
// anything: Cyborg has bound a request to it since, or a server on its host may use it and holds
// no card. Placement would do it.
func TestGivesUpNothingInUse(t *testing.T) {
	t.Parallel()
	card := storagetest.Provider(2)
	give := placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova}}
	share := placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg, placement.OwnerNova}}
	for name, test := range map[string]struct {
		op   cloud.Op
		then func(in *standIn) // once everything was read
		want string            // why it is left; "" if it is not
	}{
		"a card of nobody is deleted":     {placement.DeleteProvider{ID: card}, func(*standIn) {}, ""},
		"a card of nobody is given":       {give, func(*standIn) {}, ""},
		"a card with a request":           {placement.DeleteProvider{ID: card}, (*standIn).cyborg, "in use: Cyborg has accelerator request " + fixed(4).String()},
		"a card with a request, given":    {give, (*standIn).cyborg, "in use: Cyborg has accelerator request " + fixed(4).String()},
		"a card of nobody, for both":      {share, func(*standIn) {}, ""},
		"a card with a request, for both": {share, (*standIn).cyborg, "in use: Cyborg has accelerator request " + fixed(4).String()},
		"Cyborg is away":                  {give, func(in *standIn) { in.odd = answers(http.StatusServiceUnavailable, `{}`)(in) }, "not known whether it is in use"},
		"a root with a server":            {placement.DeleteProvider{ID: storagetest.Provider(1)}, func(in *standIn) { in.server("cmp-1", "active", "") }, "in use: web-1 is on cmp-1"},
		"a root that a server moves to": {placement.DeleteProvider{ID: storagetest.Provider(1)}, func(in *standIn) {
			in.says("/os-migrations", object{"migrations": []any{object{"id": 1, "uuid": storagetest.Consumer(12), "instance_uuid": storagetest.Consumer(11), "migration_type": "live-migration", "status": "running", "source_compute": "cmp-2", "dest_compute": "cmp-1"}}})
		}, "in use"},
		"a card, and a server may have":            {give, func(in *standIn) { in.server("cmp-1", "active", ""); in.asksFor("resources1:VGPU") }, "in use: web-1 is on cmp-1, and holds nothing"},
		"a card, and a server has none":            {give, func(in *standIn) { in.server("cmp-1", "active", "") }, ""},
		"a card loses what it has":                 {placement.DeleteInventory{Provider: card, Class: placement.VGPU}, func(*standIn) {}, ""},
		"a card loses what it has, with a request": {placement.DeleteInventory{Provider: card, Class: placement.VGPU}, (*standIn).cyborg, "in use: Cyborg has accelerator request"},
		"a card loses all it has, and a server may have": {
			placement.SetInventories{Provider: card, Generation: placement.AnyGeneration()},
			func(in *standIn) { in.server("cmp-1", "active", ""); in.asksFor("resources1:VGPU") }, "in use: web-1 is on cmp-1, and holds nothing",
		},
		"a card, and a server that can be restored may have": {give, func(in *standIn) {
			in.server("cmp-1", "soft-delete", "")
			in.asksFor("resources1:VGPU")
			in.odd = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/servers/detail") || r.URL.Query().Get("status") == "SOFT_DELETED" {
					return false
				}
				_, _ = io.WriteString(w, `{"servers": []}`)
				return true
			}
		}, "in use: web-1 is on cmp-1, and holds nothing"},
		"a card, and it is not told what a server asks for": {give, func(in *standIn) {
			in.server("cmp-1", "active", "")
			in.answers["/servers/detail"] = strings.ReplaceAll(in.answers["/servers/detail"], `"extra_specs":{},`, "")
		}, "not known whether it is in use: web-1 is on cmp-1, and Nova does not say"},
		"no administrator": {give, func(in *standIn) {
			in.odd = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Get("status") != "DELETED" {
					return false
				}
				w.WriteHeader(http.StatusForbidden)
				return true
			}
		}, "not known whether it is in use"},
		"a cell is down": {give, func(in *standIn) { in.says("/os-services", object{"services": []any{object{"host": "cmp-1"}}}) }, "not known whether it is in use"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			if test.op == (placement.DeleteProvider{ID: storagetest.Provider(1)}) {
				w.do(t, cloud.Change{Ops: []cloud.Op{placement.DeleteProvider{ID: card}}})
			} else {
				w.do(t, cloud.Change{Ops: []cloud.Op{placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}}}})
			}
			in.hypervisor()
			in.cyborg()
			in.says("/v2/accelerator_requests", object{"arqs": []any{}})
			s := w.openAt(t, api.Accelerator, in, &service{name: api.Accelerator, address: in.URL}, &service{name: api.Compute, address: in.URL, minor: computeNewest})
			in.mu.Lock()
			test.then(in)
			in.says("/v2/accelerator_requests/"+fixed(4).String(), object{"uuid": fixed(4), "state": "Bound", "instance_uuid": storagetest.Consumer(10)})
			in.mu.Unlock()
			asks := api.Asking(s.Snapshot(), []cloud.Op{test.op}, false)
			before, asked := w.kept.Snapshot(), in.hears()
			err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{test.op}}).Err()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || w.kept.Snapshot() != before != (err == nil) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if err == nil { // the stand-in is both services
				checkAsked(t, asks, slices.DeleteFunc(asked(), func(path string) bool { return strings.HasPrefix(path, "/v2") }))
			}
		})
	}
}

// asksFor has the flavor of the server ask for one of each of some extra specs.
func (s *standIn) asksFor(keys ...string) {
	specs := `"extra_specs":{"` + strings.Join(keys, `":"1","`) + `":"1"}`
	s.answers["/servers/detail"] = strings.Replace(s.answers["/servers/detail"], `"extra_specs":{}`, specs, 1)
}

// TestGivesUpNoDeviceOfAKind gives a card of VGPUs to another owner while a server on its host holds
// an FPGA there: that is all it asks for, or what it uses of the card is held by nobody.
func TestGivesUpNoDeviceOfAKind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		asks []string
		used bool
	}{
		{[]string{"resources2:FPGA"}, false},
		{[]string{"accel:device_profile"}, false},
		{[]string{"resources1:VGPU", "resources2:FPGA"}, true},
		{[]string{"resources1:FPGA", "resources2:FPGA"}, false},
		{[]string{"accel:device_profile", "resources2:FPGA"}, true},
		{[]string{"pci_passthrough:alias", "resources2:FPGA"}, true},
	} {
		t.Run(strings.Join(test.asks, " "), func(t *testing.T) {
			t.Parallel()
			w, in, card, fpga := newWorld(t, 0), newStandIn(t), storagetest.Provider(2), storagetest.Provider(3)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			w.do(t, cloud.Change{Ops: []cloud.Op{
				placement.CreateProvider{ID: fpga, Name: "fpga", Parent: storagetest.Provider(1)},
				placement.AddInventory{Provider: fpga, Generation: placement.AnyGeneration(), Class: placement.FPGA, Inventory: placement.NewInventory(1)},
			}})
			w.do(t, storagetest.Claim(10, fpga, storagetest.Resources{placement.FPGA: 1}))
			in.hypervisor()
			in.says("/v2/accelerator_requests", object{"arqs": []any{}})
			s := w.openAt(t, api.Accelerator, in, &service{name: api.Accelerator, address: in.URL}, &service{name: api.Compute, address: in.URL, minor: computeNewest})
			in.mu.Lock()
			in.server("cmp-1", "active", "")
			in.asksFor(test.asks...)
			in.mu.Unlock()
			give := placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}}
			err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{give}}).Err()
			if (err != nil) != test.used || err != nil && !strings.Contains(err.Error(), "in use: web-1 is on cmp-1") {
				t.Error(err)
			}
		})
	}
}

// TestGivesUpNoPoolInUse deletes what all that it had was taken from, what disks may be on, or what
// ports may use, while a server may do that and holds nothing of the kind.
func TestGivesUpNoPoolInUse(t *testing.T) {
	t.Parallel()
	pool, card, nic := storagetest.Provider(3), storagetest.Provider(2), storagetest.Provider(4)
	for name, test := range map[string]struct {
		op    cloud.Op
		holds bool   // of the pool's class
		image string // of the server
		want  bool   // it is refused
		specs string // more of the server's flavor
	}{
		"the pool":                     {placement.DeleteProvider{ID: pool}, false, "i", true, ""},
		"the pool, of another":         {placement.DeleteProvider{ID: pool}, true, "i", false, ""},
		"the pool, and it has volumes": {placement.DeleteProvider{ID: pool}, false, "", false, ""},
		"the pool, of bare metal":      {placement.DeleteProvider{ID: pool}, false, "i", false, `"resources:DISK_GB":"0",`},
		"what the pool has":            {placement.DeleteInventory{Provider: pool, Class: placement.DiskGB}, false, "i", true, ""},
		"that the pool is one":         {placement.SetTraits{Provider: pool, Generation: placement.AnyGeneration()}, false, "i", true, ""},
		"what was a card":              {placement.DeleteProvider{ID: card}, true, "i", true, ""},
		"what its ports may use":       {placement.DeleteProvider{ID: nic}, false, "i", true, ""},
		"the same, it holds the rest":  {placement.DeleteProvider{ID: nic}, true, "i", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in, root := newWorld(t, 0), newStandIn(t), storagetest.Provider(1)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			has := func(id placement.ProviderID) cloud.Op {
				return placement.AddInventory{Provider: id, Generation: placement.AnyGeneration(), Class: placement.DiskGB, Inventory: placement.NewInventory(9)}
			}
			w.do(t, cloud.Change{Ops: []cloud.Op{
				placement.SetInventories{Provider: card, Generation: placement.AnyGeneration()},
				has(root),
				placement.CreateProvider{ID: nic, Name: "nic", Parent: root},
				placement.AddInventory{Provider: nic, Generation: placement.AnyGeneration(), Class: bandwidth, Inventory: placement.NewInventory(9)},
				placement.CreateProvider{ID: pool, Name: "pool"},
				has(pool),
				placement.SetTraits{Provider: pool, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.SharesViaAggregate}},
			}})
			if test.holds {
				w.do(t, storagetest.Claim(10, root, storagetest.Resources{placement.DiskGB: 1}))
			}
			in.server("cmp-1", "active", "")
			in.asksFor("resources1:VGPU")
			in.answers["/servers/detail"] = strings.Replace(in.answers["/servers/detail"], `"extra_specs":{`, `"extra_specs":{`+test.specs, 1)
			in.answers["/servers/detail"] = strings.Replace(in.answers["/servers/detail"], `"id":`, `"image":"`+test.image+`","id":`, 1)
			in.hypervisor()
			s := w.openWith(t, api.Compute, in, computeNewest)
			err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{test.op}}).Err()
			if (err != nil) != test.want || err != nil && !strings.Contains(err.Error(), "in use: web-1 is on cmp-1") {
				t.Error(err)
			}
		})
	}
}

// TestBandwidthOfPorts releases what a resize that is over holds on the host of its server, and deletes
// a network card, while the server holds all there but bandwidth: only Neutron knows whether its ports ask for that.
func TestBandwidthOfPorts(t *testing.T) {
	t.Parallel()
	root, nic := storagetest.Provider(1), storagetest.Provider(3)
	for _, holds := range []bool{true, false} {
		w, in := newWorld(t, 0), newStandIn(t)
		w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
		w.do(t, cloud.Change{Ops: []cloud.Op{
			placement.CreateProvider{ID: nic, Name: "nic", Parent: root},
			placement.AddInventory{Provider: nic, Generation: placement.AnyGeneration(), Class: bandwidth, Inventory: placement.NewInventory(100)},
		}})
		claim := func(n uint64, has ops.Amounts) {
			w.do(t, cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{Consumer: storagetest.Consumer(n), Generation: placement.AnyGeneration(), Project: "p", User: "u", Allocations: has}}}}})
		}
		all := ops.Amounts{root: {placement.VCPU: 1, placement.MemoryMB: 128}, nic: {bandwidth: 10}}
		claim(10, all)
		if !holds {
			delete(all, nic)
		}
		claim(11, all)
		in.hypervisor()
		in.migration("resize", "confirmed")
		in.resized(object{"extra_specs": object{}})
		in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(11), "name": "web-1", "tenant_id": "p", "OS-EXT-SRV-ATTR:host": "cmp-1", "OS-EXT-STS:vm_state": "active", "flavor": object{"extra_specs": object{}}}}})
		s := w.openWith(t, api.Compute, in, computeNewest)
		err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(10)}}}).Err()
		if (err == nil) != holds || err != nil && !strings.Contains(err.Error(), "web-1 is on cmp-1 and holds less there: NET_BW_EGR_KILOBIT_PER_SEC 0, not 10") {
			t.Errorf("it holds bandwidth: %t, %v", holds, err)
		}
		if holds {
			continue
		}
		claim(10, nil)
		must.Succeed(t, s.Refresh(t.Context()))
		err = s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.DeleteProvider{ID: nic}}}).Err()
		if err == nil || !strings.Contains(err.Error(), "not known whether it is in use: web-1 is on cmp-1, and only Neutron knows whether its ports ask for it") {
			t.Error(err)
		}
	}
}

// TestAsksOnceOfSeveral deletes two cards of a host, and takes the owner and the inventory from a third:
// each list is asked for once.
func TestAsksOnceOfSeveral(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	var edits []cloud.Op
	for n := range uint64(3) {
		id, whatever := storagetest.Provider(20+n), placement.AnyGeneration()
		w.do(t, cloud.Change{Ops: []cloud.Op{
			placement.CreateProvider{ID: id, Name: fmt.Sprint("cmp-00001_card_", n), Parent: storagetest.Provider(1)},
			placement.AddInventory{Provider: id, Generation: whatever, Class: placement.VGPU, Inventory: placement.NewInventory(4)},
			placement.SetTraits{Provider: id, Generation: whatever, Traits: []placement.Trait{placement.OwnerNova}},
		}})
		if n < 2 {
			edits = append(edits, placement.DeleteProvider{ID: id})
			continue
		}
		edits = append([]cloud.Op{placement.SetInventories{Provider: id, Generation: whatever}, placement.SetTraits{Provider: id, Generation: whatever}}, edits...)
	}
	in.hypervisor()
	in.says("/v2/accelerator_requests", object{"arqs": []any{}})
	s := w.openAt(t, api.Accelerator, in, &service{name: api.Accelerator, address: in.URL}, &service{name: api.Compute, address: in.URL, minor: computeNewest})
	asked := map[string]int{}
	in.mu.Lock()
	in.odd = func(_ http.ResponseWriter, r *http.Request) bool {
		if !r.URL.Query().Has("marker") {
			asked[r.URL.RequestURI()]++
		}
		return false
	}
	in.mu.Unlock()
	_, ev, err := s.Snapshot().Apply(cloud.Change{Ops: edits})
	must.Succeed(t, err)
	must.Succeed(t, s.unused(t.Context(), s.Snapshot(), ev))
	in.mu.Lock()
	defer in.mu.Unlock()
	for path, n := range asked {
		if n != 1 {
			t.Errorf("it was asked %d times for %s", n, path)
		}
	}
}

// TestTickLeavesWhatIsInUse reports a machine without the card that a server may use: the card is left,
// and the rest is written.
func TestTickLeavesWhatIsInUse(t *testing.T) {
	t.Parallel()
	w, in, root := newWorld(t, 0), newStandIn(t), storagetest.Provider(1)
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.CreateProvider{ID: root, Name: "cmp-1"}}})
	in.hypervisor()
	s := w.openWith(t, api.Compute, in, computeNewest)
	of := func(class placement.ResourceClass, n int64) []tracker.Inventory {
		return []tracker.Inventory{{Class: class, Inventory: placement.NewInventory(n)}}
	}
	report := func(vcpus int64, cards ...tracker.Provider) (tracker.Outcome, error) {
		tree := tracker.Tree{Root: tracker.Provider{ID: root, Name: "cmp-1", Kind: tracker.ComputeNode, Inventories: of(placement.VCPU, vcpus)}}
		for _, c := range cards {
			c.ID = placement.ProviderID(uuid.NewSHA1(uuid.UUID(root), []byte(c.Name)))
			c.Kind = cmp.Or(c.Kind, tracker.PGPU)
			c.Traits = append(c.Traits, tracker.Trait{Name: placement.OwnerNova})
			if c.Inventories == nil {
				c.Inventories = of(placement.VGPU, 4)
			}
			tree.Children = append(tree.Children, c)
		}
		tick := ops.Tick{By: "agent of", Tree: tree, Conf: tracker.DefaultConf(), Elsewhere: true}
		_, found, _, err := tick.Write(t.Context(), ops.Runner{Actor: "agent", Now: s.clock}, s)
		return found.Out, err
	}
	const used, idle = "cmp-1_pci_0000_84_00_0", "cmp-1_pci_0000_85_00_0"
	_ = must.Get(report(8, tracker.Provider{Name: used}))(t)
	in.mu.Lock()
	in.server("cmp-1", "active", "")
	in.asksFor("resources1:VGPU")
	in.mu.Unlock()
	out := must.Get(report(16, tracker.Provider{Name: idle}))(t)
	is := w.kept.Snapshot().Placement()
	for _, name := range []string{used, idle} {
		if p, ok := is.ProviderByName(name); !ok || len(p.Inventories()) != 1 {
			t.Errorf("of %s there is %v", name, p)
		}
	}
	p, _ := is.Provider(root)
	if has := p.Inventories()[0].Total; has != 16 {
		t.Errorf("there are %d VCPU", has)
	}
	i := slices.IndexFunc(out.Differences, func(d tracker.Difference) bool { return d.Provider == used })
	if d := out.Differences[i]; d.Verdict != tracker.Conflict || !strings.Contains(d.Why, "left as it is, as it is in use: web-1 is on cmp-1") {
		t.Errorf("it is told as %+v", d)
	}

	// Of a card that is seen with other classes, only what is in question is left.
	other := append(of("CUSTOM_OTHER", 6), of(placement.VGPU, 4)...)
	_ = must.Get(report(16, tracker.Provider{Name: used, Inventories: other}))(t)
	_ = must.Get(report(16, tracker.Provider{Name: used, Inventories: of("CUSTOM_OTHER", 7), Traits: []tracker.Trait{{Name: "CUSTOM_NEW"}}}))(t)
	is = w.kept.Snapshot().Placement()
	p, _ = is.ProviderByName(used)
	has := is.ProviderRecord(p).Inventories
	if has[placement.VGPU].Total != 4 || has["CUSTOM_OTHER"].Total != 7 || !slices.Contains(is.TraitsOf(p), "CUSTOM_NEW") {
		t.Errorf("of %s there is %v with %v", used, has, is.TraitsOf(p))
	}

	// One that is passed through as a whole now is not there twice.
	const whole = "cmp-1_0000:84:00.0"
	_ = must.Get(report(16, tracker.Provider{Name: whole, Kind: tracker.PCI, Address: pci.Address{Bus: 0x84}}))(t)
	is = w.kept.Snapshot().Placement()
	_, stays := is.ProviderByName(used)
	if _, made := is.ProviderByName(whole); made || !stays {
		t.Errorf("there is %s: %t, and %s: %t", whole, made, used, stays)
	}
}

// TestTickWithoutNova reports a machine with a server that holds nothing, while Nova does not answer, or
// has moved it since: the server is left alone, and the rest is written.
func TestTickWithoutNova(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(in *standIn){
		"down": func(in *standIn) {
			in.odd = func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
		},
		"the server is down": func(in *standIn) {
			in.odd = func(w http.ResponseWriter, r *http.Request) bool {
				down := strings.HasPrefix(r.URL.Path, "/servers/"+storagetest.Consumer(10).String())
				if down {
					w.WriteHeader(http.StatusInternalServerError)
				}
				return down
			}
		},
		"the server is elsewhere": func(in *standIn) { in.server("cmp-2", "active", "") },
	} {
		for _, again := range []bool{false, true} {
			w, in, root := newWorld(t, 0), newStandIn(t), storagetest.Provider(1)
			w.do(t, cloud.Change{Ops: []cloud.Op{
				placement.CreateProvider{ID: root, Name: "cmp-1"},
				placement.SetInventories{Provider: root, Generation: placement.AnyGeneration(), Inventories: map[placement.ResourceClass]placement.Inventory{
					placement.VCPU: placement.NewInventory(8), placement.MemoryMB: placement.NewInventory(8192), placement.DiskGB: placement.NewInventory(100),
				}},
			}})
			in.server("cmp-1", "active", "")
			in.hypervisor()
			s := w.openWith(t, api.Compute, in, computeNewest)
			in.mu.Lock()
			change(in)
			in.mu.Unlock()
			if again {
				must.Succeed(t, s.Refresh(t.Context()))
			}
			tree := tracker.Tree{Root: tracker.Provider{ID: root, Name: "cmp-1", Kind: tracker.ComputeNode}}
			for class, n := range map[placement.ResourceClass]int64{placement.VCPU: 16, placement.MemoryMB: 8192, placement.DiskGB: 100} {
				tree.Root.Inventories = append(tree.Root.Inventories, tracker.Inventory{Class: class, Inventory: placement.NewInventory(n)})
			}
			tick := ops.Tick{By: "agent of", Tree: tree, Conf: tracker.DefaultConf(), Elsewhere: true}
			_, found, _, err := tick.Write(t.Context(), ops.Runner{Actor: "agent", Now: s.clock}, s)
			is := w.kept.Snapshot().Placement()
			p, _ := is.Provider(root)
			if has := is.ProviderRecord(p).Inventories[placement.VCPU].Total; has != 16 {
				t.Errorf("%s, read again: %t: there are %d VCPU: %v", name, again, has, err)
			}
			if _, holds := is.Consumer(storagetest.Consumer(10)); holds {
				t.Errorf("%s, read again: %t: the server holds something: %v", name, again, found.Out.Remarks)
			}
		}
	}
}

// TestTickLeavesTheStatusThatNovaDoesNotTell reports a machine that is disabled, or not any more, while
// Nova does not answer, or has not the service in its answer, or its cell is down: the trait is
// left as it is, with the reason, and the rest is written.
func TestTickLeavesTheStatusThatNovaDoesNotTell(t *testing.T) {
	t.Parallel()
	silent := func(in *standIn) {
		in.odd = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
	}
	answers := func(rows ...any) func(in *standIn) {
		return func(in *standIn) { in.says("/os-services", object{"services": rows}) }
	}
	row := func(host, status, state string) object {
		return object{"binary": "nova-compute", "host": host, "status": status, "state": state}
	}
	for name, change := range map[string]func(in *standIn){
		"down": silent, "lists none": answers(), "lists another": answers(row("cmp-2", "enabled", "up")), "its cell is down": answers(row("cmp-1", "UNKNOWN", "UNKNOWN")),
	} {
		for _, disabled := range []bool{false, true} {
			w, in, root := newWorld(t, 0), newStandIn(t), storagetest.Provider(1)
			was, status := []placement.Trait{placement.ComputeStatusDisabled}, "enabled"
			if disabled {
				was, status = nil, "disabled"
			}
			w.do(t, cloud.Change{Ops: []cloud.Op{
				placement.CreateProvider{ID: root, Name: "cmp-1"}, placement.SetTraits{Provider: root, Generation: placement.AnyGeneration(), Traits: was},
			}})
			in.hypervisor()
			in.says("/os-services", object{"services": []any{row("cmp-1", status, "up")}})
			s := w.openWith(t, api.Compute, in, computeNewest)
			in.mu.Lock()
			change(in)
			in.mu.Unlock()
			tree := tracker.Tree{Root: tracker.Provider{ID: root, Name: "cmp-1", Kind: tracker.ComputeNode}}
			tree.Root.Inventories = []tracker.Inventory{{Class: placement.VCPU, Inventory: placement.NewInventory(16)}}
			tick := ops.Tick{By: "agent of", Tree: tree, Conf: tracker.DefaultConf(), Elsewhere: true}
			_, found, _, err := tick.Write(t.Context(), ops.Runner{Actor: "agent", Now: s.clock}, s)
			is := w.kept.Snapshot().Placement()
			p, _ := is.Provider(root)
			if has := is.ProviderRecord(p).Inventories[placement.VCPU].Total; has != 16 || err != nil {
				t.Errorf("%s, %s: there are %d VCPU: %v", name, status, has, err)
			}
			if is.Having(placement.ComputeStatusDisabled).Has(p.Number()) == disabled {
				t.Errorf("%s, %s: the traits are %v", name, status, is.TraitsOf(p))
			}
			if !slices.ContainsFunc(found.Out.Differences, func(d tracker.Difference) bool {
				return d.Trait == placement.ComputeStatusDisabled && d.Verdict == tracker.Conflict && strings.Contains(d.Why, "not known")
			}) {
				t.Errorf("%s, %s: nobody is told: %+v", name, status, found.Out.Differences)
			}
		}
	}
}

// TestHealsNothingByHalfAFlavor heals a server that holds a device, where the user may not see extra
// specs: its flavor may ask for that.
func TestHealsNothingByHalfAFlavor(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	w.do(t, storagetest.Claim(10, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1}))
	in.server("cmp-1", "active", "")
	in.hypervisor()
	for path, answer := range in.answers {
		in.answers[path] = strings.ReplaceAll(answer, `"extra_specs":{},`, "")
	}
	s := w.openWith(t, api.Compute, in, computeNewest).Snapshot()
	heals, err := ops.PlanHeal(s, ops.HealOptions{Instance: storagetest.Consumer(10), Force: true})
	for _, h := range heals {
		if !h.Plan.Empty() {
			t.Errorf("it is healed: %v, %v", h, err)
		}
	}
}

// TestGivesUpNoHostThatIsNotListed deletes the root of a host while Nova lists no hypervisor, as one
// that was just started on another database, and later does again.
func TestGivesUpNoHostThatIsNotListed(t *testing.T) {
	t.Parallel()
	w, in, root := newWorld(t, 0), newStandIn(t), storagetest.Provider(1)
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.CreateProvider{ID: root, Name: "cmp-1"}}})
	s := w.openWith(t, api.Compute, in, computeNewest)
	in.mu.Lock()
	in.server("cmp-1", "active", "")
	in.mu.Unlock()
	err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.DeleteProvider{ID: root}}}).Err()
	if _, there := w.kept.Snapshot().Placement().Provider(root); !there || err == nil || !strings.Contains(err.Error(), "in use: web-1 is on cmp-1") {
		t.Error(err)
	}
}

// TestAnswersAtAnotherMicroversion has a proxy drop the header that asks for a microversion: at the
// lowest one lists leave out what is in a cell that does not answer.
func TestAnswersAtAnotherMicroversion(t *testing.T) {
	t.Parallel()
	const header = "OpenStack-API-Version"
	for is, want := range map[string]string{"": "", "compute 2.87": "", "compute 2.1": "it was asked at compute 2.87, and answers at compute 2.1"} {
		w, in := newWorld(t, 0), newStandIn(t)
		in.odd = func(w http.ResponseWriter, _ *http.Request) bool {
			if is != "" {
				w.Header().Set(header, is)
			}
			return false
		}
		s := w.openWith(t, api.Compute, in, computeNewest)
		if gap := s.Snapshot().Gap(cloud.Instances); (gap == "") != (want == "") || !strings.Contains(gap, want) {
			t.Errorf("at %q: %q", is, gap)
		}
	}
}

// TestReleasesNothingOfAProfile releases what a server that is shelved and on no host holds of a card,
// where the service catalog has no Cyborg: a server with a device profile has its device of it.
func TestReleasesNothingOfAProfile(t *testing.T) {
	t.Parallel()
	for asks, want := range map[string]string{"accel:device_profile": "opened without Cyborg, which knows", "resources1:VGPU": ""} {
		w, in := newWorld(t, 0), newStandIn(t)
		w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
		w.do(t, storagetest.Claim(10, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1}))
		in.server("", "shelved_offloaded", "")
		in.asksFor(asks)
		in.hypervisor()
		s := w.openWith(t, api.Compute, in, computeNewest)
		err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(10)}}}).Err()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", asks, err)
		}
	}
}
