package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// gateActs show what can happen while the gate is closed.
func (t *transition) gateActs() []Step {
	return []Step{
		{
			Name: "closed", Title: "the gate is closed",
			will: func(s *cloud.Snapshot) string {
				return fmt.Sprintf("Nova asks for the owner of a provider only once every nova-compute is of version %d: before that, nobody could answer.", s.Nova().Gate().Need)
			},
			did:   func(p Played) string { return "gate " + p.After.Nova().Gate().Words() },
			facts: func(p Played) []string { return gateFacts(p.After) },
			where: func(s *cloud.Snapshot) Where {
				for _, h := range s.Nova().Gate().Holds {
					return Where{View: ViewServices, Host: h.Service.Host}
				}
				return Where{View: ViewServices}
			},
		},
		{
			Name: "request", Title: "a request without an owner",
			will: func(*cloud.Snapshot) string {
				return fmt.Sprintf("Flavor %s wants one VGPU of Nova's. What is asked of Placement for it, and who answers?", novaFlavor())
			},
			did: func(p Played) string {
				if a, err := t.ask(p.After); err == nil {
					return a.words()
				}
				return ""
			},
			facts: func(p Played) []string { return t.askFacts(p.After) },
			where: always(Where{View: ViewRequest, Flavor: novaFlavor()}),
		},
		{
			Name: "landing", Title: "the wrong landing",
			will: t.willLand,
			do: func(s *cloud.Snapshot) (Deed, error) {
				d, err := begin(s, t.boot(landed(), landedName, novaFlavor()), t.landing)
				d.MayFail = true
				return d, err
			},
			did:   landedWords,
			facts: landedFacts,
			where: always(Where{View: ViewInstance, Instance: landed()}),
			done: func(s *cloud.Snapshot) bool {
				i, ok := s.Nova().Instance(landed())
				return ok && i.Live() && i.TaskState == "" && i.VMState != nova.Building
			},
		},
	}
}

// always returns a Where that is the same on any cloud.
func always(w Where) func(*cloud.Snapshot) Where {
	return func(*cloud.Snapshot) Where { return w }
}

// gateFacts says which services hold the gate, and which do not count.
func gateFacts(s *cloud.Snapshot) []string {
	g := s.Nova().Gate()
	var out []string
	for _, c := range g.Cells {
		out = append(out, fmt.Sprintf("%s: %d of %d nova-compute are asked, versions %d to %d, %d of them old", c.Name, c.Asked, c.Services, c.Min, c.Max, c.Old))
	}
	for _, h := range g.Holds {
		out = append(out, fmt.Sprintf("%s holds it: version %d, %s", h.Service.Host, h.Service.Version, h.Why(s.At())))
	}
	for _, h := range g.Unasked {
		out = append(out, fmt.Sprintf("%s is not asked: version %d, %s", h.Service.Host, h.Service.Version, h.Why(s.At())))
	}
	return out
}

// asked is a request for the flavor of Nova's, and the cards that could serve it.
type asked struct {
	s       *cloud.Snapshot
	request nova.Request
	asks    *candidates.Question
	places  int
	cards   []*placement.ResourceProvider // by name
}

// ask asks for the flavor of Nova's as Nova does on s, or with the gate forced.
func (t *transition) ask(s *cloud.Snapshot, gate ...nova.GateForce) (asked, error) {
	f, ok := s.Nova().FlavorNamed(novaFlavor())
	if !ok {
		return asked{}, &placement.NotFoundError{What: "flavor", Name: novaFlavor()}
	}
	spec, err := ops.RequestSpecOf(s, new(nova.Instance), f)
	if err != nil {
		return asked{}, err
	}
	o := nova.AskOptions{}
	for _, force := range gate {
		o.Gate = force
	}
	places, err := ops.PlacesFor(s, t.index.Index(s.Placement()), spec, o)
	if err != nil {
		return asked{}, err
	}
	a := asked{s: s, request: places.Request, asks: places.Asked(), places: len(places.Places)}
	for _, at := range places.Places {
		for _, of := range cardsIn(s, at) {
			for _, q := range of {
				if !slices.Contains(a.cards, q) {
					a.cards = append(a.cards, q)
				}
			}
		}
	}
	slices.SortStableFunc(a.cards, func(x, y *placement.ResourceProvider) int { return strings.Compare(x.Name(), y.Name()) })
	return a, nil
}

// of returns the names of the cards of an owner.
func (a asked) of(owner placement.Owner) []string {
	var out []string
	for _, q := range a.cards {
		if a.s.Placement().Owner(q) == owner {
			out = append(out, q.Name())
		}
	}
	return out
}

// words counts the cards by owner.
func (a asked) words() string {
	return fmt.Sprintf("%d owner terms, %d candidates, by owner of the card: nova %d, cyborg %d, both %d, none %d",
		len(ownerTerms(a.request.Query)), a.places,
		len(a.of(placement.OwnedByNova)), len(a.of(placement.OwnedByCyborg)), len(a.of(placement.OwnedByBoth)), len(a.of(placement.OwnedByNone)))
}

// ownerTerms returns the terms of a query that ask for an owner, with their origin.
func ownerTerms(q candidates.Query) []string {
	var out []string
	add := func(key string, names []placement.Trait, sign, origin string) {
		for _, name := range names {
			if name.IsOwner() {
				out = append(out, fmt.Sprintf("%s=%s%s (%s)", key, sign, name, origin))
			}
		}
	}
	for _, g := range q.Groups {
		for _, r := range g.Required {
			add("required"+g.Suffix, r.Names, "", r.Origin)
		}
		for _, f := range g.Forbidden {
			add("required"+g.Suffix, []placement.Trait{f.Name}, "!", f.Origin)
		}
	}
	for _, r := range q.Root.Required {
		add("root_required", []placement.Trait{r.Name}, "", r.Origin)
	}
	for _, f := range q.Root.Forbidden {
		add("root_required", []placement.Trait{f.Name}, "!", f.Origin)
	}
	return out
}

// askFacts says what is asked for the flavor on s, why, and whose cards match.
func (t *transition) askFacts(s *cloud.Snapshot) []string {
	a, err := t.ask(s)
	if err != nil {
		return []string{err.Error()}
	}
	out := []string{"GET /allocation_candidates?" + a.request.Query.URL()}
	for _, f := range a.request.Prefilters {
		if f.Name == nova.FilterOwner {
			out = append(out, fmt.Sprintf("%s %s: %s", f.Name, f.State, f.Why))
		}
	}
	for _, term := range ownerTerms(a.request.Query) {
		out = append(out, "asked: "+term)
	}
	for _, owner := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		if names := a.of(owner); len(names) > 0 {
			out = append(out, fmt.Sprintf("answer, owner %s: %s", owner, listed(names)))
		}
	}
	return out
}

// mostListed is how many names of a long list are shown.
const mostListed = 6

// listed joins names, only the first if there are many.
func listed(names []string) string {
	if more := len(names) - mostListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// landing returns the place at which the instance wrongly lands, on a card of Cyborg's.
func (t *transition) landing(s *cloud.Snapshot) (ops.Place, error) {
	places, err := t.places(s, landedName, novaFlavor())
	if err != nil {
		return ops.Place{}, err
	}
	for _, at := range places {
		if len(cardsIn(s, at)[placement.OwnedByCyborg]) > 0 {
			return at, nil
		}
	}
	return ops.Place{}, &placement.NotFoundError{What: "candidate for " + novaFlavor(), Name: "on a card of Cyborg's"}
}

// landedWords gives the result of the boot that landed wrongly.
func landedWords(p Played) string {
	i, ok := p.After.Nova().Instance(landed())
	if !ok {
		return "nothing was booted"
	}
	wrong := 0
	for _, step := range p.Taken {
		if step.Name == "retry" || step.Cause != nil {
			wrong++
		}
	}
	if i.VMState == nova.Broken {
		return fmt.Sprintf("%s does not run: %s", i.Name, i.Fault)
	}
	return fmt.Sprintf("the guest on the card of the wrong owner never ran; %s is %s at attempt %d, on %s with %s", i.Name, i.VMState, wrong+1, i.Host, cardWords(p.After, i.UUID))
}

// landedFacts says why each host tried could not start the guest.
func landedFacts(p Played) []string {
	out := []string{"Nova's driver takes the device from the name of the provider in the claim, and has none by the name of one that Cyborg made: it raises ComputeResourcesUnavailable, and the build is rescheduled"}
	for _, step := range p.Taken {
		if step.Name == "retry" || step.Cause != nil {
			out = append(out, step.Title)
		}
	}
	return out
}

// willLand says where the instance is about to land.
func (t *transition) willLand(s *cloud.Snapshot) string {
	at, err := t.landing(s)
	if err != nil {
		return fmt.Sprintf("%s is booted with %s.", landedName, novaFlavor())
	}
	return fmt.Sprintf("%s is booted with %s. The scheduler may take any of the candidates: it takes %s, which is %s's. Nova cannot start a guest there.",
		landedName, novaFlavor(), cardsIn(s, at)[placement.OwnedByCyborg][0].Name(), placement.OwnedByCyborg)
}

// cardWords says which VGPUs a consumer holds, as "VGPU 1 of cmp-004_0000:af:00.0
// (cyborg)".
func cardWords(s *cloud.Snapshot, id placement.ConsumerID) string {
	var words []string
	for q, n := range cardsOf(s, id) {
		words = append(words, fmt.Sprintf("%s %d of %s (%s)", placement.VGPU, n, q.Name(), s.Placement().Owner(q)))
	}
	slices.Sort(words)
	if len(words) == 0 {
		return "no VGPU"
	}
	return strings.Join(words, " and ")
}
