package survey

import (
	"iter"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Holders yields consumers and instances side by side, by uuid, in which order both ledgers
// list them: each consumer with its instance, nil for none, and each instance that holds
// nothing without a consumer.
func Holders(s *cloud.Snapshot) iter.Seq2[*placement.Consumer, *nova.Instance] {
	return func(yield func(*placement.Consumer, *nova.Instance) bool) {
		rest := slices.AppendSeq(make([]*nova.Instance, 0, s.Nova().InstanceCount()), s.Nova().Instances())
		for c := range s.Placement().Consumers() {
			for len(rest) > 0 && rest[0].UUID.Compare(c.ID()) < 0 {
				if !yield(nil, rest[0]) {
					return
				}
				rest = rest[1:]
			}
			var is *nova.Instance
			if len(rest) > 0 && rest[0].UUID == c.ID() {
				is, rest = rest[0], rest[1:]
			}
			if !yield(c, is) {
				return
			}
		}
		for _, i := range rest {
			if !yield(nil, i) {
				return
			}
		}
	}
}

// IsMigration reports whether a consumer is a migration: it is typed so, or Nova's
// ledger says that it is, as a real Nova leaves the type out.
func (v *View) IsMigration(c *placement.Consumer) bool {
	switch c.Type() {
	case placement.MigrationConsumer:
		return true
	case placement.InstanceConsumer:
		return false
	default:
		_, known := v.Cloud.Nova().Migration(c.ID())
		return known
	}
}
