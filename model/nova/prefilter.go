package nova

import (
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
	run         func(*filtering) (PrefilterState, string)
	// optional is set if it is off unless the operator switches it on.
	optional bool
}

// prefilters are the pre-filters in the order in which they run. Those that are off
// upstream until the operator switches them on, and that exclude hosts which do not
// report what they can do, are off here too. Those about networks and ports are missing,
// as nothing of Neutron's is known here.
//
// Source: nova/conf/scheduler.py, query_placement_for_image_type_support and
// image_metadata_prefilter.
//
//nolint:gochecknoglobals // a table that nothing writes
var prefilters = [...]prefilter{
	{FilterTenant, "keep tenants on hosts reserved for them", (*filtering).tenant, false},
	{FilterZone, "keep to hosts of the availability zone", (*filtering).zone, false},
	{FilterImageType, "keep to hosts that support the image's format", (*filtering).asks, true},
	{FilterStatus, "leave out hosts whose compute service is disabled", (*filtering).status, false},
	{FilterIsolate, "leave out hosts reserved for traits not asked for", (*filtering).isolate, false},
	{FilterImageMetadata, "keep to hosts that have the devices the image asks for", (*filtering).asks, true},
	{FilterAccelerators, "keep to hosts that can attach accelerators", (*filtering).accelerators, false},
	{FilterPackedRing, "keep to hosts that support packed virtio rings", (*filtering).asks, false},
	{FilterEphemeral, "keep to hosts that can encrypt ephemeral disks", (*filtering).asks, false},
	{FilterSound, "keep to hosts that have a virtio sound device", (*filtering).asks, false},
	{FilterTPMSecret, "keep to hosts that support the vTPM secret security asked for", (*filtering).asks, false},
	{FilterOwner, "keep Nova to the providers it owns", (*filtering).owner, false},
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
		p := &out[len(out)-1]
		switch on, given := o.Switch[f.name]; {
		case given && !on:
			p.Why = "switched off for this request"
		case !given && slices.Contains(config.Off, f.name):
			p.Why = "switched off by the operator"
		case !given && f.optional && !slices.Contains(config.On, f.name):
			p.Why = "off by default, not switched on"
		default:
			p.State, p.Why = f.run(&filtering{draft: d, s: s, o: o, config: config, now: p})
		}
	}
	return out
}

// filtering is a draft under one pre-filter.
type filtering struct {
	*draft
	s      *Snapshot
	o      AskOptions
	config *Config
	now    *Prefilter
}

// origin is the Origin of the pre-filter's terms.
func (f *filtering) origin() string { return ofPrefilter + f.now.Name }

// ofPrefilter starts the Origin of the terms that pre-filters add to a request.
const ofPrefilter = "pre-filter "

// IsPrefilter reports whether a term of a request was added by a pre-filter, according
// to its Origin.
func IsPrefilter(origin string) bool { return strings.HasPrefix(origin, ofPrefilter) }

// note records a term that was added, to be shown.
func (f *filtering) note(param, value string) {
	f.now.Terms = append(f.now.Terms, RequestTerm{Param: param, Value: value})
}

// require asks the providers of a group for a trait, before all other traits.
func (f *filtering) require(g *draftGroup, t placement.Trait) {
	if g.requires(t) {
		return
	}
	g.Required = slices.Insert(g.Required, 0, candidates.AnyTrait{Names: []placement.Trait{t}, Origin: f.origin()})
	f.note("required"+g.Suffix, string(t))
}

// forbid excludes providers with a trait from a group.
func (f *filtering) forbid(g *draftGroup, t placement.Trait) {
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
func (f *filtering) requireRoot(t placement.Trait, because ...string) {
	if f.rootHas(t) {
		return
	}
	origin := strings.Join(append([]string{f.origin()}, because...), ", ")
	f.root.Required = slices.Insert(f.root.Required, 0, candidates.Trait{Name: t, Origin: origin})
	f.note("root_required", string(t))
}

// memberOf limits the un-suffixed group to hosts in one of the aggregates.
func (f *filtering) memberOf(ids []candidates.AggregateText) {
	g := f.group("")
	g.MemberOf = append(g.MemberOf, candidates.AnyAggregate{IDs: ids, Origin: f.origin()})
	f.note("member_of", memberValue(ids))
}
