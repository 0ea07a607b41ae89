package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// The flavors of the story: a virtual GPU of Nova's, one of Cyborg's, one of each.
const (
	novaFlavor   = "gpu.a100.1"
	cyborgFlavor = "gpu.t4.1c"
	bothFlavor   = "gpu.both"
)

// The instances that the story boots.
const (
	landedName = "viz-wall-1" // is placed on the wrong card, where it cannot run
	bothName   = "viz-wall-2" // has a virtual GPU of each owner
)

// Transition returns the story of how virtual GPUs go from Nova's cards to Cyborg's. Its
// instances and migrations are known by uuids that only it uses.
func Transition() Script {
	t := &transition{index: &candidates.Indexer{}}
	forward := resize{t, "forward", novaFlavor, cyborgFlavor}
	back := resize{t, "back", cyborgFlavor, novaFlavor}
	again := resize{t, "again", novaFlavor, cyborgFlavor}
	crash := resize{t, "crash", novaFlavor, cyborgFlavor}
	return Script{Name: "transition", Title: "virtual GPUs go from Nova to Cyborg", Steps: []Step{
		{
			Name: "closed", Title: "the gate is closed",
			Will: fmt.Sprintf("Nova asks for the owner of a provider only once every nova-compute is of version %d: before that, nobody could answer.", nova.ServiceVersion),
			Did:  gateWords, facts: heldBy, Where: func(s *cloud.Snapshot) Where {
				for _, h := range s.Nova().Gate().Holds {
					return Where{View: ViewServices, Host: h.Service.Host}
				}
				return Where{View: ViewServices}
			},
		},
		{
			Name: "request", Title: "a request without an owner",
			Will: "Flavor " + novaFlavor + " wants one VGPU of Nova's. What is asked of Placement for it, and who answers?",
			Did:  t.answer, facts: t.request, Where: always(Where{View: ViewRequest, Flavor: novaFlavor}),
		},
		{
			Name: "landing", Title: "the wrong landing",
			Will:  landedName + " is booted with " + novaFlavor + ". The scheduler may take any of the candidates: it takes a card of Cyborg's, where Nova cannot start a guest.",
			tasks: t.boot(landedName, novaFlavor, placement.OwnedByCyborg), mayFail: true, done: settled(landedName),
			Did: bootResultText, Where: always(Where{View: ViewInstance, Instance: role(landedName)}),
		},
		{
			Name: "upgrade", Title: "the last compute is upgraded",
			Will:  fmt.Sprintf("The last nova-compute is started with version %d. Its first report puts OWNER_NOVA on what it has.", nova.ServiceVersion),
			tasks: upgradeAll, done: upgraded, Did: ownedRoots,
			Where: func(s *cloud.Snapshot) Where { return Where{View: ViewServices, Host: lastHeard(s)} },
		},
		{
			Name: "open", Title: "the gate is open, by itself",
			Will: "Nobody has switched anything on: the minimum is asked anew for each request. The same flavor, the same question.",
			Did:  gateWords, facts: t.request, Where: always(Where{View: ViewOwners}),
		},
		{
			Name: "gone", Title: "the wrong candidates are gone",
			Will: "Whoever answered before and does not now: who, and why not?",
			Did:  t.fewer, facts: t.why, Where: func(s *cloud.Snapshot) Where { return Where{View: ViewWhy, Flavor: novaFlavor, Provider: t.gone(s)} },
		},
		{
			Name: "resize", Title: "resize from Nova to Cyborg",
			Will:  "An instance with a VGPU of Nova's takes " + cyborgFlavor + ", which wants one of Cyborg's. Its migration keeps what it had.",
			tasks: forward.begin, done: forward.over, Did: forward.words, Where: forward.at(ViewMigrations),
		},
		{
			Name: "verify", Title: "old and new are held",
			Will: "The instance runs on its new place, and the migration holds the old one: what it had is there to go back to.",
			Did:  forward.held, Where: forward.at(ViewDecision),
		},
		{
			Name: "confirm", Title: "confirm",
			Will:  "The instance stays: what the migration holds on the old host is released, the device first.",
			tasks: forward.confirm, done: forward.is(nova.Confirmed), Did: forward.words, Where: forward.at(ViewInstance),
		},
		{
			Name: "back", Title: "and back, from Cyborg to Nova",
			Will:  "Another instance goes the other way, to " + novaFlavor + ". It is confirmed at once.",
			tasks: back.beginAndConfirm, done: back.is(nova.Confirmed), Did: back.words, Where: back.at(ViewInstance),
		},
		{
			Name: "again", Title: "another one to Cyborg",
			Will:  "A third one takes " + cyborgFlavor + ".",
			tasks: again.begin, done: again.over, Did: again.words, Where: again.at(ViewMigrations),
		},
		{
			Name: "revert", Title: "revert",
			Will:  "It goes back: its old place was kept for it.",
			tasks: again.revert, done: again.is(nova.Reverted), Did: again.words, Where: again.at(ViewInstance),
		},
		{
			Name: "crash", Title: "a process dies halfway",
			Will:  "One more takes " + cyborgFlavor + ". After the device is bound the process is killed.",
			tasks: crash.begin, until: "attach", done: crash.begun, Did: crash.words, Where: crash.at(ViewMigrations),
		},
		{
			Name: "recover", Title: "the next start finds it",
			Will:  "How far it came stands in the cloud, so that it can be finished or undone: it is finished, and confirmed.",
			tasks: crash.finish, done: crash.is(nova.Confirmed), Did: crash.words, Where: crash.at(ViewInstance),
		},
		{
			Name: "check", Title: "check finds a wrong card",
			Will: "The gate keeps new allocations right. One that was moved by hand before stays where it is, and check says so.",
			Did:  wrongWords, facts: fixes, Where: func(s *cloud.Snapshot) Where {
				return Where{View: ViewProblem, Rule: audit.RuleWrongOwner, Instance: misplacedInstance(s).UUID}
			},
		},
		{
			Name: "fix", Title: "its fix",
			Will:  "The fix is applied. An allocation that an operator moves takes no device along: the guest has run with Nova's all the time.",
			tasks: fix, Did: holds(movedName, misledID), Where: func(s *cloud.Snapshot) Where { return Where{View: ViewInstance, Instance: misplacedInstance(s).UUID} },
			done: func(s *cloud.Snapshot) bool {
				_, is := wrong(s)
				return !is && misplacedInstance(s).VMState == nova.Active && crash.is(nova.Confirmed)(s)
			},
		},
		{
			Name: "both", Title: "one instance, both owners",
			Will:  bothName + " is booted with " + bothFlavor + ": one VGPU of Nova's by its flavor, one of Cyborg's by its device profile.",
			tasks: t.boot(bothName, bothFlavor, placement.OwnedByNova, placement.OwnedByCyborg), done: settled(bothName),
			Did: holds(bothName, func(*cloud.Snapshot) placement.ConsumerID { return role(bothName) }), Where: always(Where{View: ViewInstance, Instance: role(bothName)}),
		},
		{
			Name: "upstream", Title: "where upstream stands",
			Will: "OWNER_NOVA and its filter are merged upstream. The resize that you have seen is not.",
			Did:  forward.upstream, facts: forward.refused, Where: always(Where{View: ViewOwners}),
		},
	}}
}

// transition is what the steps share.
type transition struct{ index *candidates.Indexer }

// always returns a Where that is the same on any cloud.
func always(w Where) func(*cloud.Snapshot) Where { return func(*cloud.Snapshot) Where { return w } }

// role returns the uuid of an instance or a migration in the story.
func role(name string) placement.ConsumerID { return placement.ConsumerID(named("transition", name)) }

func gateWords(p StepResult) string { return "gate " + p.After.Nova().Gate().Words() }

// heldBy says which services hold the gate.
func heldBy(s *cloud.Snapshot) (out []string) {
	for _, h := range s.Nova().Gate().Holds {
		out = append(out, fmt.Sprintf("%s holds it: version %d, %s", h.Service.Host, h.Service.Version, h.Why(s.At())))
	}
	return out
}

// flavorRequest is the request for the flavor of Nova's, and the cards that could serve it, by
// name.
type flavorRequest struct {
	request nova.Request
	asks    *candidates.Question
	cards   []*placement.ResourceProvider
}

// ask asks for the flavor of Nova's as Nova does on s, or with the gate forced.
func (t *transition) ask(s *cloud.Snapshot, o nova.AskOptions) (a flavorRequest, err error) {
	f, ok := s.Nova().FlavorNamed(novaFlavor)
	if !ok {
		return a, &placement.NotFoundError{What: "flavor", Name: novaFlavor}
	}
	spec, err := ops.RequestSpecOf(s, new(nova.Instance), f)
	if err != nil {
		return a, err
	}
	places, err := ops.PlacesFor(s, t.index.Index(s.Placement()), spec, o)
	for _, at := range places.Places {
		for q := range cardsIn(s, at.Allocations) {
			if !slices.Contains(a.cards, q) {
				a.cards = append(a.cards, q)
			}
		}
	}
	slices.SortFunc(a.cards, func(x, y *placement.ResourceProvider) int { return strings.Compare(x.Name(), y.Name()) })
	a.request, a.asks = places.Request, places.Asked()
	return a, err
}

// answer counts the cards that answer, by owner.
func (t *transition) answer(p StepResult) string {
	a, err := t.ask(p.After, nova.AskOptions{})
	if err != nil {
		return err.Error()
	}
	of := map[placement.Owner]int{}
	for _, q := range a.cards {
		of[p.After.Placement().Owner(q)]++
	}
	var words []string
	for _, owner := range owners() {
		words = append(words, fmt.Sprintf("%s %d", owner, of[owner]))
	}
	return fmt.Sprintf("%d cards answer, by owner: %s", len(a.cards), strings.Join(words, ", "))
}

// request says what is asked for the flavor on s, and why.
func (t *transition) request(s *cloud.Snapshot) []string {
	a, err := t.ask(s, nova.AskOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	out := []string{"GET /allocation_candidates?" + a.request.Query.URL()}
	for _, f := range a.request.Prefilters {
		if f.Name == nova.FilterOwner {
			out = append(out, fmt.Sprintf("%s %s: %s", f.Name, f.State, f.Why))
		}
	}
	return out
}

// lost returns the cards that answer while the gate is closed but do not on s, and the
// question on s.
func (t *transition) lost(s *cloud.Snapshot) (gone []*placement.ResourceProvider, now flavorRequest, err error) {
	was, err := t.ask(s, nova.AskOptions{Gate: nova.GateHeldClosed})
	if err == nil {
		now, err = t.ask(s, nova.AskOptions{})
	}
	for _, q := range was.cards {
		if !slices.Contains(now.cards, q) {
			gone = append(gone, q)
		}
	}
	return gone, now, err
}

// gone returns one of them; the zero id if there is none.
func (t *transition) gone(s *cloud.Snapshot) placement.ProviderID {
	if gone, _, err := t.lost(s); err == nil && len(gone) > 0 {
		return gone[0].ID()
	}
	return placement.ProviderID{}
}

// fewer counts them.
func (t *transition) fewer(p StepResult) string {
	gone, now, err := t.lost(p.After)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("cards that answer: %d > %d", len(now.cards)+len(gone), len(now.cards))
}

// why says of each of them why it does not answer, of the first of many.
func (t *transition) why(s *cloud.Snapshot) []string {
	const most = 6
	gone, now, err := t.lost(s)
	if err != nil {
		return []string{err.Error()}
	}
	verdicts := now.asks.Verdicts(ops.QueryNames(s))
	var out []string
	for _, q := range gone[:min(len(gone), most)] {
		if reason, ok := verdicts.Provider(q).First(); ok {
			out = append(out, fmt.Sprintf("%s (%s): %s", q.Name(), s.Placement().Owner(q), reason.Words()))
		}
	}
	if more := len(gone) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// boot returns the tasks that boot an instance of the story where there is a card of each
// of the owners; that continue, if it has its claim.
func (t *transition) boot(name, flavor string, of ...placement.Owner) func(*cloud.Snapshot) ([]ops.Task, error) {
	return func(s *cloud.Snapshot) ([]ops.Task, error) {
		b := ops.Boot{Instance: role(name), Indexer: t.index, Wish: ops.BootWish{Name: name, Flavor: flavor, Project: "render", User: "lena"}}
		if i, made := s.Nova().Instance(b.Instance); made && (!i.Live() || i.VMState == nova.Broken) {
			return nil, placement.StateErrorf("%s is %s, and the story needs it: make a new cloud", i.Name, i.VMState)
		}
		if _, claimed := s.Placement().Consumer(b.Instance); claimed {
			return []ops.Task{b}, nil
		}
		places, err := b.Places(s, time.Time{})
		if err != nil {
			return nil, err
		}
		for _, at := range clean(s, places.Places) {
			has := map[placement.Owner]bool{}
			for q := range cardsIn(s, at.Allocations) {
				has[s.Placement().Owner(q)] = true
			}
			if !slices.ContainsFunc(of, func(o placement.Owner) bool { return !has[o] }) {
				b.Pick = &at
				return []ops.Task{b}, nil
			}
		}
		return nil, &placement.NotFoundError{What: "candidate for " + flavor, Name: fmt.Sprintf("on cards of %v", of)}
	}
}

// settled returns whether an instance of the story was booted.
func settled(name string) func(*cloud.Snapshot) bool {
	return func(s *cloud.Snapshot) bool {
		i, ok := s.Nova().Instance(role(name))
		return ok && i.Live() && i.TaskState == "" && i.VMState != nova.Building
	}
}

// bootResultText gives the result of the boot that landed wrongly.
func bootResultText(p StepResult) string {
	i, ok := p.After.Nova().Instance(role(landedName))
	switch {
	case !ok:
		return "nothing was booted"
	case i.VMState == nova.Broken:
		return fmt.Sprintf("%s does not run: %s", i.Name, i.Fault)
	}
	return fmt.Sprintf("the guest on the card of the wrong owner never ran; %s is %s after it went elsewhere, on %s with %s", i.Name, i.VMState, i.Host, cards(p.After, i.UUID))
}

// lastHeard returns the host of the compute node that reported last.
func lastHeard(s *cloud.Snapshot) (host string) {
	at := int64(0)
	for n := range s.Nova().ComputeNodes() {
		if v, ok := s.Nova().Service(n.Host, nova.Compute); ok && v.LastSeenUp > at {
			host, at = n.Host, v.LastSeenUp
		}
	}
	return host
}

// ownedRoots counts the compute nodes that carry OWNER_NOVA.
func ownedRoots(p StepResult) string {
	s, owned := p.After, 0
	for row := range s.Nova().ComputeNodes() {
		if root, ok := s.Placement().Provider(row.UUID); ok && s.Placement().Owner(root) == placement.OwnedByNova {
			owned++
		}
	}
	return fmt.Sprintf("minimum version %d > %d; OWNER_NOVA on %d compute nodes", p.Before.Nova().Gate().Minimum, s.Nova().Gate().Minimum, owned)
}

func upgradeAll(*cloud.Snapshot) ([]ops.Task, error) { return []ops.Task{upgrade{}}, nil }

func upgraded(s *cloud.Snapshot) bool {
	_, more, err := upgrade{}.Next(s, time.Time{})
	return !more && err == nil
}

// upgrade is the Task that restarts each nova-compute which holds the gate with the
// current version, and lets its resource tracker report.
//
// Source: nova/service.py, Service.start; nova/compute/manager.py, pre_start_hook.
type upgrade struct{}

var _ ops.Task = upgrade{}

func (upgrade) About() ops.Description { return ops.Description{Name: "upgrade"} }

func (upgrade) Next(s *cloud.Snapshot, at time.Time) (ops.Step, bool, error) {
	for _, h := range s.Nova().Gate().Holds {
		return ops.Step{
			Name:   "start",
			Title:  fmt.Sprintf("start nova-compute on %s, version %d > %d", h.Service.Host, h.Service.Version, nova.ServiceVersion),
			Change: cloud.Change{Ops: []cloud.Op{nova.UpgradeService{Host: h.Service.Host, Binary: nova.Compute, Version: nova.ServiceVersion}}},
		}, true, nil
	}
	for row := range s.Nova().ComputeNodes() {
		root, ok := s.Placement().Provider(row.UUID)
		if !ok || s.Placement().Owner(root) == placement.OwnedByNova || s.Placement().Owner(root) == placement.OwnedByBoth {
			continue
		}
		node, err := tracker.ReadNode(row)
		if err != nil {
			return ops.Step{}, false, err
		}
		tree, err := tracker.FromColumns(node)
		if err != nil {
			return ops.Step{}, false, err
		}
		out, err := tracker.World{Placement: s.Placement(), Nova: s.Nova()}.Tick(node, tree, at)
		if err != nil || len(out.Ops)+len(out.Nova) > 0 {
			return ops.Step{Name: "report", Title: "nova-compute on " + row.Host + " reports", Change: cloud.Change{Ops: append(out.Ops, out.Nova...)}}, err == nil, err
		}
	}
	return ops.Step{}, false, nil
}

// Failed implements ops.Task: what was started stays.
func (upgrade) Failed(*cloud.Snapshot, time.Time, ops.Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}

// clean returns the places on hosts where each device has one owner, and no card has two
// providers: their trouble is another story.
func clean(s *cloud.Snapshot, places []ops.Place) []ops.Place {
	contested := map[placement.ProviderID]bool{}
	for _, f := range audit.FindBy(s, audit.RuleBothOwners, audit.RuleNoOwner, audit.RuleCardTwice) {
		if q, ok := s.Placement().Provider(f.Provider); ok {
			contested[s.Placement().Root(q).ID()] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(places), func(at ops.Place) bool { return contested[at.Root] })
}

// cardsIn returns the providers of VGPUs among what is held, and how many.
func cardsIn(s *cloud.Snapshot, held map[placement.ProviderID]map[placement.ResourceClass]int64) map[*placement.ResourceProvider]int64 {
	out := map[*placement.ResourceProvider]int64{}
	for id, amounts := range held {
		if q, ok := s.Placement().Provider(id); ok && amounts[placement.VGPU] > 0 {
			out[q] = amounts[placement.VGPU]
		}
	}
	return out
}

// cardsOf returns the providers on which a consumer holds VGPUs, and how many.
func cardsOf(s *cloud.Snapshot, id placement.ConsumerID) map[*placement.ResourceProvider]int64 {
	c, ok := s.Placement().Consumer(id)
	if !ok {
		return nil
	}
	return cardsIn(s, s.Placement().ConsumerRecord(c).Allocations)
}

// cards says which VGPUs a consumer holds, as "VGPU 1 of cmp-004_0000:af:00.0 (cyborg)".
func cards(s *cloud.Snapshot, id placement.ConsumerID) string {
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

// holds returns what says which VGPUs an instance holds.
func holds(name string, id func(*cloud.Snapshot) placement.ConsumerID) func(StepResult) string {
	return func(p StepResult) string { return name + " holds " + cards(p.After, id(p.After)) }
}
