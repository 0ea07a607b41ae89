// Package journal is the screen of the journal: every revision with who, what and
// where, newest first, and the page of one with its records before and after; and the form
// that copies the whole cloud to a file or a file into the cloud: back up, export, import, restore.
package journal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, at place.Journal) (screen.Screen, error) {
			if strings.HasPrefix(at.Filter, "record:") {
				h := &history{of: at.Filter}
				list.Make(&h.Screen, events(env, at.Filter), env, env.Cloud.Snapshot(), at.Filter)
				return h, nil
			}
			return New(env, env.Cloud.Snapshot(), at.Filter), nil
		}).On("7").Called("journal", "events", "ev", "history", "log", "undo").FoundBy("changes who changed time travel past watch as it was yesterday last night overnight audit trail rollback roll back action event log vm instance host provider trait aggregate flavor card").
			For("Who changed what and when, with each record before and after."),
		screen.Declare(func(env screen.Env, at place.Event) (screen.Screen, error) {
			return Open(env, env.Cloud.Snapshot(), at.Revision), nil
		}),
		screen.Declare(OpenFiles).Called("files").FoundBy("copy database disaster recovery save").
			For("Back up, export, import or restore the whole cloud.").Answering(answers()...),
	}
}

// history is the journal of some records: that of a provider, for example.
type history struct {
	list.Screen
	of string // the filter that finds them
}

// Title implements screen.Screen.
func (h *history) Title() string {
	if h.Expr() != h.of {
		return "journal"
	}
	return "history of " + nameOf(h.of)
}

// nameOf returns the name of the record in the filter of a history.
func nameOf(filter string) string {
	names := recordsOf(filter)
	return names[len(names)-1]
}

// Status implements screen.Stater: what it is the history of stands in the crumbs.
func (h *history) Status() string {
	return strings.Replace(h.Screen.Status(), "/"+h.of+screen.StatusGap, "", 1)
}

// recordsOf returns the names of the records in the filter of a history.
func recordsOf(filter string) []string {
	var out []string
	for _, term := range strings.Split(filter, " | ") {
		if name, is := strings.CutPrefix(term, "record:"); is {
			out = append(out, strings.Trim(name, `"`))
		}
	}
	return out
}

// Back implements screen.Backer: esc drops what was marked, and leaves; the history of a
// record is no filter on that of all.
func (h *history) Back() (bool, tea.Cmd) {
	if h.Expr() == h.of && h.Marked() == "" {
		return false, nil
	}
	return h.Screen.Back()
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) *list.Screen {
	return list.New(events(env, filter), env, snap, filter)
}

// events describes the list.
func events(env screen.Env, filter string) list.Spec[*cloud.Event] {
	read := newReader(env)
	return list.Spec[*cloud.Event]{
		Name: "journal", Thing: "event", Kind: kinds.Events,
		Rows:       read.rows,
		Reads:      true,
		Newest:     true,
		ID:         func(ev *cloud.Event) string { return strconv.FormatUint(uint64(ev.Revision), 10) },
		Columns:    list.Events(),
		Orders:     list.By[*cloud.Event]("-revision actor verb subject host -changes"),
		FilterHelp: "any word or time, verb=alloc+ actor:nova host=cmp-001 age<1h record:VGPU rev>200",
		Actions:    func(h list.Here[*cloud.Event]) []action.Action { return actions(env, h, read) },
		Top:        func(all []*cloud.Event, on int, a list.Area) []string { return top(all, on, read.limit(), end(env), a) },
		Title: func(ev *cloud.Event, _ list.At) (string, string) {
			return "rev " + component.Count(ev.Revision) + "  " + ev.Note, ev.At.UTC().Format(cloud.Moment) // revisions are counted up
		},
		Detail:  func(ev *cloud.Event, a list.Area) []string { return detail(ev, recordsOf(filter), a) },
		Half:    true,
		Side:    true,
		Nothing: read.nothing,
		Unmatched: func(expr string) []string {
			if expr != filter || !strings.HasPrefix(filter, "record:") {
				return nil
			}
			return []string{nameOf(filter) + " has not changed as far back as the journal goes", "try: esc goes back"}
		},
	}
}

func actions(env screen.Env, h list.Here[*cloud.Event], read *reader) []action.Action {
	undo := h.About(undoAction("journal"), func(ev *cloud.Event) tea.Msg { return undoing(env, h.Snap, ev) })
	if undo.Disabled == "" {
		undo.Disabled = cannotUndo(h.Row)
	}
	redo := h.About(redoAction("journal"), func(ev *cloud.Event) tea.Msg { return redoing(env, h.Snap, ev, read.known.Load().Events) })
	then := h.About(thenAction("journal"), func(ev *cloud.Event) tea.Msg { return screen.ReplayMsg{Revision: ev.Revision} })
	return inTime(env, then, []action.Action{
		undo, redo, compare(env, h),
		h.Leads(action.Action{ID: "journal.open", Keys: "enter", Title: "open", Help: "all records of the revision, before and after", Priority: 90}, func(ev *cloud.Event) place.Place { return place.Event{Revision: ev.Revision} }),
		h.About(action.Action{ID: "journal.copy", Keys: "c", Title: "copy", Help: "copy the line, for a ticket"}, func(ev *cloud.Event) tea.Msg {
			return screen.CopyMsg{What: "rev " + component.Count(ev.Revision), Text: line(ev)} // revisions are counted up
		}),
	})
}

// thenAction is the key that shows the cloud as it was.
func thenAction(scope string) action.Action {
	return action.Action{ID: action.ID(scope + ".then"), Keys: "@", Title: "as it was", Help: "every screen as it was at this revision, read only; @ returns to now", Priority: 68}
}

// inTime returns actions and then, except in the past, where its key returns to the
// present.
func inTime(env screen.Env, then action.Action, list []action.Action) []action.Action {
	if _, past := env.Past(); past {
		return list
	}
	return append(list, then)
}

// undoAction is the key that undoes a revision.
func undoAction(scope string) action.Action {
	return action.Action{
		ID: action.ID(scope + ".undo"), Keys: "z", Title: "undo", Help: "undo what the revision changed; other changes stay", Priority: 70,
		Writes: []intent.Op{intent.PutRecords{}},
	}
}

// redoAction is the key that redoes what was undone.
func redoAction(scope string) action.Action {
	return action.Action{
		ID: action.ID(scope + ".redo"), Keys: "Z", Title: "redo", Help: "redo what was undone: on an undone revision, or on its undo",
		Writes: []intent.Op{intent.PutRecords{}},
	}
}

// redoing opens the page that undoes the undo that an event is, or by which it was undone
// among events.
func redoing(env screen.Env, snap *cloud.Snapshot, ev *cloud.Event, events []cloud.Event) tea.Msg {
	of, ok := *ev, true
	if _, is := ops.UndoneRevision(of); !is {
		of, ok = ops.UndoOf(ev.Revision, events)
	}
	if why := cannotUndo(&of); !ok || why != "" {
		return screen.ToastMsg{Severity: style.SeverityInfo, Text: "redo: " + cmp.Or(why, "this was not undone")}
	}
	return openUndo(env, snap, of, "redo")
}

// diffAction is the key that shows what changed between two moments.
func diffAction(scope string, run func() tea.Msg) action.Action {
	return action.Action{
		ID: action.ID(scope + ".diff"), Keys: "=", Title: "diff", Priority: 66,
		Help:    "everything that changed since, or between two marked revisions",
		Request: run,
	}
}

// compare is the key that shows what came after a revision: up to now, or with two
// marked, up to the other one.
func compare(env screen.Env, h list.Here[*cloud.Event]) action.Action {
	two, why := list.Chosen(h)
	diff := diffAction("journal", func() tea.Msg {
		from, to := two[0].Revision, h.Snap.Revision()
		if len(two) == 2 {
			from, to = min(from, two[1].Revision), max(from, two[1].Revision)
		}
		return screen.PushMsg{Screen: Between(env, h.Snap, from, to)}
	})
	switch diff.Disabled = why; {
	case why != "":
	case len(two) > 2:
		diff.Disabled = "mark two revisions with space, or none"
	case len(two) == 1 && two[0].Revision >= h.Snap.Revision():
		diff.Disabled = "this is the newest revision"
	}
	return diff
}

// cannotUndo returns why a revision cannot be undone here, "" if it can.
func cannotUndo(ev *cloud.Event) string {
	if ev.Omitted > 0 {
		return "it changed too many records to be read here: placetop undo " + strconv.FormatUint(uint64(ev.Revision), 10)
	}
	return ""
}

// undoing opens the page that undoes a revision. For a step of a move that waits it leads to
// where all of the move is reverted: without this step it would be half done.
func undoing(env screen.Env, snap *cloud.Snapshot, ev *cloud.Event) tea.Msg {
	if m := waitingMove(snap, ev); m != nil {
		title := "undo rev " + component.Count(ev.Revision) // revisions are counted up
		return screen.PushMsg{Screen: screen.NewPage(env.Styles, title, style.SeverityInfo, "STEP OF A MOVE", []string{
			"this is one step of the " + string(m.Type) + " of " + ops.ConsumerName(snap, m.Instance) + ", which waits",
			"to go back to " + m.Source + ", revert it as a whole: enter, then v",
		}, screen.Choice{Key: "enter", Title: "confirm or revert it", To: place.Resize{Instance: m.Instance}})}
	}
	return openUndo(env, snap, *ev, "undo")
}

// waitingMove returns the move of which an event is a step, if it waits to be confirmed or
// reverted; nil for any other event.
func waitingMove(snap *cloud.Snapshot, ev *cloud.Event) *nova.Migration {
	if ev.Step == "" || ev.Step == ev.Task { // no step of several
		return nil
	}
	for _, c := range ev.Changes {
		if of, is := c.Record().(*nova.Migration); is {
			if m, ok := snap.Nova().Migration(of.UUID); ok && m.Status == nova.Finished {
				return m
			}
		}
	}
	return nil
}

// openUndo opens the page that undoes an event; undoing an undo redoes what it undid.
// If more than one record changed, the name must be typed.
func openUndo(env screen.Env, snap *cloud.Snapshot, ev cloud.Event, name string) tea.Msg {
	spec := confirm.Spec{
		Verb: name, Back: "Z redoes it",
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanUndo(s, ev, ops.EventsAfter(env.Context, env.Cloud, ev.Revision))
		},
	}
	if len(ev.Changes) > 1 {
		spec.Word = func(*cloud.Snapshot, ops.Preview) string { return name }
	}
	rev := ev.Revision
	if of, undoes := ops.UndoneRevision(ev); undoes && name == "redo" {
		rev, spec.Back = of, "z undoes it"
	}
	spec.Title = name + " rev " + component.Count(rev) // revisions are counted up
	return screen.PushMsg{Screen: confirm.New(env, snap, spec)}
}

// line returns an event as people put it into a ticket.
func line(ev *cloud.Event) string {
	return ev.At.UTC().Format(cloud.Moment) + " rev " + strconv.FormatUint(uint64(ev.Revision), 10) + " " + ev.Actor + ": " + ev.Note
}

// detail shows who did it and what became of the records, as far as there is room: only
// of those with names in of, if there are any.
func detail(ev *cloud.Event, of []string, a list.Area) []string {
	l := a.Line().Space(1).Add(themes.Dim, "by ").Add(themes.Text, ev.Actor).Add(themes.Dim, "   "+panel.Age(a.Now, ev.At)+" ago")
	if ev.Task != "" {
		l.Add(themes.Dim, "   task ").Add(themes.Text, ev.Task)
		if ev.Step != ev.Task {
			l.Add(themes.Dim, " "+ev.Step)
		}
	}
	about := *ev
	about.Changes = slices.DeleteFunc(slices.Clone(ev.Changes), func(c versioned.Change) bool {
		return !slices.ContainsFunc(of, func(name string) bool { return strings.Contains(c.Title(), name) })
	})
	if len(about.Changes) == 0 {
		about.Changes = ev.Changes
	}
	lines := append([]string{l.String()}, records(&about, a)...)
	if n := len(ev.Changes) - len(about.Changes); n > 0 {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Faint, " and "+component.Plural(n, "other record")+": enter"))
	}
	return lines
}

// mostFields is how many fields of a record are shown: the rest are counted.
const mostFields = 100

// records draws the records of an event, field by field.
func records(ev *cloud.Event, a list.Area) []string {
	if ev.Omitted > 0 {
		return []string{panel.Text(a.Styles, a.Width, themes.Warn, " "+component.Plural(ev.Omitted, "record")+
			", too many to show here: `placetop get events "+strconv.FormatUint(uint64(ev.Revision), 10)+" -o yaml`")}
	}
	d := panel.Diff{Styles: a.Styles, Snap: a.Snap, At: ev.At}
	return d.Fields(ops.Diffs(a.Snap, ev.Changes), a.Width, mostFields)
}
