package ops_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// values are those of an object's fields, by name.
type values = map[string]any

// sent returns the object of a row, with some fields set to values.
func sent(t *testing.T, w *world, row ledger.Row, edit values) *object.Object {
	t.Helper()
	text := must.Get(object.Encode(w.Nova(), must.Get(object.Of(w.Nova(), row))(t), nil))(t)
	var envelope map[string]any
	must.Succeed(t, json.Unmarshal([]byte(text), &envelope))
	maps.Copy(envelope["nova_object.data"].(values), edit)
	return decoded(t, envelope)
}

// made returns an object of the newest version.
func made(t *testing.T, class, version string, data values) *object.Object {
	t.Helper()
	return decoded(t, values{"nova_object.name": class, "nova_object.namespace": "nova", "nova_object.version": version, "nova_object.data": data})
}

func decoded(t *testing.T, envelope values) *object.Object {
	t.Helper()
	return must.Get(object.Decode(must.Get(json.Marshal(envelope))(t)))(t)
}

// Objects are applied in their order, all or none, by the same rules as records from any
// other writer.
func TestPlanObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Compute("h", 73).Record(&nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 1})
	svc, _ := w.Nova().Service("h", nova.Compute)
	flavor := func(name, id string, vcpus int64) *object.Object {
		return made(t, "Flavor", "1.2", values{"name": name, "flavorid": id, "vcpus": vcpus, "memory_mb": 1})
	}
	var tooOld *nova.ServiceTooOldError
	for _, tt := range []struct {
		name    string
		sent    []*object.Object
		records int
		err     error
		text    string
	}{
		{"none", nil, 0, nil, ""},
		{"as it is", []*object.Object{sent(t, w, svc, nil), flavor("f", "1", 1)}, 0, nil, ""},
		{"saved twice", []*object.Object{sent(t, w, svc, values{"report_count": 1}), sent(t, w, svc, values{"report_count": 2})}, 2, nil, ""},
		{"a new flavor", []*object.Object{flavor("g", "2", 1)}, 1, nil, ""},
		{"another flavor of a name", []*object.Object{flavor("f", "1", 2)}, 0, placement.ErrExists, "object 1, Flavor"},
		{"a new flavor without an id", []*object.Object{flavor("g", "", 1)}, 0, placement.ErrInvalid, "flavorid"},
		{"a service that goes back", []*object.Object{sent(t, w, svc, nil), sent(t, w, svc, values{"version": 66})}, 0, placement.ErrState, "object 2, Service"},
		{"a service that takes its version back", []*object.Object{sent(t, w, svc, values{"version": 0})}, 0, placement.ErrState, "had 73"},
		{"no record", []*object.Object{made(t, "PciDevicePool", "1.1", values{})}, 0, placement.ErrInvalid, "PciDevicePool"},
	} {
		plan, err := ops.PlanObjects(w.Snapshot, tt.sent)
		switch {
		case tt.err == nil && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.err != nil && (!errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text)):
			t.Errorf("%s: %v, want %v about %q", tt.name, err, tt.err, tt.text)
		case written(plan.Change) != tt.records:
			t.Errorf("%s: %d records are written, want %d", tt.name, written(plan.Change), tt.records)
		}
		if errors.Is(tt.err, placement.ErrState) && !errors.As(err, &tooOld) {
			t.Errorf("%s: %v, want a *ServiceTooOldError", tt.name, err)
		}
	}
	two := newWorld(t).Compute("old", 66).Compute("h", 73)
	svc2, _ := two.Nova().Service("h", nova.Compute)
	if _, err := ops.PlanObjects(two.Snapshot, []*object.Object{sent(t, two, svc2, values{"version": 66})}); !errors.As(err, &tooOld) || tooOld.Was != 73 {
		t.Errorf("a service that goes back while an older one is left: %v", err)
	}
	plan := must.Get(ops.PlanObjects(w.Snapshot, []*object.Object{sent(t, w, svc, values{"report_count": 7})}))(t)
	w.Change(plan.Change)
	if is, _ := w.Nova().Service("h", nova.Compute); is.ReportCount != 7 || is.LastSeenUp != svc.LastSeenUp || modeltest.Noon().Sub(is.SeenAt()) < 0 {
		t.Errorf("service %+v, want the count alone changed of %+v", is, svc)
	}
}

// What is probably not meant gives a warning, once, and not for what was there before.
func TestPlanObjectsWarns(t *testing.T) {
	t.Parallel()
	vm := &nova.Instance{UUID: modeltest.ConsumerID("vm"), Name: "vm", Project: "p", User: "u", Host: "h", Flavor: "f", VMState: nova.Active}
	lost := &nova.Instance{UUID: modeltest.ConsumerID("lost"), Name: "lost", Project: "p", User: "u", Host: "away", Flavor: "f", VMState: nova.Active}
	gone := &nova.Instance{UUID: modeltest.ConsumerID("gone"), Name: "gone", Project: "p", User: "u", Host: "away", Flavor: "f", VMState: nova.Deleted}
	w := newWorld(t).Compute("h", 73).Record(
		&nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 1},
		&nova.Service{Host: "ahead", Binary: nova.Compute, Version: 90}, vm, lost, gone)
	svc, _ := w.Nova().Service("h", nova.Compute)
	ahead, _ := w.Nova().Service("ahead", nova.Compute)
	for _, tt := range []struct {
		name string
		row  ledger.Row
		edit values
		want string // the only warning; "" if there is none
	}{
		{"the newest version that is known", svc, values{"report_count": 1}, ""},
		{"a version that nobody knows", svc, values{"version": 74}, "nova-compute on h has version 74, but the newest version known here is Hibiscus (73): if that is a mistake, only the service itself can correct it, when it next starts"},
		{"one that stood there", ahead, values{"report_count": 1}, ""},
		{"an instance on a host with a compute node", vm, values{"display_name": "web"}, ""},
		{"an instance on a host without one", vm, values{"host": "nowhere"}, "instance vm is on host nowhere, which has no compute node"},
		{"one that was there already", lost, values{"display_name": "web"}, ""},
		{"one that comes back to life there", gone, values{"vm_state": "active", "deleted": false}, "instance gone is on host away, which has no compute node"},
		{"one that is deleted", vm, values{"host": "nowhere", "vm_state": "deleted", "deleted": true}, ""},
	} {
		plan, err := ops.PlanObjects(w.Snapshot, []*object.Object{sent(t, w, tt.row, tt.edit)})
		if got := strings.Join(plan.Preview.Warnings, "\n"); err != nil || got != tt.want {
			t.Errorf("%s: warns %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	// Nova stores the name of a trait as it is: whoever moves flavors to another cloud may
	// do so before their providers are there.
	f := made(t, "Flavor", "1.2", values{"name": "h100", "flavorid": "2", "vcpus": 1, "memory_mb": 1, "extra_specs": values{"trait:CUSTOM_H100": "required"}})
	plan := must.Get(ops.PlanObjects(w.Snapshot, []*object.Object{f}))(t)
	if got := strings.Join(plan.Preview.Warnings, "\n"); got != "flavor h100: trait:CUSTOM_H100=required: no such trait CUSTOM_H100" {
		t.Errorf("a flavor for a trait that is not there: warns %q", got)
	}
}

// written returns how many records c puts.
func written(c cloud.Change) (n int) {
	for _, op := range c.Ops {
		if put, ok := op.(nova.PutRecords); ok {
			n += len(put.Records)
		} else {
			n++
		}
	}
	return n
}
