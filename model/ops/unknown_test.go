package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestUntoldFlavorIsNoRef compares clouds in one of which it is not told which flavor an
// instance has: what stands for that is not shown.
func TestUntoldFlavorIsNoRef(t *testing.T) {
	t.Parallel()
	a, b := newWorld(t).Flavors().Running("small"), newWorld(t).Flavors().Running("small")
	i, _ := b.Nova().Instance(vm("i"))
	b.Record(i.Edit(func(i *nova.Instance) {
		i.Flavor = (&nova.Flavor{Name: "small", Revision: nova.UnknownRevision}).Ref()
	}))
	diffs := ops.Compare(a.Snapshot, b.Snapshot)
	if len(diffs) != 1 {
		t.Fatalf("%+v", diffs)
	}
	must.Match(t, []delta.Text{{Name: "flavor", Before: "small", After: "small (revision unknown)"}}, diffs[0].Fields)
}

// TestTickWithoutNova has a tracker whose node Placement has under another uuid, while Nova does
// not say which that of its host is: nobody is advised to delete it.
func TestTickWithoutNova(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h")
	tick := ops.Tick{Elsewhere: true, Tree: tracker.Tree{Root: tracker.Provider{Name: "h", ID: rp("mine")}}}
	_, _, err := tick.Plan(w.ReadAs(cloud.NewReadings(nil, nil)), late)
	must.Fail(t, err, placement.ErrExists)
	_, _, err = tick.Plan(w.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Hypervisors, Why: "503"}}, nil)), late)
	must.Fail(t, err, placement.ErrUnavailable)
}
