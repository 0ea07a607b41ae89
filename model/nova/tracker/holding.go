package tracker

import (
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// nobody is the project and user for an instance without them.
//
// Source: placement/conf/placement.py, incomplete_consumer_project_id.
const nobody = "00000000-0000-0000-0000-000000000000"

// put returns the operation after which an instance holds h and nothing else.
func put(i *nova.Instance, expect placement.Expect, h placement.Amounts) placement.Op {
	c := placement.Claim{Consumer: i.UUID, Generation: expect, Type: placement.InstanceConsumer, Project: i.Project, User: i.User, Allocations: h}
	if c.Project == "" {
		c.Project = nobody
	}
	if c.User == "" {
		c.User = nobody
	}
	return placement.ReplaceClaims(c)
}
