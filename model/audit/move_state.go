package audit

import (
	"cmp"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// stuckAfter is how long a step of a move may take before it is reported, which is longer
// than any time-out on the way.
const stuckAfter = 10 * time.Minute

// stuckWhileCopied is the same while a nova-compute of a live cloud is at work on the
// instance: it may have a large disk to copy, and updates the migration only afterwards.
const stuckWhileCopied = 2 * time.Hour

// stuck returns how long a step of a move may take as things are.
func stuck(s *cloud.Snapshot, i *nova.Instance) time.Duration {
	if s.Live() && i.TaskState != "" {
		return stuckWhileCopied
	}
	return stuckAfter
}

// age returns how long ago something was that Nova tells, in Unix milliseconds.
func (a *auditor) age(of int64) time.Duration {
	return a.Cloud.NovasTime(a.witness.At).Sub(time.UnixMilli(of))
}

// longWait is how long a move without a deadline may wait to be confirmed or reverted
// before it is reported.
const longWait = 24 * time.Hour

// brokenState says what is wrong with a move, "" if nothing is. A course that is working
// on it may take its time, but never leaves a move that is being reverted without a claim
// to return to: the migration only releases it when the instance gets it.
func (a *auditor) brokenState(i *nova.Instance, m *nova.Migration) (text, brief string) {
	_, held := a.consumerOf(i.UUID)
	_, parked := a.consumerOf(m.UUID)
	if m.Status == nova.Finished {
		switch {
		case i.VMState != nova.Resized:
			return fmt.Sprintf("is %s, and its %s waits to be confirmed or reverted", i.VMState, m.Type), fmt.Sprintf("%s, its %s waits", i.VMState, m.Type)
		case !held:
			return fmt.Sprintf("was moved by a %s and holds nothing on %s", m.Type, m.Dest), "holds nothing on " + m.Dest
		case !parked:
			return fmt.Sprintf("waits to be confirmed or reverted, and its %s holds nothing on %s", m.Type, m.Source), "nothing parked on " + m.Source
		}
		return "", ""
	}
	if m.Status == nova.Reverting && !parked && i.TaskState != nova.ResizeFinish {
		return fmt.Sprintf("its %s is being reverted, and holds nothing on %s to return to", m.Type, m.Source), "nothing parked on " + m.Source
	}
	last := max(m.Created, m.Updated)
	if last == 0 || a.age(last) < stuck(a.Cloud, i) {
		return "", ""
	}
	status := cmp.Or(string(m.Status), "in an unknown state")
	text, brief = fmt.Sprintf("its %s has been %s since %s", m.Type, status, time.UnixMilli(last).UTC().Format(time.DateTime)), fmt.Sprintf("%s %s", m.Type, status)
	if !held {
		text, brief = text+", and it holds nothing", brief+", holds nothing"
	}
	return text, brief
}
