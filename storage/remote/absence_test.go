package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestOnlyTheOwnProject reads the servers of the user's own project where those of all
// are refused, by Nova's policy servers:detail:get_all_tenants: what is not among them may
// exist all the same.
func TestOnlyTheOwnProject(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	in.odd = func(out http.ResponseWriter, r *http.Request) bool {
		if !r.URL.Query().Has("all_tenants") {
			return false
		}
		out.WriteHeader(http.StatusForbidden)
		return true
	}
	in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(1).String(), "name": "own"}}})
	cut := gaps(w.openWith(t, api.Compute, in, computeNewest))
	if len(cut) != 1 || cut[0].Part != cloud.Instances || cut[0].Rows != 1 || !strings.Contains(cut[0].Cut, "own project") {
		t.Errorf("%+v", cut)
	}
}

// TestACellThatDoesNotAnswer reads a Nova of which a cell is down: it answers 200, and
// leaves out what is in the cell.
func TestACellThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	up := object{"binary": "nova-compute", "host": "h1", "status": "enabled", "state": "up"}
	node := object{"id": storagetest.Consumer(9).String(), "hypervisor_hostname": "h1", "service": object{"host": "h1"}}
	perCell := []cloud.Part{cloud.Services, cloud.Hypervisors, cloud.Instances, cloud.Migrations}
	for name, test := range map[string]struct {
		minor                    int // of Nova's API
		services, nodes, servers []any
		want                     []cloud.Part
	}{
		"all answer":                 {computeNewest, []any{up}, []any{node}, nil, nil},
		"unknown status":             {computeNewest, []any{up, object{"binary": "nova-compute", "host": "h2", "status": "UNKNOWN"}}, []any{node}, nil, perCell},
		"no state":                   {computeNewest, []any{up, object{"binary": "nova-compute", "host": "h2", "status": "enabled"}}, []any{node}, nil, perCell},
		"stubs of servers":           {computeNewest, []any{up}, []any{node}, []any{object{"id": storagetest.Consumer(1).String(), "status": "UNKNOWN"}}, perCell},
		"no hypervisor":              {computeNewest, []any{up, object{"binary": "nova-compute", "host": "h2", "status": "enabled", "state": "up"}}, []any{node}, nil, []cloud.Part{cloud.Hypervisors}},
		"no service":                 {computeNewest, []any{}, []any{node}, nil, perCell},
		"not its service":            {computeNewest, []any{object{"binary": "nova-conductor", "host": "h1", "status": "enabled", "state": "up"}}, []any{node}, nil, perCell},
		"before 2.69":                {68, []any{up}, []any{node}, nil, perCell},
		"from 2.69 on":               {69, []any{up}, []any{node}, nil, nil},
		"guests, no server":          {computeNewest, []any{up}, []any{object{"id": storagetest.Consumer(9).String(), "hypervisor_hostname": "h1", "service": object{"host": "h1"}, "running_vms": 1}}, nil, []cloud.Part{cloud.Instances}},
		"a host that is not told":    {computeNewest, []any{up}, []any{node}, []any{object{"id": storagetest.Consumer(1).String(), "OS-EXT-STS:vm_state": "active"}}, []cloud.Part{cloud.Instances}},
		"nor that of a paused one":   {computeNewest, []any{up}, []any{node}, []any{object{"id": storagetest.Consumer(1).String(), "OS-EXT-STS:vm_state": "paused"}}, []cloud.Part{cloud.Instances}},
		"no host, as it has none":    {computeNewest, []any{up}, []any{node}, []any{object{"id": storagetest.Consumer(1).String(), "OS-EXT-STS:vm_state": "shelved_offloaded"}}, nil},
		"a move without a migration": {computeNewest, []any{up}, []any{node}, []any{object{"id": storagetest.Consumer(1).String(), "OS-EXT-SRV-ATTR:host": "h1", "OS-EXT-STS:vm_state": "resized"}}, []cloud.Part{cloud.Migrations}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			in.says("/os-services", object{"services": test.services})
			in.says("/os-hypervisors/detail", object{"hypervisors": test.nodes})
			in.says("/servers/detail", object{"servers": append([]any{}, test.servers...)})
			s := w.openWith(t, api.Compute, in, test.minor)
			var cut []cloud.Part
			for _, r := range gaps(s) {
				cut = append(cut, r.Part)
			}
			if !slices.Equal(cut, test.want) {
				t.Errorf("lacking %v, want %v", cut, test.want)
			}
			for svc := range s.Snapshot().Nova().Services() {
				if svc.Host == "h2" && name != "no hypervisor" {
					t.Error("what is not known of a service is taken for its state")
				}
			}
		})
	}
}

// TestACellIsMissedByEachKind asks for one kind of thing at a time, as a command does: even
// where nothing of the services is shown, they say that a cell does not answer.
func TestACellIsMissedByEachKind(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	in.says("/os-services", object{"services": []any{object{"binary": "nova-compute", "host": "h2", "status": "UNKNOWN"}}})
	for _, part := range []cloud.Part{cloud.Hypervisors, cloud.Instances, cloud.Migrations} {
		call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), DefaultInFlight, nil))(t)
		call.services[api.Compute] = &service{name: api.Compute, address: in.URL, minor: computeNewest}
		s := must.Get(newStore(t.Context(), call, options{clock: storagetest.Clock(), parts: []cloud.Part{part}}))(t)
		if s.Snapshot().Gap(part) == "" {
			t.Errorf("%s counts as whole", part)
		}
		must.Succeed(t, s.Close())
	}
}

// TestPagesThatDoNotContinue reads lists whose pages repeat, end early or have rows without
// a uuid. None of them counts as whole.
func TestPagesThatDoNotContinue(t *testing.T) {
	t.Parallel()
	server := func(n uint64) object { return object{"id": storagetest.Consumer(n).String()} }
	next := []any{object{"rel": "next", "href": "http://elsewhere/"}}
	for name, test := range map[string]struct {
		page func(n int) (rows []any, links []any)
		rows int
		want string
	}{
		"the same page for ever":  {func(int) ([]any, []any) { return []any{server(1), server(2)}, next }, 2, "only 2 were read"},
		"an empty page, and more": {func(n int) ([]any, []any) { return []any{server(1)}[:1-min(n, 1)], next }, 1, "only 1 were read"},
		"a row without a uuid":    {func(int) ([]any, []any) { return []any{server(1), object{"name": "x"}}, nil }, 1, "1 of them have no uuid"},
		"overlapping pages": {func(n int) ([]any, []any) {
			if n == 0 {
				return []any{server(1), server(2)}, next
			}
			return []any{server(2), server(3)}, nil
		}, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			n := 0
			in.odd = func(out http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/servers/detail" {
					return false
				}
				rows, links := test.page(n)
				n++
				out.Header().Set("Content-Type", "application/json")
				if err := json.NewEncoder(out).Encode(object{"servers": rows, "servers_links": links}); err != nil {
					t.Error(err)
				}
				return true
			}
			is := w.openWith(t, api.Compute, in, computeNewest).Snapshot().Reading(cloud.Instances)
			if is.Rows != test.rows || is.Why != "" || !strings.HasPrefix(is.Cut, test.want) || (is.Cut == "") != (test.want == "") {
				t.Errorf("%+v", is)
			}
		})
	}
}

// TestGuestsAreCountedOnce misses a server in a list that has another one twice, as that changed
// between two of its pages.
func TestGuestsAreCountedOnce(t *testing.T) {
	t.Parallel()
	var n novaMirror
	n.early = true
	n.services = []novaService{{Binary: nova.Compute, Host: "h", State: string(nova.ServiceUp)}}
	n.hypervisors = []novaHypervisor{{RunningVMs: 2}}
	n.hypervisors[0].Service.Host = "h"
	id := storagetest.Consumer(1)
	n.servers = []novaServer{{ID: id, Host: "h", VMState: nova.Active, Updated: 1}, {ID: id, Host: "h", VMState: nova.Paused, Updated: 2}}
	var reads readings
	reads.note(cloud.Instances, 2, storagetest.Start, nil)
	n.oneOfEach(&reads)
	n.checkLists(&reads)
	if reads.whole(cloud.Instances) || len(n.servers) != 1 || n.servers[0].VMState != nova.Paused {
		t.Errorf("whole: %t, %+v", reads.whole(cloud.Instances), n.servers)
	}
}

// TestAPageThatFails keeps what was read before if a page in the middle cannot be read,
// and says that it is old.
func TestAPageThatFails(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(http.ResponseWriter){
		"503":  func(out http.ResponseWriter) { out.WriteHeader(http.StatusServiceUnavailable) },
		"torn": func(out http.ResponseWriter) { _, _ = out.Write([]byte(`{"servers":[{"id":`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			fails := false
			in.odd = func(out http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/servers/detail" {
					return false
				}
				out.Header().Set("Content-Type", "application/json")
				answer := object{"servers": []any{object{"id": storagetest.Consumer(1).String()}}, "servers_links": []any{object{"rel": "next", "href": "http://elsewhere/"}}}
				if r.URL.Query().Has("marker") {
					if fails {
						fail(out)
						return true
					}
					answer = object{"servers": []any{object{"id": storagetest.Consumer(2).String()}}}
				}
				if err := json.NewEncoder(out).Encode(answer); err != nil {
					t.Error(err)
				}
				return true
			}
			s := w.openWith(t, api.Compute, in, computeNewest)
			if got := s.Snapshot().Nova().InstanceCount(); got != 2 || s.Snapshot().Gap(cloud.Instances) != "" {
				t.Fatalf("%d servers, %q", got, s.Snapshot().Gap(cloud.Instances))
			}
			in.mu.Lock()
			fails = true
			in.mu.Unlock()
			if err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.Snapshot().Nova().InstanceCount(); got != 2 || s.Snapshot().Reading(cloud.Instances).Why == "" {
				t.Errorf("%d servers, %+v", got, s.Snapshot().Reading(cloud.Instances))
			}
		})
	}
}

// TestServersThatCanBeRestored reads servers that were deleted softly, which lists leave
// out; if that is refused, the list is not whole.
func TestServersThatCanBeRestored(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]bool{"listed": false, "refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			in.odd = func(out http.ResponseWriter, r *http.Request) bool {
				if !r.URL.Query().Has("deleted") {
					return false
				}
				if refuse {
					out.WriteHeader(http.StatusForbidden)
					return true
				}
				out.Header().Set("Content-Type", "application/json")
				server := func(n uint64, state string) object {
					return object{"id": storagetest.Consumer(n).String(), "OS-EXT-STS:vm_state": state}
				}
				if err := json.NewEncoder(out).Encode(object{"servers": []any{server(1, "soft-delete"), server(2, "deleted")}}); err != nil {
					t.Error(err)
				}
				return true
			}
			s := w.openWith(t, api.Compute, in, computeNewest).Snapshot()
			if _, known := s.Nova().Instance(storagetest.Consumer(1)); known == refuse || (s.Gap(cloud.Instances) != "") != refuse {
				t.Errorf("known: %t, %+v", known, s.Reading(cloud.Instances))
			}
			if _, known := s.Nova().Instance(storagetest.Consumer(2)); known {
				t.Error("a deleted server is there")
			}
		})
	}
}

// TestListedTwice has a list say two things of one server, migration or hypervisor, as two cells
// do, or two pages of a list that changes: neither is taken for what is so.
func TestListedTwice(t *testing.T) {
	t.Parallel()
	for _, reversed := range []bool{false, true} {
		w, in := newWorld(t, 0), newStandIn(t)
		w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
		w.do(t, storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1}))
		in.hypervisor()
		two := func(one func(n int) object) []any {
			out := []any{one(1), one(2), one(1)}
			if reversed {
				out = []any{one(2), one(1)}
			}
			return out
		}
		in.says("/servers/detail", object{"servers": two(func(n int) object {
			return object{"id": storagetest.Consumer(10).String(), "name": "web-1", "OS-EXT-SRV-ATTR:host": fmt.Sprint("cmp-", n), "OS-EXT-STS:vm_state": "active"}
		})})
		in.says("/os-migrations", object{"migrations": two(func(n int) object {
			return object{"id": 1, "uuid": storagetest.Consumer(11).String(), "instance_uuid": storagetest.Consumer(10).String(), "migration_type": "resize", "status": []string{"confirmed", "finished"}[n-1]}
		})})
		in.says("/os-hypervisors/detail", object{"hypervisors": two(func(n int) object {
			return object{"id": storagetest.Provider(1).String(), "hypervisor_hostname": "node", "service": object{"host": fmt.Sprint("cmp-", n)}}
		})})
		store := w.openWith(t, api.Compute, in, computeNewest)
		s := store.Snapshot()
		m, _ := s.Nova().Migration(storagetest.Consumer(11))
		if !s.Moving(storagetest.Consumer(10)) || m == nil || !m.Status.UnderWay() || !strings.Contains(s.Gap(cloud.Hypervisors), "several records of node") || s.Nova().InstanceCount() != 1 {
			t.Errorf("the server is settled: %t, the migration is %+v, of hypervisors it says %q", !s.Moving(storagetest.Consumer(10)), m, s.Gap(cloud.Hypervisors))
		}
		in.mu.Lock()
		i, _ := s.Nova().Instance(storagetest.Consumer(10))
		in.says("/servers/"+storagetest.Consumer(10).String(), object{"server": object{"id": storagetest.Consumer(10).String(), "OS-EXT-SRV-ATTR:host": i.Host, "OS-EXT-STS:vm_state": "active"}})
		in.mu.Unlock()
		claim := storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 2}).Ops[0].(placement.ReplaceAllocations)
		claim.Consumers[0].Generation = placement.AnyGeneration()
		if err := store.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{claim}}).Err(); !errors.Is(err, placement.ErrState) || !strings.Contains(err.Error(), "lists it more than once") {
			t.Errorf("a claim for it says: %v", err)
		}
	}
}
