package demo

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// fullProject is the project that has all that it may have.
const fullProject = "student-lab"

// Quotas returns what answers, as a Nova would, how much each project of a demo cloud may
// have: a quarter more than it has now, but for one, which has all.
func Quotas(of cloud.Reader) func(context.Context, string) ([]*nova.Quota, error) {
	began := of.Snapshot()
	return func(_ context.Context, project string) ([]*nova.Quota, error) {
		limits, quotas := counted(began, project), counted(of.Snapshot(), project)
		for i, q := range quotas {
			q.Limit = limits[i].Used
			if project != fullProject {
				q.Limit += q.Limit/4 + 1
			}
		}
		return quotas, nil
	}
}

// counted returns what Nova counts for a project, without limits.
//
// Source: nova/quota.py, _instances_cores_ram_count.
func counted(s *cloud.Snapshot, project string) []*nova.Quota {
	instances, cores, ram := &nova.Quota{Name: "instances"}, &nova.Quota{Name: "cores"}, &nova.Quota{Name: "ram"}
	for i := range s.Nova().Instances() {
		if i.Project != project || !i.Live() {
			continue
		}
		instances.Used++
		if f, ok := s.Nova().Flavor(i.Flavor); ok {
			cores.Used, ram.Used = cores.Used+f.VCPUs, ram.Used+f.MemoryMB
		}
	}
	return []*nova.Quota{instances, cores, ram}
}
