package tracker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/versioned"
)

// The workload of a host counts its instances by state, task, operating system and
// project, except for those that have given up their place there.
func TestWorkload(t *testing.T) {
	t.Parallel()
	is := func(n byte, host, project, os string, vm nova.VMState, task nova.TaskState) versioned.Record {
		return instance(n, host, "f").Edit(func(i *nova.Instance) {
			i.Project, i.VMState, i.TaskState = project, vm, task
			if os != "" {
				i.Image = map[string]string{"os_type": os}
			}
		})
	}
	r := newRegion(t, service("cmp1", 73), flavor("f"), host(1), host(2),
		is(1, "cmp1", "p", "linux", nova.Active, ""),
		is(2, "cmp1", "p", "linux", nova.Active, "image_snapshot"),
		is(3, "cmp1", "q", "windows", nova.Building, nova.Spawning),
		is(4, "cmp1", "", "", nova.Stopped, ""),
		is(5, "cmp1", "q", "linux", nova.Active, nova.Deleting),
		is(6, "cmp1", "q", "linux", nova.ShelvedOffloaded, ""),
		is(7, "cmp1", "q", "linux", nova.Deleted, ""),
		is(8, "cmp2", "p", "linux", nova.Active, nova.ResizePrep),
		is(9, "", "p", "linux", nova.Building, nova.Scheduling),
	)
	osType := func(i *nova.Instance) string { return i.Image["os_type"] }
	for _, tt := range []struct {
		host  string
		tasks int64
		want  map[string]string
	}{
		{"cmp1", 3, map[string]string{
			"num_instances": "5", "num_vm_active": "3", "num_vm_building": "1", "num_vm_stopped": "1",
			"num_task_None": "2", "num_task_image_snapshot": "1", "num_task_spawning": "1", "num_task_deleting": "1",
			"num_os_type_linux": "3", "num_os_type_windows": "1", "num_os_type_None": "1",
			"num_proj_p": "2", "num_proj_q": "2", "num_proj_None": "1", "io_workload": "2", "failed_builds": "0",
		}},
		{"cmp2", 1, map[string]string{
			"num_instances": "1", "num_vm_active": "1", "num_task_resize_prep": "1", "num_os_type_linux": "1", "num_proj_p": "1",
			"io_workload": "1", "failed_builds": "0",
		}},
		{"cmp3", 0, map[string]string{"failed_builds": "0"}},
		{"", 0, map[string]string{"failed_builds": "0"}},
	} {
		load := tracker.WorkloadOf(r.Nova, tt.host, osType)
		if diff := cmp.Diff(tt.want, load.Stats()); diff != "" || load.Tasks() != tt.tasks {
			t.Errorf("host %q: %d tasks, want %d (-want +got):\n%s", tt.host, load.Tasks(), tt.tasks, diff)
		}
	}
}

// The workload that a service has sent is dropped once the tracker has counted its host;
// the rest of what it has sent stays. A second tick is quiet.
func TestWorkloadThatWasSentIsOver(t *testing.T) {
	t.Parallel()
	for sent, want := range map[nova.Kept]nova.Kept{
		`{"version":"1.19","data":{"current_workload":4,"metrics":"[]","stats":{"num_instances":"9"}}}`: `{"version":"1.19","data":{"metrics":"[]"}}`,
		`{"version":"1.19","data":{"stats":{"num_instances":"9"}}}`:                                     "",
		`{"version":"1.19","data":{"metrics":"stats"}}`:                                                 `{"version":"1.19","data":{"metrics":"stats"}}`,
		`no JSON with stats`: `no JSON with stats`,
	} {
		r := newRegion(t, service("cmp1", 73), flavor("f"), host(1, func(n *nova.ComputeNode) { n.Kept = sent }))
		r.settled("cmp1")
		if row, _ := r.Nova.ComputeNode(nodeID(1)); row.Kept != want {
			t.Errorf("%s: after a tick %q, want %q", sent, row.Kept, want)
		}
		// A landing instance has its host counted, too.
		r = newRegion(t, service("cmp1", 73), flavor("f"), host(1, func(n *nova.ComputeNode) { n.Kept = sent }), instance(1, "cmp1", "f"))
		row := r.Count("cmp1", now)[0].(nova.ReportComputeNode).Node
		if row.Kept != want || row.RunningVMs != 1 {
			t.Errorf("%s: after a claim %q, want %q", sent, row.Kept, want)
		}
	}
}
