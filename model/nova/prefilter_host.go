package nova

import (
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
)

// The keys of host aggregates' metadata that pre-filters read.
const (
	metadataTenant = "filter_tenant_id" // and keys that begin with it, for more than one tenant
	metadataTrait  = "trait:"           // followed by the name of a trait
)

// tenant limits a tenant to the aggregates reserved for it, if there are any.
//
// Source: nova/scheduler/request_filter.py, require_tenant_aggregate.
func (f *prefilterDraft) tenant() (PrefilterState, string) {
	if f.spec.Project == "" {
		return Skipped, "the request names no project"
	}
	ids := aggregatesWith(f.s.Aggregates(), func(key, value string) bool {
		return strings.HasPrefix(key, metadataTenant) && value == f.spec.Project
	})
	if len(ids) == 0 {
		none := "no host aggregate has " + metadataTenant + " of project " + f.spec.Project
		if f.config.TenantNeedsAggregate {
			f.refuse(placement.StateErrorf("%s, and %s is set: Nova finds no host for it", none, optionTenantNeeds))
		}
		return Skipped, none
	}
	f.memberOf(ids)
	return Applied, words.Count(len(ids), "host aggregate") + " reserved for project " + f.spec.Project
}

// zone limits the request to the aggregates of the availability zone.
//
// Source: nova/scheduler/request_filter.py, map_az_to_placement_aggregate.
func (f *prefilterDraft) zone() (PrefilterState, string) {
	if f.spec.Zone == "" {
		return Skipped, "no availability zone is asked for"
	}
	ids := aggregatesWith(f.s.Aggregates(), func(key, value string) bool { return key == ZoneMetadata && value == f.spec.Zone })
	if len(ids) == 0 {
		return Skipped, "no host aggregate has " + ZoneMetadata + " " + f.spec.Zone
	}
	f.memberOf(ids)
	return Applied, "availability zone " + f.spec.Zone + " is asked for"
}

// status leaves out hosts whose compute service is disabled.
//
// Source: nova/scheduler/request_filter.py, compute_status_filter.
func (f *prefilterDraft) status() (PrefilterState, string) {
	const disabled = placement.ComputeStatusDisabled
	if !slices.ContainsFunc(f.root.Forbidden, func(t candidates.Trait) bool { return t.Name == disabled }) {
		f.root.Forbidden = append(f.root.Forbidden, candidates.Trait{Name: disabled, Origin: f.origin()})
		f.note("root_required", "!"+string(disabled))
	}
	return Applied, "it applies to every request"
}

// isolate leaves out the aggregates with metadata trait:X=required unless the
// request requires all such X.
//
// Source: nova/scheduler/request_filter.py, isolate_aggregates.
func (f *prefilterDraft) isolate() (PrefilterState, string) {
	ids := aggregatesWith(f.s.Aggregates(), func(key, value string) bool {
		trait, ok := strings.CutPrefix(key, metadataTrait)
		return ok && value == "required" && !slices.ContainsFunc(f.groups, func(g *draftGroup) bool { return g.requires(placement.Trait(trait)) })
	})
	if len(ids) == 0 {
		return Skipped, "no host aggregate is reserved for a trait that the request does not require"
	}
	g := f.group("")
	for _, id := range ids {
		g.ForbiddenAggregates = append(g.ForbiddenAggregates, candidates.Aggregate{ID: id, Origin: f.origin()})
	}
	f.note("member_of", "!"+memberValue(ids))
	return Applied, words.Count(len(ids), "host aggregate") + " reserved for traits that the request does not require"
}

// accelerators limits requests with a device profile to hosts that can attach Cyborg's
// accelerators.
//
// Source: nova/scheduler/request_filter.py, accelerators_filter.
func (f *prefilterDraft) accelerators() (PrefilterState, string) {
	profile := f.spec.Flavor.DeviceProfile()
	if profile == "" {
		return Skipped, "the flavor has no " + accelProfile
	}
	f.requireRoot(placement.ComputeAccelerators)
	return Applied, "the flavor has " + accelProfile + " " + profile
}

// aggregatesWith returns the aggregates with an item of metadata for which match returns
// true.
func aggregatesWith(all iter.Seq[*HostAggregate], match func(key, value string) bool) []candidates.AggregateText {
	var ids []candidates.AggregateText
	for a := range all {
		for key, value := range a.Metadata {
			if match(key, value) {
				ids = append(ids, candidates.TextOfAggregate(a.UUID))
				break
			}
		}
	}
	return ids
}

// memberValue writes aggregates, one of which is required, as in a query.
func memberValue(ids []candidates.AggregateText) string {
	text := make([]string, len(ids))
	for i, id := range ids {
		text[i] = string(id)
	}
	if len(ids) == 1 {
		return text[0]
	}
	return "in:" + strings.Join(text, ",")
}
