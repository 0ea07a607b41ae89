package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// usualLimit is the default number of candidates to print: as many as Nova requests.
//
// Source: nova/conf/scheduler.py, max_placement_results.
const usualLimit = 1000

// candidatesFlags are the flags of "placetop candidates".
type candidatesFlags struct {
	Explain      bool   `flag:"explain" not:"fits" help:"say what ruled out the others, and what would help"`
	Fits         bool   `flag:"fits" help:"say how many copies fit, and where"`
	Limit        int    `flag:"limit" help:"print at most <N> candidates, 0 for all; a limit in the query wins"`
	Microversion string `flag:"microversion" not:"flavor" help:"read the query as this <VERSION> of the API does"`
	scheduling
}

// candidatesCommand returns "placetop candidates".
func (p *program) candidatesCommand() *cobra.Command {
	a := candidatesFlags{Limit: usualLimit, Microversion: microversion.PlacementNewest.String()}
	cmd := command(`candidates [QUERY|FLAVOR]
Ask where something would fit: allocation candidates, and why not elsewhere

Print the allocation candidates for a query, which is what follows the "?" in
GET /allocation_candidates; member_of and in_tree may name an aggregate or a provider.
With a flavor, ask what Nova's scheduler would ask for an instance of it, say where each
term comes from (the flavor, its extra specs, its image, a device profile, a
pre-filter), and list what else the scheduler checks. What Neutron's networks and ports
add is not known here, and policies of server groups are the scheduler's own. With
--explain, also say why: how many trees each condition leaves, which providers come
close and what rules them out, and which change to the
query gives candidates. With --fits, say how many copies fit, each as a separate
consumer, and what one more would need on each host. Exit code 5 means that nothing
fits.

Examples:
  placetop candidates 'resources=VCPU:2,MEMORY_MB:4096&required=OWNER_NOVA'
  placetop candidates 'resources=VCPU:2&resources_GPU=VGPU:1&required_GPU=OWNER_CYBORG' -o json
  placetop candidates 'resources=VCPU:9999' --explain
  placetop candidates --flavor gpu.t4.1c --zone az-1
  placetop candidates --flavor gpu.t4.1c --gate open --owner-filter root
  placetop candidates --flavor cpu.small --image-property hw_tpm_version=2.0
  placetop candidates 'resources=VCPU:8,MEMORY_MB:16384' --fits`)
	bindFlags(cmd, &a)
	a.image = imageFlag(cmd)
	ownerFormFlag(cmd, &a.owner, "owner-filter", "with the other form of the owner filter", nova.OwnerOff.Word())
	for _, name := range []string{"owner-filter", "image-property"} {
		cmd.Flags().Lookup(name).Annotations = map[string][]string{requiredFlags: {"flavor"}}
	}
	p.outputFlag(cmd, print.Lists())
	p.atFlag(cmd)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] != "" && a.Flavor == "" && !strings.Contains(args[0], "=") {
			return cmd.Flags().Set("flavor", args[0]) // so that flags that need that, or exclude it, see it
		}
		return takes(0, 1)(cmd, args)
	}
	cmd.ValidArgsFunction = p.complete(func(f finder, args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return candidates.Complete(f.Placement(), "")
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.askCandidates(cmd, a, args) }
	return cmd
}

// askCandidates runs the query of the command line.
func (p *program) askCandidates(cmd *cobra.Command, a candidatesFlags, args []string) error {
	if a.Limit < 0 {
		return usageErrorf("use 0 for all", "--limit %d is below zero", a.Limit)
	}
	if len(args) == 1 && args[0] == a.Flavor {
		args = nil
	}
	if err := a.check(cmd, args); err != nil {
		return err
	}
	version, err := microversion.ParsePlacement(a.Microversion)
	if err != nil {
		return err
	}
	p.needs = cloud.PlacementParts()
	if a.Flavor != "" {
		p.needs = append(p.needs, cloud.Flavors, cloud.Profiles, cloud.Services, cloud.Hypervisors, cloud.HostAggregates)
	} else if _, err := candidates.ParseURL(args[0], version, nil); err != nil { // perhaps for a name
		p.needs = append(p.needs, cloud.HostAggregates)
	}
	store, err := p.openToRead(cmd.Context())
	if err != nil {
		return err
	}
	f := finderOf(store.Snapshot())
	index := candidates.NewIndex(f.Placement())
	if a.Flavor == "" {
		q, err := candidates.ParseURL(ops.QueryByNames(f.Snapshot, args[0]), version, f.Placement())
		if err != nil {
			return err
		}
		asked, err := index.Ask(q)
		if err != nil {
			return err
		}
		if a.Fits {
			return p.fits(asked)
		}
		return p.candidates(a, f.Snapshot, asked, nil)
	}
	spec, o, err := a.request(f, a.Limit)
	if err != nil {
		return err
	}
	places, err := ops.PlacesFor(f.Snapshot, index, spec, o)
	if err != nil {
		return err
	}
	for _, w := range places.Request.Warnings {
		p.warn(w.String())
	}
	if a.Explain {
		p.sayPrefilters(f.Nova(), places.Request)
	}
	if a.Fits {
		all, err := ops.NewAsker(f.Snapshot, index).Questions(spec, o)
		if err != nil {
			return err
		}
		return p.fits(all...)
	}
	return p.candidates(a, f.Snapshot, places.Asked(), &places)
}

// candidates answers q and prints the answer. If q is that of a request of Nova's, of has
// the places found for it, else it is nil.
func (p *program) candidates(a candidatesFlags, s *cloud.Snapshot, q *candidates.Question, of *ops.Places) error {
	own := q.Query().Limit
	limit := cmp.Or(own, a.Limit)
	raw := q.Search(candidates.Options{Limit: limit})
	var request *nova.Request
	list, summaries := candidatesOf(raw)
	if of != nil {
		// They are not only Placement's candidates: on a host whose disks are in a shared pool, an
		// instance booted from a volume still gets its disk from the host.
		list, summaries, request = of.Places, treesOf(s.Placement(), of.Places), &of.Request
	}
	found := newCandidateList(s, list, summaries)
	var why *candidates.Explanation
	if a.Explain || len(found.list) == 0 {
		why = q.Explain(candidates.ExplainOptions{Misses: 10, Ways: 8, Name: ops.QueryNames(s)})
	}
	cutAt := 0
	if raw.Truncated || of != nil && of.Cut {
		cutAt = candidates.DefaultMost
	}
	told := why
	if !a.Explain {
		told = nil
	}
	var not []excludedHost
	if of != nil {
		for host, why := range of.LeftOut(s, p.now()) {
			not = append(not, excludedHost{host, why})
		}
		for _, at := range of.Left {
			if l := (excludedHost{at.Host, at.Why}); len(found.list) > 0 && !slices.Contains(not, l) {
				not = append(not, l)
			}
		}
		if len(not) > 0 {
			p.say("no instance can boot on %s", hostsLeftOut(not))
		}
	}
	var old []excludedHost
	for _, e := range ops.Unreported(s) {
		old = append(old, excludedHost{e.Host, e.Words})
	}
	if len(old) > 0 {
		p.say("no candidate can be on %s; start its nova-compute or agent, or run \"placetop online-data-migrations\"", hostsLeftOut(old))
		not = append(not, old...)
	}
	printCandidates(p.printer(), found, told, request, not, cutAt)
	if cutAt > 0 {
		p.say("cut off at %d candidates: there are too many for one answer; ask for the first N with --limit N", cutAt)
	}
	for _, root := range raw.GaveUp {
		p.say("%s has more combinations of providers than can be tried: not all of them were", root.Name())
	}
	switch {
	case len(found.list) > 0:
	case of != nil && len(of.Left) > 0:
		return &exitError{code: exitNothingFits, err: &ops.NoValidHostError{Places: *of}}
	default:
		return noCandidates(why)
	}
	if (limit != own || of != nil) && len(found.list) == limit {
		p.say("the first %d candidates, because of --limit", len(found.list))
	}
	return nil
}

// noCandidates returns the error that nothing fits: the condition that removed the last
// tree, and a way out.
func noCandidates(why *candidates.Explanation) error {
	text := "no candidates"
	if st, ok := why.First(); ok {
		text += ": " + st.Condition.Words()
		if st.LostTrees > 0 {
			text += fmt.Sprintf(" rules out the last %d of %d trees", st.LostTrees, why.Trees)
		}
		if len(st.Causes) > 0 {
			text += " (" + joined(st.Causes, candidates.Cause.Words) + ")"
		}
	}
	hint := ""
	if len(why.Ways) > 0 {
		hint = fmt.Sprintf("%s would give %s", why.Ways[0].Words(), why.Ways[0].Counted())
	}
	return exitErrorf(exitNothingFits, hint, "%s", text)
}

// fits prints how many copies of what is asked fit, and where.
func (p *program) fits(asked ...*candidates.Question) error {
	f := candidates.FitOf(asked...)
	printFit(p.printer(), newFitAnswer(f))
	switch {
	case f.Copies == 0:
		return exitErrorf(exitNothingFits, "see why with --explain", "no copy fits")
	case f.More:
		p.say("more than %d copies fit: packing stopped there", f.Copies)
	}
	return nil
}

// scheduling are the flags of "placetop candidates" for a query as Nova's scheduler would
// send it.
type scheduling struct {
	Flavor         string         `flag:"flavor" help:"ask what Nova would for an instance of <FLAVOR>"`
	Project        string         `flag:"project" needs:"flavor" help:"of the project <ID>"`
	Zone           string         `flag:"zone" needs:"flavor" help:"in the availability <ZONE>"`
	Host           string         `flag:"host" needs:"flavor" help:"on <HOST> and no other"`
	BootFromVolume bool           `flag:"boot-from-volume" needs:"flavor" help:"for an instance whose root disk is a volume"`
	Gate           nova.GateForce `flag:"gate" needs:"flavor" words:"open,closed" help:"as if the gate of the owner filter were %s"`
	NoPrefilter    []string       `flag:"no-prefilter" needs:"flavor" help:"without the pre-filter <NAME>; may be repeated"`
	Prefilter      []string       `flag:"prefilter" needs:"flavor" help:"with the pre-filter <NAME>, though it is off; may be repeated"`
	PCIInPlacement bool           `flag:"pci-in-placement" needs:"flavor" help:"ask Placement for its PCI devices, too; =false leaves them to the records of the hosts"`

	image  func() (map[string]string, error)
	owner  string // the word of a form of the owner filter, "" for the configured one
	pciSet bool   // PCIInPlacement was given; otherwise the configuration decides
}

// check refuses a query beside a flavor.
func (s *scheduling) check(cmd *cobra.Command, args []string) error {
	s.pciSet = cmd.Flags().Changed("pci-in-placement")
	switch {
	case s.Flavor != "" && len(args) > 0:
		return usageErrorf("leave out one of them", "a query and --flavor exclude each other")
	case s.Flavor == "" && len(args) == 0:
		return usageErrorf("give one of them", "%s needs a query or a flavor", cmd.CommandPath())
	}
	return nil
}

// request returns what Nova would ask for, with at most limit candidates, 0 for all.
func (s *scheduling) request(f finder, limit int) (nova.RequestSpec, nova.AskOptions, error) {
	fail := func(err error) (nova.RequestSpec, nova.AskOptions, error) {
		return nova.RequestSpec{}, nova.AskOptions{}, err
	}
	v, err := f.Flavor(s.Flavor)
	if err != nil {
		return fail(err)
	}
	if err := f.CheckPlace(s.Host, s.Zone); err != nil {
		return fail(err)
	}
	image, err := s.image()
	if err != nil {
		return fail(err)
	}
	spec, err := ops.RequestSpecOf(f.Snapshot, &nova.Instance{Project: s.Project, Zone: s.Zone, BootFromVolume: s.BootFromVolume, Image: image}, v)
	if err != nil {
		return fail(err)
	}
	spec.Host, spec.Limit = s.Host, limit
	if limit == 0 {
		spec.Limit = -1
	}
	o := nova.AskOptions{Placement: f.Placement(), Gate: s.Gate, Switch: map[string]bool{}}
	if s.owner != "" {
		form := ownerForm(s.owner)
		o.OwnerFilter = &form
	}
	if s.pciSet {
		o.PCIInPlacement = &s.PCIInPlacement
	}
	for i, name := range slices.Concat(s.NoPrefilter, s.Prefilter) {
		if err := (&nova.Config{Off: []string{name}}).Validate(); err != nil {
			return fail(err)
		}
		if _, twice := o.Switch[name]; twice && slices.Contains(s.NoPrefilter, name) && slices.Contains(s.Prefilter, name) {
			return fail(usageErrorf("give it once", "pre-filter %s cannot be both off and on", name))
		}
		o.Switch[name] = i >= len(s.NoPrefilter)
	}
	return spec, o, nil
}

// sayPrefilters says what the pre-filters of a live cloud did, and by which settings: no
// API reports these.
func (p *program) sayPrefilters(s *nova.Snapshot, r nova.Request) {
	if s.Config().Live == "" {
		return
	}
	for _, f := range r.Prefilters {
		p.say("pre-filter %s %s: %s", f.Name, f.State, f.Why)
	}
}
