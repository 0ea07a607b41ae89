package ops_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// newBoot returns the boot of instance i with a flavor.
func newBoot(flavor string) ops.Boot {
	return ops.Boot{Instance: vm("i"), Wish: ops.BootWish{Name: "i", Flavor: flavor, Project: "p", User: "u"}}
}

// newTrip returns a cloud of two hosts with two cards each.
func newTrip(t *testing.T) *trip {
	t.Helper()
	return &trip{store: &store{world: modeltest.NewVGPUWorld(t, 2)}}
}

// names returns the names of the steps that were reported.
func (tr *trip) names() string {
	var out []string
	for _, line := range tr.lines {
		out = append(out, strings.Fields(line)[1])
	}
	return strings.Join(out, " ")
}

func (tr *trip) instance() *nova.Instance {
	i, _ := tr.Snapshot().Nova().Instance(vm("i"))
	return i
}

// acts returns what was done on hosts, as "start guest compute1".
func (tr *trip) acts() string {
	var out []string
	for _, a := range tr.guests.did {
		out = append(out, fmt.Sprint(a.Kind, " ", a.Host))
	}
	return strings.Join(out, ", ")
}

// fill leaves no room on the given cards.
func fill(w *world, cards ...string) {
	for _, card := range cards {
		w.Claim("other "+card, placement.InstanceConsumer, map[string]resources{card: {placement.VGPU: 4}})
	}
}

func TestBoot(t *testing.T) {
	t.Parallel()
	broken := errors.New("no")
	cyborgSteps := "record claim request bind attach spawn start"
	for _, tt := range []struct {
		name   string
		flavor string
		given  func(*trip, *ops.Boot)
		steps  string
		acts   string
		state  nova.VMState
		host   string
		fault  string
		want   error
	}{
		{name: "plain", flavor: "plain", steps: "record claim start", acts: "start guest compute1", state: nova.Active, host: "compute1"},
		{name: "a VGPU of Nova's", flavor: "nova", steps: "record claim start", acts: "start guest compute1", state: nova.Active, host: "compute1"},
		{
			name: "a VGPU of Cyborg's", flavor: "cyborg", steps: cyborgSteps,
			acts: "bind device compute1, start guest compute1", state: nova.Active, host: "compute1",
		},
		{
			name: "one of each owner", flavor: "both", steps: cyborgSteps,
			acts: "bind device compute1, start guest compute1", state: nova.Active, host: "compute1",
		},
		{
			name: "the host that is forced", flavor: "both", given: func(_ *trip, b *ops.Boot) { b.Wish.Host = "compute2" },
			steps: cyborgSteps, acts: "bind device compute2, start guest compute2", state: nova.Active, host: "compute2",
		},
		{
			name: "not on a host that is down", flavor: "plain",
			given: func(tr *trip, _ *ops.Boot) { down(tr.world, "compute1", true) },
			steps: "record claim start", acts: "start guest compute2", state: nova.Active, host: "compute2",
		},
		{
			name: "somebody else takes the last unit", flavor: "nova",
			given: func(tr *trip, _ *ops.Boot) {
				tr.before = []func(*world){func(*world) {}, func(w *world) { fill(w, "n1") }}
			},
			steps: "record claim start", acts: "start guest compute2", state: nova.Active, host: "compute2",
		},
		{
			name: "a card that is not Nova's", flavor: "nova",
			given: func(tr *trip, b *ops.Boot) { fill(tr.world, "n1", "y2"); b.Ask.Gate = nova.GateHeldClosed },
			steps: "record claim retry claim start", acts: "start guest compute2", state: nova.Active, host: "compute2",
		},
		{
			name: "both of a card that is not Nova's", flavor: "both",
			given: func(tr *trip, b *ops.Boot) {
				fill(tr.world, "n1")
				leave(tr.world, "y2", 1)
				b.Ask.Gate = nova.GateHeldClosed
			},
			steps: "record claim request bind attach spawn unbind retry claim request bind attach spawn start",
			acts:  "bind device compute1, unbind device compute1, bind device compute2, start guest compute2",
			state: nova.Active, host: "compute2",
		},
		{
			name: "no card that is Nova's", flavor: "nova",
			given: func(tr *trip, b *ops.Boot) { fill(tr.world, "n1", "n2"); b.Ask.Gate = nova.GateHeldClosed },
			steps: "record claim retry claim retry fail release", state: nova.Broken, want: placement.ErrCapacity,
			fault: "it could not build the instance",
		},
		{
			name: "a card that is not Nova's on the host that is forced", flavor: "nova",
			given: func(tr *trip, b *ops.Boot) {
				fill(tr.world, "n1")
				b.Ask.Gate, b.Wish.Host = nova.GateHeldClosed, "compute1"
			},
			steps: "record claim fail stop release", acts: "stop guest compute1", state: nova.Broken, want: placement.ErrCapacity,
			fault: "ComputeResourcesUnavailable",
		},
		{
			name: "no valid host", flavor: "nova", given: func(tr *trip, _ *ops.Boot) { fill(tr.world, "n1", "n2", "y1", "y2") },
			steps: "record fail release", state: nova.Broken, want: placement.ErrCapacity,
			fault: "no valid host was found: no host meets \"VGPU: 1 free (group 1)\"",
		},
		{
			name: "a forced host that is none", flavor: "plain", given: func(_ *trip, b *ops.Boot) { b.Wish.Host = "nowhere" },
			steps: "record fail release", state: nova.Broken, want: placement.ErrNotFound, fault: "compute host nowhere does not exist",
		},
		{
			name: "no attach handle is free", flavor: "cyborg",
			given: func(tr *trip, _ *ops.Boot) { takeHandles(tr.world); down(tr.world, "compute2", true) },
			steps: "record claim request bind fail unbind release", acts: "unbind device compute1", state: nova.Broken,
			want: placement.ErrCapacity, fault: "was not bound: none of the 4 attach handles of y1 are free",
		},
		{
			name: "the device is not made", flavor: "both",
			given: func(tr *trip, _ *ops.Boot) { tr.guests.bad = map[ops.ActKind]error{ops.BindDevice: broken} },
			steps: "record claim request bind attach unbind release", acts: "bind device compute1, unbind device compute1",
			state: nova.Broken, want: broken, fault: "bind device on compute1: no",
		},
		{
			name: "the guest does not start", flavor: "both",
			given: func(tr *trip, _ *ops.Boot) { tr.guests.bad = map[ops.ActKind]error{ops.StartGuest: broken} },
			steps: cyborgSteps + " stop unbind release",
			acts:  "bind device compute1, start guest compute1, stop guest compute1, unbind device compute1",
			state: nova.Broken, want: broken, fault: "start guest on compute1: no",
		},
		{
			name: "the device does not let go either", flavor: "both",
			given: func(tr *trip, _ *ops.Boot) {
				tr.guests.bad = map[ops.ActKind]error{ops.StartGuest: broken, ops.UnbindDevice: broken}
			},
			steps: cyborgSteps + " stop unbind release",
			acts:  "bind device compute1, start guest compute1, stop guest compute1, unbind device compute1",
			state: nova.Broken, host: "compute1", want: broken, fault: "start guest on compute1: no",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr, b := newTrip(t), newBoot(tt.flavor)
			if tt.given != nil {
				tt.given(tr, &b)
			}
			err := tr.advance(t.Context(), b)
			if (err == nil) != (tt.want == nil) || !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if got := tr.names(); got != tt.steps {
				t.Errorf("steps %s\nwant  %s", got, tt.steps)
			}
			if got := tr.acts(); got != tt.acts {
				t.Errorf("acts %s\nwant %s", got, tt.acts)
			}
			i := tr.instance()
			if i.VMState != tt.state || i.TaskState != "" || i.Host != tt.host || !strings.Contains(i.Fault, tt.fault) || (i.Fault == "") != (tt.fault == "") {
				t.Errorf("instance is %s %q on %q with fault %q", i.VMState, i.TaskState, i.Host, i.Fault)
			}
			forgetOthers(tr.world)
			checkInvariants(t, tr.Snapshot())
		})
	}
}

// errWrong is why a step goes wrong.
var errWrong = errors.New("it went wrong")

// down sets whether the nova-compute of a host is forced down.
func down(w *world, host string, is bool) {
	svc, _ := w.Nova().Service(host, nova.Compute)
	w.Record(svc.Edit(func(s *nova.Service) { s.ForcedDown = is }))
}

// leave leaves n units free on a card.
func leave(w *world, card string, n int64) {
	w.Claim("other "+card, placement.InstanceConsumer, map[string]resources{card: {placement.VGPU: 4 - n}})
}

// takeHandles marks all attach handles of y1 as in use, without requests.
func takeHandles(w *world) {
	d, _ := w.Cyborg().DeployableAt(rp("y1"))
	var c cyborg.PutRecords
	for h := range w.Cyborg().AttachHandlesOf(d.UUID) {
		modeltest.Put(&c, w.Cyborg(), h.Edit(func(h *cyborg.AttachHandle) { h.InUse = true }))
	}
	w.Change(cloud.Change{Ops: []cloud.Op{c}})
}

// forgetOthers removes the obstacles that a test has made for a course.
func forgetOthers(w *world) {
	for _, card := range []string{"n1", "n2", "y1", "y2"} {
		if _, ok := w.Placement().Consumer(vm("other " + card)); ok {
			w.Do(placement.DeleteAllocations{Consumer: vm("other " + card)})
		}
	}
	d, _ := w.Cyborg().DeployableAt(rp("y1"))
	if _, requests := w.Cyborg().Units(d); requests > 0 {
		return
	}
	var c cyborg.PutRecords
	for h := range w.Cyborg().AttachHandlesOf(d.UUID) {
		modeltest.Put(&c, w.Cyborg(), h.Edit(func(h *cyborg.AttachHandle) { h.InUse = false }))
	}
	w.Change(cloud.Change{Ops: []cloud.Op{c}})
}

// An invalid boot is refused before anything is written.
func TestBootRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		wish ops.BootWish
		want error
		says string
	}{
		{"no name", ops.BootWish{Flavor: "plain", Project: "p", User: "u"}, placement.ErrInvalid, "name: is required"},
		{"no project", ops.BootWish{Name: "i", Flavor: "plain", User: "u"}, placement.ErrInvalid, "project_id: is required"},
		{"no user", ops.BootWish{Name: "i", Flavor: "plain", Project: "p"}, placement.ErrInvalid, "user_id: is required"},
		{"no such flavor", ops.BootWish{Name: "i", Flavor: "huge", Project: "p", User: "u"}, placement.ErrNotFound, "flavor huge does not exist"},
		{"disabled", ops.BootWish{Name: "i", Flavor: "disabled", Project: "p", User: "u"}, placement.ErrInvalid, "is disabled"},
		{"no such profile", ops.BootWish{Name: "i", Flavor: "lost", Project: "p", User: "u"}, placement.ErrNotFound, "device profile gone does not exist"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrip(t)
			small := nova.Flavor{VCPUs: 1, MemoryMB: 1, FlavorID: "x", Name: "disabled", Disabled: true}
			tr.Record(&small)
			lost := nova.Flavor{VCPUs: 1, MemoryMB: 1, FlavorID: "y", Name: "lost", ExtraSpecs: map[string]string{"accel:device_profile": "gone"}}
			tr.Record(&lost)
			err := tr.advance(t.Context(), ops.Boot{Instance: vm("i"), Wish: tt.wish})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || tr.writes != 0 {
				t.Errorf("%v after %d writes, want %s", err, tr.writes, tt.says)
			}
		})
	}
}

// The error about no valid host says why each host is not.
func TestBootSaysWhyNoHostIsValid(t *testing.T) {
	t.Parallel()
	tr := newTrip(t)
	fill(tr.world, "y1", "y2")
	err := tr.advance(t.Context(), newBoot("cyborg"))
	var none *ops.NoValidHostError
	if !errors.As(err, &none) || len(none.Explanation.Misses) == 0 || len(none.Explanation.Stages) == 0 {
		t.Fatalf("%v has no explanation", err)
	}
	if err.Error() != "boot i: "+none.Error() {
		t.Errorf("error %q", err)
	}
}

// Many concurrent boots, with other writers in between: each boot ends active with
// everything it asked for, or in error with nothing.
func TestBootsAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tr := newTrip(t)
		flavors := []string{"plain", "nova", "cyborg", "both", "cyborg.two"}
		var boots []ops.Boot
		for n := range rapid.IntRange(1, 12).Draw(rt, "boots") {
			b := newBoot(rapid.SampledFrom(flavors).Draw(rt, "flavor"))
			b.Instance, b.Wish.Name = vm(fmt.Sprint("i", n)), fmt.Sprint("i", n)
			boots = append(boots, b)
		}
		for len(boots) > 0 {
			n := modeltest.Roll(rt, len(boots))
			at := tr.Snapshot()
			step, ok, err := boots[n].Next(at, time.Time{})
			must.Succeed(rt, err)
			if !ok {
				boots = append(boots[:n], boots[n+1:]...)
				continue
			}
			if modeltest.Roll(rt, 8) == 0 { // the step goes wrong
				step.Change = must.Get(boots[n].Failed(at, time.Time{}, step, errWrong))(rt)
			} else if modeltest.Roll(rt, 4) == 0 { // another writer is faster
				other := boots[modeltest.Roll(rt, len(boots))]
				if s, ok, err := other.Next(at, time.Time{}); err == nil && ok {
					tr.Apply(t.Context(), s.Change)
				}
			}
			err = tr.Apply(t.Context(), step.Change).Err()
			// What is refused because another writer was faster is decided again.
			if err != nil && at == tr.Snapshot() && !errors.Is(err, placement.ErrConflict) && !errors.Is(err, placement.ErrCapacity) {
				rt.Fatalf("%s: %v", step.Title, err)
			}
		}
		for _, text := range broken(tr.Snapshot()) {
			rt.Error(text)
		}
	})
}
