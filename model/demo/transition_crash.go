package demo

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// crashActs leave a resize halfway, and resume it.
func (t *transition) crashActs() []Step {
	crash := t.resizeStep("crash", "a process dies halfway", actCrash, novaFlavor(), cyborgFlavor())
	begin := crash.do
	crash.do = func(s *cloud.Snapshot) (Deed, error) {
		d, err := begin(s)
		d.Until = "attach" // the device is bound, and the guest not yet stopped
		return d, err
	}
	will := crash.will
	crash.will = func(s *cloud.Snapshot) string { return will(s) + " After the device is bound the process is killed." }
	crash.did = func(p Played) string {
		m, i, ok := moved(p.After, actCrash)
		if !ok {
			return "nothing was begun"
		}
		return fmt.Sprintf("the resize of %s stopped at %s: it holds %s, the migration %s", i.Name, m.Status, cardWords(p.After, i.UUID), cardWords(p.After, m.UUID))
	}
	crash.done = func(s *cloud.Snapshot) bool { _, _, ok := moved(s, actCrash); return ok }
	return []Step{
		crash,
		{
			Name: "recover", Title: "the next start finds it",
			will: func(s *cloud.Snapshot) string {
				if x, ok := interrupted(s); ok {
					return "Found: " + x.Words + ". How far it came stands in the cloud, so that it can be finished or undone: it is finished, and confirmed."
				}
				return "What was interrupted is looked for, finished and confirmed."
			},
			do: func(s *cloud.Snapshot) (Deed, error) {
				if statusOf(s, actCrash, nova.Finished, nova.Confirming) {
					return Deed{Tasks: []ops.Task{ops.Confirm{Migration: move(s, actCrash)}}}, nil
				}
				x, ok := interrupted(s)
				if !ok {
					return Deed{}, &placement.NotFoundError{What: "interrupted resize", Name: move(s, actCrash).String()}
				}
				return Deed{Tasks: []ops.Task{x.Finish, ops.Confirm{Migration: x.Migration}}}, nil
			},
			did: func(p Played) string {
				return fmt.Sprintf("%s; %d writes from where it stood", movedWords(p.After, actCrash), len(p.Taken))
			},
			facts: recoveredFacts,
			where: t.instance(actCrash),
			done:  func(s *cloud.Snapshot) bool { return statusOf(s, actCrash, nova.Confirmed) },
		},
	}
}

// interrupted returns the resize that was left unfinished. It may be of any age, as after
// a restart no other process can be working on it.
func interrupted(s *cloud.Snapshot) (ops.Interrupted, bool) {
	id := move(s, actCrash)
	for _, x := range ops.Unfinished(s, s.At(), -time.Hour) {
		if x.Migration == id {
			return x, true
		}
	}
	return ops.Interrupted{}, false
}

// recoveredFacts says what was found, and what both ways out were.
func recoveredFacts(p Played) []string {
	x, ok := interrupted(p.Before)
	if !ok {
		return nil
	}
	out := []string{x.Words}
	if left := ops.Unfinished(p.After, p.After.At(), -time.Hour); len(left) == 0 {
		out = append(out, "nothing else is unfinished")
	}
	undo, err := ops.Rehearse(p.Before, x.Undo, p.Before.At())
	if err == nil || len(undo.Steps) > 0 {
		out = append(out, fmt.Sprintf("undoing it would have taken %d writes, and left %s with %s", len(undo.Steps), x.Name, cardWords(undo.Final, x.Instance)))
	}
	return append(out, decidedFacts(p, actCrash)...)
}
