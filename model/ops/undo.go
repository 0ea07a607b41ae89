package ops

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// PlanUndo plans to take back what a revision changed. Placement's records are written by
// its verbs, so that generations go on and a live cloud can do it; those of the other
// ledgers are restored. What others have changed stays.
//
// Errors: placement.ErrState if something that the revision changed is otherwise since,
// or the event comes without its changes; those of the verbs, such as placement.ErrInUse
// for a provider that came with it and of which something is held by now.
func PlanUndo(s *cloud.Snapshot, ev cloud.Event) (Plan, error) {
	again := Planner(func(s *cloud.Snapshot) (Plan, error) {
		if ev.Omitted > 0 {
			return Plan{}, placement.StateErrorf("revision %d changed %d records, which are no longer kept", ev.Revision, ev.Omitted)
		}
		u := undo{providers: map[placement.ProviderID]*turned{}}
		if err := u.read(s, ev.Changes); err != nil {
			return Plan{}, fmt.Errorf("revision %d cannot be taken back: %w", ev.Revision, err)
		}
		p, err := PlanAll(s, undoNote(ev), u.wishes()...)
		p.Name = undoTask(ev.Revision)
		if oneOfSeveral(ev) {
			p.Preview.Warnings = append(p.Preview.Warnings, ev.Task+" has more steps than this one: they stay as they are")
		}
		return p, err
	})
	return again.Plan(s)
}

// oneOfSeveral reports whether an event was one step of a task of several. A Plan has one
// step, named like the plan; but so is one of the steps of these tasks.
func oneOfSeveral(ev cloud.Event) bool {
	if ev.Step == ev.Task {
		return slices.Contains([]string{Confirm{}.About().Name, Revert{}.About().Name, Terminate{}.About().Name}, ev.Task)
	}
	return ev.Step != "" // a copy has none
}

// undoTask returns the task name in the journal for the undo of a revision.
func undoTask(rev cloud.Revision) string { return undoPrefix + strconv.FormatUint(uint64(rev), 10) }

const undoPrefix = "undo-"

// Undoes returns the revision that an event undid, false for any other event.
func Undoes(ev cloud.Event) (cloud.Revision, bool) {
	rev, ok := strings.CutPrefix(ev.Task, undoPrefix)
	n, err := strconv.ParseUint(rev, 10, 64)
	return cloud.Revision(n), ok && err == nil
}

// UndoOf returns the event that undid a revision and was not undone itself, looked for
// among events, newest first; false if there is none. Undoing that event is redoing
// the revision.
func UndoOf(rev cloud.Revision, events []cloud.Event) (cloud.Event, bool) {
	gone := map[cloud.Revision]bool{}
	for _, ev := range events {
		of, undoes := Undoes(ev)
		switch {
		case !undoes || gone[ev.Revision]:
		case of == rev:
			return ev, true
		default:
			gone[of] = true
		}
	}
	return cloud.Event{}, false
}

// undoNote says what the undo of an event does: a redo if that is an undo itself.
func undoNote(ev cloud.Event) string {
	if of, undoes := Undoes(ev); undoes {
		if what, plain := strings.CutPrefix(ev.Note, fmt.Sprintf("undo revision %d: ", of)); plain {
			return fmt.Sprintf("redo revision %d: %s", of, what)
		}
	}
	return fmt.Sprintf("undo revision %d: %s", ev.Revision, ev.Note)
}

// undo is what is to be undone, in the order in which that is done.
type undo struct {
	words     []cloud.Op // classes and traits that come back
	providers map[placement.ProviderID]*turned
	order     []placement.ProviderID // in the order of the event
	claims    []placement.Claim
	others    []versioned.Change // of the other ledgers
	gone      []cloud.Op         // classes and traits that go
}

// turned is a provider as a revision left it, and as it was before.
type turned struct {
	was, want    ProviderState
	comes, goes  bool
	traits, rest bool // whether the revision wrote them
}

// read reads what a revision changed, and refuses what has changed since.
func (u *undo) read(s *cloud.Snapshot, changes []versioned.Change) error {
	for _, c := range changes {
		switch r := c.Record().(type) {
		case *placement.ClassRecord, *placement.TraitRecord:
			u.word(c)
		case *placement.ProviderRecord:
			t := u.provider(r.UUID)
			t.rest, t.comes, t.goes = true, c.After == nil, c.Before == nil
			t.was.take(c.After)
			t.want.take(c.Before)
		case *placement.ProviderTraitsRecord:
			t := u.provider(r.Provider)
			t.traits = true
			t.was.take(c.After)
			t.want.take(c.Before)
		case *placement.ConsumerRecord:
			claim, err := u.claim(s, c)
			if err != nil {
				return err
			}
			u.claims = append(u.claims, claim)
		default:
			back, err := turnedBack(s, c)
			if err != nil {
				return err
			}
			u.others = append(u.others, back...)
		}
	}
	if err := u.stayAttached(s); err != nil {
		return err
	}
	for _, id := range u.order {
		if err := u.providers[id].onto(s, id); err != nil {
			return err
		}
	}
	return nil
}

// stayAttached refuses to remove units of a card for which Cyborg has attached a device
// since. If the revision wrote requests too, those are undone with the units.
func (u *undo) stayAttached(s *cloud.Snapshot) error {
	for _, c := range u.others {
		if _, ok := c.Record().(*cyborg.ARQ); ok {
			return nil
		}
	}
	for _, claim := range u.claims {
		if has, ok := s.Placement().Consumer(claim.Consumer); ok {
			if err := attachedTo(s, has, claim.Allocations); err != nil {
				return err
			}
		}
	}
	return nil
}

// turnedBack returns the changes that restore a record of another ledger; none if it is
// as it was. That is refused if the record was written since, but for what services and
// compute nodes report all the time: that stays.
func turnedBack(s *cloud.Snapshot, c versioned.Change) ([]versioned.Change, error) {
	has := s.Held(c.Record())
	is, was := reported(c.After, has), reported(c.Before, has)
	switch {
	case !versioned.Alike(has, is):
		return nil, placement.StateErrorf("%s was changed again since: %s", c.Title(), fieldsOf(s, versioned.Change{Before: is, After: has}))
	case versioned.Alike(has, was):
		return nil, nil
	}
	return []versioned.Change{{Before: has, After: was}}, nil
}

// reported returns r with what a service or a resource tracker reports taken from now.
func reported(r, now versioned.Record) versioned.Record {
	switch now := now.(type) {
	case *nova.ComputeNode:
		if r, ok := r.(*nova.ComputeNode); ok {
			own := *r
			own.VCPUsUsed, own.MemoryMBUsed, own.LocalGBUsed, own.RunningVMs = now.VCPUsUsed, now.MemoryMBUsed, now.LocalGBUsed, now.RunningVMs
			own.PCIStats, own.Kept, own.Updated, own.ObjectVersion = now.PCIStats, now.Kept, now.Updated, now.ObjectVersion
			return &own
		}
	case *nova.Service:
		if r, ok := r.(*nova.Service); ok {
			own := *r
			own.LastSeenUp, own.ReportCount, own.ReportInterval, own.Told, own.Updated = now.LastSeenUp, now.ReportCount, now.ReportInterval, now.Told, now.Updated
			return &own
		}
	}
	return r
}

// fieldsOf says which fields of a record a change alters.
func fieldsOf(s *cloud.Snapshot, c versioned.Change) string {
	switch {
	case c.After == nil:
		return "it is gone"
	case c.Before == nil:
		return "it is there again"
	}
	var out []string
	for _, d := range Diffs(s, []versioned.Change{c}) {
		for _, f := range d.Fields {
			out = append(out, fmt.Sprintf("%s %s > %s", f.Name, cmp.Or(f.Before, "none"), cmp.Or(f.After, "none")))
		}
	}
	return strings.Join(out, ", ")
}

// provider returns what is known so far of a provider that the revision wrote to.
func (u *undo) provider(id placement.ProviderID) *turned {
	if u.providers[id] == nil {
		u.providers[id] = new(turned)
		u.order = append(u.order, id)
	}
	return u.providers[id]
}

// word adds a class or a trait that was created, deleted or renamed.
func (u *undo) word(c versioned.Change) {
	was, _ := c.Before.(*placement.ClassRecord)
	is, _ := c.After.(*placement.ClassRecord)
	had, _ := c.Before.(*placement.TraitRecord)
	has, _ := c.After.(*placement.TraitRecord)
	switch {
	case was != nil && is != nil:
		u.words = append(u.words, placement.RenameClass{Name: is.Name, To: was.Name})
	case was != nil:
		u.words = append(u.words, placement.CreateClass{Name: was.Name})
	case is != nil:
		u.gone = append(u.gone, placement.DeleteClass{Name: is.Name})
	case had != nil && has == nil:
		u.words = append(u.words, placement.CreateTrait{Name: had.Name})
	case has != nil && had == nil:
		u.gone = append(u.gone, placement.DeleteTrait{Name: has.Name})
	}
}

// take sets st to what a record of a provider says.
func (st *ProviderState) take(r versioned.Record) {
	switch r := r.(type) {
	case *placement.ProviderRecord:
		st.Name, st.Inventories, st.Aggregates = r.Name, r.Inventories, r.Aggregates
		if r.Parent != nil {
			st.Parent = *r.Parent
		}
	case *placement.ProviderTraitsRecord:
		st.Traits = r.Traits
	}
}

// onto turns what a provider was before the revision into what it is to be now, with
// everything else that others have changed since.
func (t *turned) onto(s *cloud.Snapshot, id placement.ProviderID) error {
	if t.comes {
		return nil
	}
	now, err := StateOf(s, id)
	if err != nil || t.goes {
		return err
	}
	if !t.rest {
		traits, had := t.want.Traits, t.was.Traits
		t.want, t.was = now.Clone(), now.Clone()
		t.want.Traits, t.was.Traits = traits, had
	}
	if !t.traits {
		t.want.Traits, t.was.Traits = now.Traits, now.Traits
	}
	if others := clashes(t.was.fields(s), t.want.fields(s), now.fields(s)); len(others) > 0 {
		return placement.StateErrorf("%s was changed again since: %s", now.Name, strings.Join(others, ", "))
	}
	t.want = t.want.onto(t.was, now).(ProviderState)
	return nil
}

// claim returns what a consumer is to hold again. It must still hold what the revision
// left it.
func (u *undo) claim(s *cloud.Snapshot, c versioned.Change) (placement.Claim, error) {
	id := c.Record().(*placement.ConsumerRecord).UUID
	after, _ := c.After.(*placement.ConsumerRecord)
	var is *placement.ConsumerRecord
	claim := placement.Claim{Consumer: id, Generation: placement.NewConsumer()}
	if has, ok := s.Placement().Consumer(id); ok {
		claim.Generation = placement.Generation(has.Generation())
		is = s.Placement().ConsumerRecord(has)
	}
	if lines := changed(heldIn(s, after), heldIn(s, is)); len(lines) > 0 {
		return claim, placement.StateErrorf("%s holds something else since: %s", ConsumerName(s, id), strings.Join(lines, ", "))
	}
	if before, ok := c.Before.(*placement.ConsumerRecord); ok && before != nil {
		claim.Type, claim.Project, claim.User, claim.Allocations = before.Type, before.Project, before.User, before.Allocations
	}
	return claim, nil
}

// heldIn returns what a record of a consumer says that it holds.
func heldIn(s *cloud.Snapshot, r *placement.ConsumerRecord) []field {
	if r == nil {
		return nil
	}
	return allocationsOf(s, r).fields(s)
}

// wishes returns the planners that undo everything: what is needed is created first, what
// is no longer needed is removed last.
func (u *undo) wishes() []Planner {
	all := opsOf(u.words)
	shape := placement.Reshape{Allocations: u.claims}
	var after, deleted []Planner
	for _, id := range u.parentsFirst() {
		switch t := u.providers[id]; {
		case t.comes:
			all = append(all, func(s *cloud.Snapshot) (Plan, error) {
				return PlanCreateProvider(s, id, t.want.Name, t.want.Parent)
			}, t.planner(id))
		case t.goes:
			deleted = append(deleted, func(s *cloud.Snapshot) (Plan, error) { return PlanDeleteProvider(s, id, false) })
		default:
			if !maps.Equal(t.was.Inventories, t.want.Inventories) {
				shape.Inventories = append(shape.Inventories, placement.SetInventories{Provider: id, Inventories: t.want.Inventories})
			}
			after = append(after, t.planner(id))
		}
	}
	if len(u.claims) > 0 {
		all = append(all, shaped(shape))
	}
	all = append(all, after...)
	slices.Reverse(deleted)
	all = append(all, deleted...)
	if len(u.others) > 0 {
		all = append(all, func(s *cloud.Snapshot) (Plan, error) {
			return PlanChange(s, cloud.PutRecords("", "", slices.Clone(u.others)))
		})
	}
	return append(all, opsOf(u.gone)...)
}

// parentsFirst returns the providers, each after its parent.
func (u *undo) parentsFirst() []placement.ProviderID {
	var out []placement.ProviderID
	seen := map[placement.ProviderID]bool{}
	var add func(id placement.ProviderID)
	add = func(id placement.ProviderID) {
		t := u.providers[id]
		if t == nil || seen[id] {
			return
		}
		seen[id] = true
		add(t.want.Parent)
		add(t.was.Parent)
		out = append(out, id)
	}
	for _, id := range u.order {
		add(id)
	}
	return out
}

// planner returns a planner that restores the provider.
func (t *turned) planner(id placement.ProviderID) Planner {
	return func(s *cloud.Snapshot) (Plan, error) {
		now, err := StateOf(s, id)
		if err != nil {
			return Plan{}, err
		}
		return planState(s, id, now, t.want)
	}
}

// shaped returns a planner that gives consumers what they held and, if that was changed
// too, providers their inventories, as one is not possible without the other.
func shaped(r placement.Reshape) Planner {
	return func(s *cloud.Snapshot) (Plan, error) {
		if len(r.Inventories) == 0 {
			return PlanOp(s, placement.ReplaceAllocations{Consumers: r.Allocations})
		}
		r.Inventories = slices.Clone(r.Inventories)
		for i := range r.Inventories {
			p, err := s.Placement().FindProvider(r.Inventories[i].Provider)
			if err != nil {
				return Plan{}, err
			}
			r.Inventories[i].Generation = placement.Generation(p.Generation())
		}
		return PlanOp(s, r)
	}
}

// opsOf returns a planner for each operation that needs no decision.
func opsOf(ops []cloud.Op) []Planner {
	out := make([]Planner, len(ops))
	for i, op := range ops {
		out[i] = func(s *cloud.Snapshot) (Plan, error) { return PlanOp(s, op) }
	}
	return out
}
