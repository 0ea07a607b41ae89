package insight_test

import (
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func readiness(w *world) insight.Readiness {
	return insight.ReadinessOf(w.Snapshot, insight.Owners(w.Snapshot), modeltest.Noon())
}

// checkCases has, for each check, clouds and the results for them.
func checkCases() map[string]struct {
	make func(w *world)
	id   insight.CheckID
	want insight.Check // without id and title
} {
	vgpu := resources{placement.VGPU: 4}
	card := func(name string, traits ...placement.Trait) func(*world) {
		return func(w *world) { w.Node("h").Provider(name, "h", vgpu, traits...) }
	}
	type tc = struct {
		make func(w *world)
		id   insight.CheckID
		want insight.Check
	}
	return map[string]tc{
		"traits, always there": {func(*world) {}, insight.CheckTraits, insight.Check{Done: 2, All: 2, Text: "OWNER_NOVA and OWNER_CYBORG are in Placement"}},

		"computes, no Nova": {func(*world) {}, insight.CheckComputes, insight.Check{
			State: insight.CheckUnknown, Text: "no nova-compute service says its version: Nova is not connected",
		}},
		"computes, all new": {func(w *world) { w.Compute("a", 73).Compute("b", 74) }, insight.CheckComputes, insight.Check{Done: 2, All: 2, Text: "cell1 2/2"}},
		"computes, judged": {func(w *world) { w.Compute("a", 73, func(s *nova.Service) { s.Judged = true }) }, insight.CheckComputes, insight.Check{
			State: insight.CheckUnknown, Done: 1, All: 1, Text: "inferred by OWNER_NOVA on their roots, as Nova's API tells no versions: cell1 1/1; others may have set it",
		}},
		"computes, one old": {func(w *world) {
			w.Compute("b", 66, func(s *nova.Service) { s.Cell = "cell2" }).Compute("a", 73)
		}, insight.CheckComputes, insight.Check{
			State: insight.CheckWaiting, Done: 1, All: 2, Text: "cell1 1/1, cell2 0/1, 1 at 66: b", Rule: audit.RuleOldService, Subject: "b",
		}},
		"computes, none upgraded yet": {func(w *world) { w.Compute("a", 66) }, insight.CheckComputes, insight.Check{
			State: insight.CheckWaiting, All: 1, Text: "cell1 0/1, 1 at 66: a",
		}},
		"computes, a dead record": {func(w *world) {
			w.Compute("b", 66, func(s *nova.Service) { s.LastSeenUp = modeltest.Noon().Add(-24 * time.Hour).UnixMilli() }).Compute("a", 73)
		}, insight.CheckComputes, insight.Check{
			State: insight.CheckWarning, Done: 1, All: 2, Text: "cell1 1/2, 1 at 66: b", Rule: audit.RuleDeadService, Subject: "b",
		}},
		"computes, a disabled one": {func(w *world) {
			w.Compute("b", 66, func(s *nova.Service) { s.Disabled = true }).Compute("a", 73)
		}, insight.CheckComputes, insight.Check{
			State: insight.CheckWarning, Done: 1, All: 2, Text: "cell1 1/2, 1 at 66: b", Rule: audit.RuleDeadService, Subject: "b",
		}},

		"roots, none": {func(*world) {}, insight.CheckRoots, insight.Check{State: insight.CheckUnknown, Text: "no provider is a compute node"}},
		"roots, all":  {func(w *world) { w.Node("h") }, insight.CheckRoots, insight.Check{Done: 1, All: 1, Text: "every compute node has OWNER_NOVA"}},
		"roots, one waits": {func(w *world) { w.Node("h").Bare("old").Compute("old", 66).Compute("h", 73) }, insight.CheckRoots, insight.Check{
			State: insight.CheckWaiting, Done: 1, All: 2, Text: "old without OWNER_NOVA", Rule: audit.RuleComputeNoOwner, Subject: "old",
		}},
		"roots, one lost its trait": {func(w *world) { w.Node("h").Bare("odd").Compute("h", 73).Compute("odd", 73) }, insight.CheckRoots, insight.Check{
			State: insight.CheckWarning, Done: 1, All: 2, Text: "odd without OWNER_NOVA, not all of which only wait for the upgrade",
			Rule: audit.RuleComputeNoOwner, Subject: "odd",
		}},
		"roots, before the upgrade": {func(w *world) { w.Bare("a").Compute("a", 66) }, insight.CheckRoots, insight.Check{
			State: insight.CheckWaiting, All: 1, Text: "a without OWNER_NOVA",
		}},

		"overlap, none": {card("n", placement.OwnerNova), insight.CheckOverlap, insight.Check{Text: "no card is claimed by both services"}},
		"overlap, by traits": {card("b", placement.OwnerNova, placement.OwnerCyborg), insight.CheckOverlap, insight.Check{
			State: insight.CheckBroken, Text: "1 provider with both owners: b", Rule: audit.RuleBothOwners, Subject: "b",
		}},
		"overlap, by address": {func(w *world) {
			w.Node("h").Provider("h_pci_0000_84_00_0", "h", vgpu, placement.OwnerNova).Provider("h_0000:84:00.0", "h", vgpu, placement.OwnerCyborg)
		}, insight.CheckOverlap, insight.Check{
			State: insight.CheckBroken, Text: "1 card reported twice: h_0000:84:00.0", Rule: audit.RuleCardTwice, Subject: "h_0000:84:00.0",
		}},
		"overlap, by address, under another name of the host (LP 2139369)": {func(w *world) {
			w.Node("h.example.org").Provider("h.example.org_pci_0000_84_00_0", "h.example.org", vgpu, placement.OwnerNova).Provider("h_0000:84:00.0", "h.example.org", vgpu, placement.OwnerCyborg)
		}, insight.CheckOverlap, insight.Check{
			State: insight.CheckBroken, Text: "1 card reported twice: h.example.org_pci_0000_84_00_0", Rule: audit.RuleCardTwice, Subject: "h.example.org_pci_0000_84_00_0",
		}},

		"unowned, nothing": {card("n", placement.OwnerNova), insight.CheckUnowned, insight.Check{Text: "no provider would drop out of Nova's and Cyborg's requests"}},
		"unowned, a card": {card("x"), insight.CheckUnowned, insight.Check{
			State: insight.CheckWarning, Text: "if it opened now, 1 provider would drop out of every request: x", Rule: audit.RuleNoOwner, Subject: "x",
		}},
		"unowned, a card, and the gate is open": {func(w *world) {
			card("x")(w)
			w.Compute("h", 73)
		}, insight.CheckUnowned, insight.Check{
			State: insight.CheckWarning, Text: "1 provider dropped out of every request when it opened: x", Rule: audit.RuleNoOwner, Subject: "x",
		}},
		"unowned, a card, and the filter is off": {func(w *world) {
			card("x")(w)
			w.Compute("h", 73).Record(&nova.Config{OwnerFilter: nova.OwnerOff})
		}, insight.CheckUnowned, insight.Check{
			State: insight.CheckWarning, Text: "the filter is off; once on, 1 provider would drop out of every request: x", Rule: audit.RuleNoOwner, Subject: "x",
		}},
		"unowned, a card, and the pre-filter is off and the gate closed": {func(w *world) {
			card("x")(w)
			w.Compute("h", 66).Record(&nova.Config{Off: []string{nova.FilterOwner}})
		}, insight.CheckUnowned, insight.Check{
			State: insight.CheckWarning, Text: "the filter is off; once on and the gate open, 1 provider would drop out of every request: x", Rule: audit.RuleNoOwner, Subject: "x",
		}},
		"unowned, a card, and the root asked": {func(w *world) {
			card("x")(w)
			w.Bare("r").Provider("y", "r", vgpu).Compute("h", 73).Compute("r", 73).Record(&nova.Config{OwnerFilter: nova.OwnerOnRoot})
		}, insight.CheckUnowned, insight.Check{
			State: insight.CheckWarning, Rule: audit.RuleNoOwner, Subject: "x",
			Text: "2 providers dropped out of every request when it opened: r y; 1 card without an owner, kept as only the root is checked: x",
		}},
		"unowned, a root that counts once": {func(w *world) {
			w.Node("h").Provider("r", "", resources{placement.VCPU: 1, placement.VGPU: 1}, placement.ComputeNode)
		}, insight.CheckUnowned, insight.Check{
			State: insight.CheckWarning, Text: "if it opened now, 1 provider would drop out of every request: r", Rule: audit.RuleNoOwner, Subject: "r",
		}},

		"mixed, none": {card("n", placement.OwnerNova), insight.CheckMixed, insight.Check{Text: "no Nova host carries a Cyborg card"}},
		"mixed, every group asked": {card("c", placement.OwnerCyborg), insight.CheckMixed, insight.Check{
			Text: "1 Nova host carries Cyborg cards: h; once the gate opens, every request group requires its owner, so Nova keeps off them",
		}},
		"mixed, every group asked, and the gate is open": {func(w *world) {
			card("c", placement.OwnerCyborg)(w)
			w.Compute("h", 73)
		}, insight.CheckMixed, insight.Check{
			Text: "1 Nova host carries Cyborg cards: h; every request group requires its owner, so Nova keeps off them",
		}},
		"mixed, the root asked": {func(w *world) {
			card("c", placement.OwnerCyborg)(w)
			w.Record(&nova.Config{OwnerFilter: nova.OwnerOnRoot})
		}, insight.CheckMixed, insight.Check{
			State: insight.CheckWarning, Text: "only the root must be Nova's, so Nova may take them: 1 Nova host carries Cyborg cards: h",
			Rule: audit.RuleMixedHost, Subject: "h",
		}},
		"mixed, no filter": {func(w *world) {
			card("c", placement.OwnerCyborg)(w)
			w.Record(&nova.Config{Off: []string{nova.FilterOwner}})
		}, insight.CheckMixed, insight.Check{
			State: insight.CheckWarning, Text: "the filter is off, so Nova may take them: 1 Nova host carries Cyborg cards: h",
			Rule: audit.RuleMixedHost, Subject: "h",
		}},
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	for name, tc := range checkCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tc.make(w)
			r := readiness(w)
			got := r.Check(tc.id)
			if got.ID != tc.id || got.Title == "" {
				t.Errorf("check %q is called %q", got.ID, got.Title)
			}
			if short := got.Short(); got.Brief != "" && len(short) > 52 { // the room at 80 columns
				t.Errorf("check %q is not said in short: %s", got.ID, short)
			}
			got.ID, got.Title, got.Brief = "", "", ""
			if d := gocmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.id, d)
			}
			for _, c := range r.Checks {
				pointsAtAFinding(t, w, c)
			}
		})
	}
}

// pointsAtAFinding fails unless the rule of a check has a finding about its subject.
func pointsAtAFinding(t *testing.T, w *world, c insight.Check) {
	t.Helper()
	if c.Rule == "" {
		return
	}
	for _, f := range audit.Find(w.Snapshot) {
		if f.Rule == c.Rule && f.Subject == c.Subject {
			return
		}
	}
	t.Errorf("%s points at %s of %s, which is no finding", c.ID, c.Rule, c.Subject)
}

func TestReadinessHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("a").Bare("b").
		Record(&nova.Cell{Name: "cell1"}).Record(&nova.Cell{Name: "cell2", Down: true}).
		Compute("far", 61, func(s *nova.Service) { s.Cell = "cell2" }).
		Compute("down", 61, func(s *nova.Service) { s.ForcedDown = true }).
		Compute("dead", 61, func(s *nova.Service) { s.LastSeenUp = modeltest.Noon().Add(-24 * time.Hour).UnixMilli() }).
		Compute("off", 66, func(s *nova.Service) { s.Disabled, s.DisabledReason = true, "fans" }).
		Compute("mute", 66, func(s *nova.Service) { s.LastSeenUp = 0 }).
		Compute("b", 66).Compute("a", 73).Compute("a2", 73)
	r := readiness(w)
	var got []string
	for _, h := range r.Holds {
		got = append(got, strings.TrimSpace(strings.Join([]string{h.Host, string(h.State), word(h.State.Dead(), "dead"), word(!h.Root.IsZero(), "root"), string(h.Rule), h.Why}, " ")))
	}
	want := []string{
		"dead silent dead  v02 old: Yoga (61), silent since 2026-02-28 12:00",
		"b old  root v01 old: Antelope/Bobcat/Caracal (66)",
		"mute unheard   v01 old: Antelope/Bobcat/Caracal (66), never seen up",
		"off disabled dead  v02 old: Antelope/Bobcat/Caracal (66), disabled (fans)",
		"down not asked    forced down",
		"far not asked    cell cell2 does not answer",
	}
	must.Match(t, want, got)
	wantCells := []insight.CellVersions{
		{
			GateCell: nova.GateCell{Name: "cell1", Services: 7, Asked: 6, Old: 4, Min: 61, Max: 73},
			Versions: []insight.VersionCount{{73, false, []string{"a", "a2"}}, {66, false, []string{"b", "mute", "off"}}, {61, false, []string{"dead"}}},
		},
		{GateCell: nova.GateCell{Name: "cell2", Down: true, Services: 1}, Versions: []insight.VersionCount{}},
	}
	must.Match(t, wantCells, r.Cells)
	if want := "closed: minimum Yoga (61), need 73; 4 services hold it"; r.Words() != want {
		t.Errorf("words: %q, want %q", r.Words(), want)
	}
}

func word(ok bool, w string) string {
	if ok {
		return w
	}
	return ""
}

// A filter that is switched off does nothing although the gate is open, and the words
// name the setting.
func TestReadinessOfAFilterThatIsOff(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config nova.Config
		words  string
	}{
		"on":            {nova.Config{}, ""},
		"its setting":   {nova.Config{OwnerFilter: nova.OwnerOff}, "; the owner filter is off: owner_filter is off"},
		"its prefilter": {nova.Config{Off: []string{nova.FilterOwner}}, "; the owner filter is off: owner_nova_filter is in prefilters_off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := readiness(newWorld(t).Compute("a", 73).Record(&tc.config))
			if got, want := r.Words(), "open: all nova-compute services are at 73 or later"+tc.words; got != want {
				t.Errorf("words: %q, want %q", got, want)
			}
			must.Be(t, r.Enforced(), (tc.words == ""))
		})
	}
}
