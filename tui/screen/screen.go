// Package screen is the contract between the dashboard and its screens.
//
// A screen is one page: it is given messages, keeps what it shows, and draws its
// body. It touches memory only: work that may take long is a tea.Cmd. Screens do
// not know each other: a screen asks for another one by a Goto message, which the
// root model answers with the factory of that kind.
//
//	root model  --SnapshotMsg, keys-->  Screen.Update  --tea.Cmd-->  Goto, ToastMsg, ...
//	root model  <--body of w x h-----   Screen.View
package screen

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/style"
)

// Screen is one page of the dashboard. Its methods are called from the event
// loop only.
type Screen interface {
	// Init is called once, when the screen is put on the stack.
	Init() tea.Cmd
	// Update takes a message: SnapshotMsg when the data is new, a key that is
	// none of the screen's Actions, an answer to a command of the screen.
	Update(msg tea.Msg) tea.Cmd
	// View draws the body: exactly h lines of w cells. It must not change what
	// the screen shows, other than remembering sizes.
	View(w, h int) string
	// Title is the screen's part of the crumb line.
	Title() string
	// Actions returns what can be done now.
	Actions() []action.Action
}

// Optional parts of a screen.
type (
	// Typist is a screen with an input that may have the focus. While Typing
	// returns true, all keys but ctrl+c and pastes go to Update.
	Typist interface{ Typing() bool }
	// Stater says in a few words how the screen stands, at the right of the crumb
	// line: "721 of 10 240   sort used% v". Of several parts, with StatusGap between,
	// the last are left out first where there is no room.
	Stater interface{ Status() string }
	// Backer is asked first when esc is pressed. It returns true when it had
	// something of its own to close: a filter, marks, a prompt.
	Backer interface{ Back() bool }
	// AfterBacker is a Backer to which closing something gives work to do. The
	// command is asked for after each Back that returned true; it may be nil.
	AfterBacker interface{ AfterBack() tea.Cmd }
	// Pending is a screen whose work would be lost if it were left: ctrl+c then
	// asks twice.
	Pending interface{ Pending() string }
)

// StatusGap stands between the parts of what a Stater says.
const StatusGap = "   "

// Kind names a sort of screen for Goto.
type Kind string

// The kinds. Arg of Goto is what each is about.
const (
	Pulses     Kind = "pulses"     // the overview
	Providers  Kind = "providers"  // Arg: a filter, may be empty
	Provider   Kind = "provider"   // Arg: uuid of the provider
	Consumers  Kind = "consumers"  // Arg: a filter, may be empty
	Consumer   Kind = "consumer"   // Arg: uuid of the consumer
	Flavors    Kind = "flavors"    // Arg: a filter, may be empty
	Flavor     Kind = "flavor"     // Arg: ref of the flavor
	Instances  Kind = "instances"  // Arg: a filter, may be empty
	Instance   Kind = "instance"   // Arg: uuid of the instance
	Services   Kind = "services"   // Arg: a filter, may be empty
	Devices    Kind = "devices"    // Arg: a filter, may be empty
	Device     Kind = "device"     // Arg: uuid of the device
	ARQs       Kind = "arqs"       // Arg: a filter, may be empty
	Migrations Kind = "migrations" // Arg: a filter, may be empty
	Profiles   Kind = "profiles"   // Arg: a filter, may be empty
	Problems   Kind = "problems"   // Arg: id of a rule, or that and a subject with a space between: "o01 cmp-014_pci_0000_41_00_0"; may be empty
	Owners     Kind = "owners"     // whose the accelerators are
	Gate       Kind = "gate"       // Arg: open or upgrade for a simulation to begin with, may be empty
	Allocate   Kind = "allocate"   // Arg: uuid of the provider to start from, may be empty
	Release    Kind = "release"    // Arg: uuid of the consumer, or consumer@provider
	Resize     Kind = "resize"     // Arg: uuid of the instance; what waits for it to be confirmed or reverted where something does
	Migrate    Kind = "migrate"    // Arg: as of Resize
	Terminate  Kind = "terminate"  // Arg: uuid of the instance
	Evacuate   Kind = "evacuate"   // Arg: uuid of the instance
	Heal       Kind = "heal"       // Arg: uuid of the instance
	Boot       Kind = "boot"       // Arg: name of the flavor, may be empty
	EditFlavor Kind = "setflavor"  // Arg: name of the flavor; a new one where it is empty
	DelFlavor  Kind = "delflavor"  // Arg: name of the flavor
	NewProfile Kind = "newprofile" // Arg: its name, may be empty
	DelProfile Kind = "delprofile" // Arg: name of the device profile
	SetService Kind = "setservice" // Arg: disable, enable, down, up, upgrade or delete, the binary and the host, with spaces between
	SetDevice  Kind = "setdevice"  // Arg: disable or enable, and the uuid of the device
	Pool       Kind = "pool"       // Arg: uuid or name of a pool that hosts share, to change it; a new one where it is empty
	Handover   Kind = "handover"   // Arg: uuid of a card, and after a space nova or cyborg for whom it is to go to; or of a host, to choose a card of it
	Unfinished Kind = "unfinished" // Arg: a filter, may be empty
	WhatIf     Kind = "whatif"     // Arg: a query as URL text, may be empty; provider:UUID, consumer:UUID, instance:UUID or flavor:REF to ask about one; why: before it, to be told in words
)

// Cloud is what screens may ask of the cloud.
type Cloud interface {
	cloud.Reader
	cloud.Writer
	cloud.Historian
	cloud.ConflictLog
	Capabilities() cloud.Capabilities
}

// Env is what every screen is given when it is made.
type Env struct {
	Styles *style.Styles
	Clock  func() time.Time
	Cloud  Cloud
	// Context ends with the session. Commands derive theirs from it.
	Context context.Context //nolint:containedctx // the session's, for commands
	Actor   string          // who writes, for the journal

	// Inspector is shared by all who ask what is wrong with the cloud; nil where each
	// looks for itself.
	Inspector *Inspector
	// UnderWay is shared by all who take courses to their end; nil where nobody needs
	// to know of them.
	UnderWay *UnderWay
	// Reaches reports whether there is a screen of a kind; nil where all are.
	Reaches func(Kind) bool
}

// NoScreen returns why a screen of a kind cannot be opened, "" where it can.
func (e Env) NoScreen(k Kind) string {
	if e.Reaches != nil && !e.Reaches(k) {
		return "there is no screen of " + string(k) + " here"
	}
	return ""
}

// ReadOnly returns why nothing can be written, "" where it can.
func (e Env) ReadOnly() string {
	if e.Cloud == nil {
		return "no cloud is open"
	}
	return e.Cloud.Capabilities().ReadOnly
}

// Messages that screens get.
type (
	// SnapshotMsg brings the newest state of the cloud.
	SnapshotMsg struct{ Snapshot *cloud.Snapshot }
	// ResumeMsg tells a screen that it is on top again.
	ResumeMsg struct{}
)

// Messages that screens send to the root model.
type (
	// Goto opens a screen of Kind about Arg on top of this one. With Replace it
	// takes the place of the sender.
	Goto struct {
		Kind    Kind
		Arg     string
		Replace bool
	}
	// PushMsg puts a screen on the stack that the sender made itself.
	PushMsg struct{ Screen Screen }
	// PopMsg closes the sender.
	PopMsg struct{}
	// ToastMsg shows a line for some seconds.
	ToastMsg struct {
		Severity style.Severity
		Text     string
	}
	// CopyMsg puts Text on the clipboard; What names it in the toast.
	CopyMsg struct{ What, Text string }
)

// Send returns a command that gives msg to the root model.
func Send(msg tea.Msg) tea.Cmd {
	return func() tea.Msg { return msg }
}

// Reply is the answer to a command of a screen, with the number under which it
// was asked. Sequence says which is the newest.
type Reply[T any] struct {
	Seq   uint64
	Value T
	Err   error
}

// Sequence numbers the commands of a screen, so that late answers can be told
// from the newest one. The zero value is ready.
type Sequence struct {
	n      uint64
	cancel context.CancelFunc
}

// Next returns the number for a new command and a context that ends when a newer
// one is asked for, or the parent ends.
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
