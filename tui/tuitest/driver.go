package tuitest

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// maxMessages limits how many messages one step may cause.
const maxMessages = 100_000

// Driver runs a model without a terminal: in a bubble of [testing/synctest], which [Run]
// makes, each command in a goroutine, or commands in turn, without a bubble.
type Driver struct {
	// T is the test, which the Driver fails.
	T rapid.TB
	// Manual leaves the commands that wait for their turn alone until RunOne or Settle: the
	// order of answers is a choice of the test.
	Manual bool

	model  tea.Model
	inTurn bool
	turns  []tea.Cmd

	mu    sync.Mutex
	queue []result
	seq   atomic.Int64

	quit bool
	size tea.WindowSizeMsg
}

// result is the message of a command, in the order in which commands were started.
type result struct {
	seq int64
	msg tea.Msg
}

// Run calls f in a bubble with fake time. All channels that the model waits on
// must be made within f, and all of its commands must end before f returns.
func Run(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// Parallel calls f as Run does, in parallel with other tests.
func Parallel(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	Run(t, f)
}

// Start gives the model its size, runs its Init and all that follows from it, in a bubble.
func Start(t rapid.TB, model tea.Model, width, height int) *Driver {
	t.Helper()
	return (&Driver{T: t, model: model}).start(width, height)
}

func (d *Driver) start(width, height int) *Driver {
	d.T.Helper()
	d.size = tea.WindowSizeMsg{Width: width, Height: height}
	d.run(d.model.Init())
	d.Send(d.size)
	return d
}

// Quit reports whether the model has asked to end.
func (d *Driver) Quit() bool { return d.quit }

// Send gives messages to the model and runs what follows until nothing can
// continue without time passing or something from outside.
func (d *Driver) Send(msgs ...tea.Msg) {
	d.T.Helper()
	for _, msg := range msgs {
		d.update(msg)
	}
	d.Do(nil)
}

// Do runs a command and what follows, as Send does.
func (d *Driver) Do(cmd tea.Cmd) {
	d.T.Helper()
	d.run(cmd)
	if !d.Manual {
		d.Settle()
	}
}

// Pending returns how many commands wait for their turn.
func (d *Driver) Pending() int { return len(d.turns) }

// RunOne runs one of the commands that wait.
func (d *Driver) RunOne(i int) {
	cmd := d.turns[i]
	d.turns = slices.Delete(d.turns, i, i+1)
	d.push(d.seq.Add(1), cmd())
	d.answer()
}

// Settle runs commands until each one has ended or waits.
func (d *Driver) Settle() {
	d.T.Helper()
	for range maxMessages {
		switch {
		case !d.inTurn:
			synctest.Wait()
			if !d.answer() {
				return
			}
		case len(d.turns) > 0:
			d.RunOne(0)
		default:
			return
		}
	}
	d.T.Fatalf("commands still cause messages after %d rounds", maxMessages)
}

// answer gives the model the messages of commands that have ended, if there are any.
func (d *Driver) answer() bool {
	d.mu.Lock()
	queue := d.queue
	d.queue = nil
	d.mu.Unlock()
	slices.SortStableFunc(queue, func(a, b result) int { return cmp.Compare(a.seq, b.seq) })
	for _, r := range queue {
		d.update(r.msg)
	}
	return len(queue) > 0
}

// Advance lets the bubble's time pass and settles.
func (d *Driver) Advance(by time.Duration) {
	d.T.Helper()
	time.Sleep(by)
	d.Settle()
}

// Press sends keys by name, as [tea.KeyMsg.String] gives them, settling after
// each: "j", "enter", "ctrl+d", " ".
func (d *Driver) Press(keys ...string) {
	d.T.Helper()
	for _, key := range keys {
		d.Send(Key(key))
	}
}

// Type sends each character of text as a key.
func (d *Driver) Type(text string) {
	d.T.Helper()
	for _, r := range text {
		d.Press(string(r))
	}
}

// Paste sends text as one paste.
func (d *Driver) Paste(text string) {
	d.T.Helper()
	d.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
}

// Resize changes the size of the terminal.
func (d *Driver) Resize(width, height int) {
	d.T.Helper()
	d.size = tea.WindowSizeMsg{Width: width, Height: height}
	d.Send(d.size)
}

// Size returns the size of the terminal.
func (d *Driver) Size() (width, height int) { return d.size.Width, d.size.Height }

// Frame returns the model's view.
func (d *Driver) Frame() string { return d.model.View() }

// Text returns the model's view without styles. It fails the test where the view is not
// exactly the terminal's size.
func (d *Driver) Text() string {
	d.T.Helper()
	frame := d.Frame()
	text := ansi.Strip(frame)
	if problem := FrameProblem(frame, d.size.Width, d.size.Height); problem != "" {
		d.T.Fatalf("%dx%d: %s\n%s", d.size.Width, d.size.Height, problem, text)
	}
	return text
}

// Lines returns the lines of Text.
func (d *Driver) Lines() []string {
	d.T.Helper()
	return strings.Split(d.Text(), "\n")
}

// Wants fails the test unless all texts are on the screen.
func (d *Driver) Wants(texts ...string) {
	d.T.Helper()
	d.has(true, texts)
}

// Lacks fails the test if one of texts is on the screen.
func (d *Driver) Lacks(texts ...string) {
	d.T.Helper()
	d.has(false, texts)
}

func (d *Driver) has(want bool, texts []string) {
	d.T.Helper()
	screen := d.Text()
	for _, text := range texts {
		if strings.Contains(screen, text) != want {
			d.T.Errorf("is %q on the screen? %v, want %v:\n%s", text, !want, want, screen)
		}
	}
}

// update passes one message to the model and starts the returned command.
func (d *Driver) update(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.QuitMsg:
		d.quit = true
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.run(cmd)
		}
		return
	}
	if cmds, ok := Commands(msg); ok {
		d.run(func() tea.Msg { return d.sequence(cmds) })
		return
	}
	var cmd tea.Cmd
	d.model, cmd = d.model.Update(msg)
	d.run(cmd)
}

// sequence runs commands one after the other and queues their messages.
func (d *Driver) sequence(cmds []tea.Cmd) tea.Msg {
	for _, cmd := range cmds {
		if cmd != nil {
			d.push(d.seq.Add(1), cmd())
		}
	}
	return nil
}

// run starts a command, or leaves it until its turn.
func (d *Driver) run(cmd tea.Cmd) {
	switch {
	case cmd == nil:
	case d.inTurn:
		d.turns = append(d.turns, cmd)
	default:
		seq := d.seq.Add(1)
		go func() { d.push(seq, cmd()) }()
	}
}

func (d *Driver) push(seq int64, msg tea.Msg) {
	if msg == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue = append(d.queue, result{seq: seq, msg: msg})
}

// Commands returns the commands of a sequence, whose type Bubble Tea does not
// export.
func Commands(msg tea.Msg) ([]tea.Cmd, bool) {
	v, as := reflect.ValueOf(msg), reflect.TypeFor[[]tea.Cmd]()
	if !v.IsValid() || !v.CanConvert(as) {
		return nil, false
	}
	return reflect.TypeAssert[[]tea.Cmd](v.Convert(as))
}
