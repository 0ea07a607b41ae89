package nova

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// draft is an unfinished request. Its amounts may be 0, which prevents the flavor's own
// from being asked for.
type draft struct {
	spec     RequestSpec
	groups   []*draftGroup // the un-suffixed one first, which may ask for nothing
	policy   candidates.GroupPolicy
	root     candidates.RootTerms
	anchors  candidates.AnchorTerm
	limit    int
	own      []string // the suffixes of the flavor's groups, also of those that ask for nothing
	warnings []Warning
	pinned   bool     // the CPU policy made PCPU of the flavor's CPUs
	unowned  []string // suffixes of groups that only providers without an owner can serve
	refused  error    // why Nova would not boot an instance with it; nil if it would
}

// draftGroup is a request group of a draft.
type draftGroup struct {
	candidates.Group
	source GroupSource
}

// newDraft returns what the flavor, and others that add to the request, ask for, without
// pre-filters.
//
// Source: nova/scheduler/utils.py, ResourceRequest.from_request_spec.
func newDraft(spec RequestSpec) (*draft, error) {
	if spec.Flavor == nil {
		return nil, &placement.InvalidError{Field: "request", Why: "needs a flavor"}
	}
	if err := spec.Flavor.Validate(); err != nil {
		return nil, err
	}
	d := &draft{
		spec: spec, groups: []*draftGroup{{source: FromFlavor}}, limit: max(spec.Limit, 0),
		root: candidates.Query{Root: spec.Root}.Clone().Root,
	}
	if spec.Limit == 0 {
		d.limit = MaxPlacementResults
	}
	if err := d.readExtraSpecs(); err != nil {
		return nil, err
	}
	d.readImage()
	d.addImageTraits()
	d.pinCPUs()
	if err := d.addOutside(); err != nil {
		return nil, err
	}
	if err := d.addFlavor(); err != nil {
		return nil, err
	}
	d.translate()
	d.tellJudged()
	d.own = d.suffixes()
	d.strip()
	if !slices.ContainsFunc(d.groups, func(g *draftGroup) bool { return len(g.Resources) > 0 }) && spec.Flavor.DeviceProfile() == "" {
		d.warnings = append(d.warnings, Warning{Accepted: true, Text: "flavor " + spec.Flavor.Name + " asks for nothing, as all amounts are 0: Placement rejects such a request."})
	}
	return d, d.settlePolicy(len(d.groups))
}

// newRequest is newDraft, but with an error for what Nova would not boot.
func newRequest(spec RequestSpec) (*draft, error) {
	d, err := newDraft(spec)
	if err != nil {
		return nil, err
	}
	return d, d.refused
}

// group returns the flavor's group with the given suffix, a new one if there is none.
func (d *draft) group(suffix string) *draftGroup {
	for _, g := range d.groups {
		if g.Suffix == suffix {
			return g
		}
	}
	g := &draftGroup{Group: candidates.Group{Suffix: suffix}, source: FromFlavor}
	d.groups = append(d.groups, g)
	return g
}

// set asks for an amount of a class, and replaces an earlier amount.
func (g *draftGroup) set(class placement.ResourceClass, amount int64, origin string) {
	g.Resources = slices.DeleteFunc(g.Resources, func(r candidates.Resource) bool { return r.Class == class })
	g.Resources = append(g.Resources, candidates.Resource{Class: class, Amount: amount, Origin: origin})
}

func (d *draft) addImageTraits() {
	for _, t := range d.imageTraits() {
		d.group("").require(t, imageTraitOrigin(t))
	}
}

// imageTraits returns the traits that the image requires.
//
// Source: nova/objects/image_meta.py, ImageMetaProps._set_attr_from_trait_names.
func (d *draft) imageTraits() []placement.Trait {
	out := slices.Clone(d.spec.ImageTraits)
	for _, name := range sortedKeys(d.spec.Image) {
		if t, ok := strings.CutPrefix(name, metadataTrait); ok && d.spec.Image[name] == "required" && !slices.Contains(out, placement.Trait(t)) {
			out = append(out, placement.Trait(t))
		}
	}
	return out
}

func imageTraitOrigin(t placement.Trait) string { return "image trait:" + string(t) + "=required" }

// require makes the group require trait t, unless it does already.
func (g *draftGroup) require(t placement.Trait, origin string) {
	if !g.requires(t) {
		g.Required = append(g.Required, candidates.AnyTrait{Names: []placement.Trait{t}, Origin: origin})
	}
}

func (g *draftGroup) requires(t placement.Trait) bool {
	return slices.ContainsFunc(g.Required, func(r candidates.AnyTrait) bool { return len(r.Names) == 1 && r.Names[0] == t })
}

// addOutside adds the groups that do not come from the flavor.
//
// Source: nova/scheduler/utils.py, ResourceRequest._process_requested_resources.
func (d *draft) addOutside() error {
	slices.SortStableFunc(d.groups[1:], func(a, b *draftGroup) int { return compareSuffixes(a.Suffix, b.Suffix) })
	profile := d.spec.Flavor.DeviceProfile()
	if profile != "" && len(d.spec.Devices) == 0 {
		return d.fault(accelProfile, profile, "the device profile has no request groups")
	}
	for _, from := range []struct {
		source GroupSource
		groups []candidates.Group
		name   string
	}{
		{FromPCI, d.spec.PCI, ""},
		{FromPort, d.spec.Ports, ""},
		{FromDeviceProfile, d.spec.Devices, profile},
	} {
		for i, g := range (candidates.Query{Groups: from.groups}).Clone().Groups {
			if g.Suffix == "" || slices.ContainsFunc(d.groups, func(has *draftGroup) bool { return has.Suffix == g.Suffix }) {
				if key, ok := d.specOf(g.Suffix); ok && g.Suffix != "" {
					return d.fault(key, g.Suffix, fmt.Sprintf("suffix %q is used by a group of the %s %s: choose another", g.Suffix, from.source, from.name))
				}
				return placement.Invalid("request group of a "+string(from.source), g.Suffix, "needs a suffix of its own")
			}
			name(&g, strings.Join(strings.Fields(fmt.Sprintf("%s %s group %d", from.source, from.name, i)), " "))
			d.groups = append(d.groups, &draftGroup{Group: g, source: from.source})
		}
	}
	return nil
}

// specOf returns the first extra spec of the flavor for the group with a suffix, and
// false if there is none.
func (d *draft) specOf(suffix string) (string, bool) {
	for _, key := range sortedKeys(d.spec.Flavor.ExtraSpecs) {
		if k, ok := parseSpecKey(key); ok && k.suffix == suffix {
			return key, true
		}
	}
	return "", false
}

// name sets the origin of those terms of g that have none.
func name(g *candidates.Group, origin string) {
	give := func(to *string) {
		if *to == "" {
			*to = origin
		}
	}
	for i := range g.Resources {
		give(&g.Resources[i].Origin)
	}
	for i := range g.Required {
		give(&g.Required[i].Origin)
	}
	for i := range g.Forbidden {
		give(&g.Forbidden[i].Origin)
	}
	for i := range g.MemberOf {
		give(&g.MemberOf[i].Origin)
	}
	for i := range g.ForbiddenAggregates {
		give(&g.ForbiddenAggregates[i].Origin)
	}
	if g.InTree != "" {
		give(&g.InTreeOrigin)
	}
}

// compareSuffixes orders numbers by value before words by text.
func compareSuffixes(a, b string) int {
	number := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	switch na, nb := number(a), number(b); {
	case na && nb && len(a) != len(b):
		return len(a) - len(b)
	case na != nb && na:
		return -1
	case na != nb:
		return 1
	}
	return strings.Compare(a, b)
}

// asked reports whether any group has an amount for a class, even 0.
func (d *draft) asked(class placement.ResourceClass) bool {
	return slices.ContainsFunc(d.groups, func(g *draftGroup) bool {
		return slices.ContainsFunc(g.Resources, func(r candidates.Resource) bool { return r.Class == class })
	})
}

// unlessAsked adds an amount of the flavor's own to the un-suffixed group, unless some
// group has one for the class already.
func (d *draft) unlessAsked(class placement.ResourceClass, amount int64, origin string) {
	if !d.asked(class) {
		d.group("").set(class, amount, origin)
	}
}

// addFlavor adds what the flavor itself asks for.
func (d *draft) addFlavor() error {
	f := d.spec.Flavor
	origin := "flavor " + f.Name + ": "
	if !d.asked(placement.PCPU) {
		d.unlessAsked(placement.VCPU, f.VCPUs, origin+"vcpus")
	}
	d.unlessAsked(placement.MemoryMB, f.MemoryMB, origin+"memory_mb")
	gb, from := f.DiskGB(d.spec.BootFromVolume, true)
	if gb > placement.MaxInt && !d.asked(placement.DiskGB) {
		return placement.Invalid(
			"flavor "+f.Name+" "+strings.Join(from, " + "), fmt.Sprint(gb), fmt.Sprintf("asks for more than %d GB of disk", placement.MaxInt))
	}
	d.unlessAsked(placement.DiskGB, gb, origin+strings.Join(from, ", "))
	return nil
}

// classRank returns the position in a request of the classes that every instance has; the
// others follow by name.
func classRank(c placement.ResourceClass) int {
	switch c {
	case placement.VCPU:
		return 0
	case placement.PCPU:
		return 1
	case placement.MemoryMB:
		return 2
	case placement.DiskGB:
		return 3
	default:
		return 4
	}
}

// strip removes amounts of 0 and, except for the un-suffixed one, groups that ask for
// nothing.
//
// Source: nova/scheduler/utils.py, ResourceRequest.strip_zeros.
func (d *draft) strip() {
	for _, g := range d.groups {
		g.Resources = slices.DeleteFunc(g.Resources, func(r candidates.Resource) bool { return r.Amount == 0 })
		if g.source != FromFlavor {
			continue // in its original order
		}
		slices.SortStableFunc(g.Resources, func(a, b candidates.Resource) int {
			if ra, rb := classRank(a.Class), classRank(b.Class); ra != rb {
				return ra - rb
			}
			return strings.Compare(string(a.Class), string(b.Class))
		})
	}
	d.groups = slices.DeleteFunc(d.groups, func(g *draftGroup) bool { return g.Suffix != "" && g.empty() })
}

// empty reports whether the group asks for nothing.
func (g *draftGroup) empty() bool {
	return len(g.Resources)+len(g.Required)+len(g.Forbidden)+len(g.MemberOf)+len(g.ForbiddenAggregates) == 0 && g.InTree == ""
}

// settlePolicy sets whether groups, of which there are so many, may share a provider if the
// flavor does not say so: they may, unless several of them are the flavor's own, as then the
// flavor must say so. Of these upstream also counts those that ask for nothing.
//
// Source: nova/scheduler/utils.py, resources_from_request_spec.
func (d *draft) settlePolicy(groups int) error {
	switch {
	case d.policy != "" || groups <= 2:
		return nil
	case len(d.own) > 1:
		return d.fault(groupPolicy, d.spec.Flavor.ExtraSpecs[groupPolicy],
			fmt.Sprintf("must be none or isolate, as the flavor has groups %s", strings.Join(d.own, ", ")))
	}
	d.policy = candidates.PolicyNone
	return nil
}

// suffixes returns the suffixes of the flavor's groups.
func (d *draft) suffixes() (own []string) {
	for _, g := range d.groups[1:] {
		if g.source == FromFlavor {
			own = append(own, g.Suffix)
		}
	}
	return own
}

// amounts returns the resources that the groups ask for.
func (d *draft) amounts() []RequestGroup {
	var out []RequestGroup
	for _, g := range d.groups {
		if g.empty() {
			continue
		}
		amounts := make(map[placement.ResourceClass]int64, len(g.Resources))
		for _, r := range g.Resources {
			amounts[r.Class] += r.Amount
		}
		out = append(out, RequestGroup{Suffix: g.Suffix, Source: g.source, Amounts: amounts})
	}
	return out
}

// query returns the draft as a query.
func (d *draft) query() candidates.Query {
	q := candidates.Query{GroupPolicy: d.policy, Root: d.root, Anchors: d.anchors, Limit: d.limit}
	for _, g := range d.groups {
		if !g.empty() {
			q.Groups = append(q.Groups, g.Group)
		}
	}
	return q.Clone()
}

// force limits the request to the host that the spec forces: to the trees of its compute
// nodes, of which bare metal has several, and what shares with them. That filters the
// answer, and is not part of the query. Upstream sets in_tree for the un-suffixed group
// if there is one node, and filters the answer to an unlimited request if there are
// several; but with in_tree no pool can serve the host, so that a host with shared
// storage could never be forced.
//
// Source: nova/scheduler/utils.py, resources_from_request_spec;
// nova/scheduler/host_manager.py, _match_forced_hosts.
func (d *draft) force(s *Snapshot) error {
	if d.spec.Host == "" {
		return nil
	}
	d.anchors = candidates.AnchorTerm{Name: d.spec.Host, Origin: "forced host " + d.spec.Host}
	for node := range s.ComputeNodesOf(d.spec.Host) {
		d.anchors.Roots = append(d.anchors.Roots, node.UUID)
	}
	if d.anchors.Empty() {
		return placement.NotFound(ComputeHost, d.spec.Host)
	}
	return nil
}
