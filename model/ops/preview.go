package ops

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Preview is what a Change would do to a cloud, before and after, as computed by
// Snapshot.Apply.
type Preview struct {
	Providers []ProviderDiff // touched ones, by name
	Consumers []ConsumerDiff // touched ones, by the name of the instance, each before its migrations
	Ledgers   []RecordDiff   // touched records of Nova and Cyborg, in the order of their ledgers
	Names     []string       // custom classes and traits that come, go or are renamed, as "+ trait CUSTOM_A"
	Warnings  []string       // what to think of before saying yes
	ofDiffs   []string       // those of Warnings that follow from what is before and after

	Records []versioned.Change // all that would be written

	on    both
	calls *calls
}

// calls are the operations of a Change, turned into API requests when they are shown.
type calls struct {
	of []callGroup

	asks  bool // the owners of what is released, before each
	force bool // of what is claimed and what only loses instead; see cloud.Change

	once     sync.Once
	requests []api.Call
	commands []string
	own      []string
}

// callGroup are operations on a cloud, or what a service is asked for instead.
type callGroup struct {
	on  *cloud.Snapshot
	ops []cloud.Op

	requests []api.Call
	commands []string
}

// made returns c with its requests rendered, once; nil has none.
func (c *calls) made() *calls {
	if c == nil {
		return &calls{}
	}
	c.once.Do(func() {
		for _, s := range c.of {
			if c.asks && s.on != nil {
				c.requests = append(c.requests, api.Asking(s.on, s.ops, c.force)...)
			}
			requests, commands := s.requests, s.commands
			if s.on != nil {
				requests, commands = api.Of(s.on, s.ops)
			}
			c.requests, c.commands = append(c.requests, requests...), append(c.commands, commands...)
			if s.on != nil {
				c.own = append(c.own, api.Own(s.on, s.ops)...)
			}
		}
	})
	return c
}

// In returns p as it is carried out by a cloud: with the questions that it asks before.
func (p Plan) In(can cloud.Capabilities) Plan {
	p.Preview = p.Preview.On(can)
	if p.Preview.calls != nil && can.AsksOwners {
		p.Preview.calls.force = p.Change.Force != cloud.ForceNone
	}
	return p
}

// On returns p as it is carried out by a cloud: before a release it may ask the owner.
func (p Preview) On(can cloud.Capabilities) Preview {
	if p.calls != nil && can.AsksOwners {
		p.calls = &calls{of: p.calls.of, asks: true}
	}
	return p
}

// Requests returns the change as API calls, none if no API can express it or it is too
// large to read.
func (p Preview) Requests() []api.Call { return p.calls.made().requests }

// Commands returns the change as commands of the openstack client.
func (p Preview) Commands() []string { return p.calls.made().commands }

// Own returns the change as commands of placetop, none if it cannot be typed.
func (p Preview) Own() []string { return p.calls.made().own }

// SaidAs returns p with the requests and commands of another.
func (p Preview) SaidAs(other Preview) Preview {
	p.calls = other.calls
	return p
}

// Empty reports whether the Change would alter nothing.
func (p Preview) Empty() bool { return len(p.Records) == 0 }

// Generation is the generation of a provider or consumer, NoGeneration for one that
// does not exist; in JSON that is null.
type Generation int64

// NoGeneration is the generation, in a diff, of something that does not exist.
const NoGeneration Generation = -1

// MarshalJSON implements json.Marshaler.
func (g Generation) MarshalJSON() ([]byte, error) {
	if g == NoGeneration {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(g), 10), nil
}

// String formats g for people.
func (g Generation) String() string {
	if g == NoGeneration {
		return "none"
	}
	return strconv.FormatInt(int64(g), 10)
}

// ProviderDiff is a provider before and after.
type ProviderDiff struct {
	Provider  placement.ProviderID `json:"uuid"`
	Name      string               `json:"name"`                 // after; before for one that is deleted
	OldName   string               `json:"old_name,omitempty"`   // if it is renamed
	Parent    string               `json:"parent,omitempty"`     // name of the parent after, empty for a root
	Moved     bool                 `json:"moved,omitempty"`      // it has another parent than before
	OldParent string               `json:"old_parent,omitempty"` // if it has moved: name of the parent before, empty for a root

	GenerationBefore Generation `json:"generation_before"` // NoGeneration for a new provider
	GenerationAfter  Generation `json:"generation_after"`  // NoGeneration for a deleted one

	OwnerBefore placement.Owner `json:"-"` // by its traits; nobody for a new provider
	OwnerAfter  placement.Owner `json:"-"` // nobody for a deleted one

	// Classes are those whose inventory or usage differs, by class number. No list is nil.
	Classes           []ClassDiff             `json:"inventories"`
	TraitsAdded       []placement.Trait       `json:"traits_added"`
	TraitsRemoved     []placement.Trait       `json:"traits_removed"`
	AggregatesAdded   []placement.AggregateID `json:"aggregates_added"`
	AggregatesRemoved []placement.AggregateID `json:"aggregates_removed"`
}

// Created reports whether the provider is new.
func (d ProviderDiff) Created() bool { return d.GenerationBefore == NoGeneration }

// Deleted reports whether the provider is deleted.
func (d ProviderDiff) Deleted() bool { return d.GenerationAfter == NoGeneration }

// ClassDiff is one class of one provider before and after. Amounts are in units of the
// class.
type ClassDiff struct {
	Class      placement.ResourceClass `json:"resource_class"`
	Before     *placement.Inventory    `json:"before"` // nil if there is none
	After      *placement.Inventory    `json:"after"`
	UsedBefore int64                   `json:"used_before"`
	UsedAfter  int64                   `json:"used_after"`
}

// InventoryChanged reports whether the inventory itself differs, not just its usage.
func (d ClassDiff) InventoryChanged() bool {
	return (d.Before == nil) != (d.After == nil) || d.Before != nil && *d.Before != *d.After
}

// ConsumerDiff is a consumer before and after.
type ConsumerDiff struct {
	Consumer placement.ConsumerID   `json:"uuid"`
	Name     string                 `json:"name,omitempty"` // of the instance, or "resize of" it; empty if Nova knows none
	Type     placement.ConsumerType `json:"consumer_type"`  // may be "unknown"
	Project  string                 `json:"project_id"`
	User     string                 `json:"user_id"`

	Changed []delta.Text `json:"changed,omitempty"` // type, project and user, if they differ from those before

	GenerationBefore Generation `json:"consumer_generation_before"` // NoGeneration for a new consumer
	GenerationAfter  Generation `json:"consumer_generation_after"`  // NoGeneration for one that is gone

	// What it holds, by provider name, then class number. Neither is nil.
	Before []Holding `json:"before"`
	After  []Holding `json:"after"`

	instance string // its name, also for a migration
}

// Holding is what a consumer holds of one class on one provider.
type Holding struct {
	Provider placement.ProviderID    `json:"resource_provider_uuid"`
	Name     string                  `json:"resource_provider"`
	Class    placement.ResourceClass `json:"resource_class"`
	Amount   int64                   `json:"amount"` // units of Class
}

// PreviewChange returns what c would do to s, or the error with which
// Snapshot.Apply refuses it.
func PreviewChange(s *cloud.Snapshot, c cloud.Change) (Preview, error) {
	p, _, err := previewChange(s, c)
	return p, err
}

// previewChange is PreviewChange, and also returns the cloud after c.
func previewChange(s *cloud.Snapshot, c cloud.Change) (Preview, *cloud.Snapshot, error) {
	next, ev, err := s.Apply(c)
	if err != nil {
		return Preview{}, nil, err
	}
	p := both{s, next}.preview(ev.Changes)
	p.calls = &calls{of: []callGroup{{on: s, ops: c.Ops}}}
	return p, next, nil
}

// both is a cloud before and after a change.
type both struct{ before, after *cloud.Snapshot }

// preview returns the effect of changes, which lead from one to the other, without
// requests and commands.
func (b both) preview(changes []versioned.Change) Preview {
	p := Preview{Records: changes, on: b}
	touched := map[placement.ProviderID]bool{}
	for _, ch := range changes {
		switch ch.Kind() {
		case placement.KindProvider, placement.KindProviderTraits:
			touched[placement.ProviderID(ch.Key())] = true
		case placement.KindConsumer:
			d := b.consumer(placement.ConsumerID(ch.Key()))
			p.Consumers = append(p.Consumers, d)
			for _, h := range append(slices.Clone(d.Before), d.After...) {
				touched[h.Provider] = true
			}
		case placement.KindClass, placement.KindTrait:
			p.Names = append(p.Names, nameDiffs(ch)...)
		default:
			d := recordDiff(ch)
			if d.After == nil {
				d.Fields = nil
			}
			p.Ledgers = append(p.Ledgers, d)
			p.Warnings = append(p.Warnings, b.wayBack(ch)...)
		}
	}
	for id := range touched {
		p.Providers = append(p.Providers, b.provider(id))
	}
	slices.SortStableFunc(p.Providers, func(x, y ProviderDiff) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), x.Provider.Compare(y.Provider))
	})
	slices.SortStableFunc(p.Consumers, func(x, y ConsumerDiff) int {
		return cmp.Or(strings.Compare(x.instance, y.instance), cmp.Compare(len(x.Name), len(y.Name)), x.Consumer.Compare(y.Consumer))
	})
	var all remarks
	for _, d := range p.Providers {
		d.warn(&all)
	}
	for _, d := range p.Consumers {
		gained, lost := d.Holds()
		if len(lost) > 0 && len(gained) == 0 {
			warnOfRelease(&all, b.after, d.Consumer, lost)
		}
		for _, text := range b.unattached(d, gained) {
			all.add(text, text, "")
		}
	}
	p.ofDiffs = all.texts()
	p.Warnings = append(p.Warnings, p.ofDiffs...)
	return p
}

// remarks are warnings, of which those that say the same of several subjects are one.
type remarks struct {
	said []remark
	at   map[string]int // in said, by one
}

// remark is a warning: one is about one subject, many about several; each has %s where
// the subjects are named.
type remark struct {
	one, many string
	subjects  []string
}

// add adds a warning about a subject. Texts without subjects stand for themselves.
func (r *remarks) add(one, many, subject string) {
	if at, ok := r.at[one]; ok {
		r.said[at].subjects = append(r.said[at].subjects, subject)
		return
	}
	if r.at == nil {
		r.at = map[string]int{}
	}
	r.at[one] = len(r.said)
	r.said = append(r.said, remark{one, many, []string{subject}})
}

// texts returns the warnings, in the order of their first subjects.
func (r *remarks) texts() []string {
	var out []string
	for _, m := range r.said {
		const most = 3
		switch {
		case m.subjects[0] == "":
			out = append(out, m.one)
		case len(m.subjects) == 1:
			out = append(out, strings.Replace(m.one, "%s", m.subjects[0], 1))
		default:
			out = append(out, strings.Replace(m.many, "%s", words.First(m.subjects, most), 1))
		}
	}
	return out
}

// provider returns the diff of one provider.
func (b both) provider(id placement.ProviderID) ProviderDiff {
	d := ProviderDiff{Provider: id, GenerationBefore: NoGeneration, GenerationAfter: NoGeneration}
	old, now := b.before.Placement(), b.after.Placement()
	was, had := old.Provider(id)
	is, has := now.Provider(id)
	before, _ := StateOf(b.before, id) // of one that is not there it is empty
	after, _ := StateOf(b.after, id)
	if had {
		d.GenerationBefore, d.Name, d.OwnerBefore = Generation(was.Generation()), was.Name(), old.Owner(was)
	}
	if has {
		d.GenerationAfter, d.Name, d.OwnerAfter = Generation(is.Generation()), is.Name(), now.Owner(is)
		if !after.Parent.IsZero() {
			d.Parent = now.ProviderName(after.Parent)
		}
	}
	if had && has {
		if before.Name != after.Name {
			d.OldName = before.Name
		}
		d.Moved = before.Parent != after.Parent
		if d.Moved && !before.Parent.IsZero() {
			d.OldParent = old.ProviderName(before.Parent)
		}
	}
	d.Classes = b.classes(was, is)
	d.TraitsAdded, d.TraitsRemoved = setDiff(before.Traits, after.Traits)
	d.AggregatesAdded, d.AggregatesRemoved = setDiff(before.Aggregates, after.Aggregates)
	return d
}

// setDiff returns what only the second set has, and what only the first has, in their
// order. Neither is nil.
func setDiff[T comparable](before, after []T) (added, removed []T) {
	added, removed = []T{}, []T{}
	for _, t := range after {
		if !slices.Contains(before, t) {
			added = append(added, t)
		}
	}
	for _, t := range before {
		if !slices.Contains(after, t) {
			removed = append(removed, t)
		}
	}
	return added, removed
}

// classes returns the classes of a provider that differ; either may be nil.
func (b both) classes(was, is *placement.ResourceProvider) []ClassDiff {
	diffs := map[placement.ClassID]ClassDiff{}
	if was != nil {
		for _, iu := range was.Inventories() {
			diffs[iu.Class] = ClassDiff{Class: b.before.Placement().ClassName(iu.Class), Before: &iu.Inventory, UsedBefore: iu.Used}
		}
	}
	if is != nil {
		for _, iu := range is.Inventories() {
			d := diffs[iu.Class]
			d.Class, d.After, d.UsedAfter = b.after.Placement().ClassName(iu.Class), &iu.Inventory, iu.Used
			diffs[iu.Class] = d
		}
	}
	out := []ClassDiff{}
	for _, id := range slices.Sorted(maps.Keys(diffs)) {
		if d := diffs[id]; d.InventoryChanged() || d.UsedBefore != d.UsedAfter {
			out = append(out, d)
		}
	}
	return out
}

// consumer returns the diff of one consumer.
func (b both) consumer(id placement.ConsumerID) ConsumerDiff {
	d := ConsumerDiff{Consumer: id, GenerationBefore: NoGeneration, GenerationAfter: NoGeneration, Before: []Holding{}, After: []Holding{}}
	fill := func(s *cloud.Snapshot, gen *Generation, holds *[]Holding) {
		if i, ok := s.Nova().Instance(s.HolderOf(id)); ok {
			d.Name, d.instance = ConsumerName(s, id), i.Name
		}
		c, ok := s.Placement().Consumer(id)
		if !ok {
			return
		}
		*gen, *holds = Generation(c.Generation()), holdings(s.Placement(), c)
		d.Type, d.Project, d.User = placement.ConsumerType(c.Type().String()), c.Project(), c.User()
	}
	fill(b.before, &d.GenerationBefore, &d.Before)
	was := d
	fill(b.after, &d.GenerationAfter, &d.After)
	if d.GenerationBefore == NoGeneration {
		return d
	}
	for _, f := range []delta.Text{
		{Name: "type", Before: string(was.Type), After: string(d.Type)},
		{Name: "project", Before: was.Project, After: d.Project},
		{Name: "user", Before: was.User, After: d.User},
	} {
		if f.Before != f.After {
			d.Changed = append(d.Changed, f)
		}
	}
	return d
}

// holdings returns what c holds by provider name, then class number.
func holdings(s *placement.Snapshot, c *placement.Consumer) []Holding {
	var out []Holding
	for a := range s.Allocations(c) {
		out = append(out, Holding{Provider: a.Provider.ID(), Name: a.Provider.Name(), Class: s.ClassName(a.Class), Amount: a.Used})
	}
	slices.SortStableFunc(out, func(x, y Holding) int { return strings.Compare(x.Name, y.Name) })
	return out
}

// nameDiffs says which custom class or trait is created, deleted or renamed.
func nameDiffs(c versioned.Change) (out []string) {
	if c.Before != nil {
		out = append(out, "- "+versioned.Title(c.Before))
	}
	if c.After != nil {
		out = append(out, "+ "+versioned.Title(c.After))
	}
	return out
}

// warn adds what an operator should consider before writing d.
func (d ProviderDiff) warn(all *remarks) {
	for _, c := range d.Classes {
		if c.After == nil {
			continue
		}
		over := !c.After.HasRoom(c.UsedAfter, 0)
		if over && (c.Before == nil || c.Before.HasRoom(c.UsedBefore, 0)) {
			text := fmt.Sprintf("%s of %s will be over capacity: %d used of %d", c.Class, d.Name, c.UsedAfter, c.After.Capacity())
			all.add(text, text, "")
		}
	}
	for _, t := range d.TraitsRemoved {
		if t.IsOwner() {
			all.add("%s loses "+string(t)+": requests for this owner no longer find it", "%s lose "+string(t)+": requests for this owner no longer find them", d.Name)
		}
	}
}

// Lines returns p as plain text: providers, consumers and records before > after, then
// warnings, then requests.
func (p Preview) Lines() []string {
	requests := p.Requests()
	if p.Empty() && len(requests) == 0 {
		return []string{"nothing to change"}
	}
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	out = append(out, p.Names...)
	for _, d := range p.Providers {
		add("%s", d.title())
		for _, c := range d.Classes {
			add("  %s", c.line())
		}
		for _, t := range d.TraitsAdded {
			add("  + %s", t)
		}
		for _, t := range d.TraitsRemoved {
			add("  - %s", t)
		}
		for _, a := range d.AggregatesAdded {
			add("  + aggregate %s", a)
		}
		for _, a := range d.AggregatesRemoved {
			add("  - aggregate %s", a)
		}
	}
	for _, c := range p.Consumers {
		add("consumer %s  generation %s > %s", consumerTitle(c), c.GenerationBefore, c.GenerationAfter)
		for _, f := range c.Changed {
			add("  %s %s > %s", f.Name, cmp.Or(f.Before, "none"), cmp.Or(f.After, "none"))
		}
		gained, lost := c.Holds()
		for _, h := range lost {
			add("  - %s %d on %s", h.Class, h.Amount, h.Name)
		}
		for _, h := range gained {
			add("  + %s %d on %s", h.Class, h.Amount, h.Name)
		}
	}
	for _, d := range p.Ledgers {
		out = append(out, d.lines()...)
	}
	for _, w := range p.Warnings {
		add("! %s", w)
	}
	for _, r := range requests {
		add("%s %s  (%s)", r.Method, r.Path, r.Version())
		if r.Body != "" {
			add("  %s", r.Body)
		}
	}
	return out
}

// Holds returns what the consumer holds only after, and only before.
func (d ConsumerDiff) Holds() (gained, lost []Holding) { return setDiff(d.Before, d.After) }

func consumerTitle(c ConsumerDiff) string {
	if c.Name != "" {
		return c.Name + " (" + c.Consumer.String() + ")"
	}
	return c.Consumer.String()
}

// title names d and says what happens to it as a whole.
func (d ProviderDiff) title() string {
	s := fmt.Sprintf("%s  generation %s > %s", d.Name, d.GenerationBefore, d.GenerationAfter)
	switch {
	case d.Created() && d.Parent != "":
		s += "  new, below " + d.Parent
	case d.Created():
		s += "  new"
	case d.Deleted():
		s += "  deleted"
	case d.Moved && d.Parent != "":
		s += "  moved below " + d.Parent
	case d.Moved:
		s += "  moved, a root now"
	}
	if d.OldName != "" {
		s += "  was " + d.OldName
	}
	return s
}

// line returns d as used/capacity before > after, with the fields of the
// inventory that differ.
func (d ClassDiff) line() string {
	show := func(inv *placement.Inventory, used int64) string {
		if inv == nil {
			return "none"
		}
		return fmt.Sprintf("%d/%d", used, inv.Capacity())
	}
	return strings.Join(append([]string{fmt.Sprintf("%s  %s > %s", d.Class, show(d.Before, d.UsedBefore), show(d.After, d.UsedAfter))}, d.Fields()...), "  ")
}

// Fields says which fields of an inventory change, as "total 8 > 16"; none if it comes or goes.
func (d ClassDiff) Fields() []string {
	if d.Before == nil || d.After == nil {
		return nil
	}
	var out []string
	for _, f := range d.Before.ChangesTo(*d.After) {
		out = append(out, f.Name+" "+f.Was+" > "+f.Is)
	}
	return out
}
