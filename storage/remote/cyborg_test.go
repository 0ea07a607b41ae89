package remote

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

func fixed(n byte) uuid.UUID { return uuid.UUID{0xca, 15: n} }

// cyborg makes a fake answer as a Cyborg with one card, that of storagetest.Host: one
// unit is bound, another requested.
func (s *standIn) cyborg() {
	s.says("/v2/", object{"id": "v2.0", "max_version": "2.3", "min_version": "2.0"})
	s.says("/v2/devices", object{"devices": []any{object{
		"uuid": fixed(1), "type": "GPU", "vendor": "10de", "model": "T4", "hostname": "cmp-1", "status": "maintaining",
		"std_board_info": `{"product_id": "1eb8"}`, "created_at": "2026-01-02T03:04:05+00:00", "links": []any{},
	}}})
	s.says("/v2/deployables", object{"deployables": []any{object{
		"uuid": fixed(2), "device_id": 9, "name": "cmp-1_0000:af:00.0", "num_accelerators": 4, "driver_name": "nvidia",
		"rp_uuid": storagetest.Provider(2), "attributes_list": `[{"rc": "VGPU"}, {"trait0": "OWNER_CYBORG"}]`,
	}}})
	s.says("/v2/device_profiles", object{"device_profiles": []any{object{"uuid": fixed(3), "name": "dp", "groups": []any{object{"resources:VGPU": "1"}}, "description": nil}}})
	s.says("/v2/accelerator_requests", object{"arqs": []any{
		object{
			"uuid": fixed(4), "state": "Bound", "device_profile_name": "dp", "device_profile_group_id": 0, "hostname": "cmp-1",
			"device_rp_uuid": storagetest.Provider(2), "instance_uuid": storagetest.Consumer(10), "attach_handle_type": "MDEV",
			"attach_handle_info": object{"asked_type": "nvidia-231", "bus": "af", "device": "00", "domain": "0000", "function": "0", "vgpu_mark": "nvidia-231_2"},
		},
		object{"uuid": fixed(5), "state": "Initial", "device_profile_name": "dp", "device_profile_group_id": 0, "hostname": nil, "device_rp_uuid": nil, "instance_uuid": nil, "attach_handle_type": "", "attach_handle_info": nil},
	}})
}

// TestCyborgIsMetOnceItAnswers checks that a Cyborg that was down is asked for its
// microversions when it is back.
func TestCyborgIsMetOnceItAnswers(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	in.cyborg()
	s := w.openWith(t, api.Accelerator, in, 0)
	of := s.reader.call.services[api.Accelerator]
	var away atomic.Bool
	in.odd = func(out http.ResponseWriter, _ *http.Request) bool {
		if away.Load() {
			out.WriteHeader(http.StatusServiceUnavailable)
		}
		return away.Load()
	}
	of.mu.Lock()
	of.minor, of.unmet = 0, true
	of.mu.Unlock()
	away.Store(true)
	must.Succeed(t, s.Refresh(t.Context()))
	if of.met() {
		t.Error("it is taken to have said what it speaks")
	}
	away.Store(false)
	must.Succeed(t, s.Refresh(t.Context()))
	if !of.met() || of.newest() != int(microversion.AcceleratorNewest) {
		t.Errorf("spoken to at 2.%d", of.newest())
	}
}

// TestReadsCyborg reads from a fake Cyborg, and writes to it.
func TestReadsCyborg(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	in.cyborg()
	s := w.openWith(t, api.Accelerator, in, 0)
	if got := s.reader.call.services[api.Accelerator]; got.minor != 3 || versionedAt(got.address, got.name) != got.address {
		t.Errorf("spoken to at 2.%d at %s", got.minor, got.address)
	}
	c := s.Snapshot().Cyborg()
	dev, _ := c.Device(fixed(1))
	part, _ := c.Deployable(fixed(2))
	profile, _ := c.DeviceProfile("dp")
	bound, _ := c.ARQ(fixed(4))
	if dev == nil || dev.Status != cyborg.Maintaining || dev.Hostname != "cmp-1" || dev.Created == 0 {
		t.Errorf("the device is %+v", dev)
	}
	if part == nil || part.Device != fixed(1) || part.Provider != storagetest.Provider(2) || part.Accelerators != 4 {
		t.Errorf("the deployable is %+v", part)
	}
	if profile == nil || profile.Groups[0]["resources:VGPU"] != "1" {
		t.Errorf("the profile is %+v", profile)
	}
	if bound == nil || bound.Instance != storagetest.Consumer(10) || c.UnitOf(bound) == "-" {
		t.Errorf("the request is %+v", bound)
	}
	if q, _ := c.ARQ(fixed(5)); q == nil || q.State != cyborg.ARQInitial || q.AttachHandle != uuid.Nil {
		t.Errorf("the other request is %+v", q)
	}
	if errs := c.Check(); len(errs) > 0 {
		t.Error(errs)
	}
	if without := s.Link().Without; len(without) > 0 {
		t.Error(without)
	}
	was := s.Snapshot().Revision()
	if err := s.Refresh(t.Context()); err != nil || s.Snapshot().Revision() != was {
		t.Errorf("it is otherwise when it is read again: %v", err)
	}
	for _, test := range []struct {
		op       cyborg.Op
		sent     string
		path     string // of the list that shows it
		old, new string
	}{
		{
			cyborg.EnableDevice{Device: fixed(1)},
			"POST /v2/devices/" + fixed(1).String() + "/enable  accelerator 2.3",
			"/v2/devices", `"maintaining"`, `"enabled"`,
		},
		{
			cyborg.DeleteARQs{ARQs: []uuid.UUID{fixed(5)}},
			"DELETE /v2/accelerator_requests?arqs=" + fixed(5).String() + "  accelerator 2.0",
			"/v2/accelerator_requests", `"uuid":"` + fixed(5).String() + `"`, `"uuid":null`,
		},
	} {
		for _, does := range []bool{false, true} {
			in.on = func(string) {
				if does {
					in.answers[test.path] = strings.Replace(in.answers[test.path], test.old, test.new, 1)
				}
			}
			err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{test.op}}).Err()
			if does != (err == nil) || !does && !errors.Is(err, cloud.ErrInDoubt) {
				t.Errorf("%s, which is done %t: %v", test.op, does, err)
			}
			if sent := in.written(); sent != test.sent {
				t.Errorf("sent %q, want %q", sent, test.sent)
			}
		}
	}
	in.odd = func(w http.ResponseWriter, r *http.Request) bool {
		return answers(http.StatusForbidden, `{"faultstring":"no"}`)(in)(w, r)
	}
	if err := s.Refresh(t.Context()); err != nil || len(s.Link().Without) != 4 || !strings.Contains(s.Link().Without[0], "403") {
		t.Errorf("%v, without %q", err, s.Link().Without)
	}
	if err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{cyborg.DisableDevice{Device: fixed(1)}}}).Err(); err == nil {
		t.Error("what is refused is done")
	}
	can := s.Capabilities()
	if unread := gaps(s); len(unread) != 10 { // there is no Nova
		t.Errorf("unread are %v", unread)
	}
	if can.Can(cyborg.EnableDevice{}) == nil || can.Can(placement.CreateTrait{}) != nil {
		t.Error("the wrong keys are off")
	}
	for want, op := range map[string]cloud.Op{
		"only Nova can write that":                       nova.CreateCell{},
		"a live cloud has no place for operators' notes": operator.UnmuteRule{},
		"whole records cannot be written over the API":   intent.PutRecords{},
	} {
		if err := can.Can(op); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v", op, err)
		}
	}
}

// TestCyborgWithLittle has an older Cyborg that reports less, and one that reports
// nonsense.
func TestCyborgWithLittle(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	p, _ := w.kept.Snapshot().Placement().Provider(storagetest.Provider(2))
	in.says("/v2/devices", object{"devices": []any{object{"uuid": fixed(1), "hostname": "cmp-1"}, object{"hostname": "x"}, object{"uuid": fixed(8), "hostname": "cmp-2", "id": 4}}})
	in.says("/v2/deployables", object{"deployables": []any{object{"uuid": fixed(2), "name": p.Name(), "attributes_list": "what?"}, object{"uuid": fixed(6), "name": "x", "device_id": 4}, object{}}})
	in.says("/v2/device_profiles", "what?")
	in.says("/v2/accelerator_requests", object{"arqs": nil})
	s := w.openWith(t, api.Accelerator, in, 0)
	c := s.Snapshot().Cyborg()
	if d, _ := c.Device(fixed(1)); d == nil || d.Status != cyborg.Enabled {
		t.Errorf("the device is %+v", d)
	}
	if d, _ := c.Deployable(fixed(2)); d == nil || d.Provider != p.ID() {
		t.Errorf("the deployable is %+v", d)
	}
	if d, _ := c.Deployable(fixed(6)); d == nil || d.Device != fixed(8) {
		t.Errorf("the other deployable is %+v", d)
	}
	if without := s.Link().Without; len(without) != 2 || !strings.HasPrefix(without[0], "device profiles") {
		t.Error(without)
	}
}
