package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// lose drops what an instance holds.
func lose(w *world) { w.Do(placement.DeleteAllocations{Consumer: vm("i")}) }

func TestPlanHeal(t *testing.T) {
	t.Parallel()
	edit := func(edit func(*nova.Instance)) func(*world) {
		return func(w *world) {
			i, _ := w.Nova().Instance(vm("i"))
			w.Record(i.Edit(edit))
		}
	}
	forget := edit(func(i *nova.Instance) { i.Mappings = nil })
	for _, tt := range []struct {
		name, flavor string
		given        []func(*world)
		force        bool
		gap          string // of servers
		want         ops.HealOutcome
		why          string
	}{
		{name: "all is there", flavor: "both", want: ops.HealNothing},
		{name: "a plain one holds nothing", flavor: "plain", given: []func(*world){lose}, want: ops.HealClaim},
		{name: "its cards are known from the mappings", flavor: "both", given: []func(*world){lose}, want: ops.HealClaim},
		{name: "nothing says which card of Nova's", flavor: "nova", given: []func(*world){lose, forget}, want: ops.HealRefused, why: "from which provider"},
		{name: "nothing says which card of Cyborg's", flavor: "cyborg", given: []func(*world){lose, forget}, want: ops.HealRefused, why: "from which provider"},
		{
			name: "it is being resized", flavor: "plain", want: ops.HealSkipped, why: "it is resize_prep",
			given: []func(*world){lose, edit(func(i *nova.Instance) { i.TaskState = nova.ResizePrep })},
		},
		{
			name: "it is on no host", flavor: "plain", want: ops.HealSkipped, why: "on no host",
			given: []func(*world){lose, edit(func(i *nova.Instance) { i.Host = "" })},
		},
		{
			name: "its host is not told", flavor: "plain", gap: "the host is not told of i", want: ops.HealRefused,
			why:   "its host is not known: servers: the host is not told of i",
			given: []func(*world){lose, edit(func(i *nova.Instance) { i.Host = "" })},
		},
		{
			name: "it is on no host, and others are not told of", flavor: "plain", gap: "the host is not told of j", want: ops.HealSkipped, why: "it is on no host",
			given: []func(*world){lose, edit(func(i *nova.Instance) { i.Host, i.VMState = "", nova.ShelvedOffloaded })},
		},
		{
			name: "its host has no compute node", flavor: "plain", want: ops.HealNoNode, why: "host elsewhere of i",
			given: []func(*world){lose, edit(func(i *nova.Instance) { i.Host = "elsewhere" })},
		},
		{
			name: "somebody else has its unit", flavor: "nova", want: ops.HealNoRoom, why: "VGPU on n1: needs 1, has 0 free of 4",
			given: []func(*world){lose, func(w *world) { fill(w, "n1") }},
		},
		{
			name: "of the wrong project", flavor: "both", want: ops.HealOwner,
			given: []func(*world){edit(func(i *nova.Instance) { i.Project = "p2" })},
		},
		{
			name: "of the wrong user, by force", flavor: "both", force: true, want: ops.HealOwner,
			given: []func(*world){edit(func(i *nova.Instance) { i.User = "u2" })},
		},
		{
			name: "too little, as it is", flavor: "plain", want: ops.HealPartial, why: "it holds VCPU 1 on compute1, which is not what",
			given: []func(*world){func(w *world) {
				w.Claim("i", placement.InstanceConsumer, map[string]resources{"compute1": {placement.VCPU: 1}})
			}},
		},
		{
			name: "too little, by force", flavor: "plain", force: true, want: ops.HealClaim,
			given: []func(*world){func(w *world) {
				w.Claim("i", placement.InstanceConsumer, map[string]resources{"compute1": {placement.VCPU: 1}})
			}},
		},
		{
			name: "of the source of a move that waits, by force", flavor: "plain", force: true, want: ops.HealSkipped, why: "it was moved and still holds",
			given: []func(*world){onTwoHosts, edit(func(i *nova.Instance) { i.VMState = nova.Resized }), func(w *world) {
				w.Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: nova.Finished, Source: "compute2", Dest: "compute1"})
			}},
		},
		{
			name: "of the source of a migration that never ended, by force", flavor: "plain", force: true, want: ops.HealSkipped, why: "that stays until its migration is over",
			given: []func(*world){onTwoHosts, func(w *world) {
				w.Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.LiveMigration, Status: nova.Migrating, Source: "compute2", Dest: "compute1"})
			}},
		},
		{
			name: "of a flavor that asks for what is not known", flavor: "plain", want: ops.HealSkipped, why: "whether it holds what it should is not known: flavor odd: device profile gone",
			given: []func(*world){func(w *world) {
				w.Record(&nova.Flavor{Name: "odd", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"accel:device_profile": "gone"}})
			}, edit(func(i *nova.Instance) { i.Flavor = "odd" })},
		},
		{
			name: "of another host too, as it is", flavor: "plain", want: ops.HealPartial, why: "DISK_GB 20 on compute2, which is not what",
			given: []func(*world){onTwoHosts},
		},
		{name: "of another host too, by force", flavor: "plain", force: true, want: ops.HealClaim, given: []func(*world){onTwoHosts}},
		{
			name: "of another host alone, by force", flavor: "plain", force: true, want: ops.HealClaim,
			given: []func(*world){func(w *world) {
				w.Claim("i", placement.InstanceConsumer, map[string]resources{"compute2": {placement.VCPU: 1}})
			}},
		},
		{
			name: "of a host that it was evacuated from, by force", flavor: "plain", force: true, want: ops.HealSkipped, why: "it was evacuated and still holds",
			given: []func(*world){onTwoHosts, func(w *world) {
				w.Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Evacuation, Status: nova.Done, Source: "compute2", Dest: "compute1"})
			}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newBooted(t, tt.flavor)
			had := holds(tr.Snapshot(), vm("i"))
			for _, given := range tt.given {
				given(tr.world)
			}
			s := tr.Snapshot()
			if tt.gap != "" {
				s = s.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Instances, Cut: tt.gap}}, nil))
				for _, c := range []ops.Checker{ops.Move{Instance: vm("i")}, ops.Evacuate{Instance: vm("i")}} {
					_, _, err := c.Next(s, late)
					if err == nil || (tt.want == ops.HealRefused) != strings.Contains(err.Error(), tt.why) {
						t.Errorf("%T: %v", c, err)
					}
				}
			}
			if tt.want == ops.HealNoNode {
				unread := s.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Hypervisors, Why: "403"}}, nil))
				if h := must.Get(ops.PlanHeal(unread, ops.HealOptions{}))(t)[0]; h.Outcome != ops.HealRefused || h.Why != "whether compute node of host elsewhere exists is not known: hypervisors: 403" {
					t.Errorf("with hypervisors unread: %s because %q", h.Outcome, h.Why)
				}
			}
			heals, err := ops.PlanHeal(s, ops.HealOptions{Force: tt.force})
			if err != nil || len(heals) != 1 {
				t.Fatalf("%v, %v", heals, err)
			}
			h := heals[0]
			if h.Outcome != tt.want || !strings.Contains(h.Why, tt.why) || (h.Why == "") != (tt.why == "") {
				t.Fatalf("%s because %q, want %s because %q", h.Outcome, h.Why, tt.want, tt.why)
			}
			planned := tt.want == ops.HealClaim || tt.want == ops.HealOwner
			if h.Plan.Empty() == planned {
				t.Fatalf("the plan has %v", h.Plan.Preview.Lines())
			}
			if !planned {
				return
			}
			must.Get((ops.Runner{Shown: h.Plan.Shown()}).Write(t.Context(), tr.store, h.Plan))(t)
			if d := cmp.Diff(had, holds(tr.Snapshot(), vm("i"))); d != "" {
				t.Errorf("healed (-before +after):\n%s", d)
			}
			c, _ := tr.Placement().Consumer(vm("i"))
			if i := tr.instance(); c.Project() != i.Project || c.User() != i.User {
				t.Errorf("the claim is of %s, %s", c.Project(), c.User())
			}
			checkInvariants(t, tr.Snapshot())
			again, _ := ops.PlanHeal(tr.Snapshot(), ops.HealOptions{Force: tt.force})
			if got := countHeals(again); got[ops.HealNothing] != 1 {
				t.Errorf("healed again: %v", got)
			}
		})
	}
}

// onTwoHosts makes the instance hold something on a second host.
func onTwoHosts(w *world) {
	held := map[string]resources{}
	for id, amounts := range holds(w.Snapshot, vm("i")) {
		held[w.Placement().ProviderName(id)], held["compute2"] = amounts, amounts
	}
	w.Claim("i", placement.InstanceConsumer, held)
}

// TestHealThatKnowsNoEvacuations has a server that holds something on another host, too: it may
// have been evacuated from there, and what it has there stays unless that is known.
func TestHealThatKnowsNoEvacuations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		read  cloud.Reading
		moved *nova.Migration
		heals bool
	}{
		{cloud.Reading{Part: cloud.Migrations, Cut: "only the first 3"}, nil, false},
		{cloud.Reading{Part: cloud.Migrations, Why: "503"}, nil, false},
		{cloud.Reading{Part: cloud.Migrations, Cut: "only the newest 3, and all that may hold something", Over: true}, nil, true},
		{cloud.Reading{Part: cloud.Migrations}, nil, true},
		{cloud.Reading{Part: cloud.Migrations}, &nova.Migration{Type: nova.Evacuation, Status: nova.Done}, false},
		{cloud.Reading{Part: cloud.Migrations}, &nova.Migration{Status: nova.Done, Source: "compute2"}, false},
		{cloud.Reading{Part: cloud.Migrations}, &nova.Migration{Type: nova.Resize, Status: nova.Confirmed}, true},
	} {
		tr := newBooted(t, "plain")
		onTwoHosts(tr.world)
		if test.moved != nil {
			test.moved.UUID, test.moved.Instance = vm("m"), vm("i")
			tr.Record(test.moved)
		}
		s := tr.ReadAs(cloud.NewReadings([]cloud.Reading{test.read}, nil))
		h := must.Get(ops.PlanHeal(s, ops.HealOptions{Instance: vm("i"), Force: true}))(t)[0]
		if h.Plan.Empty() == test.heals {
			t.Errorf("%+v: %s because %q, %v", test.read, h.Outcome, h.Why, h.Plan.Preview.Lines())
		}
	}
}

// A limited number; a single one; and none that does not exist.
func TestPlanHealPicks(t *testing.T) {
	t.Parallel()
	tr := newTrip(t)
	for n := range 4 {
		b := newBoot("plain")
		b.Instance, b.Wish.Name = vm(fmt.Sprint("i", n)), fmt.Sprint("i", n)
		tr.mustEnd(t, b)
		if n > 0 {
			tr.Do(placement.DeleteAllocations{Consumer: b.Instance})
		}
	}
	count := func(o ops.HealOptions) int {
		t.Helper()
		heals := must.Get(ops.PlanHeal(tr.Snapshot(), o))(t)
		return countHeals(heals)[ops.HealClaim]
	}
	if all, two, one := count(ops.HealOptions{}), count(ops.HealOptions{Most: 2}), count(ops.HealOptions{Instance: vm("i2")}); all != 3 || two != 2 || one != 1 {
		t.Errorf("healed %d of all, %d of at most 2, %d of one", all, two, one)
	}
	must.Fail(t, must.Err(ops.PlanHeal(tr.Snapshot(), ops.HealOptions{Instance: vm("nobody")})), placement.ErrNotFound)
	heals, _ := ops.PlanHeal(cloud.Empty(), ops.HealOptions{})
	if len(heals) != 0 {
		t.Errorf("an empty cloud: %v", heals)
	}
}

// TestPlanHealOnAPool heals instances of a cloud that tells the size of the pool as the disk
// of each compute node: the disk is on the pool, as in Placement no node has one.
func TestPlanHealOnAPool(t *testing.T) {
	t.Parallel()
	disk := modeltest.Resources{placement.DiskGB: 9}
	on := func(pool string) map[string]modeltest.Resources {
		return map[string]modeltest.Resources{"h": {placement.VCPU: 1, placement.MemoryMB: 1}, pool: {placement.DiskGB: 2}}
	}
	for name, test := range map[string]struct {
		holds map[string]modeltest.Resources
		bfv   bool
		more  bool // another pool
		want  ops.HealOutcome
	}{
		"it holds the disk there":       {holds: on("pool"), want: ops.HealNothing},
		"of two pools it is on one":     {holds: on("pool"), more: true, want: ops.HealNothing},
		"it holds nothing":              {want: ops.HealClaim},
		"booted from a volume":          {bfv: true, want: ops.HealClaim},
		"which of the pools, who knows": {more: true, want: ops.HealNoRoom},
	} {
		w := modeltest.NewWorld(t).Node("h").Provider("pool", "", disk, placement.SharesViaAggregate).Aggregates("pool", "a").Aggregates("h", "a")
		if test.more {
			w.Provider("another", "", disk, placement.SharesViaAggregate).Aggregates("another", "a")
		}
		w.Record(&nova.ComputeNode{UUID: modeltest.ProviderID("h"), Host: "h", Hostname: "h", VCPUs: 8, MemoryMB: 8192, LocalGB: 9}).
			Record(&nova.Flavor{Name: "disk", FlavorID: "1", VCPUs: 1, MemoryMB: 1, EphemeralGB: 2}).
			Record(&nova.Instance{UUID: modeltest.ConsumerID("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: "disk", VMState: nova.Active, BootFromVolume: test.bfv})
		if test.holds != nil {
			w.Claim("i", placement.InstanceConsumer, test.holds)
		}
		h := must.Get(ops.PlanHeal(w.Snapshot, ops.HealOptions{Instance: modeltest.ConsumerID("i")}))(t)[0]
		if h.Outcome != test.want {
			t.Errorf("%s: %s %s, want %s", name, h.Outcome, h.Why, test.want)
		}
		if h.Outcome != ops.HealClaim {
			continue
		}
		c, _ := h.Plan.After.Placement().Consumer(modeltest.ConsumerID("i"))
		if got := h.Plan.After.Placement().ConsumerRecord(c).Allocations[modeltest.ProviderID("pool")][placement.DiskGB]; got != 2 {
			t.Errorf("%s: it holds DISK_GB %d of the pool", name, got)
		}
	}
}

// countHeals returns the number of instances per outcome.
func countHeals(heals []ops.Heal) map[ops.HealOutcome]int {
	out := map[ops.HealOutcome]int{}
	for _, h := range heals {
		out[h.Outcome]++
	}
	return out
}
