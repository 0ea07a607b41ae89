package demo

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Script is a story that is played on a demo cloud: what each step writes, it writes as
// any operator would, through the use-cases of package ops. A Script is a value without
// memory: the cloud itself says how far it was played.
type Script struct {
	Name  string
	Title string
	Steps []Step

	ready func(*cloud.Snapshot) error
}

// Scripts returns what can be played.
func Scripts() []Script { return []Script{transitionScript()} }

// ScriptNamed returns the script with the given name.
//
// Errors: placement.ErrInvalid, with the names of the scripts.
func ScriptNamed(name string) (Script, error) {
	var names []string
	for _, s := range Scripts() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Script{}, &placement.InvalidError{Field: "script", Value: name, Why: "is none: there is " + strings.Join(names, ", ")}
}

// Made reports whether s is a demo cloud: it has a host aggregate with the uuid that only
// this package gives.
func Made(s *cloud.Snapshot) bool {
	_, ok := s.Nova().Aggregate(AggregateID(zoneName(1)))
	return ok
}

// Ready returns why the script cannot be played on s, nil if it can.
//
// Errors: placement.ErrUnsupported for a cloud that is not made up, or lacks what
// the story is about.
func (sc Script) Ready(s *cloud.Snapshot) error {
	if !Made(s) {
		return fmt.Errorf("the demonstration is played on a made-up cloud only, and this is not one: %w", placement.ErrUnsupported)
	}
	return sc.ready(s)
}

// Next returns the number of the step that comes next on s, from 0: the one after the
// last of those that have written what they write. It is len(sc.Steps) if the story is
// over.
func (sc Script) Next(s *cloud.Snapshot) int {
	next := 0
	for i, st := range sc.Steps {
		if st.done != nil && st.done(s) {
			next = i + 1
		}
	}
	return next
}

// Undone returns the number of the first step before the given one that writes and has
// not written what it writes, and false if there is none: it was undone, and may be
// played again.
func (sc Script) Undone(s *cloud.Snapshot, before int) (int, bool) {
	for i, st := range sc.Steps[:before] {
		if st.done != nil && !st.done(s) {
			return i, true
		}
	}
	return 0, false
}

// Where is what the outcome of a step is to be seen on.
type Where struct {
	View     View
	Instance placement.ConsumerID // that it is about; the zero id for none
	Filter   string               // of a list
	Flavor   string               // whose request it is
	Provider placement.ProviderID // whose later state is shown; the zero id for none
	Rule     audit.RuleID         // that found it
	Host     string               // whose service it is; "" for none
}

// View is a sort of Where.
type View int

// The views.
const (
	ViewServices   View = iota // the list
	ViewOwners                 // the owners of accelerators
	ViewRequest                // what Nova asks for Flavor
	ViewWhy                    // the same, with the result in words
	ViewInstance               // only Instance
	ViewInstances              // the list
	ViewMigrations             // the list, narrowed by Filter
	ViewDecision               // to confirm or revert the move of Instance
	ViewProblem                // the finding of Rule about Instance
)

// Step is a part of a Script: something to look at, or one write.
type Step struct {
	Name  string // one word, unique within the script
	Title string // a few words

	will  func(*cloud.Snapshot) string
	do    func(*cloud.Snapshot) (Deed, error) // nil if the step only looks
	did   func(Played) string
	facts func(Played) []string // nil if there are none
	where func(*cloud.Snapshot) Where
	done  func(*cloud.Snapshot) bool // whether s shows that it was written; nil if the step only looks
}

// Writes reports whether the step writes something.
func (st Step) Writes() bool { return st.do != nil }

// Will says what is about to happen on s, in one or two sentences.
func (st Step) Will(s *cloud.Snapshot) string { return st.will(s) }

// Did says what has happened, in one line.
func (st Step) Did(p Played) string { return st.did(p) }

// Facts says what there is to be seen, line by line, with the figures of p.
func (st Step) Facts(p Played) []string {
	if st.facts == nil {
		return nil
	}
	return st.facts(p)
}

// Where returns the screen of the dashboard on which the outcome is to be seen.
func (st Step) Where(s *cloud.Snapshot) Where { return st.where(s) }
