package ops

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Editable is a thing that people edit whole.
type Editable interface {
	// Called returns what people call it: "flavor m1.small".
	Called(s *cloud.Snapshot) string
	// State returns all of it that people edit.
	//
	// Errors: placement.ErrNotFound.
	State(s *cloud.Snapshot) (State, error)
	// PlanState plans to make of it, as it is now, what it is to be: of the type of State.
	PlanState(s *cloud.Snapshot, want State, at time.Time) (Plan, error)
}

// State is what people edit of an Editable: a struct whose JSON has all of it.
type State any

// ConflictPolicy says how an edit treats what another writer has changed since it began.
type ConflictPolicy uint8

// The policies.
const (
	KeepBoth   ConflictPolicy = iota // theirs, and over it what was edited
	KeepYours                        // everything is as edited, whatever others did
	KeepTheirs                       // nothing is written
)

// Edit is an edited version of an Editable, with the version that the edit began from.
type Edit struct {
	Of         Editable
	Base, Want State
	At         time.Time
	Clash      ConflictPolicy // what becomes of what others have changed since
}

// Since returns what another writer has changed since the edit began, one line each.
func (e Edit) Since(s *cloud.Snapshot) []string {
	now, err := e.Of.State(s)
	if err != nil {
		return nil // the plan says so
	}
	return differences(s, delta.Of(e.Base, now))
}

// differences says how fields differ, one line each, with the names that s has for uuids.
func differences(s *cloud.Snapshot, of []delta.Field) []string {
	var out []string
	for _, f := range delta.Telling(of) {
		out = append(out, withNames(s, f.Words()))
	}
	return out
}

// PlanEdit plans an edit of a thing. It writes what the edit changed; Clash says what
// happens to fields that others have changed since it began.
//
// Errors: those of the Editable.
func PlanEdit(s *cloud.Snapshot, e Edit) (Plan, error) {
	again := Planner(func(s *cloud.Snapshot) (Plan, error) {
		now, err := e.Of.State(s)
		if err != nil {
			return Plan{}, err
		}
		want := now
		switch e.Clash {
		case KeepYours:
			want = e.Want
		case KeepBoth:
			if want, err = delta.Merge(e.Base, e.Want, now); err != nil {
				return Plan{}, err
			}
		case KeepTheirs:
		}
		if len(delta.Of(now, want)) == 0 {
			return Plan{}, nil
		}
		plan, err := e.Of.PlanState(s, want, e.At)
		for _, line := range e.Since(s) {
			plan.Preview.Warnings = append(plan.Preview.Warnings, "someone else has changed it since you started: "+line)
		}
		return plan, err
	})
	return again.Plan(s)
}

// EditableProvider is a resource provider, whose State is a ProviderState.
type EditableProvider struct{ ID placement.ProviderID }

// Called implements Editable.
func (p EditableProvider) Called(s *cloud.Snapshot) string { return s.Placement().ProviderName(p.ID) }

// State implements Editable.
func (p EditableProvider) State(s *cloud.Snapshot) (State, error) { return StateOf(s, p.ID) }

// PlanState implements Editable. Custom classes and traits that do not exist yet are made.
//
// Errors: those of PlanUpdateProvider, PlanInventories, PlanTraits and PlanAggregates.
func (p EditableProvider) PlanState(s *cloud.Snapshot, want State, _ time.Time) (Plan, error) {
	now, err := StateOf(s, p.ID)
	if err != nil {
		return Plan{}, err
	}
	return planState(s, p.ID, now, want.(ProviderState))
}

// EditableFlavor is a flavor by name, with what Nova lets one change of it.
type EditableFlavor struct{ Name string }

// FlavorState is the editable part of a flavor.
type FlavorState struct {
	Disabled   bool              `yaml:"disabled" json:"disabled"`
	ExtraSpecs map[string]string `yaml:"extra_specs" json:"extra_specs"`
}

// Called implements Editable.
func (f EditableFlavor) Called(*cloud.Snapshot) string { return "flavor " + f.Name }

// State implements Editable.
func (f EditableFlavor) State(s *cloud.Snapshot) (State, error) {
	has, ok := s.Nova().FlavorNamed(f.Name)
	if !ok {
		return nil, s.Missing(placement.NotFound("flavor", f.Name), cloud.Flavors)
	}
	return FlavorState{Disabled: has.Disabled, ExtraSpecs: has.ExtraSpecs}, nil
}

// PlanState implements Editable.
func (f EditableFlavor) PlanState(s *cloud.Snapshot, want State, at time.Time) (Plan, error) {
	state, err := f.State(s)
	if err != nil {
		return Plan{}, err
	}
	now, is := state.(FlavorState), want.(FlavorState)
	verbs := []nova.Op{nova.SetExtraSpecs{Flavor: f.Name, ExtraSpecs: nova.EditsOf(now.ExtraSpecs, is.ExtraSpecs)}}
	if now.Disabled != is.Disabled {
		verbs = append(verbs, nova.DisableFlavor{Flavor: f.Name, Disabled: is.Disabled})
	}
	return PlanFlavor(s, "set "+f.Called(s), f.Name, at, verbs...)
}

// EditableHostAggregate is a host aggregate of Nova's.
type EditableHostAggregate struct{ ID placement.AggregateID }

// HostAggregateState is the editable part of a host aggregate.
type HostAggregateState struct {
	Hosts    []string          `yaml:"hosts" json:"hosts"`
	Metadata map[string]string `yaml:"metadata" json:"metadata"` // availability_zone among it
}

// Called implements Editable.
func (a EditableHostAggregate) Called(s *cloud.Snapshot) string {
	if has, ok := s.Nova().Aggregate(a.ID); ok {
		return "host aggregate " + has.Name
	}
	return "host aggregate " + a.ID.String()
}

// State implements Editable.
func (a EditableHostAggregate) State(s *cloud.Snapshot) (State, error) {
	has, ok := s.Nova().Aggregate(a.ID)
	if !ok {
		return nil, s.Missing(placement.NotFound("host aggregate", a.ID.String()), cloud.HostAggregates)
	}
	return HostAggregateState{Hosts: has.Hosts, Metadata: has.Metadata}, nil
}

// PlanState implements Editable. Hosts are removed first, as they may be what keeps the
// zone from changing.
func (a EditableHostAggregate) PlanState(s *cloud.Snapshot, want State, at time.Time) (Plan, error) {
	state, err := a.State(s)
	if err != nil {
		return Plan{}, err
	}
	now, is := state.(HostAggregateState), want.(HostAggregateState)
	come, leave := setDiff(now.Hosts, is.Hosts)
	var verbs []nova.Op
	for _, host := range leave {
		verbs = append(verbs, nova.RemoveAggregateHost{Aggregate: a.ID, Host: host})
	}
	if !maps.Equal(now.Metadata, is.Metadata) {
		verbs = append(verbs, nova.SetAggregateMetadata{Aggregate: a.ID, Metadata: nova.EditsOf(now.Metadata, is.Metadata)})
	}
	for _, host := range come {
		verbs = append(verbs, nova.AddAggregateHost{Aggregate: a.ID, Host: host})
	}
	return PlanNova(s, "set "+a.Called(s), at, verbs...)
}

// EditableConsumer is a consumer of allocations.
type EditableConsumer struct{ ID placement.ConsumerID }

// ConsumerState is the editable part of a consumer; without allocations the consumer
// is deleted.
type ConsumerState struct {
	Type        string                      `yaml:"type" json:"type"`
	Project     string                      `yaml:"project" json:"project"`
	User        string                      `yaml:"user" json:"user"`
	Allocations map[string]map[string]int64 `yaml:"allocations" json:"allocations"` // units by provider and class
}

// Called implements Editable.
func (c EditableConsumer) Called(s *cloud.Snapshot) string {
	return "the allocations of " + ConsumerName(s, c.ID)
}

// State implements Editable.
func (c EditableConsumer) State(s *cloud.Snapshot) (State, error) {
	has, err := s.Placement().FindConsumer(c.ID)
	if err != nil {
		return nil, err
	}
	st := allocationsOf(s, s.Placement().ConsumerRecord(has))
	st.Type, st.Project, st.User = string(has.Type()), has.Project(), has.User()
	return st, nil
}

// allocationsOf returns only the allocations of a consumer.
func allocationsOf(s *cloud.Snapshot, r *placement.ConsumerRecord) ConsumerState {
	st := ConsumerState{Allocations: map[string]map[string]int64{}}
	for id, amounts := range r.Allocations {
		of := map[string]int64{}
		for class, n := range amounts {
			of[string(class)] = n
		}
		st.Allocations[s.Placement().ProviderName(id)] = of
	}
	return st
}

// PlanState implements Editable.
func (c EditableConsumer) PlanState(s *cloud.Snapshot, want State, _ time.Time) (Plan, error) {
	has, err := s.Placement().FindConsumer(c.ID)
	if err != nil {
		return Plan{}, err
	}
	is := want.(ConsumerState)
	claim := placement.Claim{Consumer: c.ID, Generation: has.Expect()}
	for _, name := range slices.Sorted(maps.Keys(is.Allocations)) {
		p, ok := s.Placement().ProviderByName(name)
		if !ok {
			return Plan{}, placement.NotFound("resource provider", name)
		}
		of := map[placement.ResourceClass]int64{}
		for class, n := range is.Allocations[name] {
			of[placement.ResourceClass(class)] = n
		}
		if claim.Allocations == nil {
			claim.Allocations = Amounts{}
		}
		claim.Allocations[p.ID()] = of
	}
	if err := attachedTo(s, has, claim.Allocations); err != nil {
		return Plan{}, err
	}
	if len(claim.Allocations) > 0 {
		claim.Type, claim.Project, claim.User = placement.ConsumerType(is.Type), is.Project, is.User
	}
	return PlanChange(s, cloud.Change{Note: fmt.Sprintf("set %s", c.Called(s)), Ops: []cloud.Op{placement.ReplaceClaims(claim)}})
}
