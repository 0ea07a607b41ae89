package ops_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// sick returns the ways in which a host is not fit for an instance, with their messages.
func sick() map[string]func(*nova.Service) {
	return map[string]func(*nova.Service){
		"its nova-compute is forced down":                       func(s *nova.Service) { s.ForcedDown = true },
		"its nova-compute is disabled: bad RAM":                 func(s *nova.Service) { s.Disabled, s.DisabledReason = true, "bad RAM" },
		"its nova-compute was last seen at 2026-01-02 03:04:05": func(s *nova.Service) { s.LastSeenUp = 1767323045000 },
	}
}

func makeSick(w *world, host string, edit func(*nova.Service)) {
	svc, ok := w.Nova().Service(host, nova.Compute)
	if !ok {
		svc = &nova.Service{Host: host, Binary: nova.Compute, Version: 73}
	}
	w.Record(svc.Edit(edit))
}

// No use-case takes an instance to a host that is down or disabled, and each says why.
func TestNobodyGoesToASickHost(t *testing.T) {
	t.Parallel()
	now := modeltest.At(0).Add(100 * 24 * 365 * time.Hour)
	for why, edit := range sick() {
		for name, find := range map[string]func(*trip) (ops.Places, error){
			"boot": func(tr *trip) (ops.Places, error) {
				b := newBoot("nova")
				b.Instance = vm("new")
				return b.Places(tr.Snapshot(), now)
			},
			"resize":   func(tr *trip) (ops.Places, error) { return move("nova.big").Places(tr.Snapshot(), now) },
			"migrate":  func(tr *trip) (ops.Places, error) { return move("").Places(tr.Snapshot(), now) },
			"evacuate": func(tr *trip) (ops.Places, error) { return evacuation().Places(tr.Snapshot(), now) },
		} {
			t.Run(name+" "+why, func(t *testing.T) {
				t.Parallel()
				tr := newMove(t, "nova")
				makeSick(tr.world, "compute2", edit)
				places, err := find(tr)
				if slices.ContainsFunc(places.Places, func(p ops.Place) bool { return p.Host == "compute2" }) {
					t.Error("it may go there")
				}
				if i := slices.IndexFunc(places.Left, func(p ops.Place) bool { return p.Host == "compute2" }); i < 0 || places.Left[i].Why != why {
					t.Errorf("left out: %+v", places.Left)
				}
				var none *ops.NoValidHostError
				if name != "boot" && (!errors.As(err, &none) || !strings.Contains(err.Error(), "compute2 ("+why+")")) {
					t.Errorf("error %v", err)
				}
			})
		}
	}
}

// A host that is down cannot take part in a move: each of the operator's steps that needs
// it is refused by a check that names it, and nothing is written.
func TestMoveNeedsItsHostsUp(t *testing.T) {
	t.Parallel()
	confirm, revert := ops.Confirm{Migration: vm("m")}, ops.Revert{Migration: vm("m")}
	for _, tt := range []struct {
		name   string
		before int // steps of the move before; -1 for all
		down   string
		course ops.Checker
		check  string // that refuses; "" if none does
	}{
		{"resize from a host that is down", 0, "compute1", move("cyborg"), "host"},
		{"confirm, and the old host is down", -1, "compute1", confirm, "old host"},
		{"confirm, and the new host is down", -1, "compute2", confirm, ""},
		{"revert to a host that is down", -1, "compute1", revert, "old host"},
		{"revert from a host that is down", -1, "compute2", revert, "host"},
		{"give up before the guest was stopped", 2, "compute1", revert, ""},
		{"give up after the guest was stopped", 6, "compute1", revert, "old host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newMove(t, "nova")
			switch {
			case tt.before < 0:
				tr.mustEnd(t, move("cyborg"))
			case tt.before > 0:
				tr.killedAfter(t, tt.before, move("cyborg"))
			}
			down(tr.world, tt.down, true)
			before := tr.Snapshot()
			by := ""
			for _, c := range tt.course.Checks(before, late) {
				if c.Refusal != nil {
					by = c.Name
				}
			}
			err := tr.advance(t.Context(), tt.course)
			if by != tt.check || (err != nil) != (tt.check != "") {
				t.Errorf("refused by %q, error %v; want %q", by, err, tt.check)
			}
			if tt.check != "" && (!errors.Is(err, placement.ErrState) || !strings.Contains(err.Error(), tt.down+", w") || tr.Snapshot() != before) {
				t.Errorf("error %v, written %t", err, tr.Snapshot() != before)
			}
		})
	}
}

// Each use-case numbers its places like the answer to the same request, including those
// that it leaves out.
func TestPlacesKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	makeSick(tr.world, "compute2", func(s *nova.Service) { s.ForcedDown = true })
	f, _ := tr.Nova().FlavorNamed("nova")
	i, _ := tr.Nova().Instance(vm("i"))
	spec := must.Get(ops.RequestSpecOf(tr.Snapshot(), i, f))(t)
	all := must.Get(ops.PlacesFor(tr.Snapshot(), candidates.NewIndex(tr.Placement()), spec, nova.AskOptions{}))(t)
	b := newBoot("nova")
	b.Instance = vm("new")
	for name, find := range map[string]func() (ops.Places, error){
		"boot":     func() (ops.Places, error) { return b.Places(tr.Snapshot(), late) },
		"migrate":  func() (ops.Places, error) { return move("").Places(tr.Snapshot(), late) },
		"evacuate": func() (ops.Places, error) { return evacuation().Places(tr.Snapshot(), late) },
	} {
		found, err := find()
		if none := (*ops.NoValidHostError)(nil); err != nil && !errors.As(err, &none) {
			t.Fatalf("%s: %v", name, err)
		}
		if len(found.Left) == 0 {
			t.Errorf("%s leaves nothing out", name)
		}
		got := slices.Concat(found.Places, found.Left)
		if len(got) != len(all.Places) {
			t.Errorf("%s: %d places of %d", name, len(got), len(all.Places))
		}
		for _, p := range got {
			if is := all.Places[p.Number-1]; is.Root != p.Root || !maps.EqualFunc(is.Allocations, p.Allocations, maps.Equal[map[placement.ResourceClass]int64]) {
				t.Errorf("%s: number %d is on %s, and was on %s", name, p.Number, p.Host, is.Host)
			}
		}
	}
}
