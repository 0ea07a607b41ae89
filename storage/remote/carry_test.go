package remote

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

type object = map[string]any

// server adds a server, with two flavors and the service of its host.
func (s *standIn) server(host, vmState, task string) {
	flavor := object{"original_name": s.flavor, "vcpus": 1, "ram": 128, "disk": 1, "extra_specs": object{}}
	one := object{
		"id": storagetest.Consumer(10).String(), "name": "web-1", "tenant_id": "p", "user_id": "u", "flavor": flavor,
		"OS-EXT-SRV-ATTR:host": host, "OS-EXT-STS:vm_state": vmState, "OS-EXT-STS:task_state": task,
	}
	s.says("/servers/detail", object{"servers": []any{one}})
	s.says("/servers/"+storagetest.Consumer(10).String(), object{"server": one})
	s.says("/os-services", object{"services": []any{
		object{"binary": "nova-compute", "host": "cmp-1", "status": "enabled", "state": "up"},
		object{"binary": "nova-compute", "host": "cmp-2", "status": "enabled", "state": "up"},
	}})
	flavors := []any{}
	for _, name := range []string{"small", "large"} {
		flavors = append(flavors, object{"id": "id-" + name, "name": name, "vcpus": 1, "ram": 128 * len(name), "disk": 1, "extra_specs": object{}, "os-flavor-access:is_public": true})
	}
	flavors[0].(object)["ram"] = 128
	s.says("/flavors/detail", object{"flavors": flavors})
}

// action adds a resize of the server that was begun.
func (s *standIn) action(message, details string) {
	at := "/servers/" + storagetest.Consumer(10).String() + "/os-instance-actions"
	old, is := object{"action": "create", "request_id": "req-0"}, object{"action": "resize", "request_id": "req-1", "message": message}
	s.says(at, object{"instanceActions": []any{is, old}})
	result := "Success"
	if message != "" {
		result = "Error"
	}
	is["events"] = []any{object{"event": "conductor", "result": result, "details": details}}
	s.says(at+"/req-1", object{"instanceAction": is})
}

// TestAsksNova has a fake Nova resize a server, and follows it.
func TestAsksNova(t *testing.T) {
	t.Parallel()
	path := "/servers/" + storagetest.Consumer(10).String()
	const call = `{"resize":{"flavorRef":"id-large"}} compute 2.1`
	for name, test := range map[string]struct {
		minor  int
		flavor string
		then   func(in *standIn) // the effect of the write
		odd    func(in *standIn) func(w http.ResponseWriter, r *http.Request) bool
		sent   string
		want   string // the error
		is     error
		off    bool // it is not requested again
	}{
		"done":              {then: func(in *standIn) { in.action("", ""); in.flavor = "large"; in.server("cmp-2", "resized", "") }, sent: call},
		"confirmed at once": {then: func(in *standIn) { in.action("", ""); in.flavor = "large"; in.server("cmp-1", "active", "") }, sent: call},
		"without a word of its actions": {
			then: func(in *standIn) {
				delete(in.answers, path+"/os-instance-actions")
				in.flavor = "large"
				in.server("cmp-2", "resized", "")
			}, sent: call,
		},
		"rolled back": {
			then: func(in *standIn) { in.action("", ""); in.server("cmp-1", "active", "") },
			sent: call, want: "Nova has ended it, and web-1 is still active on cmp-1", is: placement.ErrState,
		},
		"somebody else's": {
			then: func(in *standIn) { in.action("", ""); in.flavor = "tiny"; in.server("cmp-2", "resized", "") },
			sent: call, want: "resized to tiny, which somebody else has asked for", is: placement.ErrState,
		},
		"no host is found": {
			then: func(in *standIn) {
				in.action("Error", "No valid host was found.")
				in.server("cmp-1", "active", "")
			},
			sent: call, want: "resize web-1 to large: No valid host was found.", is: placement.ErrState,
		},
		"it breaks": {
			then: func(in *standIn) { in.server("cmp-1", "error", "") }, sent: call, want: "web-1 is in error", is: placement.ErrState,
		},
		"refused": {
			odd: answers(http.StatusConflict, `{"conflictingRequest":{"message":"it is locked"}}`), sent: call, want: "it is locked", is: placement.ErrState,
		},
		"refused, as it was begun by the same request": { // which something in between sent twice
			odd: func(in *standIn) func(http.ResponseWriter, *http.Request) bool {
				in.action("", "")
				begun := in.answers[path+"/os-instance-actions"]
				delete(in.answers, path+"/os-instance-actions/req-1")
				in.says(path+"/os-instance-actions/req-1", object{"instanceAction": object{"action": "resize", "request_id": "req-1"}})
				in.says(path+"/os-instance-actions", object{"instanceActions": []any{object{"action": "create", "request_id": "req-0"}}})
				refuse := answers(http.StatusConflict, `{"conflictingRequest":{"message":"it is resize_prep"}}`)(in)
				return func(w http.ResponseWriter, r *http.Request) bool {
					in.answers[path+"/os-instance-actions"] = begun
					return refuse(w, r)
				}
			}, sent: call, want: "it is resize_prep; yet Nova has begun it: it may have been asked twice",
		},
		"gone": {
			odd: answers(http.StatusNotFound, `{"itemNotFound":{"message":"there is no such server"}}`), sent: call, want: "there is no such server", is: placement.ErrNotFound,
		},
		"not allowed": {
			odd: answers(http.StatusForbidden, `{"forbidden":{"message":"not by you"}}`), sent: call, want: "not by you", is: placement.ErrUnsupported, off: true,
		},
		"the answer is lost, and it was begun": {
			odd: func(in *standIn) func(http.ResponseWriter, *http.Request) bool {
				return func(http.ResponseWriter, *http.Request) bool {
					in.action("", "")
					in.flavor = "large"
					in.server("cmp-2", "resized", "")
					panic(http.ErrAbortHandler)
				}
			}, sent: call,
		},
		"the answer is lost, and it was not begun": {
			odd: func(*standIn) func(http.ResponseWriter, *http.Request) bool {
				return func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
			}, sent: call, want: "Nova had not started when checked, but still may",
		},
		"Nova fails, and it was not begun": {
			odd: answers(http.StatusInternalServerError, `{"computeFault":{"message":"broken"}}`), sent: call, want: "Nova did not start",
		},
		"the answer is lost, and nothing is told": {
			odd: func(in *standIn) func(http.ResponseWriter, *http.Request) bool {
				return func(http.ResponseWriter, *http.Request) bool {
					delete(in.answers, path+"/os-instance-actions")
					panic(http.ErrAbortHandler)
				}
			}, sent: call, want: "may or may not have started",
		},
		"there is no such flavor": {flavor: "none", want: "flavor none does not exist"},
		"it has that flavor":      {flavor: "small", want: "is the one that web-1 has"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			in.server("cmp-1", "active", "")
			in.says(path+"/os-instance-actions", object{"instanceActions": []any{object{"action": "create", "request_id": "req-0"}}})
			s := w.openWith(t, api.Compute, in, 87)
			if test.then != nil {
				in.on = func(string) { test.then(in) }
			}
			if test.odd != nil {
				odd := test.odd(in)
				in.odd = func(w http.ResponseWriter, r *http.Request) bool { return r.Method != http.MethodGet && odd(w, r) }
			}
			if test.flavor == "" {
				test.flavor = "large"
			}
			move := ops.Move{Migration: storagetest.Consumer(20), Instance: storagetest.Consumer(10), Flavor: test.flavor}
			var told []string
			run := func() error {
				return ops.Runner{Now: storagetest.Clock(), Report: func(d ops.StepDone) { told = append(told, d.Name) }}.Run(t.Context(), s, ops.TaskFor(s.Capabilities(), move))
			}
			err := run()
			if doubt := strings.Contains(test.want, " may"); errors.Is(err, cloud.ErrInDoubt) != doubt {
				t.Errorf("%v leaves it in doubt: %t, want %t", err, !doubt, doubt)
			}
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v, want %q", err, test.want)
			}
			want := test.sent
			if want != "" {
				want = "POST " + path + "/action " + want
			}
			must.Be(t, in.written(), want)
			if err == nil && strings.Join(told, " ") != "asked done" {
				t.Errorf("told of %q", told)
			}
			if i, _ := s.Snapshot().Nova().Instance(storagetest.Consumer(10)); err == nil && nova.FlavorName(i.Flavor) != "large" {
				t.Errorf("what is shown is %+v", i)
			}
			if test.off {
				if err := run(); !errors.Is(err, placement.ErrUnsupported) || in.written() != "" {
					t.Errorf("it was asked again: %v", err)
				}
			}
		})
	}
}

// TestAsksForTheServerFirst asks Nova for nothing if the server has been changed since it was
// listed: deleting one that failed would end one that runs by now.
func TestAsksForTheServerFirst(t *testing.T) {
	t.Parallel()
	path := "/servers/" + storagetest.Consumer(10).String()
	for is, want := range map[[3]string]string{
		{"", "error", ""}:              "",
		{"cmp-1", "active", ""}:        "web-1 is active on cmp-1 by now, and was error when it was listed; Nova was not asked to do anything",
		{"", "error", "rebuilding"}:    "web-1 is error (rebuilding) by now, and was error when it was listed",
		{"", "soft-delete", ""}:        "web-1 is soft-delete by now",
		{"cmp-1", "error", "deleting"}: "web-1 is error (deleting) on cmp-1 by now",
	} {
		w, in := newWorld(t, 0), newStandIn(t)
		in.server("", "error", "")
		in.says(path+"/os-instance-actions", object{"instanceActions": []any{}})
		s := w.openWith(t, api.Compute, in, 87)
		in.mu.Lock()
		in.server(is[0], is[1], is[2])
		in.mu.Unlock()
		in.on = func(string) { delete(in.answers, path) }
		err := ops.Runner{Now: storagetest.Clock()}.Run(t.Context(), s, ops.TaskFor(s.Capabilities(), ops.Terminate{Instance: storagetest.Consumer(10)}))
		if asked := in.written() != ""; asked != (want == "") || (err == nil) != asked || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: asked: %t, %v", is, asked, err)
		}
		events := must.Get(s.Events(t.Context(), cloud.EventQuery{Limit: 100}))(t)
		if want != "" && slices.ContainsFunc(events, func(ev cloud.Event) bool { return ev.Actor == "nova" }) {
			t.Errorf("%v: that Nova was asked is in the journal", is)
		}
	}
}

// TestAsksForWhatWasShown asks Nova for nothing if a server is listed otherwise by now than it
// was when people decided, as when it is read again while others of several are deleted.
func TestAsksForWhatWasShown(t *testing.T) {
	t.Parallel()
	for name, several := range map[string]bool{"one": false, "several": true} {
		w, in := newWorld(t, 0), newStandIn(t)
		in.server("", "error", "")
		in.says("/servers/"+storagetest.Consumer(10).String()+"/os-instance-actions", object{"instanceActions": []any{}})
		s := w.openWith(t, api.Compute, in, 87)
		task := ops.TaskFor(s.Capabilities(), ops.Terminate{Instance: storagetest.Consumer(10)})
		o := ops.Runner{Now: storagetest.Clock(), Shown: &ops.ExpectedOutcome{On: s.Snapshot()}}
		if several {
			task = ops.Each{task}
		}
		in.mu.Lock()
		in.server("cmp-1", "active", "")
		in.mu.Unlock()
		must.Succeed(t, s.Refresh(t.Context()))
		err := o.Run(t.Context(), s, task)
		if err == nil || in.written() != "" || !strings.Contains(err.Error(), "web-1 is active on cmp-1 by now, and was error when it was listed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// answers makes a fake answer each write with a status and a body.
func answers(status int, body string) func(*standIn) func(http.ResponseWriter, *http.Request) bool {
	return func(in *standIn) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if _, err := w.Write([]byte(body)); err != nil {
				in.t.Error(err)
			}
			return true
		}
	}
}

// TestStopsLooking stops waiting after a lost answer: the error must not say that the
// request was not begun.
func TestStopsLooking(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	in.server("cmp-1", "active", "")
	in.says("/servers/"+storagetest.Consumer(10).String()+"/os-instance-actions", object{"instanceActions": []any{}})
	s := w.openWith(t, api.Compute, in, 87)
	in.odd = func(out http.ResponseWriter, r *http.Request) bool {
		lost := r.Method == http.MethodPost
		if lost {
			out.WriteHeader(http.StatusBadGateway)
		}
		return lost
	}
	ctx, stop := context.WithCancel(t.Context())
	s.reader.call.pause = func(ctx context.Context, _ time.Duration) error {
		stop()
		return ctx.Err()
	}
	asked := ops.TaskFor(s.Capabilities(), ops.Move{Migration: storagetest.Consumer(20), Instance: storagetest.Consumer(10)})
	err := ops.Runner{Now: storagetest.Clock()}.Run(ctx, s, asked)
	if !errors.Is(err, cloud.ErrInDoubt) || !strings.Contains(err.Error(), "may or may not have started") {
		t.Error(err)
	}
}

// TestStopsFollowing stops following a request, which continues in Nova.
func TestStopsFollowing(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	in.server("cmp-1", "active", "")
	in.says("/servers/"+storagetest.Consumer(10).String()+"/os-instance-actions", object{"instanceActions": []any{}})
	s := w.openWith(t, api.Compute, in, 87)
	in.on = func(string) { in.server("cmp-1", "active", "resize_prep") }
	ctx, stop := context.WithCancel(t.Context())
	asked := ops.TaskFor(s.Capabilities(), ops.Move{Migration: storagetest.Consumer(20), Instance: storagetest.Consumer(10)})
	err := ops.Runner{Now: storagetest.Clock(), Report: func(d ops.StepDone) {
		if d.Name == "resize_prep" {
			stop()
		}
	}}.Run(ctx, s, asked)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "no longer following; it goes on in Nova") {
		t.Errorf("%v", err)
	}
	if sent := in.written(); !strings.HasSuffix(sent, `/action {"migrate":null} compute 2.1`) {
		t.Errorf("sent %q", sent)
	}
	if i, _ := s.Snapshot().Nova().Instance(storagetest.Consumer(10)); i.TaskState != nova.ResizePrep {
		t.Errorf("what is shown is %+v", i)
	}
	if err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{nova.CreateInstance{Instance: &nova.Instance{}}}}).Err(); !errors.Is(err, placement.ErrUnsupported) {
		t.Errorf("an instance is made: %v", err)
	}
}

// TestAsksNovaOfEach deletes marked instances: Nova is asked, and nothing is written
// without its knowledge.
func TestAsksNovaOfEach(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	path := "/servers/" + storagetest.Consumer(10).String()
	in.server("cmp-1", "active", "")
	in.says(path+"/os-instance-actions", object{"instanceActions": []any{}})
	s := w.openWith(t, api.Compute, in, 87)
	in.on = func(string) {
		delete(in.answers, path)
		delete(in.answers, path+"/os-instance-actions")
		in.says("/servers/detail", object{"servers": []any{}})
	}
	all := ops.TaskFor(s.Capabilities(), ops.Each{ops.Terminate{Instance: storagetest.Consumer(10)}})
	if err := (ops.Runner{Now: storagetest.Clock()}).Run(t.Context(), s, all); err != nil {
		t.Error(err)
	}
	if sent := in.written(); !strings.HasPrefix(sent, "DELETE "+path) {
		t.Errorf("sent %q", sent)
	}
	if i, ok := s.Snapshot().Nova().Instance(storagetest.Consumer(10)); ok && i.Live() {
		t.Errorf("what is shown is %+v", i)
	}
}

// TestOnlyNovaSaysThatAServerIsDeleted asks Nova to delete a server, while something in between
// answers 404 to whatever is asked of it.
func TestOnlyNovaSaysThatAServerIsDeleted(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"followed": false, "the answer was lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			in.server("cmp-1", "active", "")
			in.says("/servers/"+storagetest.Consumer(10).String()+"/os-instance-actions", object{"instanceActions": []any{}})
			s := w.openWith(t, api.Compute, in, 87)
			asked := false
			in.mu.Lock()
			in.odd = func(w http.ResponseWriter, r *http.Request) bool {
				if !asked {
					if asked = r.Method == http.MethodDelete; asked && lost {
						panic(http.ErrAbortHandler)
					}
					return false
				}
				http.Error(w, "no such page", http.StatusNotFound)
				return true
			}
			in.mu.Unlock()
			err := ops.Runner{Now: storagetest.Clock()}.Run(t.Context(), s, ops.TaskFor(s.Capabilities(), ops.Terminate{Instance: storagetest.Consumer(10)}))
			if err == nil || !strings.Contains(err.Error(), "check ") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestNodesOfBareMetal reads of each server which of the compute nodes of its host it is on:
// one service of bare metal looks after many (LP 1811726).
func TestNodesOfBareMetal(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	nodes, servers := []any{}, []any{}
	for n, name := range []string{"node-a", "node-b"} {
		nodes = append(nodes, object{"id": storagetest.Provider(uint64(n + 1)).String(), "hypervisor_hostname": name, "service": object{"host": "ir"}})
		servers = append(servers, object{"id": storagetest.Consumer(uint64(n + 1)).String(), "name": "on-" + name, "OS-EXT-SRV-ATTR:host": "ir", "OS-EXT-SRV-ATTR:hypervisor_hostname": name})
	}
	in.says("/os-services", object{"services": []any{object{"binary": "nova-compute", "host": "ir", "status": "enabled", "state": "up"}}})
	in.says("/os-hypervisors/detail", object{"hypervisors": nodes})
	in.says("/servers/detail", object{"servers": servers})
	now := w.openWith(t, api.Compute, in, computeNewest).Snapshot().Nova()
	for n := range nodes {
		i, ok := now.Instance(storagetest.Consumer(uint64(n + 1)))
		if !ok {
			t.Fatal("a server was not read")
		}
		var on []placement.ProviderID
		for node := range now.NodesOf(i) {
			on = append(on, node.UUID)
		}
		must.Match(t, []placement.ProviderID{storagetest.Provider(uint64(n + 1))}, on)
	}
}
