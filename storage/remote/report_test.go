package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// reporting is an agent that reports a host to a Placement elsewhere. A server on it holds
// nothing yet.
type reporting struct {
	world     *world
	store     *Store
	placement *cutter
	before    func(r *http.Request) // is called before the service gets a request, when it is armed
}

func newReporting(t *testing.T, setUp ...cloud.Op) *reporting {
	t.Helper()
	r := &reporting{world: newWorld(t, 0)}
	if len(setUp) > 0 {
		r.world.do(t, cloud.Change{Ops: setUp})
	}
	compute := newStandIn(t)
	compute.server("cmp-1", "active", "")
	h := rest.New(r.world.kept, rest.Options{Clock: storagetest.Clock()})
	r.placement = &cutter{of: http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		if r.before != nil {
			r.before(req)
		}
		h.ServeHTTP(out, req.WithContext(rest.WithCaller(req.Context(), rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}})))
	})}
	server := httptest.NewServer(r.placement)
	t.Cleanup(server.Close)
	call := must.Get(dialEndpoint(t.Context(), server.URL, token(t, "secret\n"), DefaultInFlight, nil))(t)
	call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	call.services[api.Compute] = &service{name: api.Compute, address: compute.URL, minor: computeNewest}
	r.store = must.Get(newStore(t.Context(), call, options{scheme: "http", clock: storagetest.Clock(), can: cloud.Capabilities{Cannot: call.cannot}}))(t)
	t.Cleanup(func() {
		if err := r.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// machine is the host with a number of CPUs and, with nics, a card that can be passed
// through, of a class and with a trait of its own.
func machine(t *testing.T, cpus int64, nics bool) tracker.Tree {
	t.Helper()
	tree := tracker.NewTree(storagetest.Provider(1), "test", "cmp-1")
	tree.Supply(tracker.DefaultConf(), placement.VCPU, cpus, "test")
	tree.Supply(tracker.DefaultConf(), placement.MemoryMB, 4096, "test")
	tree.Supply(tracker.DefaultConf(), placement.DiskGB, 100, "test")
	if nics {
		tree.AddPCI(must.Get(pci.ParseAddress("0000:3d:00.0"))(t), "CUSTOM_NIC", 4, []placement.Trait{"CUSTOM_FAST"}, "test")
		tree.ReportsPCI = true
	}
	must.Succeed(t, tree.Finish())
	return tree
}

// tick reports once, as "placetop agent" and "probe --register" do.
func (r *reporting) tick(t *testing.T, tree tracker.Tree) error {
	t.Helper()
	round := ops.Tick{By: "agent of", Tree: tree, Conf: tracker.DefaultConf(), Elsewhere: true}
	plan, err := ops.Planner(func(s *cloud.Snapshot) (ops.Plan, error) {
		p, _, err := round.Plan(s, storagetest.Start)
		return p, err
	}).Plan(r.store.Snapshot())
	if err != nil {
		return err
	}
	_, err = ops.Runner{Actor: "agent"}.Write(t.Context(), r.store, plan)
	return err
}

// is returns all that Placement keeps, without generations and times.
func (r *reporting) is() string {
	var lines []string
	s := r.world.kept.Snapshot().Placement()
	for p := range s.Providers() {
		line := fmt.Sprintf("%s %v", p.Name(), s.TraitsOf(p))
		for _, inv := range p.Inventories() {
			line += fmt.Sprintf("\n  %s %v used %d", s.ClassName(inv.Class), inv.Inventory, inv.Used)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestReportCutAtEachMessage has Placement die at each message of a report of a new host,
// with its card and the claim of its server: before it gets a request, behind it, and within
// its answer, for a moment or for good. What is reported as kept is there as a whole; of
// what is refused nothing is there; and once Placement is back the next tick makes of what
// is half done what an undisturbed report makes, and the one after finds nothing to do.
func TestReportCutAtEachMessage(t *testing.T) {
	t.Parallel()
	whole := newReporting(t)
	must.Succeed(t, whole.tick(t, machine(t, 8, true)))
	want := whole.is()
	for _, part := range []string{"CUSTOM_FAST", "CUSTOM_NIC", "OWNER_NOVA", "VCPU", "used 1"} {
		if !strings.Contains(want, part) {
			t.Fatalf("an undisturbed report makes\n%s\nwithout %s", want, part)
		}
	}
	for _, where := range []string{"before", "within", "behind"} {
		for _, stays := range []bool{false, true} {
			t.Run(fmt.Sprintf("cut %s, for good: %t", where, stays), func(t *testing.T) {
				t.Parallel()
				outcomes, n := map[string]int{}, 0
				for cut := true; cut; n += storagetest.Stride(3) {
					cut = reportCut(t, want, n, where, stays, outcomes)
				}
				t.Logf("%d messages: %v", n, outcomes)
				if n < 8 || outcomes["in doubt"] == 0 || outcomes["kept"] == 0 {
					t.Errorf("%d messages: %v: these say little", n, outcomes)
				}
			})
		}
	}
}

// reportCut reports while Placement dies at message n, and when it is back. It reports
// whether there were that many messages.
func reportCut(t *testing.T, want string, n int, where string, stays bool, outcomes map[string]int) bool {
	t.Helper()
	r := newReporting(t)
	empty := r.world.kept.Snapshot().Revision()
	r.placement.arm(n, where, stays)
	err := r.tick(t, machine(t, 8, true))
	cut := r.placement.disarm()
	switch {
	case err == nil:
		outcomes["kept"]++
		if got := r.is(); got != want {
			t.Errorf("cut at %d: it is kept, and there is\n%s", n, got)
		}
	case errors.Is(err, cloud.ErrInDoubt):
		outcomes["in doubt"]++
	default:
		outcomes["refused"]++
		if now := r.world.kept.Snapshot().Revision(); now != empty {
			t.Errorf("cut at %d: it is refused (%v), and %d calls were done", n, err, now-empty)
		}
	}
	if err != nil && !cut {
		t.Errorf("%v, and nothing was cut", err)
	}
	must.Succeed(t, r.store.Refresh(t.Context()))
	if err := r.tick(t, machine(t, 8, true)); err != nil {
		t.Errorf("cut at %d: the next tick: %v", n, err)
	}
	if got := r.is(); got != want {
		t.Errorf("cut at %d: the next tick leaves\n%s\nnot\n%s", n, got, want)
	}
	must.Succeed(t, r.store.Refresh(t.Context()))
	r.world.same(t, r.store)
	healed := r.world.kept.Snapshot().Revision()
	if err := r.tick(t, machine(t, 8, true)); err != nil || r.world.kept.Snapshot().Revision() != healed {
		t.Errorf("cut at %d: a quiet tick writes, or fails: %v", n, err)
	}
	return cut
}

// TestReportIsOvertaken has another writer be faster at each message of a report: what that
// wrote is read, and the report is decided again on it, so that both are there. Nothing is
// overwritten.
func TestReportIsOvertaken(t *testing.T) {
	t.Parallel()
	root, whatever := storagetest.Provider(1), placement.AnyGeneration()
	rivals := map[string]struct {
		ops    func(s *placement.Snapshot) []cloud.Op
		leaves string // of what it wrote
	}{
		"a trait": {func(s *placement.Snapshot) []cloud.Op {
			p, _ := s.Provider(root)
			return []cloud.Op{
				placement.CreateTrait{Name: "CUSTOM_THEIRS"},
				placement.SetTraits{Provider: root, Generation: whatever, Traits: append(s.TraitsOf(p), "CUSTOM_THEIRS")},
			}
		}, "CUSTOM_THEIRS"},
		"an inventory": {func(*placement.Snapshot) []cloud.Op {
			return []cloud.Op{
				placement.CreateClass{Name: "CUSTOM_LICENSE"},
				placement.AddInventory{Provider: root, Generation: whatever, Class: "CUSTOM_LICENSE", Inventory: placement.NewInventory(7)},
			}
		}, "CUSTOM_LICENSE"},
		"the claim of the server": {func(*placement.Snapshot) []cloud.Op {
			return storagetest.Claim(10, root, storagetest.Resources{placement.VCPU: 3}).Ops
		}, "used 3"},
		"the claim of another": {func(*placement.Snapshot) []cloud.Op {
			return storagetest.Claim(11, root, storagetest.Resources{placement.VCPU: 4}).Ops
		}, "used 5"},
		"the ratio": {func(s *placement.Snapshot) []cloud.Op {
			p, _ := s.Provider(root)
			class, _ := s.ClassID(placement.MemoryMB)
			inv, _ := p.Inventory(class)
			inv.AllocationRatio = 1.25
			return []cloud.Op{placement.SetInventory{Provider: root, Generation: whatever, Class: placement.MemoryMB, Inventory: inv.Inventory}}
		}, "1.25"},
	}
	for name, rival := range rivals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, more := 0, true; more; n++ {
				more = overtaken(t, n, rival.ops, rival.leaves)
			}
		})
	}
}

// overtaken reports a host that has grown, and has a rival write just before message n
// arrives. It reports whether there were that many messages.
func overtaken(t *testing.T, n int, rival func(*placement.Snapshot) []cloud.Op, leaves string) bool {
	t.Helper()
	r := newReporting(t)
	compute := machine(t, 8, false)
	// As a release without the trait of owners left it, and the server has its claim to come.
	r.world.do(t, cloud.Change{Ops: []cloud.Op{
		placement.CreateProvider{ID: compute.Root.ID, Name: compute.Root.Name},
		placement.SetInventories{Provider: compute.Root.ID, Generation: placement.AnyGeneration(), Inventories: map[placement.ResourceClass]placement.Inventory{
			placement.VCPU: placement.NewInventory(8), placement.MemoryMB: placement.NewInventory(2048), placement.DiskGB: placement.NewInventory(100),
		}},
	}})
	must.Succeed(t, r.store.Refresh(t.Context()))
	var mu sync.Mutex
	at, late := 0, false // the rival is late where the claim of the server is there already
	r.before = func(*http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if at++; at == n+1 {
			err := r.world.kept.Apply(context.Background(), cloud.Change{Ops: rival(r.world.kept.Snapshot().Placement())}).Err()
			if late = errors.Is(err, placement.ErrConflict); err != nil && !late {
				t.Error(err)
			}
		}
	}
	err := r.tick(t, machine(t, 16, true))
	mu.Lock()
	more, wrote := at > n, at > n && !late
	mu.Unlock()
	r.before = nil
	got := r.is()
	if err != nil {
		t.Errorf("overtaken at %d: %v", n, err)
	}
	if wrote && !strings.Contains(got, leaves) {
		t.Errorf("overtaken at %d: there is no %s any more in\n%s", n, leaves, got)
	}
	for _, ours := range []string{"VCPU {16", "OWNER_NOVA", "CUSTOM_NIC {4", "used"} {
		if !strings.Contains(got, ours) {
			t.Errorf("overtaken at %d: there is no %s in\n%s", n, ours, got)
		}
	}
	return more
}
