package nova

import (
	"cmp"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// The names of the pre-filters, as upstream's functions are called.
//
// Source: nova/scheduler/request_filter.py.
const (
	FilterTenant        = "require_tenant_aggregate"
	FilterZone          = "map_az_to_placement_aggregate"
	FilterImageType     = "require_image_type_support"
	FilterStatus        = "compute_status_filter"
	FilterIsolate       = "isolate_aggregates"
	FilterImageMetadata = "transform_image_metadata"
	FilterAccelerators  = "accelerators_filter"
	FilterPackedRing    = "packed_virtqueue_filter"
	FilterEphemeral     = "ephemeral_encryption_filter"
	FilterSound         = "virtio_sound_filter"
	FilterTPMSecret     = "tpm_secret_security_filter"
	FilterOwner         = "owner_nova_filter"
)

// Prefilter is what a pre-filter, which changes a request before it is sent, did to
// one request.
type Prefilter struct {
	Name  string // as upstream's function
	Title string // what it does, in words
	State PrefilterState
	Why   string        // why it is in that state
	Terms []RequestTerm // that it added
}

// PrefilterState is whether a pre-filter changed a request.
type PrefilterState string

// The states.
const (
	Applied PrefilterState = "applied"
	Skipped PrefilterState = "skipped" // it does not bear on this request
	Off     PrefilterState = "off"     // it is switched off
)

// RequestTerm is a term of a query, such as root_required=!COMPUTE_STATUS_DISABLED.
type RequestTerm struct {
	Param, Value string
}

// String returns the term as the query has it.
func (t RequestTerm) String() string { return t.Param + "=" + t.Value }

// prefilter is a rule that changes requests, and says what it did and why.
type prefilter struct {
	name, title string
	run         func(*prefilterDraft) (PrefilterState, string)
}

// optionOf returns the option in [scheduler] of nova.conf that switches a pre-filter on,
// as it is off until then; "" for one that always runs.
//
// Source: nova/conf/scheduler.py.
func optionOf(filter string) string {
	switch filter {
	case FilterTenant:
		return "limit_tenants_to_placement_aggregate"
	case FilterImageType:
		return "query_placement_for_image_type_support"
	case FilterIsolate:
		return "enable_isolated_aggregate_filtering"
	case FilterImageMetadata:
		return "image_metadata_prefilter"
	}
	return ""
}

// prefilters are the pre-filters in the order in which they run. Those about networks and
// ports are missing, as nothing of Neutron's is known here.
//
// Source: nova/scheduler/request_filter.py, ALL_REQUEST_FILTERS.
//
//nolint:gochecknoglobals // a table that nothing writes
var prefilters = [...]prefilter{
	{FilterTenant, "keep tenants on hosts reserved for them", (*prefilterDraft).tenant},
	{FilterZone, "keep to hosts of the availability zone", (*prefilterDraft).zone},
	{FilterImageType, "keep to hosts that support the image's format", (*prefilterDraft).asks},
	{FilterStatus, "leave out hosts whose compute service is disabled", (*prefilterDraft).status},
	{FilterIsolate, "leave out hosts reserved for traits not asked for", (*prefilterDraft).isolate},
	{FilterImageMetadata, "keep to hosts that have the devices the image asks for", (*prefilterDraft).asks},
	{FilterAccelerators, "keep to hosts that can attach accelerators", (*prefilterDraft).accelerators},
	{FilterPackedRing, "keep to hosts that support packed virtio rings", (*prefilterDraft).asks},
	{FilterEphemeral, "keep to hosts that can encrypt ephemeral disks", (*prefilterDraft).asks},
	{FilterSound, "keep to hosts that have a virtio sound device", (*prefilterDraft).asks},
	{FilterTPMSecret, "keep to hosts that support the vTPM secret security asked for", (*prefilterDraft).asks},
	{FilterOwner, "keep Nova to the providers it owns", (*prefilterDraft).owner},
}

// PrefilterNames returns the names of all pre-filters in the order in which they
// run.
func PrefilterNames() []string {
	out := make([]string, len(prefilters))
	for i, f := range prefilters {
		out[i] = f.name
	}
	return out
}

// prefilter changes d as the pre-filters do, and returns what each of them did. Those of
// the table are left out if neither flavor nor image concerns them.
func (s *Snapshot) prefilter(d *draft, o AskOptions) []Prefilter {
	out := make([]Prefilter, 0, len(prefilters))
	config := s.Config()
	for _, f := range prefilters {
		if ofTable(f.name) && len(d.wantedBy(f.name)) == 0 {
			continue
		}
		out = append(out, Prefilter{Name: f.name, Title: f.title, State: Off})
		p, option := &out[len(out)-1], optionOf(f.name)
		switch on, given := o.Switch[f.name]; {
		case given && !on:
			p.Why = "switched off for this request"
		case !given && slices.Contains(config.Off, f.name):
			p.Why = "switched off by the operator"
		case !given && option != "" && !slices.Contains(config.On, f.name):
			p.Why = cmp.Or(config.Basis(option), "off by default")
		default:
			p.State, p.Why = f.run(&prefilterDraft{draft: d, s: s, o: o, config: config, now: p})
			if basis := config.Basis(option); basis != "" && !given {
				p.Why += "; " + basis
			}
		}
	}
	return out
}

// prefilterDraft is a draft under one pre-filter.
type prefilterDraft struct {
	*draft
	s      *Snapshot
	o      AskOptions
	config *Config
	now    *Prefilter
}

// origin is the Origin of the pre-filter's terms.
func (f *prefilterDraft) origin() string { return ofPrefilter + f.now.Name }

// ofPrefilter starts the Origin of the terms that pre-filters add to a request.
const ofPrefilter = "pre-filter "

// IsPrefilter reports whether a term of a request was added by a pre-filter, according
// to its Origin.
func IsPrefilter(origin string) bool { return strings.HasPrefix(origin, ofPrefilter) }

// note records a term that was added, to be shown.
func (f *prefilterDraft) note(param, value string) {
	f.now.Terms = append(f.now.Terms, RequestTerm{Param: param, Value: value})
}

// require asks the providers of a group for a trait, before all other traits.
func (f *prefilterDraft) require(g *draftGroup, t placement.Trait) {
	if g.requires(t) {
		return
	}
	g.Required = slices.Insert(g.Required, 0, candidates.AnyTrait{Names: []placement.Trait{t}, Origin: f.origin()})
	f.note("required"+g.Suffix, string(t))
}

// forbid excludes providers with a trait from a group.
func (f *prefilterDraft) forbid(g *draftGroup, t placement.Trait) {
	if slices.ContainsFunc(g.Forbidden, func(has candidates.Trait) bool { return has.Name == t }) {
		return
	}
	g.Forbidden = append(g.Forbidden, candidates.Trait{Name: t, Origin: f.origin()})
	f.note("required"+g.Suffix, "!"+string(t))
}

// rootHas reports whether a trait is already required of the root.
func (d *draft) rootHas(t placement.Trait) bool {
	return slices.ContainsFunc(d.root.Required, func(has candidates.Trait) bool { return has.Name == t })
}

// requireRoot requires a trait of the root, before all other traits. because are the
// extra specs and image properties that ask for it.
func (f *prefilterDraft) requireRoot(t placement.Trait, because ...string) {
	if f.rootHas(t) {
		return
	}
	origin := strings.Join(append([]string{f.origin()}, because...), ", ")
	f.root.Required = slices.Insert(f.root.Required, 0, candidates.Trait{Name: t, Origin: origin})
	f.note("root_required", string(t))
}

// memberOf limits the un-suffixed group to hosts in one of the aggregates.
func (f *prefilterDraft) memberOf(ids []candidates.AggregateText) {
	g := f.group("")
	g.MemberOf = append(g.MemberOf, candidates.AnyAggregate{IDs: ids, Origin: f.origin()})
	f.note("member_of", memberValue(ids))
}
