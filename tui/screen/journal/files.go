package journal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/spinner"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// choice is something that can be done with a file: it is written, or read and its records
// put into the cloud.
type choice struct {
	name, what string
	also       string // other words for it
	write      func(*screen.Files) func(context.Context, string) (cloud.Revision, error)
	written    string // what was done, before the revision
	plan       func(*cloud.Snapshot, ops.ExportContents) (ops.Plan, error)
	deletes    bool // what the file lacks: its name must be typed
}

func choices() []choice {
	type writer = func(context.Context, string) (cloud.Revision, error)
	return []choice{
		{
			name: "back up", what: "copies the cloud and its journal, for --db and restore", also: "backup save snapshot",
			write: func(f *screen.Files) writer { return f.Backup }, written: "backed up",
		},
		{
			name: "export", what: "writes all records as JSON lines, without the journal", also: "dump jsonl",
			write: func(f *screen.Files) writer { return f.Export }, written: "exported",
		},
		{name: "import", what: "adds the records of a file, and changes no existing one", also: "load", plan: ops.PlanAddAll},
		{name: "restore", what: "replaces all records by those of a file; can be undone", also: "recover lost database", plan: ops.PlanRestore, deletes: true},
	}
}

// answers returns what can be done as what can be gone to by name.
func answers() []screen.Named {
	var out []screen.Named
	for _, c := range choices() {
		out = append(out, screen.Named{Kind: "view", Name: c.name, Title: c.name, What: c.what, Also: c.also, To: place.Files{Do: c.name}})
	}
	return out
}

// OpenFiles makes the form.
func OpenFiles(env screen.Env, at place.Files) (screen.Screen, error) {
	if env.Files == nil {
		return nil, fmt.Errorf("files are on the server's machine: placetop backup, export, import and restore there: %w", placement.ErrUnsupported)
	}
	st, snap := env.Styles, env.Cloud.Snapshot()
	var names []string
	for _, c := range choices() {
		names = append(names, c.name)
	}
	do := form.NewField(st, "do", strings.Join(names, ", "), cmp.Or(at.Do, names[0]), form.NameLimit)
	do.Complete = func(text string) []string { return form.StartingWith(text, slices.Clone(names)) }
	do.Check = func(text string) error {
		if slices.Contains(names, text) {
			return nil
		}
		return &form.Fault{Text: "must be " + strings.Join(names, ", ")}
	}
	file := form.NewField(st, "file", "its path; a new file for back up and export", at.File, pathLimit)
	file.Check = func(text string) error {
		if text == "" {
			return &form.Fault{Text: "a file needs a name"}
		}
		return nil
	}
	return form.New(env, snap, form.Ask{
		Scope: "files", Title: "files", Section: "WHOLE CLOUD", Steps: []string{"file", "result"}, Snap: &snap,
		Fields: form.NewFields(st, do, file),
		Below: func(w int) []string {
			var lines []string
			for _, c := range choices() {
				l := component.NewLine(st, w).Space(form.GutterWidth).Cell(form.LabelWidth)
				lines = append(lines, l.Add(themes.Key, c.name).EndCell(component.AlignLeft).Add(themes.KeyHint, c.what).String())
			}
			return lines
		},
		Next: func(s *cloud.Snapshot) (form.Step, error) {
			return newWork(env, s, choices()[slices.Index(names, do.Text)], file.Text), nil
		},
	}), nil
}

const pathLimit = 4096 // characters

// work is the step that reads or writes the file, off the event loop.
type work struct {
	screen.Outbox

	env    screen.Env
	snap   *cloud.Snapshot
	do     choice
	path   string
	began  time.Time
	runs   screen.Task[result]
	cancel context.CancelFunc
	spin   spinner.Model
	failed panel.Banner

	written bool
}

// result is what became of it: what was read, or what was written.
type result struct {
	read    *ops.ExportContents
	written string
	err     error
}

var _ form.Writer = (*work)(nil)

func newWork(env screen.Env, snap *cloud.Snapshot, do choice, path string) *work {
	w := &work{env: env, snap: snap, do: do, path: path, spin: spinner.New(spinner.WithSpinner(spinner.Line))}
	w.runs.Clock = env.Clock
	return w
}

// Init implements screen.Screen.
func (w *work) Init() tea.Cmd {
	w.began = w.env.Clock()
	ctx, cancel := context.WithCancel(w.env.Context)
	w.cancel = cancel
	return tea.Batch(w.spin.Tick, w.runs.Start(ctx, w.run))
}

// run does the work.
func (w *work) run(ctx context.Context) result {
	if w.do.write == nil {
		found, err := w.env.Files.Read(ctx, w.path)
		return result{read: &found, err: err}
	}
	at, err := w.do.write(w.env.Files)(ctx, w.path)
	return result{written: fmt.Sprintf("%s revision %s to %s", w.do.written, component.Count(at), w.path), err: err}
}

// confirm returns the page that shows what a file would change.
func (w *work) confirm(found *ops.ExportContents) form.Step {
	return confirm.New(w.env, w.snap, confirm.Spec{
		Title: w.do.name + " " + w.path, Verb: w.do.name,
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return w.do.plan(s, *found) },
		Word: func(_ *cloud.Snapshot, p ops.Preview) string {
			if w.do.deletes && !p.Empty() {
				return w.do.name
			}
			return ""
		},
	})
}

// Title implements screen.Screen.
func (w *work) Title() string { return w.do.name }

// Status implements screen.Stater.
func (w *work) Status() string {
	if w.failed.Label != "" {
		return "failed"
	}
	return "under way"
}

// Typing implements screen.Typist.
func (*work) Typing() bool { return false }

// Actions implements screen.Screen.
func (*work) Actions() []action.Action { return nil }

// Back implements screen.Backer: esc stops the work, and goes back to the form.
func (w *work) Back() (bool, tea.Cmd) {
	w.cancel()
	return false, nil
}

// Stays implements form.Writer.
func (*work) Stays() bool { return false }

// Over implements form.Writer.
func (w *work) Over() bool { return w.written }

// Update implements screen.Screen.
func (w *work) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		w.snap = msg.Snapshot
		return nil
	case spinner.TickMsg:
		if !w.runs.Busy() {
			return nil
		}
		var cmd tea.Cmd
		w.spin, cmd = w.spin.Update(msg)
		return cmd
	}
	done, ok, cmd := w.runs.Take(msg)
	switch {
	case !ok:
	case done.err != nil:
		w.failed = panel.Say(style.SeverityCritical, "FAILED", done.err.Error(), "esc goes back to the form")
	case done.read != nil:
		return tea.Batch(cmd, screen.Send(form.NextMsg{Step: w.confirm(done.read), Replace: true}))
	default:
		w.written = true
		return tea.Batch(cmd, tea.Sequence(screen.Send(screen.ToastMsg{Severity: style.SeverityOK, Text: done.written}), screen.Send(screen.PopMsg{})))
	}
	return cmd
}

// View implements screen.Screen.
func (w *work) View(width, h int) string {
	st := w.env.Styles
	if w.failed.Label != "" {
		return component.Fit(strings.Join(w.failed.Draw(st, width), "\n"), width, h)
	}
	verb := "writing"
	if w.do.write == nil {
		verb = "reading"
	}
	l := component.NewLine(st, width).Space(1).Add(themes.Key, w.spin.View()).Space(1)
	l.Add(themes.Text, fmt.Sprintf("%s %s, %d s", verb, w.path, int(w.env.Clock().Sub(w.began).Seconds()))).Space(2)
	return component.Fit(component.Keys(l, "esc", "stops it").String(), width, h)
}
