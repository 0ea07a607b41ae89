package audit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Fix is a way to do something about a Finding: one Change (Plan), or a use-case of
// several (Course). Preview shows what it would do.
type Fix struct {
	Name  string // a word that is unique among the fixes of one finding, such as "release"
	Title string // what it does, in one line
	// Prepares says that the finding stays after it: it only makes room for another fix,
	// such as by keeping new claims away.
	Prepares bool
	// Choice says that it decides what only people know, such as whose a card is: it is
	// never applied unasked, even if it is the only one.
	Choice bool

	// Unlikely is what speaks against it, "" for nothing: it is taken for a finding that
	// is named only, not for all of a rule.
	Unlikely string

	finding Finding
	plan    func(*cloud.Snapshot) (ops.Plan, error)
	course  ops.Task
}

// Course returns the use-case that the fix is, to be rehearsed and carried out; nil if
// it is a single Change.
func (x Fix) Course() ops.Task { return x.course }

// Preview returns what the fix would do to s, written at the given time; of a Course
// all steps together.
//
// Errors: as Try.
func (x Fix) Preview(s *cloud.Snapshot, at time.Time) (ops.Preview, error) {
	if x.course == nil {
		p, err := x.Plan(s)
		return p.Preview, err
	}
	r, err := x.rehearse(s, at)
	if err != nil {
		return ops.Preview{}, err
	}
	return r.Outcome(), nil
}

// Try returns the cloud that the fix would leave, written at the given time.
//
// Errors: *FixedError; *UnfixedError; those of Plan and of ops.Rehearse.
func (x Fix) Try(s *cloud.Snapshot, at time.Time) (*cloud.Snapshot, error) {
	if x.course != nil {
		r, err := x.rehearse(s, at)
		return r.Final, err
	}
	plan, err := x.planAt(s, at)
	return plan.After, err
}

// Task returns what carries the fix out, planned on s.
//
// Errors: as Plan.
func (x Fix) Task(s *cloud.Snapshot) (ops.Task, error) {
	if x.course != nil {
		return x.course, nil
	}
	return x.Plan(s)
}

// rehearse rehearses the course of the fix.
func (x Fix) rehearse(s *cloud.Snapshot, at time.Time) (ops.Rehearsal, error) {
	if _, stands := x.finding.StandsOn(s); !stands {
		return ops.Rehearsal{}, x.finding.Gone(s)
	}
	r, err := ops.Rehearse(s, x.course, at)
	if err == nil {
		err = x.Outcome(r.Final)
	}
	for _, step := range r.Steps {
		if err == nil {
			err = keepsAccounts(s, r.Final, step.Preview.Records)
		}
	}
	return r, err
}

// ends returns the cloud after the course of a fix of f, and false if it would not end,
// would do nothing, or would leave a card with more disagreement.
func (x Fix) ends(s *cloud.Snapshot, f Finding) (*cloud.Snapshot, bool) {
	x.finding, x.Prepares = f, true
	r, err := x.rehearse(s, f.asked(s).At)
	return r.Final, err == nil && len(r.Steps) > 0
}

// Fixes returns the ways to fix f, a finding on s: the most likely first, none if only
// people can help.
func Fixes(s *cloud.Snapshot, f Finding) []Fix {
	r := ruleOf(f.Rule)
	if r == nil || r.fixes == nil {
		return nil
	}
	fixes := r.fixes(s, f)
	for n := range fixes {
		fixes[n].finding = f
	}
	return fixes
}

// FixNamed returns the fix of f with the given name.
//
// Errors: placement.ErrNotFound, with the names of the fixes.
func FixNamed(s *cloud.Snapshot, f Finding, name string) (Fix, error) {
	fixes := Fixes(s, f)
	for _, x := range fixes {
		if x.Name == name {
			return x, nil
		}
	}
	return Fix{}, fmt.Errorf("%w; %s", placement.NotFound("fix", name), string(f.Rule)+" "+f.Subject+" has "+fixNames(fixes))
}

// fixNames lists the names of fixes.
func fixNames(fixes []Fix) string {
	if len(fixes) == 0 {
		return "none"
	}
	text := ""
	for i, x := range fixes {
		if i > 0 {
			text += ", "
		}
		text += x.Name
	}
	return text
}

// FixedError reports that a Finding is no longer there, so that nothing is left to
// fix. It matches placement.ErrNotFound.
type FixedError struct{ Finding Finding }

func (e *FixedError) Error() string {
	r := RuleOf(e.Finding)
	return fmt.Sprintf("%s no longer has the problem %q (%s)", e.Finding.Subject, r.Title, e.Finding.Rule)
}

// Unwrap returns placement.ErrNotFound.
func (*FixedError) Unwrap() error { return placement.ErrNotFound }

// Plan plans the fix on s, which may be newer than the Snapshot that the fix was made
// for. It is refused if the finding is no longer there.
//
// Errors: *FixedError; those of the planner of what the fix does;
// placement.ErrUnsupported if it is no single Change.
func (x Fix) Plan(s *cloud.Snapshot) (ops.Plan, error) { return x.planAt(s, time.Time{}) }

// planAt is Plan for the given time.
func (x Fix) planAt(s *cloud.Snapshot, at time.Time) (ops.Plan, error) {
	if x.course != nil {
		return ops.Plan{}, fmt.Errorf("%s: it takes several changes, one after the other: %w", x.Name, placement.ErrUnsupported)
	}
	return ops.Planner(func(s *cloud.Snapshot) (ops.Plan, error) {
		f, stands := x.finding.StandsOn(s)
		if !stands {
			return ops.Plan{}, x.finding.Gone(s)
		}
		p, err := x.plan(s)
		if err != nil {
			return ops.Plan{}, err
		}
		if err := x.Outcome(p.After); err != nil {
			return ops.Plan{}, err
		}
		if err := keepsAccounts(s, p.After, p.Preview.Records); err != nil {
			return ops.Plan{}, err
		}
		p.Name, p.Change.Note = "fix", fmt.Sprintf("%s (fix of %s)", p.Change.Note, f.Rule)
		return p.WrittenAt(at), nil
	}).Plan(s)
}

// Outcome returns why the finding is not fixed on s after the fix: an *UnfixedError if
// it is still there, an *UnjudgedError if that cannot be known, nil if it is not, or if the
// fix only prepares another.
func (x Fix) Outcome(s *cloud.Snapshot) error {
	if x.Prepares {
		return nil
	}
	if still, stands := x.finding.StandsOn(s); stands {
		return &UnfixedError{Finding: still, Fix: x.Name}
	}
	if gone := x.finding.Gone(s); !errors.Is(gone, placement.ErrNotFound) {
		return gone
	}
	return nil
}

// UnfixedError reports that a Finding stays, or would stay, after a Fix of it. It matches
// placement.ErrState.
type UnfixedError struct {
	Finding Finding // as it is now
	Fix     string  // name
}

func (e *UnfixedError) Error() string {
	return fmt.Sprintf("%s: not fixed by %q: %s (%s)", e.Finding.Subject, e.Fix, e.Finding.Text, e.Finding.Rule)
}

// Unwrap returns placement.ErrState.
func (*UnfixedError) Unwrap() error { return placement.ErrState }

// keepsAccounts returns an error if, after changes, the claims, requests and attach
// handles of a card of Cyborg's would disagree more than before.
func keepsAccounts(before, after *cloud.Snapshot, changes []versioned.Change) error {
	cards := map[placement.ProviderID]bool{}
	touch := func(r versioned.Record) {
		switch r := r.(type) {
		case *placement.ConsumerRecord:
			for id := range r.Allocations {
				cards[id] = true
			}
		case *placement.ProviderRecord:
			cards[r.UUID] = true
		case *cyborg.ARQ:
			cards[r.Provider] = true
		case *cyborg.AttachHandle:
			if d, ok := before.Cyborg().Deployable(r.Deployable); ok {
				cards[d.Provider] = true
			}
		}
	}
	for _, c := range changes {
		touch(c.Before)
		touch(c.After)
	}
	for _, id := range slices.SortedStableFunc(maps.Keys(cards), placement.ProviderID.Compare) {
		was, _ := accountOf(before, id)
		is, ok := accountOf(after, id)
		if ok && is.Faults() > was.Faults() {
			return placement.StateErrorf("%s would no longer be consistent: %s allocated, %s, %s in use of %d, %d in the inventory", is.Provider.Name(),
				words.Count(int(is.Inventory.Used), "unit"), requests(is.Sum().Bound+is.Sum().Starting+is.Sum().Stuck, is.Sum().Stuck),
				words.Count(int(is.InUse), "attach handle"), is.Handles, is.Inventory.Total)
		}
	}
	return nil
}

// choices marks fixes as choices.
func choices(fixes ...Fix) []Fix {
	for i := range fixes {
		fixes[i].Choice = true
	}
	return fixes
}

// change returns the plan of a Change made by decide.
func change(decide ops.Decider) func(*cloud.Snapshot) (ops.Plan, error) { return decide.Plan }

// drainFix keeps new claims away from a provider by reserving all of a class.
func drainFix(id placement.ProviderID, name string, class placement.ResourceClass) Fix {
	return Fix{
		Name: "drain", Title: fmt.Sprintf("reserve all %s of %s, so that nothing new lands there", class, name), Prepares: true,
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			p, iu, err := inventoryOf(s, id, class)
			if err != nil {
				return ops.Plan{}, err
			}
			inv := iu.Inventory
			inv.Reserved = inv.Total
			return ops.PlanInventory(s, p.ID(), class, inv)
		},
	}
}

// inventoryOf returns the inventory of a class of a provider.
func inventoryOf(s *cloud.Snapshot, id placement.ProviderID, class placement.ResourceClass) (*placement.ResourceProvider, placement.InventoryUsage, error) {
	p, err := s.Placement().FindProvider(id)
	if err != nil {
		return nil, placement.InventoryUsage{}, err
	}
	if iu, ok := s.Placement().InventoryOf(p, class); ok {
		return p, iu, nil
	}
	return nil, placement.InventoryUsage{}, placement.NotFound("inventory", fmt.Sprintf("%s of %s", class, p.Name()))
}

// editInventory returns a plan that edits the inventory of a class of a provider.
func editInventory(id placement.ProviderID, class placement.ResourceClass, edit func(placement.InventoryUsage) placement.Inventory) func(*cloud.Snapshot) (ops.Plan, error) {
	return func(s *cloud.Snapshot) (ops.Plan, error) {
		_, iu, err := inventoryOf(s, id, class)
		if err != nil {
			return ops.Plan{}, err
		}
		return ops.PlanInventory(s, id, class, edit(iu))
	}
}
