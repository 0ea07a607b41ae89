package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
)

// usualLimit is the default number of candidates to print: as many as Nova requests.
//
// Source: nova/conf/scheduler.py, max_placement_results.
const usualLimit = 1000

// asking are the flags of "placetop candidates".
type asking struct {
	explain      bool
	fits         bool
	limit        int
	microversion string
	format       *format
	scheduling
}

// candidatesCommand returns "placetop candidates".
func (p *program) candidatesCommand() *cobra.Command {
	var a asking
	cmd := &cobra.Command{
		Use:   "candidates [QUERY]",
		Short: "Ask where something would fit: allocation candidates, and why not elsewhere",
		Long: `Print the allocation candidates for a query, which is what follows the "?" in
GET /allocation_candidates. With --flavor, ask what Nova's scheduler would ask for an
instance of that flavor, say where each term comes from (the flavor, its extra specs,
its image, a device profile, a pre-filter), and list what else the scheduler checks.
What Neutron's networks and ports add is not known here, and policies of server groups
are the scheduler's own. With --explain, also say why: how many trees each condition
leaves, which providers come close and what rules them out, and which change to the
query gives candidates. With --fits, say how many copies fit, each as a separate
consumer, and what one more would need on each host. Exit code 5 means that nothing
fits.`,
		Example: `  placetop candidates 'resources=VCPU:2,MEMORY_MB:4096&required=OWNER_NOVA'
  placetop candidates 'resources=VCPU:2&resources_GPU=VGPU:1&required_GPU=OWNER_CYBORG' -o json
  placetop candidates 'resources=VCPU:9999' --explain
  placetop candidates --flavor gpu.t4.1c --zone az-1
  placetop candidates --flavor gpu.t4.1c --gate open --owner-filter root
  placetop candidates --flavor cpu.small --image-property hw_tpm_version=2.0
  placetop candidates 'resources=VCPU:8,MEMORY_MB:16384' --fits`,
		Args: takes(0, 1),
	}
	cmd.Flags().BoolVar(&a.explain, "explain", false, "say what ruled out the others, and what would help")
	cmd.Flags().BoolVar(&a.fits, "fits", false, "say how many copies fit, and where")
	cmd.Flags().IntVar(&a.limit, "limit", usualLimit, "print at most `N` candidates, 0 for all; a limit in the query wins")
	cmd.Flags().StringVar(&a.microversion, "microversion", candidates.Latest.String(), "read the query as this `VERSION` of the API does")
	a.format = outputFlag(cmd, listFormats())
	p.atFlag(cmd)
	p.schedulingFlags(cmd, &a.scheduling)
	excludeFlag(cmd, "fits", "explain")
	excludeFlag(cmd, "flavor", "microversion")
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
func (p *program) askCandidates(cmd *cobra.Command, a asking, args []string) error {
	if a.limit < 0 {
		return usageErrorf("use 0 for all", "--limit %d is below zero", a.limit)
	}
	if err := a.check(cmd, args); err != nil {
		return err
	}
	out, err := p.printer(*a.format)
	if err != nil {
		return err
	}
	version, err := candidates.ParseMicroversion(a.microversion)
	if err != nil {
		return err
	}
	if a.flavor == "" {
		p.needs = cloud.PlacementParts()
	} else {
		p.needs = append(cloud.PlacementParts(), cloud.Flavors, cloud.Profiles, cloud.Services, cloud.Hypervisors, cloud.HostAggregates)
	}
	store, err := p.openToRead(cmd.Context())
	if err != nil {
		return err
	}
	f := finderOf(store.Snapshot())
	index := candidates.NewIndex(f.Placement())
	if a.flavor == "" {
		q, err := candidates.ParseURL(args[0], version, f.Placement())
		if err != nil {
			return err
		}
		asked, err := index.Ask(q)
		if err != nil {
			return err
		}
		return p.candidates(out, a, f.Snapshot, index, asked, nil)
	}
	places, err := a.places(f, index, a.limit)
	if err != nil {
		return err
	}
	for _, w := range places.Request.Warnings {
		p.say("warning: %s", w)
	}
	if a.explain {
		p.sayPrefilters(f.Nova(), places.Request)
	}
	return p.candidates(out, a, f.Snapshot, index, places.Asked(), &places)
}

// candidates answers q and prints the answer. If q is that of a request of Nova's, of has
// the places found for it, else it is nil.
func (p *program) candidates(out *printer, a asking, s *cloud.Snapshot, x *candidates.Index, q *candidates.Question, of *ops.Places) error {
	if a.fits {
		if of != nil {
			var err error
			if q, err = x.Ask(ops.OnHosts(s, of.Request)); err != nil {
				return err
			}
		}
		return p.fits(out, q)
	}
	own := q.Query().Limit
	limit := cmp.Or(own, a.limit)
	raw := q.Search(candidates.Options{Limit: limit})
	var (
		found   candidateSet = raw
		request *nova.Request
	)
	if of != nil {
		found, request = placeSet{s.Placement(), of.Places}, &of.Request
	}
	var why *candidates.Explanation
	if a.explain || found.Len() == 0 {
		why = q.Explain(candidates.ExplainOptions{Misses: 10, Ways: 8, Name: ops.QueryNames(s)})
	}
	cutAt := 0
	if raw.Truncated || of != nil && of.Cut {
		cutAt = candidates.DefaultMost
	}
	told := why
	if !a.explain {
		told = nil
	}
	var not []leftOut
	if of != nil {
		for host, why := range of.LeftOut(s, p.now()) {
			not = append(not, leftOut{host, why})
		}
		for _, at := range of.Left {
			if l := (leftOut{at.Host, at.Why}); found.Len() > 0 && !slices.Contains(not, l) {
				not = append(not, l)
			}
		}
		if len(not) > 0 {
			p.say("no instance can boot on %s", hostsLeftOut(not))
		}
	}
	var old []leftOut
	for _, e := range ops.Unreported(s) {
		old = append(old, leftOut{e.Host, e.Words})
	}
	if len(old) > 0 {
		p.say("no candidate can be on %s; start its agent, or run \"placetop online-data-migrations\"", hostsLeftOut(old))
		not = append(not, old...)
	}
	if err := printCandidates(out, phantomsLast(s, found), told, request, not, cutAt); err != nil {
		return err
	}
	if cutAt > 0 {
		p.say("cut off at %d candidates: there are too many for one answer; ask for the first N with --limit N", cutAt)
	}
	for _, root := range raw.GaveUp {
		p.say("%s has more combinations of providers than can be tried: not all of them were", root.Name())
	}
	switch {
	case found.Len() > 0:
	case of != nil && len(of.Left) > 0:
		return &exitError{code: exitNothingFits, err: &ops.NoValidHostError{Places: *of}}
	default:
		return noCandidates(why)
	}
	if (limit != own || of != nil) && found.Len() == limit {
		p.say("the first %d candidates, because of --limit", found.Len())
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
		for i, c := range st.Causes {
			text += []string{" (", ", "}[min(i, 1)] + c.Words()
		}
		if len(st.Causes) > 0 {
			text += ")"
		}
	}
	hint := ""
	if len(why.Ways) > 0 {
		hint = fmt.Sprintf("%s would give %s", why.Ways[0].Words(), why.Ways[0].Counted())
	}
	return &exitError{code: exitNothingFits, err: errors.New(text), hint: hint}
}

// candidateRow is a printed row: what one provider gives to one group of a candidate.
type candidateRow struct {
	number int // of the candidate, from 1
	anchor *placement.ResourceProvider
	candidates.Part
	problem string // why no guest can have what it takes, "" if one can
}

// printCandidates prints the candidates in the printer's format: before them the
// request of Nova's and after them why, unless these are nil. not are hosts on which a
// boot takes none of them, for programs; cutAt is at how many the answer was cut, 0
// where these are all.
func printCandidates(out *printer, found ordered, why *candidates.Explanation, of *nova.Request, not []leftOut, cutAt int) error {
	if out.format == formatJSON || out.format == formatYAML {
		answer := struct {
			Request *requestRecord `json:"request,omitempty"`
			candidatesAnswer
			LeftOut     []leftOut          `json:"left_out,omitempty"`
			Explanation *explanationAnswer `json:"explanation,omitempty"`
		}{candidatesAnswer: newCandidatesAnswer(found), LeftOut: not}
		answer.CutAt = cutAt
		if of != nil {
			r := newRequestRecord(*of)
			answer.Request = &r
		}
		if why != nil {
			e := newExplanationAnswer(why)
			answer.Explanation = &e
		}
		return out.value(answer)
	}
	if why != nil && out.format == formatCSV {
		return printExcluded(out, why)
	}
	after := false
	if of != nil && out.format != formatCSV {
		after = true
		if err := printRequest(out, *of); err != nil {
			return err
		}
	}
	if found.Len() > 0 || out.format == formatCSV {
		if after {
			if err := blank(out); err != nil {
				return err
			}
		}
		after = true
		rows, columns := candidateRows(found), candidateColumns()
		if out.format == formatCSV || slices.ContainsFunc(rows, func(r candidateRow) bool { return r.problem != "" }) {
			columns = append(columns, problemColumn())
		}
		if err := printList(out, columns, pointers(rows)); err != nil {
			return err
		}
	}
	if why == nil {
		return nil
	}
	return printExplanation(out, why, after)
}

func candidateRows(found ordered) []candidateRow {
	var rows []candidateRow
	for i := range found.Len() {
		for _, part := range found.Parts(i) {
			rows = append(rows, candidateRow{i + 1, found.Anchor(i), part, found.phantoms.Of([]candidates.Part{part})})
		}
	}
	return rows
}

func candidateColumns() []column[*candidateRow] {
	return []column[*candidateRow]{
		number("candidate", func(r *candidateRow) int64 { return int64(r.number) }),
		text("root_provider", func(r *candidateRow) string { return r.anchor.Name() }),
		text("resource_provider", func(r *candidateRow) string { return r.Provider.Name() }),
		text("resource_class", func(r *candidateRow) string { return string(r.Class) }),
		number("amount", func(r *candidateRow) int64 { return r.Amount }),
		{
			name: "group", cell: func(r *candidateRow) string { return r.Suffix },
			shown: func(r *candidateRow) string {
				if r.Suffix == "" {
					return "-"
				}
				return r.Suffix
			},
			token: func(*candidateRow) themes.Token { return themes.Dim },
		},
		wide(dim(text("resource_provider_uuid", func(r *candidateRow) string { return r.Provider.ID().String() }))),
	}
}

// problemColumn says what the audit has against a part. Most clouds have no use for it.
func problemColumn() column[*candidateRow] {
	return column[*candidateRow]{
		name: "problem", cell: func(r *candidateRow) string { return r.problem },
		token: func(*candidateRow) themes.Token { return themes.Warn },
	}
}
