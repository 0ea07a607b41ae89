package object

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/nova"
)

// workload is what a nova-compute counts in addition to its resources: how many instances
// its host has in each state, under each task, of each operating system and of each
// project. It follows from the instances, so no row holds it.
//
// Source: nova/compute/stats.py.
type workload struct {
	counts map[string]int64
	tasks  int64 // in progress: the current_workload of a compute node
}

// workloadOf counts the instances on a host that have not given up their place there.
//
// Source: nova/compute/stats.py, update_stats_for_instance and calculate_workload.
func workloadOf(s *nova.Snapshot, host string) workload {
	w := workload{counts: map[string]int64{}}
	if host == "" {
		return w // instances without a host are not on any
	}
	for i := range s.InstancesOn(host) {
		if !i.Live() || i.VMState == nova.ShelvedOffloaded {
			continue
		}
		w.counts["num_instances"]++
		w.counts["num_vm_"+cmp.Or(string(i.VMState), none)]++
		w.counts["num_task_"+cmp.Or(string(i.TaskState), none)]++
		w.counts["num_os_type_"+cmp.Or(osType(s, i), none)]++
		w.counts["num_proj_"+cmp.Or(i.Project, none)]++
		if i.TaskState != "" {
			w.tasks++
		}
	}
	return w
}

// osType returns the operating system of an instance; "" if nothing says.
func osType(s *nova.Snapshot, i *nova.Instance) string {
	if strings.Contains(string(i.Kept), "os_type") {
		if o, err := Of(s, i); err == nil {
			return or(o.(*Envelope[Instance]).Data.OSType)
		}
	}
	return i.Image["os_type"]
}

// none is what upstream writes for an attribute that an instance does not have.
const none = "None"

// stats returns the counts as the stats of a compute node have them. There are only
// those of what there is, as after an audit upstream. failed_builds is of the running
// process; none of ours fails to build a guest.
//
// Source: nova/compute/stats.py; nova/compute/resource_tracker.py, _copy_resources.
func (w workload) stats() Field[*map[string]*string] {
	stats := map[string]*string{"failed_builds": new("0")}
	for key, n := range w.counts {
		stats[key] = new(strconv.FormatInt(n, 10))
	}
	if len(w.counts) > 0 {
		stats["io_workload"] = new(strconv.FormatInt(w.io(), 10))
	}
	return Value(&stats)
}

// io counts the instances that load disks and network: those being built, moved, copied
// or restored.
//
// Source: nova/compute/stats.py, io_workload.
func (w workload) io() int64 {
	var n int64
	for _, key := range []string{
		"num_vm_building", "num_task_resize_migrating", "num_task_rebuilding", "num_task_resize_prep",
		"num_task_image_snapshot", "num_task_image_backup", "num_task_rescuing", "num_task_unshelving",
	} {
		n += w.counts[key]
	}
	return n
}
