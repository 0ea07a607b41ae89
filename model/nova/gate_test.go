package nova_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/versioned"
)

func in(cell string) func(*nova.Service) { return func(s *nova.Service) { s.Cell = cell } }

func TestGate(t *testing.T) {
	t.Parallel()
	s := ledger(
		t, &nova.Cell{Name: "cell1"}, &nova.Cell{Name: "cell2"}, &nova.Cell{Name: "cell3", Down: true},
		compute("c1", 73, in("cell1")), compute("c2", 66, in("cell1")),
		compute("c3", 75, in("cell2")),
		compute("c4", 61, in("cell2"), func(s *nova.Service) { s.Disabled, s.DisabledReason = true, "fans" }),
		compute("c5", 57, func(s *nova.Service) { s.LastSeenUp = modeltest.At(-86400).UnixMilli() }),
		compute("c6", 10, in("cell3")),
		compute("c7", 10, in("cell1"), func(s *nova.Service) { s.ForcedDown = true }),
		compute("c8", 0, in("cell4")), compute("c9", 50, in("cell4")),
		compute("c10", 0, in("cell2"), func(s *nova.Service) { s.ForcedDown = true }),
		&nova.Service{Host: "ctl", Binary: "nova-conductor", Version: 1},
	)
	g := s.Gate()
	if g.Minimum != 57 || g.Need != 73 || g.Open {
		t.Errorf("minimum %d, need %d, open %t", g.Minimum, g.Need, g.Open)
	}
	if d := cmp.Diff([]nova.GateCell{
		{Name: "", Services: 1, Asked: 1, Old: 1, Min: 57, Max: 57},
		{Name: "cell1", Services: 3, Asked: 2, Old: 1, Min: 66, Max: 73},
		{Name: "cell2", Services: 3, Asked: 2, Old: 1, Min: 61, Max: 75},
		{Name: "cell3", Down: true, Services: 1},
		{Name: "cell4", Services: 2},
	}, g.Cells); d != "" {
		t.Errorf("cells (-want +got):\n%s", d)
	}
	now := modeltest.At(30)
	why := func(holds []nova.GateHold) (out []string) {
		for _, h := range holds {
			out = append(out, h.Service.Host+": "+h.Why(now))
		}
		return out
	}
	if d := cmp.Diff([]string{
		"c5: old: Xena (57), silent since 2026-01-01 03:04",
		"c4: old: Yoga (61), disabled (fans)",
		"c2: old: Antelope/Bobcat/Caracal (66)",
	}, why(g.Holds)); d != "" {
		t.Errorf("holds (-want +got):\n%s", d)
	}
	must.Match(t, []string{"c10: forced down", "c6: cell cell3 does not answer", "c7: forced down", "c8: has never reported its version", "c9: left out with its cell, as c8 has never reported its version"}, why(g.Unasked))
}

// One record without a version leaves its whole cell out, so that the others decide; if
// no cell is left the gate is closed.
func TestMinimumVersionByCell(t *testing.T) {
	t.Parallel()
	down := func(s *nova.Service) { s.ForcedDown = true }
	for name, tt := range map[string]struct {
		services []versioned.Record
		want     int
	}{
		"none":                     {nil, 0},
		"one cell":                 {[]versioned.Record{compute("a", 73), compute("b", 70)}, 70},
		"silent among upgraded":    {[]versioned.Record{compute("a", 73), compute("b", 0)}, 0},
		"silent and forced down":   {[]versioned.Record{compute("a", 73), compute("b", 0, down)}, 73},
		"an old cell is left out":  {[]versioned.Record{compute("a", 60, in("1")), compute("b", 0, in("1")), compute("c", 73, in("2"))}, 73},
		"a new cell is left out":   {[]versioned.Record{compute("a", 73, in("1")), compute("b", 0, in("1")), compute("c", 60, in("2"))}, 60},
		"all cells are left out":   {[]versioned.Record{compute("b", 0, in("1")), compute("c", 0, in("2"))}, 0},
		"the least over the cells": {[]versioned.Record{compute("a", 73, in("1")), compute("b", 66, in("2"))}, 66},
	} {
		s := ledger(t, append(tt.services, &nova.Cell{Name: "1"}, &nova.Cell{Name: "2"})...)
		if got := s.MinimumVersion(nova.Compute); got != tt.want || s.Gate().Open != (tt.want >= nova.VersionOwnerNova) {
			t.Errorf("%s: minimum %d, want %d; %s", name, got, tt.want, s.Gate().Words())
		}
	}
}

func TestGateWords(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]*nova.Snapshot{
		"closed: no nova-compute service reports its version, need 73":      nova.Empty(),
		"closed: minimum Epoxy (68), need 73; 1 service holds it":           ledger(t, compute("c1", 68), compute("c2", 73)),
		"closed: minimum Epoxy (68), need 73; 2 services hold it":           ledger(t, compute("c1", 68), compute("c2", 72)),
		"open: all nova-compute services are at 73 or later":                ledger(t, compute("c1", 73), compute("c2", 74)),
		"closed: minimum before Victoria (51), need 73; 1 service holds it": ledger(t, compute("c1", 51)),
		"closed: minimum after Zed (65), need 73; 1 service holds it":       ledger(t, compute("c1", 65)),
	} {
		must.Be(t, s.Gate().Words(), want)
	}
	judged := func(s *nova.Service) { s.Judged = true }
	for want, s := range map[string]*nova.Snapshot{
		"closed at 68, need 73, 1 holds it":        ledger(t, compute("c1", 68), compute("c2", 73)),
		"open at 73":                               ledger(t, compute("c1", 73), compute("c2", 74)),
		"closed, inferred from traits, 1 holds it": ledger(t, compute("c1", 72, judged), compute("c2", 73, judged)),
		"not known, open as inferred from traits":  ledger(t, compute("c1", 73, judged)),
	} {
		must.Be(t, s.Gate().Brief(), want)
	}
	must.Be(t, nova.ReleaseOf(80), "after Hibiscus (80)")
	last := 0
	for _, m := range nova.Milestones() {
		if m.Version <= last || m.Release == "" && m.What == "" {
			t.Errorf("milestone %+v after %d", m, last)
		}
		last = m.Version
	}
	never := nova.GateHold{Service: &nova.Service{Version: 60}}
	must.Be(t, never.Why(modeltest.At(0)), "old: after Xena (60), never seen up")
}

// Forcing a dead old compute down, or deleting its record, opens the gate.
func TestGateIsOpenedByHand(t *testing.T) {
	t.Parallel()
	base := ledger(t, compute("c1", 73), compute("dead", 57))
	for name, op := range map[string]nova.Op{
		"forced down": nova.ForceDownService{Host: "dead", Binary: nova.Compute, Down: true},
		"deleted":     nova.DeleteService{Host: "dead", Binary: nova.Compute},
	} {
		if next := does(t, base, op); base.Gate().Open || !next.Gate().Open {
			t.Errorf("%s: %s", name, next.Gate().Words())
		}
	}
	if next := does(t, base, nova.DisableService{Host: "dead", Binary: nova.Compute, Reason: "gone"}); next.Gate().Open {
		t.Error("a disabled service is not asked")
	}
}

func TestSeenAt(t *testing.T) {
	t.Parallel()
	if got := compute("c", 1).SeenAt(); !got.Equal(modeltest.At(0)) {
		t.Error(got)
	}
	must.Be(t, new(nova.Service).SeenAt(), (time.Time{}))
}
