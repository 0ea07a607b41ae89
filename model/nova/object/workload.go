package object

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/nova"
)

// workloadOf returns the fields of a compute node for what a nova-compute counts in addition
// to its resources: how many instances its host has in each state, under each task, of each
// operating system and of each project, of those that have not given up their place there.
// There are only counts of what there is, as after an audit upstream. failed_builds is of the
// running process; none of ours fails to build a guest. current_workload are the tasks.
//
// Source: nova/compute/stats.py, update_stats_for_instance, calculate_workload and
// io_workload; nova/compute/resource_tracker.py, _copy_resources.
func workloadOf(s *nova.Snapshot, host string) Fields {
	const none = "None"
	counts, stats := map[string]int64{}, Fields{"failed_builds": "0"}
	var tasks, io int64
	for i := range s.InstancesOn(host) {
		if host == "" || !i.Live() || i.VMState == nova.ShelvedOffloaded {
			continue // instances without a host are not on any
		}
		counts["num_instances"]++
		counts["num_vm_"+cmp.Or(string(i.VMState), none)]++
		counts["num_task_"+cmp.Or(string(i.TaskState), none)]++
		counts["num_os_type_"+cmp.Or(osType(s, i), none)]++
		counts["num_proj_"+cmp.Or(i.Project, none)]++
		if i.TaskState != "" {
			tasks++
		}
		// Those that load disks and network: being built, moved, copied or restored.
		for _, what := range []string{string(i.VMState), string(i.TaskState)} {
			switch what {
			case "building", "resize_migrating", "rebuilding", "resize_prep", "image_snapshot", "image_backup", "rescuing", "unshelving":
				io++
			}
		}
	}
	for key, n := range counts {
		stats[key] = strconv.FormatInt(n, 10)
	}
	if len(counts) > 0 {
		stats["io_workload"] = strconv.FormatInt(io, 10)
	}
	return Fields{"stats": stats, "current_workload": again(tasks)}
}

// osType returns the operating system of an instance; "" if nothing says.
func osType(s *nova.Snapshot, i *nova.Instance) string {
	if strings.Contains(string(i.Kept), "os_type") {
		if o, err := Of(s, i); err == nil {
			return get[string](o, "os_type")
		}
	}
	return i.Image["os_type"]
}
