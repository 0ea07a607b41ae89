// Package keeper does what is due in a cloud by itself, next to the store: it reverts
// moves that were not confirmed in time, finishes matched at its start what a killed
// process left unfinished, and runs the rules. Dashboards only show what it reports.
//
//	store ──► Round ──► Settle: ops.Due, each carried out by ops.Runner
//	  ▲         │              └─► Results
//	  │         └─► Look: the rules, what waits, what was interrupted ──► Report
//	  └── storage.Keep: at each change, and when Round says to come again
//
// Each open store has one, whichever program opened it. Several processes may keep one
// cloud: each step is decided on the newest Snapshot, so that a keeper which loses a race
// finds nothing left to do. A cloud that cannot be written is only watched.
//
// The package reads no clock and starts no goroutine: storage.Keep waits.
package keeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Cloud is what a Keeper keeps.
type Cloud interface {
	ops.Store
	cloud.ConflictLog
	Capabilities() cloud.Capabilities
}

// Options are for New.
type Options struct {
	Now func() time.Time
	// Jumps notices when Now jumps; nil where it never does. Keepers of which each comes after
	// another share one.
	Jumps *Jumps
	// Tell gets each result at once, for a log; it may be nil.
	Tell func(TaskResult)
	// Resumed says that another Keeper was there before, so that this one does not finish
	// what was interrupted.
	Resumed bool
	// Unread says that the cloud was not read as a whole yet, such as "reading 40%", and ""
	// once it was: rules would find what is not wrong. Nil for a cloud that always is whole.
	Unread func() string
}

// Keeper keeps a cloud. It may be used from several goroutines.
type Keeper struct {
	cloud Cloud
	o     Options

	work    workUnderWay
	turn    sync.Mutex // held while the rules are evaluated
	last    atomic.Pointer[Pass]
	round   sync.Mutex // held while tasks that are due are carried out
	tried   time.Time  // when the tasks then due were last tried
	stuck   map[placement.ConsumerID]bool
	results []TaskResult
	board   Board
}

// New returns a Keeper that has not done or looked at anything yet. With a nil Cloud
// it can only apply rules.
func New(c Cloud, o Options) *Keeper { return &Keeper{cloud: c, o: o} }

// Report is the state of a cloud, and what was done to it. It is immutable.
type Report struct {
	Of                          *cloud.Snapshot      // nil before the first look
	Unread                      string               // as of Pass
	Unjudged                    []audit.UnjudgedRule // rules that rest on what was not read of the cloud
	Critical, Warnings, Waiting int                  // findings that are open, and moves that wait to be confirmed or reverted
	Interrupted                 []string             // what was interrupted, in words
	Results                     []TaskResult         // the newest, the oldest first
	Newer                       <-chan struct{}      // closed once there is a newer Report
}

// TaskResult is something that was due, and was done or failed.
type TaskResult struct {
	Number  int // from 1
	At      time.Time
	Text    string
	Err     error // why it could not be done; nil if it was
	Overdue bool  // a move was to be reverted; else something interrupted to be finished
}

// mostResults is how many results a Report has.
const mostResults = 64

// Board holds the newest Report. A late reader misses nothing but the oldest Results,
// and nobody waits for readers. The zero value holds an empty Report.
type Board struct {
	mu    sync.Mutex
	now   Report
	newer chan struct{}
}

// Publish replaces the Report.
func (b *Board) Publish(r Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.newer != nil {
		close(b.newer)
		b.newer = nil
	}
	b.now = r
}

// Report returns the newest Report.
func (b *Board) Report() Report {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.newer == nil {
		b.newer = make(chan struct{})
	}
	r := b.now
	r.Newer = b.newer
	return r
}

// Report returns the newest Report. It does not wait.
func (k *Keeper) Report() Report { return k.board.Report() }

// Round does what is due, inspects the cloud, and reports. Again is when to come again
// even if nothing changes; zero for never.
func (k *Keeper) Round(ctx context.Context) (again time.Time) {
	again = earliest(k.Settle(ctx))
	s := k.cloud.Snapshot()
	pass := k.Inspect(s)
	n := audit.Count(pass.Open())
	r := Report{Of: s, Unread: pass.Unread, Critical: n[audit.Critical], Warnings: n[audit.Warning]}
	r.Unjudged = pass.Report.Unjudged
	if r.Unread != "" {
		r.Results = k.Results()
		k.board.Publish(r)
		return earliest(again, pass.Until)
	}
	for m := range s.Nova().Migrations() {
		if m.Status.Waits() {
			r.Waiting++
		}
	}
	found, soon := k.Interrupted(s)
	for _, x := range found {
		r.Interrupted = append(r.Interrupted, x.Words)
	}
	r.Results = k.Results()
	k.board.Publish(r)
	return earliest(again, pass.Until, soon)
}

// earliest returns the first of times, not counting zero.
func earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Due returns what Settle would do now.
func (k *Keeper) Due() []ops.InterruptedTask {
	now, s := k.o.Now(), k.cloud.Snapshot()
	if k.tried.IsZero() {
		return ops.Due(s, now, !k.o.Resumed)
	}
	if next, ok := ops.NextDeadline(s, k.tried); !ok || next.After(now) {
		return nil // everything else that is due has been tried
	}
	return ops.Due(s, now, false)
}

// retry is how long to wait after a cloud could not be written.
const retry = time.Minute

// Settle does what is due now, one after the other, and returns when to come again even
// if nothing changes; zero for never. What failed is tried again with whatever is due
// next, and what this process is working on, once that has stopped.
func (k *Keeper) Settle(ctx context.Context) (again time.Time) {
	k.round.Lock()
	defer k.round.Unlock()
	if k.cloud.Capabilities().Can() != nil {
		return time.Time{}
	}
	now := k.o.Now()
	due, wait := k.afterJump(now, k.Due())
	stuck := map[placement.ConsumerID]bool{}
	busy := false // this process is already working on something that is due
	for _, x := range due {
		if k.work.has(x) {
			busy = true
			continue
		}
		switch d, err := k.do(ctx, x); {
		case ctx.Err() != nil:
			return time.Time{}
		case errors.Is(err, placement.ErrUnavailable):
			return now.Add(retry)
		case err != nil:
			stuck[x.Key()] = true
			if !k.stuck[x.Key()] { // reported once
				k.did(d)
			}
		case d.Text != "":
			k.did(d)
		}
	}
	if len(due) > 0 {
		k.stuck = stuck
	}
	switch {
	case busy:
		return now.Add(lookSoon)
	case wait > 0:
		return now.Add(wait)
	}
	if len(due) > 0 || k.tried.IsZero() {
		k.tried = now
	}
	again, _ = ops.NextDeadline(k.cloud.Snapshot(), k.tried)
	return again
}

// afterJump returns what of due is done though the clock may have jumped, and how long to wait
// with the rest.
func (k *Keeper) afterJump(now time.Time, due []ops.InterruptedTask) (rest []ops.InterruptedTask, wait time.Duration) {
	if k.o.Jumps == nil {
		return due, 0
	}
	by, wait := k.o.Jumps.look(now)
	if wait == 0 || !slices.ContainsFunc(due, ops.InterruptedTask.Overdue) {
		return due, 0
	}
	if by > 0 {
		k.did(TaskResult{Text: fmt.Sprintf("the clock went ahead by %s at once: moves that are overdue by it are reverted in %s, unless they are confirmed", by.Round(time.Second), wait), Overdue: true})
	}
	return slices.DeleteFunc(due, ops.InterruptedTask.Overdue), wait
}

// Results returns the newest results, the oldest first.
func (k *Keeper) Results() []TaskResult {
	k.round.Lock()
	defer k.round.Unlock()
	return slices.Clone(k.results)
}

// Stopped reports that the rounds have ended, and why.
func (k *Keeper) Stopped(err error) {
	k.round.Lock()
	defer k.round.Unlock()
	k.did(TaskResult{Text: fmt.Sprintf("nothing that is due is done until placetop is restarted: %v", err), Err: err})
	r := k.Report()
	r.Results = slices.Clone(k.results)
	k.board.Publish(r)
}

// did records a result.
func (k *Keeper) did(d TaskResult) {
	d.Number, d.At = 1, k.o.Now()
	if n := len(k.results); n > 0 {
		d.Number = k.results[n-1].Number + 1
	}
	k.results = append(k.results, d)
	k.results = k.results[max(0, len(k.results)-mostResults):]
	if k.o.Tell != nil {
		k.o.Tell(d)
	}
}

// do carries out what is due, if it still is. The TaskResult is empty if another process has
// done all of it. The error says why it is still due; a task that ended without the
// wanted result says so only in the TaskResult.
func (k *Keeper) do(ctx context.Context, x ops.InterruptedTask) (TaskResult, error) {
	actor := "recovery"
	if x.Overdue() {
		actor = "auto-revert"
		if m, ok := k.cloud.Snapshot().Nova().Migration(x.Migration); !ok || !m.Overdue(k.o.Now()) {
			return TaskResult{}, nil // it was decided, or given more time, while others were reverted
		}
	}
	steps := 0
	err := ops.Runner{
		Actor: actor, Now: k.o.Now, Begin: k.Begin, Report: func(ops.StepDone) { steps++ },
	}.Run(ctx, k.cloud, x.Finish)
	var failed *ops.FailedError
	switch {
	case err != nil && x.In(ops.Unfinished(k.cloud.Snapshot(), k.o.Now(), ops.AnyAge)):
		return TaskResult{Text: x.Failed(err), Err: err, Overdue: x.Overdue()}, err
	case errors.As(err, &failed) && failed.Stuck == nil:
		return TaskResult{Text: x.DoneBut(err), Err: err, Overdue: x.Overdue()}, nil
	case err == nil && steps > 0:
		return TaskResult{Text: x.Done(), Overdue: x.Overdue()}, nil
	}
	return TaskResult{}, nil
}
