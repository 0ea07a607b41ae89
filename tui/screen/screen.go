// Package screen is the contract between the dashboard and its screens.
//
// A screen is one page: it gets messages, keeps what it shows, and draws its body. It
// only touches memory: anything slow is a tea.Cmd. Screens do not know each other: a
// screen's action has a place, or the screen sends a Goto message with one, and the root
// model opens the screen of that place.
//
//	root model  --SnapshotMsg, keys-->  Screen.Update  --tea.Cmd-->  Goto, ToastMsg, ...
//	root model  <--body of w x h-----   Screen.View
package screen

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// Screen is one page of the dashboard. Its methods are called from the event
// loop only.
type Screen interface {
	// Init is called once, when the screen is put on the stack.
	Init() tea.Cmd
	// Update takes a message: SnapshotMsg when the data is new, a key that is
	// none of the screen's Actions, an answer to a command of the screen, the
	// size of the terminal when it has another.
	Update(msg tea.Msg) tea.Cmd
	// View draws the body: exactly h lines of w cells. It must not change what
	// the screen shows, other than remembering sizes.
	View(w, h int) string
	// Title is the screen's part of the crumb line.
	Title() string
	// Actions returns what can be done now.
	Actions() []action.Action
}

// Optional interfaces of a screen.
type (
	// Typist is a screen with an input. While Typing returns true, all keys but ctrl+c,
	// and pastes, go to Update.
	Typist interface{ Typing() bool }
	// Picker is a list to choose one row of: a key that it picks is text, which filters the
	// list, though nothing was typed yet.
	Picker interface{ Picks(key tea.KeyMsg) bool }
	// Asker has a request of the root model after a key that it has handled itself, such as
	// one that was typed; nil for none. The root model asks after each such key, and does it
	// before the next.
	Asker interface{ Ask() tea.Msg }
	// Stater gives the state of the screen in a few words, for the right of the crumb
	// line: "721 of 10 240 sort used% v". Of several parts, with StatusGap between, the
	// last are dropped first if there is no room.
	Stater interface{ Status() string }
	// Backer is asked first when esc is pressed. It returns true when it had
	// something of its own to close, such as a filter, marks, a prompt, with what is to be
	// done after that.
	Backer interface{ Back() (bool, tea.Cmd) }
	// AfterViewer has work to do after a View: to read what there turned out to be room for.
	// The command is asked for after each one; it may be nil.
	AfterViewer interface{ AfterView() tea.Cmd }
	// Tabler returns rows and columns for writing to a file: the marked ones, or all that
	// are listed. It returns false if there are none.
	Tabler interface{ Table() (format.Table, bool) }
	// Copier returns what can be copied about the row under the cursor, shortest first.
	Copier interface{ Copies() []CopyMsg }
	// Filterable is a screen that a filter narrows: Expr returns it, Filter
	// replaces it.
	Filterable interface {
		Expr() string
		Filter(expr string) tea.Cmd
	}
	// FilterHelper gives an example of a filter, and the fields that it may name.
	FilterHelper interface {
		FilterHelp() (example string, fields []string)
	}
	// Looker returns the providers drawn in its last View: while a cloud is being read,
	// these are read first.
	Looker interface {
		Looking() []placement.ProviderID
	}
	// Leaver is called when the screen is closed.
	Leaver interface{ Leave() }
	// Clicker takes clicks on its body, in cells of its last View.
	Clicker interface{ Click(x, y int) tea.Cmd }
	// Pending is a screen whose work would be lost by leaving it: ctrl+c then asks first,
	// unless the text is "".
	Pending interface{ Pending() string }
)

// StatusGap separates the parts of what a Stater says.
const StatusGap = "   "

// Cloud is what screens may do with the cloud.
type Cloud interface {
	cloud.Reader
	cloud.Writer
	cloud.Historian
	cloud.ConflictLog
	Capabilities() cloud.Capabilities
}

// Keeper is what screens ask of the keeper of the cloud.
type Keeper interface {
	Report() keeper.Report
	Inspect(s *cloud.Snapshot) *keeper.Pass
	Last() *keeper.Pass
	Interrupted(s *cloud.Snapshot) (found []ops.InterruptedTask, again time.Time)
	Begin(t ops.Task) (end func())
}

// Owner returns the project and the user of an allocation that does not say otherwise: ""
// on a live cloud, as only Keystone knows its projects and users.
func (e Env) Owner() string {
	if e.Cloud != nil && e.Cloud.Snapshot().Live() {
		return ""
	}
	return e.Actor
}

// Env is what every screen gets when it is made.
type Env struct {
	Styles *style.Styles
	Clock  func() time.Time
	Cloud  Cloud
	// Context ends with the session. Commands derive theirs from it.
	Context context.Context //nolint:containedctx // the session's, for commands
	Actor   string          // who writes, for the journal

	// Common is shared with the other dashboards of the cloud; nil if there is none.
	Common *Common

	// Memory is what the session has arranged; nil forgets. Returning is set where the user
	// goes to the screen by just its key or its name: it may look as it was left.
	Memory    *Memory
	Returning bool
	// Known is the name by which the memory knows the cloud.
	Known string

	// Keeper does what is due in the cloud by itself, and runs the rules for all who
	// need them; nil where each runs them itself.
	Keeper Keeper
	// Probe looks at the machine that the dashboard runs on; nil if that is not the user's
	// machine.
	Probe Probe
	// Files copies the cloud to files of the user's machine; nil if the dashboard runs on
	// another one, or the cloud cannot be copied.
	Files *Files
	// Views returns the screens that can be opened by name; nil for none.
	Views func() []Named
	// Editor opens a text in the user's own editor, and sends what done returns for the
	// result; nil where the terminal is not that of this process.
	Editor func(text string, done func(text string, err error) tea.Msg) tea.Cmd
	// Reaches reports whether there is a screen for a type of place; nil if there is
	// one for each.
	Reaches func(place.Place) bool
}

// Files writes whole clouds to new files, and reads them.
type Files struct {
	// Backup and Export return the revision of what they wrote.
	Backup, Export func(ctx context.Context, path string) (cloud.Revision, error)
	// Read returns what is in a file that one of them has written.
	Read func(ctx context.Context, path string) (ops.ExportContents, error)
}

// Kept returns the keeper of the cloud, or one that has looked at nothing if there is
// none.
func (e Env) Kept() Keeper {
	if e.Keeper == nil {
		return keeper.New(e.Cloud, keeper.Options{Now: e.Now})
	}
	return e.Keeper
}

// Inspect returns what the rules find in s.
func (e Env) Inspect(s *cloud.Snapshot) *keeper.Pass { return e.Kept().Inspect(s) }

// Past returns the time of what is shown, false if that is the present.
func (e Env) Past() (at time.Time, past bool) {
	if of, ok := e.Cloud.(interface{ Past() (time.Time, bool) }); ok {
		return of.Past()
	}
	return time.Time{}, false
}

// Now returns the time that ages on the screen are counted to: the present, or when
// looking at the past, that moment.
func (e Env) Now() time.Time {
	if at, past := e.Past(); past {
		return at
	}
	return e.Clock()
}

// NoScreen returns why the screen of a place cannot be opened, "" if it can.
func (e Env) NoScreen(p place.Place) string {
	if e.Reaches != nil && !e.Reaches(p) {
		return "there is no screen of " + place.Kind(p) + " here"
	}
	return ""
}

// Can returns why operations cannot be carried out, nil if all can; without any, why
// nothing can be written.
func (e Env) Can(ops ...cloud.Op) error {
	if e.Cloud == nil {
		return &cloud.UnsupportedError{Why: "no cloud is open"}
	}
	return e.Cloud.Capabilities().Can(ops...)
}

// Messages to screens.
type (
	// SnapshotMsg brings the newest state of the cloud.
	SnapshotMsg struct{ Snapshot *cloud.Snapshot }
	// ResumeMsg says that a screen is on top again.
	ResumeMsg struct{}
)

// Messages that screens send to the root model.
type (
	// Goto opens the screen of a place on top of the sender, or with Replace in
	// place of it.
	Goto struct {
		To      place.Place
		Replace bool
	}
	// PushMsg puts a screen on the stack that the sender has made.
	PushMsg struct{ Screen Screen }
	// PopMsg closes the sender.
	PopMsg struct{}
	// MadeMsg tells the screens of the stack what the user has just made, by its id in
	// lists: the cursor goes there.
	MadeMsg struct{ ID string }
	// DoneMsg closes the sender and then acts for the screen below it: by a request of the
	// root model, or by a command.
	DoneMsg struct {
		Request func() tea.Msg
		Then    func() tea.Cmd
	}
	// ReplayMsg shows the whole cloud as it was at a revision.
	ReplayMsg struct{ Revision cloud.Revision }
	// ToastMsg shows a line for some seconds.
	ToastMsg struct {
		Severity style.Severity
		Text     string
		Hint     string // what to do about it; may be empty
	}
	// UnsayMsg withdraws a toast that no longer holds.
	UnsayMsg ToastMsg
	// CopyMsg puts Text on the clipboard; What names it in the toast.
	CopyMsg struct{ What, Text string }
)

// mostSmall is up to how many providers and consumers a cloud is small.
const mostSmall = 5_000

// Small reports whether a cloud is so small that what a key asks for is found on the event
// loop, before the next key.
func Small(s *cloud.Snapshot) bool {
	return s.Placement().ProviderCount()+s.Placement().ConsumerCount() <= mostSmall
}

// Finding returns a with what it requests of the root model, which find searches a cloud
// for: it reads only values of its own, as it runs on the event loop only where the cloud is
// small, and else in the background.
func Finding(a action.Action, s *cloud.Snapshot, find func() tea.Msg) action.Action {
	if Small(s) {
		a.Request = find
	} else {
		a.Run = func() tea.Cmd { return find }
	}
	return a
}

// Outbox makes a screen that embeds it an Asker.
type Outbox struct{ msg tea.Msg }

// Post has the root model asked for msg.
func (o *Outbox) Post(msg tea.Msg) { o.msg = msg }

// Ask implements Asker.
func (o *Outbox) Ask() tea.Msg {
	msg := o.msg
	o.msg = nil
	return msg
}

// Warning returns the toast of a warning.
func Warning(text string) ToastMsg { return ToastMsg{Severity: style.SeverityWarn, Text: text} }

// Asks returns what an action asks of the root model; nil if it runs by itself.
func Asks(a action.Action) tea.Msg {
	switch {
	case a.To != nil:
		return Goto{To: a.To}
	case a.Request != nil:
		return a.Request()
	}
	return nil
}

// Send returns a command that sends msg to the root model.
func Send(msg tea.Msg) tea.Cmd {
	return func() tea.Msg { return msg }
}

// After returns a command that sends msg after d, or nothing if ctx ends first.
func After(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

// Sequence numbers the commands of a screen, so that late answers can be told from the
// newest one. The zero value is ready.
type Sequence struct {
	n      uint64
	cancel context.CancelFunc
}

// Next returns the number for a new command, and a context that ends with the parent
// or when a newer command is started.
func (s *Sequence) Next(parent context.Context) (context.Context, uint64) {
	s.Stop()
	s.n++
	ctx, cancel := context.WithCancel(parent)
	s.cancel = cancel
	return ctx, s.n
}

// Current reports whether seq is the newest number.
func (s *Sequence) Current(seq uint64) bool { return seq == s.n }

// Stop ends the context of the newest command.
func (s *Sequence) Stop() {
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}
