package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func userRule(t *testing.T, r audit.UserRuleText) *audit.UserRule {
	t.Helper()
	if r.ID == "" {
		r.ID = "u-test"
	}
	rule := must.Get(audit.NewUserRule(r))(t)
	return rule
}

// byUser returns the findings of users' rules, as "subject: text".
func byUser(s *cloud.Snapshot, o audit.InspectOptions) []string {
	var out []string
	for _, n := range audit.Inspect(s, o).Open {
		if n.User != nil {
			out = append(out, n.Subject+": "+n.Text)
		}
	}
	return out
}

func TestUserRulesPickRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Flavors().Services(66, 73).
		Provider("h", "", resources{placement.VCPU: 8, placement.MemoryMB: 65536}, placement.OwnerNova).
		Provider("c", "h", resources{placement.VGPU: 4}, placement.OwnerCyborg).
		Running("small").Claim("i", instance, modeltest.Holding("c")).
		Claim("lone", instance, map[string]resources{"h": {placement.VCPU: 7}}).
		Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: nova.Finished, Source: "h", Dest: "g", Created: modeltest.Noon().UnixMilli()})
	for _, tc := range []struct {
		on, where string
		want      []string
	}{
		{"providers", "owner=cyborg", []string{"c: owner cyborg"}},
		{"providers", "class=VGPU & root=h", []string{"c: class VGPU, root h"}},
		{"providers", "trait:owner", []string{"c: trait OWNER_CYBORG", "h: trait OWNER_NOVA"}},
		{"providers", "nowhere", nil},
		{"inventories", "used%>90", []string{"h: used% 100"}},
		{"inventories", "used%>90 class=VGPU", nil},
		{"inventories", "class=MEMORY_MB cap>=64G", []string{"h: class MEMORY_MB, cap 64G"}},
		{"consumers", "owner=cyborg", []string{"i: owner cyborg"}},
		{"consumers", "where=c", []string{"i: where h c"}},
		{"instances", "flavor=small devices>0", []string{"i: flavor small, devices 1"}},
		{"instances", "/^i$/", []string{"i: matches /^i$/"}},
		{"services", "gate=holds", []string{"nova-compute on s0: gate holds"}},
		{"services", "version<73", []string{"nova-compute on s0: version 66"}},
		{"migrations", "status=finished age>=1h", []string{"resize of i: status finished, age 1h"}},
		{"migrations", "age>2h", nil},
	} {
		t.Run(tc.on+" "+tc.where, func(t *testing.T) {
			t.Parallel()
			o := audit.InspectOptions{Now: modeltest.Noon().Add(time.Hour), UserRules: []*audit.UserRule{userRule(t, audit.UserRuleText{On: tc.on, Where: tc.where})}}
			must.Match(t, tc.want, byUser(w.Snapshot, o))
			for _, n := range audit.Inspect(w.Snapshot, o).Open {
				if again, stands := n.StandsOn(w.Snapshot); n.User != nil && (!stands || !gocmp.Equal(again, n.Finding)) {
					t.Errorf("asked again of its subject: %t\n%s", stands, gocmp.Diff(n.Finding, again))
				}
			}
		})
	}
}

func TestUserRulesCountMatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Provider("a", "", nil).Provider("b", "", nil)
	for count, want := range map[int]int{0: 2, 1: 2, 2: 2, 3: 0} {
		o := audit.InspectOptions{UserRules: []*audit.UserRule{userRule(t, audit.UserRuleText{On: "providers", Where: "owner=none", Count: count})}}
		if got := len(byUser(w.Snapshot, o)); got != want {
			t.Errorf("count %d: %d findings, want %d", count, got, want)
		}
	}
}

func TestUserRulesSayWhatToType(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Provider("a host", "", resources{placement.VCPU: 8})
	o := audit.InspectOptions{UserRules: []*audit.UserRule{
		userRule(t, audit.UserRuleText{On: "inventories", Where: "class=VCPU", Fix: "look at it", Command: "placetop get inventories {name} # {class} {uuid}"}),
	}}
	f := audit.Inspect(w.Snapshot, o).Open[0].Finding
	fixes := audit.Fixes(w.Snapshot, f)
	if want := "placetop get inventories 'a host' # VCPU " + rp("a host").String(); len(fixes) != 1 || fixes[0].Command != want || fixes[0].Title != "look at it" {
		t.Fatalf("%+v, want %q", fixes, want)
	}
	must.Fail(t, must.Err(fixes[0].Plan(w.Snapshot)), placement.ErrUnsupported)
	if got := audit.RuleOf(f); got.ID != "u-test" || got.Severity != audit.Warning || got.Advice != "look at it" {
		t.Errorf("%+v", got)
	}
}

// at applies a change at a time after modeltest.Noon().
func (j *journal) at(after time.Duration, all ...placement.Op) *journal {
	j.TB.Helper()
	j.do("change", cloud.Change{At: modeltest.Noon().Add(after), Ops: all})
	return j
}

func TestUserRulesWait(t *testing.T) {
	t.Parallel()
	total := func(n int64) placement.Op {
		return placement.SetInventory{Provider: rp("h"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(n)}
	}
	start := func(j *journal) *journal {
		return j.at(0, placement.CreateProvider{ID: rp("h"), Name: "h"},
			placement.SetInventories{Provider: rp("h"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.VCPU: placement.NewInventory(8)}})
	}
	other := placement.SetTraits{Provider: rp("h"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.ComputeNode}}
	for _, tc := range []struct {
		name string
		make func(*journal)
		now  time.Duration
		want bool
	}{
		{"not long enough", func(j *journal) { j.at(time.Minute, total(4)) }, 10 * time.Minute, false},
		{"just long enough", func(j *journal) { j.at(time.Minute, total(4)) }, 11 * time.Minute, true},
		{"through other changes", func(j *journal) { j.at(time.Minute, total(4)).at(5*time.Minute, other) }, 11 * time.Minute, true},
		{"not through a pause", func(j *journal) { j.at(time.Minute, total(4)).at(5*time.Minute, total(8)).at(6*time.Minute, total(4)) }, 12 * time.Minute, false},
		{"long after a pause", func(j *journal) { j.at(time.Minute, total(4)).at(5*time.Minute, total(8)).at(6*time.Minute, total(4)) }, 16 * time.Minute, true},
		{"over now", func(j *journal) { j.at(time.Minute, total(4)).at(20*time.Minute, total(8)) }, 30 * time.Minute, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			j := start(&journal{world: newWorld(t)})
			tc.make(j)
			o := audit.InspectOptions{Now: modeltest.Noon().Add(tc.now), Events: j.events, UserRules: []*audit.UserRule{
				userRule(t, audit.UserRuleText{On: "inventories", Where: "cap<5", For: "10m"}),
			}}
			must.Be(t, audit.LongestHold(o.UserRules), 10*time.Minute)
			must.Be(t, len(byUser(j.Snapshot, o)) > 0, tc.want)
			slices.Reverse(j.events) // a gap at once: only the newest state is known
			o.Events = nil
			if got, want := len(byUser(j.Snapshot, o)) > 0, tc.want && tc.name != "through other changes"; got != want {
				t.Errorf("without the journal: found %t, want %t", got, want)
			}
		})
	}
}

// The past can be read although a fleet cannot be downgraded.
func TestUserRulesWaitThroughAnUpgrade(t *testing.T) {
	t.Parallel()
	j := (&journal{world: newWorld(t)}).at(0, placement.CreateProvider{ID: rp("h"), Name: "h"},
		placement.SetInventories{Provider: rp("h"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.VCPU: placement.NewInventory(4)}})
	for n, version := range []int{66, 73} {
		at := modeltest.Noon().Add(time.Duration(1+n) * time.Minute)
		j.do("start", cloud.Change{At: at, Ops: []cloud.Op{nova.StartService{Host: "h", Binary: nova.Compute, Version: version}}})
	}
	o := audit.InspectOptions{Now: modeltest.Noon().Add(10 * time.Minute), Events: j.events, UserRules: []*audit.UserRule{
		userRule(t, audit.UserRuleText{On: "inventories", Where: "cap<5", For: "10m"}),
	}}
	if got := byUser(j.Snapshot, o); len(got) != 1 {
		t.Errorf("found %q, want the inventory", got)
	}
}

// historian is a journal that counts how often it is read.
type historian struct {
	events []cloud.Event // the newest first
	reads  int
}

func (h *historian) Events(_ context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	h.reads++
	var out []cloud.Event
	for _, ev := range h.events {
		if ev.Revision <= q.Until && len(out) < 100 {
			out = append(out, ev)
		}
	}
	return out, nil
}

func TestEventsAreReadAsFarAsRulesWait(t *testing.T) {
	t.Parallel()
	j := (&journal{world: newWorld(t)}).at(0, placement.CreateProvider{ID: rp("h"), Name: "h"})
	for n := range 250 {
		j.at(time.Duration(n+1)*time.Minute, placement.SetTraits{Provider: rp("h"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{[]placement.Trait{placement.ComputeNode, placement.OwnerNova}[n%2]}})
	}
	now := modeltest.Noon().Add(250 * time.Minute)
	for hold, want := range map[string]int{"": 0, "30s": 2, "1m": 2, "90s": 3, "150m": 151, "1000h": 251} {
		h := &historian{events: j.events}
		events, err := audit.EventsFor(context.Background(), h, j.Snapshot, []*audit.UserRule{userRule(t, audit.UserRuleText{On: "providers", Where: "h", For: hold})}, now)
		if err != nil || len(events) != want {
			t.Errorf("for %q: %d events in %d reads, %v; want %d", hold, len(events), h.reads, err, want)
		}
	}
}

// The hold time of a rule on an age starts when that age is reached, although nothing is
// written then.
func TestUserRulesWaitForAges(t *testing.T) {
	t.Parallel()
	j := &journal{world: newWorld(t)}
	j.do("move", cloud.Change{At: modeltest.Noon(), Ops: []cloud.Op{novaPut(j.Snapshot, &nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Created: modeltest.Noon().UnixMilli()})}})
	rule := userRule(t, audit.UserRuleText{On: "migrations", Where: "age>1h", For: "10m"})
	for after, want := range map[time.Duration]int{time.Hour + 5*time.Minute: 0, time.Hour + 11*time.Minute: 1} {
		o := audit.InspectOptions{Now: modeltest.Noon().Add(after), Events: j.events, UserRules: []*audit.UserRule{rule}}
		if got := byUser(j.Snapshot, o); len(got) != want {
			t.Errorf("after %s: %q, want %d", after, got, want)
		}
	}
}

func TestUserRulesAreRefused(t *testing.T) {
	t.Parallel()
	good := audit.UserRuleText{ID: "u-hot", Severity: "warn", On: "inventories", Where: "used%>90 & class=VGPU", Count: 1, For: "10m", Command: "placetop get inventories {name}"}
	must.Get(audit.NewUserRule(good))(t)
	for _, tc := range []struct {
		name, want string
		spoil      func(*audit.UserRuleText)
	}{
		{"no id", `rule "": id`, func(r *audit.UserRuleText) { r.ID = "" }},
		{"an id of ours", "is a rule of placetop", func(r *audit.UserRuleText) { r.ID = "a02" }},
		{"an odd id", "lower-case letter", func(r *audit.UserRuleText) { r.ID = "U HOT" }},
		{"severity", `severity = "bad": must be one of info, warning, critical`, func(r *audit.UserRuleText) { r.Severity = "bad" }},
		{"kind", "is one of providers, inventories, consumers, instances, services, migrations", func(r *audit.UserRuleText) { r.On = "cards" }},
		{"no filter", "not empty", func(r *audit.UserRuleText) { r.Where = " " }},
		{"unknown field", `unknown field "usd%"`, func(r *audit.UserRuleText) { r.Where = "usd%>90" }},
		{"field of another kind", `unknown field "used%"`, func(r *audit.UserRuleText) { r.On = "consumers" }},
		{"bad filter", "this ( is not closed", func(r *audit.UserRuleText) { r.Where = "a (b" }},
		{"count", "must be at least 1", func(r *audit.UserRuleText) { r.Count = -1 }},
		{"for", "must be a time such as", func(r *audit.UserRuleText) { r.For = "ten minutes" }},
		{"for the past", "must be a time such as", func(r *audit.UserRuleText) { r.For = "-1m" }},
		{"command", "{id} is unknown", func(r *audit.UserRuleText) { r.Command = "placetop get {id}" }},
	} {
		bad := good
		tc.spoil(&bad)
		_, err := audit.NewUserRule(bad)
		var at *audit.RuleError
		if !errors.As(err, &at) || !errors.Is(err, placement.ErrInvalid) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
		if strings.Contains(tc.name, "field") {
			if _, ok := errors.AsType[*filter.Error](err); !ok {
				t.Errorf("%s: no place in %v", tc.name, err)
			}
		}
	}
}

// What a user types never breaks anything.
func TestUserRulesNeverPanic(t *testing.T) {
	t.Parallel()
	w := newWorld(t).OverFull()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"providers", "inventories", "used%>1", "10m", "warning", "{name}"}))
		r, err := audit.NewUserRule(audit.UserRuleText{
			ID: text.Draw(rt, "id"), Severity: text.Draw(rt, "severity"), On: rapid.SampledFrom(audit.RowKinds()).Draw(rt, "on"), Where: text.Draw(rt, "where"),
			Count: rapid.IntRange(-1, 3).Draw(rt, "count"), For: text.Draw(rt, "for"), Command: text.Draw(rt, "command"),
		})
		if err != nil {
			if !errors.Is(err, placement.ErrInvalid) {
				rt.Fatal(err)
			}
			return
		}
		audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon(), UserRules: []*audit.UserRule{r}})
	})
}

func novaPut(s *cloud.Snapshot, r *nova.Migration) (c nova.PutRecords) {
	c.Put(s.Nova(), r)
	return c
}

func ExampleNewUserRule() {
	_, err := audit.NewUserRule(audit.UserRuleText{ID: "u-hot", On: "inventories", Where: "usd%>90"})
	fmt.Println(err)
	// Output:
	// rule "u-hot": where = "usd%>90": column 1: unknown field "usd%": the fields are agg, cap, class, free, gen, max_unit, min_unit, name, owner, ratio, reserved, root, step_size, total, trait, used, used%, uuid
}
