package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// walk is a script of package demo that is being presented. A bar of a few lines says which
// step was played, what happened and what comes next, while the screen above it shows where:
// one key plays the next step, one looks back.
//
//	─ DEMO 7/18 resize from Nova to Cyborg ─────── nova 44/56 cyborg 38/48 held 3 ─
//	 infer-10 is resized on cmp-003 with VGPU 1 of cmp-003_0000:82:00.0 (cyborg)...
//	 ) next: infer-10 runs on its new place, and the migration holds...    ( back
//
// What it plays and plans runs as a command. What was played stands in the cloud, so that a
// walk may be left and begun again.
type walk struct {
	env    screen.Env
	script demo.Script
	next   int            // the next step, from 0; the number of steps once all are played
	shown  int            // the step in the bar; -1 before the first
	did    map[int]string // what happened, by step
	will   string         // what the next step will do
	shares []demo.Share   // after the last step
	busy   bool           // a step is being played
	fault  error          // why the next step could not be played; nil if it can
}

// walkBeganMsg brings a Walk that can be shown, or why there is none.
type walkBeganMsg struct {
	Cloud cloud.Reader // on which it is presented
	Walk  *walk
	Err   error
}

// walkPlayedMsg brings the outcome of a step.
type walkPlayedMsg struct {
	Walk *walk
	step int
	now  walkFacts
	err  error
}

// walkFacts is what a Walk says of the cloud after a step.
type walkFacts struct {
	did    string
	will   string
	shares []demo.Share
}

// beginWalk returns the command that begins to present a script at the step which comes
// next in the cloud: the first, or where it was left.
func beginWalk(env screen.Env, sc demo.Script) tea.Cmd {
	return func() tea.Msg {
		s := env.Cloud.Snapshot()
		if err := sc.Ready(s); err != nil {
			return walkBeganMsg{Cloud: env.Cloud, Err: err}
		}
		w := &walk{env: env, script: sc, next: sc.Next(s), did: map[int]string{}}
		w.shown = w.next - 1
		w.take(w.shown, w.look(w.shown, demo.StepResult{Before: s, After: s}))
		return walkBeganMsg{Cloud: env.Cloud, Walk: w}
	}
}

// look returns what there is to say after a step; that may be the step before the first.
// It may take milliseconds, as the step may ask for candidates.
func (w *walk) look(step int, p demo.StepResult) walkFacts {
	now := walkFacts{shares: demo.Shares(p.After)}
	if step >= 0 {
		now.did = w.script.Steps[step].Did(p)
	}
	if step+1 < len(w.script.Steps) {
		now.will = w.script.Steps[step+1].Will
	}
	return now
}

// take stores what to say after a step.
func (w *walk) take(step int, now walkFacts) {
	w.will, w.shares = now.will, now.shares
	if step >= 0 {
		w.did[step] = now.did
	}
}

// Over reports whether all steps were played.
func (w *walk) Over() bool { return w.next >= len(w.script.Steps) }

// Next goes to the step after the one that is looked back at, which is shown at once, or
// to the next one, which the command plays: an earlier one if that was undone. Show is
// false if there is nothing to show yet.
func (w *walk) Next() (to place.Place, show bool, play tea.Cmd) {
	switch {
	case w.busy:
		return nil, false, nil
	case w.shown < w.next-1:
		w.shown++
		return w.where(), true, nil
	case w.Over():
		return nil, false, nil
	}
	w.busy, w.fault = true, nil
	n := w.next
	return nil, false, func() tea.Msg {
		if undone, ok := w.script.Undone(w.env.Cloud.Snapshot(), n); ok {
			n = undone
		}
		p, err := w.script.Steps[n].Play(w.env.Context, w.env.Cloud, ops.Runner{Actor: w.env.Actor, Now: w.env.Clock, Begin: w.env.Kept().Begin})
		if err != nil {
			return walkPlayedMsg{Walk: w, step: n, err: err}
		}
		return walkPlayedMsg{Walk: w, step: n, now: w.look(n, p)}
	}
}

// Took handles the result of a step, and returns the place that shows it; false if it
// could not be played.
func (w *walk) Took(msg walkPlayedMsg) (place.Place, bool) {
	w.busy = false
	if w.fault = msg.err; msg.err != nil {
		w.next, w.shown = msg.step, min(w.shown, msg.step-1)
		return nil, false
	}
	w.next, w.shown = msg.step+1, msg.step
	w.take(msg.step, msg.now)
	return w.where(), true
}

// Back goes to the step before the shown one, and returns its place. Nothing is undone.
func (w *walk) Back() (place.Place, bool) {
	if w.busy || w.shown <= 0 {
		return nil, false
	}
	w.shown--
	return w.where(), true
}

// where returns the place of the shown step, on the current cloud.
func (w *walk) where() place.Place {
	return placeOf(w.script.Steps[w.shown].Where(w.env.Cloud.Snapshot()))
}

// placeOf returns the place of the dashboard where something is to be seen.
func placeOf(w demo.Where) place.Place {
	switch w.View {
	case demo.ViewOwners:
		return place.Owners{}
	case demo.ViewRequest, demo.ViewWhy:
		return place.WhatIf{Flavor: w.Flavor, Provider: w.Provider, Words: w.View == demo.ViewWhy}
	case demo.ViewInstance:
		return place.Instance{ID: w.Instance}
	case demo.ViewMigrations:
		return place.Migrations{Filter: w.Filter}
	case demo.ViewDecision:
		return place.Resize{Instance: w.Instance}
	case demo.ViewProblem:
		if w.Instance.IsZero() {
			return place.Problems{Rule: w.Rule}
		}
		return place.Problems{Rule: w.Rule, Subject: w.Instance.String()}
	default:
		return place.Services{Host: w.Host}
	}
}
