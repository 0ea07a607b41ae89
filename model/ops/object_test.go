package ops_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/exchange"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned/object"
)

// sent is the object of a row, with some fields as edit says.
func sent(t *testing.T, w *world, row *nova.Service, edit object.Values) object.Object {
	t.Helper()
	o, err := exchange.Object(w.Nova(), row)
	if err != nil {
		t.Fatal(err)
	}
	if err := object.Fill(o, edit); err != nil {
		t.Fatal(err)
	}
	return o
}

// Objects are taken over in their order, all or none, by the rules that the records
// have whoever writes them.
func TestPlanObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Compute("h", 73).Record(&nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 1})
	svc, _ := w.Nova().Service("h", nova.Compute)
	flavor := func(name, id string, vcpus int64) object.Object {
		f := objects.NewFlavor()
		if err := object.Fill(f, object.Values{"name": name, "flavorid": id, "vcpus": vcpus, "memory_mb": 1}); err != nil {
			t.Fatal(err)
		}
		return f
	}
	var tooOld *nova.ServiceTooOldError
	for _, tt := range []struct {
		name    string
		sent    []object.Object
		records int
		err     error
		text    string
	}{
		{"none", nil, 0, nil, ""},
		{"as it is", []object.Object{sent(t, w, svc, nil), flavor("f", "1", 1)}, 0, nil, ""},
		{"saved twice", []object.Object{sent(t, w, svc, object.Values{"report_count": 1}), sent(t, w, svc, object.Values{"report_count": 2})}, 2, nil, ""},
		{"a new flavor", []object.Object{flavor("g", "2", 1)}, 1, nil, ""},
		{"another flavor of a name", []object.Object{flavor("f", "1", 2)}, 0, placement.ErrExists, "object 1, Flavor"},
		{"a new flavor without an id", []object.Object{flavor("g", "", 1)}, 0, placement.ErrInvalid, "flavorid"},
		{"a service that goes back", []object.Object{sent(t, w, svc, nil), sent(t, w, svc, object.Values{"version": 66})}, 0, placement.ErrState, "object 2, Service"},
		{"a service that takes its version back", []object.Object{sent(t, w, svc, object.Values{"version": 0})}, 0, placement.ErrState, "had 73"},
		{"no record", []object.Object{objects.NewPciDevicePool()}, 0, placement.ErrInvalid, "PciDevicePool"},
	} {
		plan, err := ops.PlanObjects(w.Snapshot, tt.sent)
		switch {
		case tt.err == nil && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.err != nil && (!errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text)):
			t.Errorf("%s: %v, want %v about %q", tt.name, err, tt.err, tt.text)
		case len(plan.Change.Nova.Records) != tt.records:
			t.Errorf("%s: %d records are written, want %d", tt.name, len(plan.Change.Nova.Records), tt.records)
		}
		if errors.Is(tt.err, placement.ErrState) && !errors.As(err, &tooOld) {
			t.Errorf("%s: %v, want a *ServiceTooOldError", tt.name, err)
		}
	}
	plan, err := ops.PlanObjects(w.Snapshot, []object.Object{sent(t, w, svc, object.Values{"report_count": 7})})
	if err != nil {
		t.Fatal(err)
	}
	w.Change(plan.Change)
	if is, _ := w.Nova().Service("h", nova.Compute); is.ReportCount != 7 || is.LastSeenUp != svc.LastSeenUp || modeltest.Noon().Sub(is.SeenAt()) < 0 {
		t.Errorf("service %+v, want the count alone changed of %+v", is, svc)
	}
}
