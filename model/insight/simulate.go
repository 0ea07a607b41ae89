package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// GateOptions are assumptions about the gate of the owner filter. The zero value
// assumes that it opens with the cloud as it is, and tries both forms of the filter.
type GateOptions struct {
	// Upgrade supposes that every nova-compute that holds the gate is upgraded
	// first, and has reported whose its providers are.
	Upgrade bool
	// Forms are the forms of the filter to ask; nil for nova.OwnerOnGroups and
	// nova.OwnerOnRoot.
	Forms []nova.OwnerFilter
	// Named is of how many hosts that are lost to say why, for each flavor; 0 for
	// 5.
	Named int
}

// GateSimulation says what would change if the gate of the owner filter opened.
type GateSimulation struct {
	Gate     nova.Gate // as it is
	OffBy    string    // which settings currently switch the owner filter off; "" if it is on
	Upgraded bool      // the upgrade was supposed to be finished first
	Forms    []FormOutcome
	// Instances is how many instances were looked at: all that hold anything.
	Instances int
	// Mixed are the hosts on which, with the form nova.OwnerOnRoot, a flavor that
	// asks Nova for an accelerator may still be given one of Cyborg's, by name.
	Mixed []placement.ProviderID
}

// Words says in a sentence what is assumed, and that the owner filter is off if it is.
func (g GateSimulation) Words() string {
	var supposed []string
	if g.Upgraded && !g.Gate.Open {
		supposed = append(supposed, "every old nova-compute were upgraded")
	}
	if g.OffBy != "" {
		supposed = append(supposed, "the owner filter were switched on")
	}
	if !g.Gate.Open && !g.Upgraded {
		supposed = append(supposed, "the gate were open")
	}
	if len(supposed) == 0 {
		return "the gate is open and the owner filter is on: one of the forms is in force now"
	}
	words := "asked as if " + strings.Join(supposed, " and ")
	if g.OffBy != "" {
		words += "; it is off: " + g.OffBy
	}
	return words
}

// FormOutcome is what would change with one form of the filter.
type FormOutcome struct {
	Form      nova.OwnerFilter
	Flavors   []FlavorOutcome   // all that a new instance may have, by name
	Instances []InstanceOutcome // those that would not be allowed where they are, by name
}

// FlavorOutcome is where a flavor fits now and would fit then.
type FlavorOutcome struct {
	Flavor string `json:"flavor"`
	Form   string `json:"form"`      // of the filter, in a word
	Now    int    `json:"hosts_now"` // trees with a candidate
	Then   int    `json:"hosts_then"`
	Lost   int    `json:"hosts_lost"` // trees with a candidate now and none then
	// Candidates are counted as well as their trees: one that stays may lose some.
	CandidateCount
	Hosts []HostLoss `json:"lost"`            // the first that are lost, by name
	Cards []CardLoss `json:"lost_cards"`      // the first providers that no candidate has then, of trees that stay; by name
	Error string     `json:"error,omitempty"` // why it cannot be asked for; the rest is empty then
}

// CandidateCount is how many candidates a flavor has.
type CandidateCount struct {
	Before int  `json:"candidates_now"`
	After  int  `json:"candidates_then"`
	More   bool `json:"more_candidates"` // there may be more than were counted
}

// HostLoss is a tree that a flavor would lose.
type HostLoss struct {
	Root placement.ProviderID `json:"root_provider_uuid"`
	Name string               `json:"host"`
	Why  string               `json:"why"` // what it then fails, in a sentence
}

// CardLoss is a provider that would no longer be offered to a flavor, on a tree that
// has other candidates for it.
type CardLoss struct {
	Provider placement.ProviderID `json:"resource_provider_uuid"`
	Name     string               `json:"resource_provider"`
	Host     string               `json:"host"` // the name of the root
	Why      string               `json:"why"`  // what it then fails, in a sentence
}

// InstanceOutcome is an instance that could not be placed where it is.
type InstanceOutcome struct {
	Instance placement.ConsumerID `json:"uuid"`
	Name     string               `json:"name"`
	Flavor   string               `json:"flavor"` // ref
	Form     string               `json:"form"`   // of the filter, in a word
	Why      string               `json:"why"`
}

// GateRun asks for every flavor again as if the gate of the owner filter were open, and
// checks every instance, one question after the other, so that callers can show its
// progress or stop it. Nothing is written: it works on a branch of the cloud.
type GateRun struct {
	o         GateOptions
	now, then *candidateQueries
	flavors   []*nova.Flavor
	asked     int // questions: the instances are the first, then each flavor with each form
	out       GateSimulation
}

// BeginGate begins to simulate what opening the gate changes.
//
// Errors: those of Snapshot.Apply if the upgrade cannot be applied.
func BeginGate(s *cloud.Snapshot, o GateOptions) (*GateRun, error) {
	if o.Forms == nil {
		o.Forms = []nova.OwnerFilter{nova.OwnerOnGroups, nova.OwnerOnRoot}
	}
	if o.Named == 0 {
		o.Named = 5
	}
	r := &GateRun{o: o, now: askingOn(s, candidates.NewIndex(s.Placement())), flavors: slices.Collect(survey.NewestFlavors(s.Nova())), out: GateSimulation{Gate: s.Nova().Gate(), Upgraded: o.Upgrade}}
	_, r.out.OffBy = s.Nova().Config().OwnerInForce()
	slices.SortStableFunc(r.flavors, func(x, y *nova.Flavor) int { return cmp.Compare(x.Name, y.Name) })
	r.then = r.now
	if o.Upgrade {
		then, _, err := s.Apply(upgrade(s, r.out.Gate))
		if err != nil {
			return nil, fmt.Errorf("simulate the upgrade: %w", err)
		}
		r.then = askingOn(then, r.now.index.Next(then.Placement()))
	}
	for _, form := range o.Forms {
		r.out.Forms = append(r.out.Forms, FormOutcome{Form: form})
	}
	return r, nil
}

// Progress returns how many questions were asked, and how many there are.
func (r *GateRun) Progress() (asked, all int) {
	return r.asked, 1 + len(r.o.Forms)*len(r.flavors)
}

// Step asks the next question, and reports whether there was one.
func (r *GateRun) Step() bool {
	asked, all := r.Progress()
	switch asked {
	case all:
		return false
	case 0:
		r.lookAtInstances()
	default:
		f := &r.out.Forms[(asked-1)/len(r.flavors)]
		f.Flavors = append(f.Flavors, compareFlavor(r.now, r.then, r.flavors[(asked-1)%len(r.flavors)], f.Form, r.o.Named))
	}
	r.asked++
	return true
}

// Result returns what the questions asked so far have given.
func (r *GateRun) Result() GateSimulation { return r.out }

// lookAtInstances finds the mixed hosts, and the instances that the filter would refuse.
func (r *GateRun) lookAtInstances() {
	a := survey.New(r.then.cloud)
	for _, t := range a.CardTrees() {
		if a.Mixed(t) {
			r.out.Mixed = append(r.out.Mixed, t.Root.ID())
		}
	}
	refused, looked := refusedInstances(a, r.o.Forms)
	r.out.Instances = looked
	for n := range r.out.Forms {
		r.out.Forms[n].Instances = refused[n]
	}
}

// upgrade returns the Change that upgrades the computes which hold the gate: their
// version, and the owner traits on the providers that they report.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree.
func upgrade(s *cloud.Snapshot, gate nova.Gate) cloud.Change {
	c := cloud.Change{Note: "upgrade every nova-compute", At: s.At()}
	a := survey.New(s)
	for _, h := range gate.Holds {
		c.Ops = append(c.Ops, nova.UpgradeService{Host: h.Service.Host, Binary: h.Service.Binary, Version: nova.VersionOwnerNova})
		root, ok := a.HostProvider(h.Service.Host)
		if !ok {
			continue
		}
		for _, p := range s.Placement().Tree(root) {
			if likely, _ := survey.LikelyOwners(s, p); a.Nova.Has(p.Number()) || a.Cyborg.Has(p.Number()) || likely[0] != placement.OwnedByNova {
				continue
			}
			c.Ops = append(c.Ops, placement.SetTraits{
				Provider: p.ID(), Generation: p.Expect(),
				Traits: append(s.Placement().TraitsOf(p), placement.OwnerNova),
			})
		}
	}
	return c
}

// candidateQueries asks for candidates on one Snapshot.
type candidateQueries struct {
	cloud *cloud.Snapshot
	index *candidates.Index
	asker *ops.Asker
	known map[*nova.Flavor]questions // with the current settings
}

func askingOn(s *cloud.Snapshot, x *candidates.Index) *candidateQueries {
	return &candidateQueries{cloud: s, index: x, asker: ops.NewAsker(s, x), known: map[*nova.Flavor]questions{}}
}

// questions are what Nova asks for a flavor, see ops.Asker: no candidate answers two.
type questions []*candidates.Question

// served returns the roots that have a candidate, and the providers that some use: a pool
// may be among these twice.
func (q questions) served() (roots, providers []*placement.ResourceProvider) {
	for _, one := range q {
		in, used := one.Served()
		roots, providers = append(roots, in...), append(providers, used...)
	}
	return roots, providers
}

// count returns how many candidates there are, and whether there may be more.
func (q questions) count() (n int, more bool) {
	for _, one := range q {
		is, and := one.Count()
		n, more = n+is, more || and
	}
	return n, more
}

// asItIs asks for a flavor with the current settings, once.
func (k *candidateQueries) asItIs(f *nova.Flavor) (questions, error) {
	if known, ok := k.known[f]; ok {
		return known, nil
	}
	q, err := k.asker.Flavor(f, nova.AskOptions{})
	if err == nil {
		k.known[f] = q
	}
	return q, err
}

// compareFlavor asks for a flavor with the current settings, and with the gate open.
func compareFlavor(now, then *candidateQueries, f *nova.Flavor, form nova.OwnerFilter, named int) FlavorOutcome {
	out := FlavorOutcome{Flavor: f.Name, Form: form.Word(), Hosts: []HostLoss{}, Cards: []CardLoss{}}
	before, err := now.asItIs(f)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	asked, err := then.asker.Flavor(f, nova.AskOptions{
		Gate: nova.GateHeldOpen, OwnerFilter: &form, Switch: map[string]bool{nova.FilterOwner: true},
	})
	if err != nil {
		out.Error = err.Error()
		return out
	}
	after := questions(asked)
	was, used := before.served()
	is, left := after.served()
	roots := without(was, is)
	lost := map[placement.ProviderID]bool{}
	for _, p := range roots {
		lost[p.ID()] = true
	}
	cards := slices.DeleteFunc(without(used, left), func(p *placement.ResourceProvider) bool {
		return lost[now.cloud.Placement().Root(p).ID()]
	})
	out.Now, out.Then, out.Lost = len(was), len(is), len(roots)
	var more bool
	out.Before, out.More = before.count()
	out.After, more = after.count()
	out.More = out.More || more
	if len(roots)+len(cards) > 0 {
		hosts, lost := then.why(after, roots, cards, named)
		out.Hosts, out.Cards = append(out.Hosts, hosts...), append(out.Cards, lost...)
	}
	return out
}

// without returns those of list that are not in other, each once and by name. Most often
// the two are the same.
func without(list, other []*placement.ResourceProvider) []*placement.ResourceProvider {
	if slices.EqualFunc(list, other, func(a, b *placement.ResourceProvider) bool { return a.ID() == b.ID() }) {
		return nil
	}
	in := make(map[placement.ProviderID]bool, len(other))
	for _, p := range other {
		in[p.ID()] = true
	}
	left := slices.DeleteFunc(list, func(p *placement.ResourceProvider) bool { return in[p.ID()] })
	slices.SortFunc(left, func(a, b *placement.ResourceProvider) int { return strings.Compare(a.Name(), b.Name()) })
	return slices.Compact(left)
}

// why says why the first of some roots have no candidate for q, and the first of some
// cards none of theirs.
func (k *candidateQueries) why(q questions, roots, cards []*placement.ResourceProvider, most int) (hosts []HostLoss, lost []CardLoss) {
	all, names := k.cloud.Placement(), ops.QueryNames(k.cloud)
	// of is the question that the tree of a root may answer.
	of := func(root *placement.ResourceProvider) candidates.Verdicts {
		last := q[len(q)-1]
		if len(q) > 1 && !slices.Contains(last.Query().Anchors.Roots, root.ID()) {
			last = q[0]
		}
		return last.Verdicts(names)
	}
	for _, root := range roots[:min(len(roots), most)] {
		h := HostLoss{Root: root.ID(), Name: root.Name()}
		if p, ok := all.Provider(h.Root); ok {
			var tree []*placement.ResourceProvider
			for _, below := range all.Tree(p) {
				tree = append(tree, below)
			}
			h.Why = verdict(of(p), tree...)
		}
		hosts = append(hosts, h)
	}
	for _, p := range cards[:min(len(cards), most)] {
		c := CardLoss{Provider: p.ID(), Name: p.Name(), Host: all.Root(p).Name()}
		if p, ok := all.Provider(c.Provider); ok {
			c.Why = verdict(of(all.Root(p)), p)
		}
		lost = append(lost, c)
	}
	return hosts, lost
}

// verdict says why some providers no longer give a candidate: the one with the wrong
// owner and the fewest other reasons or, if all owners are right, the one with the fewest
// reasons.
func verdict(e candidates.Verdicts, providers ...*placement.ResourceProvider) string {
	words, least := "", -1
	for _, p := range providers {
		reasons := e.Provider(p).Reasons
		if len(reasons) == 0 {
			continue
		}
		said, off := p.Name()+" "+reasons[0].Words(), len(reasons)+ownerless
		if i := slices.IndexFunc(reasons, aboutOwner); i >= 0 {
			said, off = ownerWords(p, reasons[i]), 0
			for _, r := range reasons {
				if !aboutOwner(r) {
					off++
				}
			}
		}
		if least < 0 || off < least {
			words, least = said, off
		}
	}
	return words
}

// ownerless is more than the number of reasons that any provider has, so that reasons
// about owners come first.
const ownerless = 1 << 20

// aboutOwner reports whether a reason is about the owner of a provider.
func aboutOwner(r candidates.Reason) bool {
	return slices.Contains(r.Condition.Traits, placement.OwnerNova) || slices.Contains(r.Condition.Traits, placement.OwnerCyborg)
}

// ownerWords says which provider has the wrong owner: p, unless the reason names another.
func ownerWords(p *placement.ResourceProvider, r candidates.Reason) string {
	if r.Provider != nil {
		p = r.Provider
	}
	if r.Condition.Criterion == candidates.CriterionForbiddenTrait {
		return fmt.Sprintf("%s has %s", p.Name(), placement.OwnerCyborg)
	}
	return fmt.Sprintf("%s lacks %s", p.Name(), r.Condition.Traits[0])
}
