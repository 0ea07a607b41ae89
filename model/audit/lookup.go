package audit

import (
	"iter"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// instanceOf returns an instance by its uuid. If there is none, but not all were read,
// nothing can be concluded from that.
func (a *auditor) instanceOf(id placement.ConsumerID) (*nova.Instance, bool) {
	i, ok := a.Cloud.Nova().Instance(id)
	if !ok {
		a.lacks(cloud.Instances)
	}
	return i, ok
}

// consumerOf returns a consumer by its uuid, with the same reservation.
func (a *auditor) consumerOf(id placement.ConsumerID) (*placement.Consumer, bool) {
	c, ok := a.Ledger.Consumer(id)
	if !ok {
		a.lacks(cloud.Allocations)
	}
	return c, ok
}

// migrationsOf yields the migrations of an instance. It may have others that were not
// read; unless a rule stops at one that it looks for, it concludes that there are none.
func (a *auditor) migrationsOf(instance placement.ConsumerID) iter.Seq[*nova.Migration] {
	return func(yield func(*nova.Migration) bool) {
		for m := range a.Cloud.Nova().MigrationsOf(instance) {
			if !yield(m) {
				return
			}
		}
		a.lacks(cloud.Migrations)
	}
}

// atRest reports whether an instance, or that of a migration, is not being booted, moved,
// confirmed, reverted or deleted. What it is to hold meanwhile depends on how far that is.
func (a *auditor) atRest(id placement.ConsumerID) bool {
	if a.Cloud.Nova().UnderWay(id) {
		return false
	}
	a.lacksHolders()
	return true
}

// hostProvider returns the root of a host, by its compute node. Without one the name of
// the host may be that of another root.
func (a *auditor) hostProvider(host string) (*placement.ResourceProvider, bool) {
	for node := range a.Cloud.Nova().ComputeNodesOf(host) {
		return a.Ledger.Provider(node.UUID)
	}
	a.lacks(cloud.Hypervisors)
	return a.HostProvider(host)
}

// rootHost is the host of a root.
type rootHost struct {
	name    string // "" if it was not looked up yet
	hasNode bool   // whether Nova has a compute node for it
}

// hostOf returns the name of the host whose root has the given number, by its compute
// node. Without one it may have another name than its root.
func (a *auditor) hostOf(root int) string {
	a.tables()
	h := &a.hosts[root]
	if h.name == "" {
		p := a.Ledger.ProviderAt(root)
		h.name = ops.HostOf(a.Cloud, p)
		_, h.hasNode = a.Cloud.Nova().ComputeNode(p.ID())
	}
	if !h.hasNode {
		a.lacks(cloud.Hypervisors)
	}
	return h.name
}

// foreign notes that a consumer may belong to another service, or another Nova: it does
// not hold something on hypervisors of this Nova alone, and pools that they share.
func (a *auditor) foreign(c *placement.Consumer) {
	if !a.Cloud.Live() {
		return
	}
	if why := a.Cloud.Foreign(c); why != "" {
		a.lacks(cloud.Hypervisors)
		a.doubt(why)
	}
}

// instance returns the instance that h is, nil if it is none, as far as is known.
func (h *holder) instance() *nova.Instance {
	if h.is == nil && h.moves == nil && h.Type() != placement.MigrationConsumer {
		h.a.lacks(cloud.Instances)
		h.a.foreign(h.Consumer)
	}
	return h.is
}

// migration returns the migration that h is, nil if it is none, as far as is known.
func (h *holder) migration() *nova.Migration {
	if h.is == nil && h.moves == nil && h.Type() != placement.InstanceConsumer {
		h.a.lacksHolders()
		h.a.foreign(h.Consumer)
	}
	return h.moves
}

// live reports whether h is an instance that exists.
func (h *holder) live() bool { return h.instance() != nil && h.is.Live() }

// isMigration reports whether h is, or was, a migration.
func (h *holder) isMigration() bool {
	return h.is == nil && (h.Type() == placement.MigrationConsumer || h.migration() != nil)
}
