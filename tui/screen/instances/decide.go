package instances

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// clocks are the times after which a move may be reverted automatically; 0 means never.
func clocks() []time.Duration {
	return []time.Duration{0, 10 * time.Minute, 30 * time.Minute, time.Hour, 24 * time.Hour}
}

// clockKeys is the key of the preview that sets the clock.
func (w *Wizard) clockKeys() []confirm.Key {
	if w.asked() {
		return nil
	}
	title := "auto-revert off"
	if w.revertAfter > 0 {
		title = "auto-revert " + component.Age(w.revertAfter)
	}
	return []confirm.Key{{Key: "X", Title: title, Help: "revert unless confirmed in time: never, 10 min, 30 min, 1 h, 1 d", Set: func() ops.Planner {
		all := clocks()
		w.revertAfter = all[(slices.Index(all, w.revertAfter)+1)%len(all)]
		return nil
	}}}
}

// ends returns the page that confirms or reverts the move, of which some steps were taken.
func (w *Wizard) ends(verb string, run ops.Task, taken []ops.StepDone) confirm.Spec {
	return confirm.Spec{
		Title: verb + " " + w.name(), Verb: verb, Steps: w.stepNames(), At: stepDecide, Taken: taken, Back: w.again(verb),
		// The page stays, with all steps from the first to the last.
		Done: func(confirm.WriteResult) tea.Cmd { return nil },
		Make: func() confirm.Courses { return confirm.Courses{Run: run} },
	}
}

// again says how an ended move can be taken back: by another one.
func (w *Wizard) again(verb string) string {
	m, ok := w.Snap.Nova().Migration(w.id)
	if !ok {
		return ""
	}
	was, is := nova.FlavorNames(m.OldFlavor, m.NewFlavor)
	if verb == "confirm" {
		return backTo(m.Type, was)
	}
	if m.Type == nova.Resize {
		return strings.TrimSuffix("r on it resizes it again, to "+is, ", to ")
	}
	return "m on it migrates it again"
}

// backTo says how to undo a move that stays: it is moved back, to a flavor where that is known.
func backTo(moved nova.MigrationType, flavor string) string {
	if moved == nova.Resize {
		return strings.TrimSuffix("r on it resizes it back to "+flavor, " to ")
	}
	return "m on it migrates it back"
}

// decision is the last step: to confirm or to revert.
type decision struct {
	w      *Wizard
	taken  []ops.StepDone // of the move; nil until they are read
	reads  screen.Task[[]ops.StepDone]
	scroll panel.Scroll
}

// Init implements screen.Screen: it reads the steps of the move from the journal. Unknown
// ones are not shown.
func (d *decision) Init() tea.Cmd {
	if d.taken != nil {
		return nil
	}
	journal, of := d.w.env.Cloud, d.w.subject()
	return d.reads.Start(d.w.env.Context, func(ctx context.Context) []ops.StepDone {
		steps, _ := ops.StepsTaken(ctx, journal, of)
		return steps
	})
}

// Title implements screen.Screen.
func (d *decision) Title() string { return d.w.Title() }

// Status implements screen.Stater.
func (d *decision) Status() string {
	return fmt.Sprintf("step %d of %d   waiting for you", stepDecide+1, len(d.w.stepNames()))
}

// Typing implements screen.Typist.
func (*decision) Typing() bool { return false }

// Back implements screen.Backer.
func (*decision) Back() (bool, tea.Cmd) { return false, nil }

// Update implements screen.Screen.
func (d *decision) Update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyMsg); ok && !key.Paste {
		d.scroll.Key(key.String())
	}
	steps, ok, cmd := d.reads.Take(msg)
	if ok {
		d.taken = steps
	}
	return cmd
}

// Actions implements screen.Screen.
func (d *decision) Actions() []action.Action {
	w := d.w
	end := func(verb string, run ops.Task) func() tea.Msg {
		return func() tea.Msg {
			return form.NextMsg{Step: confirm.New(w.env, w.Snap, w.ends(verb, run, d.taken))}
		}
	}
	m, _ := w.Snap.Nova().Migration(w.id)
	none, clock := "", ""
	noConfirm, noRevert := w.refused()
	if m == nil || m.Status != nova.Finished {
		none = "it is no longer waiting"
	}
	if none == "" && m.Deadline == 0 {
		clock = "no auto-revert is set"
	}
	return []action.Action{
		{ID: "move.confirm", Keys: "y", Title: "confirm", Help: "stay at the new place, and release the old one", Priority: 95, Writes: []intent.Op{placement.ReplaceAllocations{}}, Disabled: cmp.Or(none, noConfirm), Request: end("confirm", ops.Confirm{Migration: w.id})},
		{ID: "move.revert", Keys: "v", Title: "revert", Help: "go back to the old place, and release the new one", Priority: 94, Writes: []intent.Op{placement.ReplaceAllocations{}}, Disabled: cmp.Or(none, noRevert), Request: end("revert", ops.Revert{Migration: w.id})},
		{ID: "move.clock", Keys: "X", Title: "auto-revert off", Help: "wait until somebody decides", Priority: 60, Writes: []intent.Op{placement.ReplaceAllocations{}}, Disabled: none + clock, Request: func() tea.Msg {
			id := w.id
			return screen.PushMsg{Screen: confirm.Write(w.env, w.Snap, "switch off", "auto-revert of "+w.name(),
				func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeadline(s, id, time.Time{}) }, "")}
		}},
		panel.ScrollAction("move.scroll"),
	}
}

// refused returns why the move may be neither confirmed nor reverted because of what it
// holds, "" if it may.
func (w *Wizard) refused() (confirm, revert string) {
	text := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	c, r := ops.CheckEnd(w.Snap, w.id)
	return text(c), text(r)
}

// standing says where a waiting move runs, and what it holds.
func (w *Wizard) standing(m *nova.Migration) string {
	holds := func(id placement.ConsumerID) bool {
		_, ok := w.Snap.Placement().Consumer(id)
		return ok
	}
	text := fmt.Sprintf("%s runs on %s, and ", w.name(), m.Dest)
	switch is, was := holds(w.instance), holds(w.id); {
	case is && was:
		return text + "holds both places until you decide"
	case is:
		return text + "holds nothing on " + m.Source + " any more"
	case was:
		return text + "holds nothing there, only on " + m.Source
	default:
		return text + "holds nothing, neither there nor on " + m.Source
	}
}

// View implements screen.Screen: what is held at both places, and what either choice does.
func (d *decision) View(width, h int) string {
	w, st := d.w, d.w.env.Styles
	head := ""
	if h >= 6 {
		head = panel.Steps(st, width, w.stepNames(), stepDecide)
	}
	return panel.Sheet(width, h, head, "", func(bw, bh int) string {
		return d.scroll.View(st, bw, bh, d.lines(bw))
	})
}

// lines draws the lines of the step: choices come before what is held.
func (d *decision) lines(width int) []string {
	w, st := d.w, d.w.env.Styles
	m, ok := w.Snap.Nova().Migration(w.id)
	if !ok || m.Status != nova.Finished {
		lines := panel.Say(style.SeverityInfo, "DECIDED", decided(m), "esc goes back").Draw(st, width)
		return append(lines, d.takenLines(width)...)
	}
	said := []string{w.standing(m)}
	confirm, revert := w.refused()
	for _, why := range []string{confirm, revert} {
		if why != "" {
			said = append(said, why)
		}
	}
	if clock := w.clock(m); clock != "" {
		said = append(said, clock)
	}
	out := panel.Say(style.SeverityWarn, "WAITING", said...).Draw(st, width)
	was, is := nova.FlavorNames(m.OldFlavor, m.NewFlavor)
	return slices.Concat(out, d.choices(width, m, confirm, revert), w.side(width, "NOW", m.Dest, is, w.instance), w.side(width, "BEFORE", m.Source, was, w.id), d.takenLines(width))
}

// choices draws the choices, each with what it does or that it is refused. The page that it
// leads to shows all its effects before anything is written.
func (d *decision) choices(width int, m *nova.Migration, confirm, revert string) []string {
	st := d.w.env.Styles
	lines := []string{component.Titled(st, width, "YOUR CHOICE", "each with a preview")}
	choice := func(key, title, text, refused string) {
		l := component.NewLine(st, width).Space(1)
		if refused != "" {
			l.Add(themes.Faint, key+" "+title).To(12).Add(themes.Faint, "not now: see above")
		} else {
			l.Add(themes.Key, key).Space(1).Add(themes.Strong, title).To(12).Add(themes.Text, text)
		}
		lines = append(lines, l.String())
	}
	choice("y", "confirm", "stay on "+m.Dest+"; what is held on "+m.Source+" is released", confirm)
	choice("v", "revert", "back to "+m.Source+"; what is held on "+m.Dest+" is released", revert)
	choice("esc", "wait", "keep both; it stays pending", "")
	return lines
}

// takenLines draws the steps of the move, as far as they are known.
func (d *decision) takenLines(width int) []string {
	st := d.w.env.Styles
	if len(d.taken) == 0 {
		return nil
	}
	noun := "write"
	if d.w.asked() {
		noun = "step"
	}
	head := component.Titled(st, width, "STEPS", component.Plural(len(d.taken), noun))
	return append([]string{head}, confirm.TakenLines(st, width, d.taken, true)...)
}

// clock returns when a waiting move is reverted automatically, "" for never.
func (w *Wizard) clock(m *nova.Migration) string {
	clock := panel.RevertClock(m, w.env.Now())
	if clock == "" {
		return ""
	}
	at := m.RevertAt().UTC().Format(deadlineFormat)
	if clock == "now" {
		return "the time to confirm ended at " + at + "; c still confirms it if it is not reverted yet"
	}
	return "reverts " + clock + ", at " + at + ", unless confirmed; X off"
}

// deadlineFormat is the format of a deadline for confirming.
const deadlineFormat = "15:04:05Z 2006-01-02"

// decided says why a move does not wait any more; m is nil if it is gone.
func decided(m *nova.Migration) string {
	switch {
	case m == nil:
		return "it is no longer waiting: its record is gone"
	case m.Deadline != 0 && (m.Status == nova.Reverting || m.Status == nova.Reverted):
		return "it was not confirmed by " + m.RevertAt().UTC().Format(deadlineFormat) + " and is " + string(m.Status)
	default:
		return "it is no longer waiting: it is " + string(m.Status)
	}
}

// side draws what is held at one of the places.
func (w *Wizard) side(width int, title, host, flavor string, by placement.ConsumerID) []string {
	st, pl := w.env.Styles, w.Snap.Placement()
	if flavor != "" { // unknown for earlier moves by another Nova
		flavor = "flavor " + flavor
	}
	head := component.Titled(st, width, title+"  "+host, flavor)
	c, ok := pl.Consumer(by)
	if !ok {
		return []string{head, panel.Text(st, width, themes.Faint, " nothing")}
	}
	return append([]string{head}, panel.Holdings(st, pl, c, width, math.MaxInt)...)
}
