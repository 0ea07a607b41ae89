package ops_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// newColumns is newTrip with the old columns of compute nodes, and a PCI device that
// Placement knows on each.
func newColumns(t *testing.T) *trip {
	t.Helper()
	w := modeltest.NewVGPUWorld(t, 2)
	w.Record(&nova.Flavor{Name: "card", FlavorID: "card", VCPUs: 2, MemoryMB: 4096, RootGB: 20, SwapMB: 1536, ExtraSpecs: map[string]string{"resources1:CUSTOM_PCI_10DE_1EB8": "1"}})
	for n := 1; n <= 2; n++ {
		host := fmt.Sprint("compute", n)
		row, _ := w.Nova().ComputeNode(rp(host))
		w.Record(row.Edit(func(n *nova.ComputeNode) {
			n.VCPUs, n.MemoryMB, n.LocalGB, n.ReservedMemoryMB = 16, 65536, 500, 512
			n.MemoryMBUsed = n.ReservedMemoryMB
			n.PCIStats, n.ObjectVersion = pools(t, 1), object.ComputeNodeVersion().String()
		}))
		w.Provider(host+"_0000:AF:00.0", host, resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova)
		w.Record(&nova.PciDevice{ComputeNode: rp(host), Address: "0000:af:00.0", VendorID: "10de", ProductID: "1eb8", DevType: "type-PCI", Status: "available"})
	}
	return &trip{store: &store{world: w}}
}

// pools returns the old column of a compute node with n free devices.
func pools(t *testing.T, n int) string {
	t.Helper()
	w := modeltest.NewWorld(t).Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h"})
	for i := range n {
		w.Record(&nova.PciDevice{ComputeNode: rp("h"), Address: fmt.Sprintf("0000:a%d:00.0", i), VendorID: "10de", ProductID: "1eb8", DevType: "type-PCI", Status: "available"})
	}
	for _, op := range (tracker.World{Placement: w.Placement(), Nova: w.Nova()}).Count("h", time.Time{}) {
		if report, ok := op.(nova.ReportComputeNode); ok {
			return report.Node.PCIStats
		}
	}
	t.Fatal("no pools")
	return ""
}

// columns returns the old columns of a host: vCPUs, MiB without what is reserved, GiB,
// instances, and which instance has its device.
func columns(s *cloud.Snapshot, host string) string {
	row, _ := s.Nova().ComputeNode(rp(host))
	whose := "-"
	for d := range s.Nova().PciDevicesOf(row.UUID) {
		whose = d.Status
	}
	return fmt.Sprintf("%d/%d/%d/%d %s", row.VCPUsUsed, row.MemoryMBUsed-row.ReservedMemoryMB, row.LocalGBUsed, row.RunningVMs, whose)
}

// untold returns the hosts for which a tick would write to the old columns.
func untold(t *testing.T, s *cloud.Snapshot) []string {
	t.Helper()
	var out []string
	w := tracker.World{Placement: s.Placement(), Nova: s.Nova()}
	for row := range s.Nova().ComputeNodes() {
		node := must.Get(tracker.ReadNode(row))(t)
		tree := must.Get(tracker.FromColumns(node))(t)
		tick := must.Get(w.Tick(node, tree, modeltest.At(99)))(t)
		if len(tick.Nova) > 0 {
			out = append(out, row.Host)
		}
	}
	return out
}

// Claim and release write the old columns in the same Change as Placement: a tick after
// any step has nothing to add.
func TestOldColumnsAreWrittenAlong(t *testing.T) {
	t.Parallel()
	tr := newColumns(t)
	boot := newBoot("card")
	boot.Pick = &ops.Place{Host: "compute1", Root: rp("compute1"), Allocations: allocations{
		rp("compute1"):              {placement.VCPU: 2, placement.MemoryMB: 4096, placement.DiskGB: 22},
		rp("compute1_0000:AF:00.0"): {"CUSTOM_PCI_10DE_1EB8": 1},
	}}
	move := ops.Move{Migration: vm("m"), Instance: vm("i")}
	again := ops.Move{Migration: vm("m2"), Instance: vm("i")}
	up := ops.Move{Migration: vm("m3"), Instance: vm("i"), Flavor: "nova.big"}
	const one, none = "2/4096/21/1", "0/0/0/0 available"
	for _, step := range []struct {
		name   string
		course ops.Task
		want   [2]string
	}{
		{"boot", boot, [2]string{one + " allocated", none}},
		{"migrate", move, [2]string{"2/4096/21/0 allocated", one + " allocated"}},
		{"confirm", ops.Confirm{Migration: vm("m")}, [2]string{none, one + " allocated"}},
		{"migrate back", again, [2]string{one + " allocated", "2/4096/21/0 allocated"}},
		{"revert", ops.Revert{Migration: vm("m2")}, [2]string{none, one + " allocated"}},
		{"resize", up, [2]string{"4/8192/20/1 available", "2/4096/21/0 allocated"}},
		{"confirm the resize", ops.Confirm{Migration: vm("m3")}, [2]string{"4/8192/20/1 available", none}},
		{"terminate", ops.Terminate{Instance: vm("i")}, [2]string{none, none}},
	} {
		rehearsed, err := ops.Rehearse(tr.Snapshot(), step.course, modeltest.At(1))
		must.Succeed(t, err)
		err = ops.Runner{
			Now: clock(),
			Report: func(d ops.StepDone) {
				if hosts := untold(t, tr.Snapshot()); len(hosts) > 0 {
					t.Errorf("%s: after %q a tick writes columns of %v", step.name, d.Title, hosts)
				}
			},
		}.Run(context.Background(), tr.store, step.course)
		must.Succeed(t, err)
		if diff := cmp.Diff(step.want, [2]string{columns(tr.Snapshot(), "compute1"), columns(tr.Snapshot(), "compute2")}); diff != "" {
			t.Errorf("%s:\n%s", step.name, diff)
		}
		if got := [2]string{columns(rehearsed.Final, "compute1"), columns(rehearsed.Final, "compute2")}; got != step.want {
			t.Errorf("%s: a rehearsal comes to %v", step.name, got)
		}
	}
}
