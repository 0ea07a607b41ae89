package terminal

import (
	"errors"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// ErrStuck reports that the terminal did not take what was written to it in
// time, so that its state is unknown.
var ErrStuck = errors.New("the terminal does not accept output")

const (
	// maxRate is the most frames drawn in a second.
	maxRate = 120

	// Patience is how long a program that exits waits for a slow terminal.
	Patience = time.Second

	seqEnter = "\x1b[?1049h" + seqUsual + "\x1b[?7l\x1b[?25l"
	seqLeave = seqSyncOff + seqReset + "\x1b[?7h\x1b[?1049l\x1b[?25h"

	// seqUsual switches off what a program that crashed may have left switched on, in
	// drawing: the character sets of lines, insert mode, new line mode, reverse video,
	// origin mode, margins; and in what keys and the mouse send: cursor keys and keypad of
	// applications, controls of eight bits, all mouse modes.
	//
	// Source: XTerm Control Sequences; terminals ignore those that they do not know.
	seqUsual = "\x0f\x1b(B\x1b[4;20l\x1b[?5;6l\x1b[?69l\x1b[r" + seqReset +
		"\x1b[?1l\x1b>\x1b F\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?1004l"

	// seqUsualKeys does so for the ways to report keys of newer terminals: those of
	// modifyOtherKeys and kitty, sizes and colours reported unasked, and keys as Windows
	// reports them. One that takes the first for a colour also takes it for a reset.
	seqUsualKeys = "\x1b[>4;0m" + seqReset + "\x1b[=0u\x1b[?2031l\x1b[?2048l\x1b[?9001l"

	seqPasteOn  = "\x1b[?2004h"
	seqPasteOff = "\x1b[?2004l"
	seqFocusOn  = "\x1b[?1004h"
	seqFocusOff = "\x1b[?1004l"
	seqMouseOn  = "\x1b[?1002h\x1b[?1006h"
	seqMouseOff = "\x1b[?1002l\x1b[?1006l"

	seqTitlePush = "\x1b[22;2t"
	seqTitlePop  = "\x1b[23;2t"
)

// ScreenOptions are what a [Screen] may use of a terminal.
type ScreenOptions struct {
	// Sync wraps each frame in mode 2026, so that terminals that know it show
	// the frame at once. Others ignore it.
	Sync bool

	// Focus asks for reports when the terminal gains or loses the keyboard. It is set for
	// terminals that ignore what they do not know.
	Focus bool

	// VT100 is set where cells can be blanked only by writing over them, or up to the end
	// of the line.
	VT100 bool

	// Clock tells the time between frames.
	Clock func() time.Time

	// Pace, if it is set, waits until the terminal has room for another frame, or quit is
	// closed.
	Pace func(quit <-chan struct{})

	// Failed is called once, from the goroutine of the screen, when a write
	// fails. It may be nil.
	Failed func(error)
}

// Screen draws frames on a terminal.
//
// All writing is done by one goroutine, so a slow terminal never holds up the
// caller of Draw, and a title or a clipboard sequence never lands inside a
// frame. While it is busy the newest frame waits and older ones are dropped.
// While nothing changes it sleeps.
type Screen struct {
	w    io.Writer
	opts ScreenOptions

	wake chan struct{} // holds one token: there is work
	quit chan struct{} // closed by Close
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	text    string // the newest frame
	width   int
	height  int
	changed bool
	repaint bool
	active  bool     // the terminal should show frames
	mouse   bool     // mouse reports are on
	titled  bool     // a title was set
	queue   []byte   // sequences to send before the next frame
	waiting []func() // called when all of the above is on the terminal
	closing bool
	err     error

	// Only the goroutine uses these.
	diff differ
	buf  []byte
	last time.Time // when the last frame was sent
}

// NewScreen starts a screen on w. Nothing is written before Enter. The caller
// ends it with Close.
func NewScreen(w io.Writer, opts ScreenOptions) *Screen {
	s := &Screen{
		w:    w,
		opts: opts,
		wake: make(chan struct{}, 1),
		quit: make(chan struct{}),
		done: make(chan struct{}),
		diff: differ{vt100: opts.VT100},
	}
	go s.run()
	return s
}

// Enter takes the terminal: alternate screen, no cursor, no line wrap, pastes
// and focus reported. Frames are drawn from now on, the newest one at once.
func (s *Screen) Enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active || s.closing {
		return
	}
	s.active, s.repaint = true, true
	s.queue = append(s.queue, seqEnter...)
	if s.opts.Focus {
		s.queue = append(s.queue, seqUsualKeys...)
	}
	s.queue = append(s.queue, seqPasteOn...)
	if s.opts.Focus {
		s.queue = append(s.queue, seqFocusOn...)
	}
	if s.mouse {
		s.queue = append(s.queue, seqMouseOn...)
	}
	s.kick()
}

// Leave restores the terminal as Enter found it and waits until that is
// written. Frames are kept, not drawn, until the next Enter. It returns
// [ErrStuck] where the terminal took longer than a second.
func (s *Screen) Leave() error {
	s.mu.Lock()
	if !s.active {
		s.mu.Unlock()
		return nil
	}
	s.leave()
	ok := make(chan struct{})
	s.waiting = append(s.waiting, func() { close(ok) })
	s.kick()
	s.mu.Unlock()
	return s.await(ok)
}

// leave queues what restores the terminal. The caller holds the lock.
func (s *Screen) leave() {
	s.active = false
	if s.mouse {
		s.queue = append(s.queue, seqMouseOff...)
	}
	if s.opts.Focus {
		s.queue = append(s.queue, seqFocusOff...)
	}
	s.queue = append(s.queue, seqPasteOff...)
	if s.titled {
		s.queue = append(s.queue, seqTitlePop...)
		s.titled = false
	}
	s.queue = append(s.queue, seqLeave...)
}

func (s *Screen) await(ok <-chan struct{}) error {
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	select {
	case <-ok:
		return nil
	case <-s.done:
		return s.Err()
	case <-timer.C:
		return ErrStuck
	}
}

// Close leaves the terminal and ends the goroutine. It returns the first write
// error, or [ErrStuck].
func (s *Screen) Close() error {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return s.Err()
	}
	if s.active {
		s.leave()
	}
	s.closing = true
	s.mu.Unlock()
	close(s.quit)
	if err := s.await(s.done); err != nil {
		return err
	}
	return s.Err()
}

// Err returns the first write error.
func (s *Screen) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Draw shows text, the lines of a frame of width and height cells. It returns
// at once; a frame that is overtaken by a newer one is never drawn.
func (s *Screen) Draw(text string, width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == s.text && width == s.width && height == s.height && !s.repaint {
		return
	}
	s.text, s.width, s.height = text, width, height
	s.changed = true
	if s.active {
		s.kick()
	}
}

// Resized draws the next frame whole, as it is not known what the terminal shows: its size
// may have changed and changed back.
func (s *Screen) Resized() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repaint = true
}

// Repaint draws all of the newest frame again, whatever the terminal shows.
func (s *Screen) Repaint() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repaint = true
	if s.active {
		s.kick()
	}
}

// Send writes a control sequence between two frames, such as one that sets the
// clipboard. It is dropped unless the terminal is entered.
func (s *Screen) Send(sequence string) { s.enqueue(sequence, false) }

// Title sets the title of the terminal's window. Control characters are left
// out. Leave restores the title that the window had before the first one.
func (s *Screen) Title(title string) {
	s.enqueue(ansi.SetWindowTitle(printable(title)), true)
}

// Mouse turns mouse reports on or off.
func (s *Screen) Mouse(on bool) {
	s.mu.Lock()
	changed := s.mouse != on
	s.mouse = on
	active := s.active
	s.mu.Unlock()
	switch {
	case !changed || !active:
	case on:
		s.enqueue(seqMouseOn, false)
	default:
		s.enqueue(seqMouseOff, false)
	}
}

func (s *Screen) enqueue(sequence string, title bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.active {
		return
	}
	if title && !s.titled {
		s.queue = append(s.queue, seqTitlePush...)
		s.titled = true
	}
	s.queue = append(s.queue, sequence...)
	s.kick()
}

// kick wakes the goroutine. The caller holds the lock.
func (s *Screen) kick() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run writes what the other methods ask for, until Close.
func (s *Screen) run() {
	defer close(s.done)
	timer := time.NewTimer(0)
	<-timer.C
	defer timer.Stop()
	for {
		select {
		case <-s.quit:
			s.flush()
			return
		case <-s.wake:
		}
		if wait := time.Second/maxRate - s.opts.Clock().Sub(s.last); wait > 0 && !s.last.IsZero() {
			timer.Reset(min(wait, time.Second/maxRate))
			select {
			case <-s.quit:
				s.flush()
				return
			case <-timer.C:
			}
		}
		if s.opts.Pace != nil {
			s.opts.Pace(s.quit)
		}
		s.flush()
	}
}

// flush writes what is due in one piece.
func (s *Screen) flush() {
	s.mu.Lock()
	out := append(s.buf[:0], s.queue...)
	s.queue = s.queue[:0]
	waiting := s.waiting
	s.waiting = nil
	var drawn bool
	if s.active && s.width > 0 && s.height > 0 && (s.changed || s.repaint) {
		out, drawn = s.encode(out)
		s.changed, s.repaint = false, false
	}
	failed := s.err != nil
	s.mu.Unlock()

	s.buf = out
	if len(out) > 0 && !failed {
		s.write(out, drawn)
	}
	for _, f := range waiting {
		f()
	}
}

// encode appends the newest frame to out, as a difference from what is shown, and reports
// whether there is any. The caller holds the lock.
func (s *Screen) encode(out []byte) (_ []byte, drawn bool) {
	start := len(out)
	if s.opts.Sync {
		out = append(out, seqSyncOn...)
	}
	body := len(out)
	out = s.diff.append(out, s.text, s.width, s.height, s.repaint)
	if len(out) == body {
		return out[:start], false
	}
	if s.opts.Sync {
		out = append(out, seqSyncOff...)
	}
	return out, true
}

// write sends out. Drawn says that a frame is in it.
func (s *Screen) write(out []byte, drawn bool) {
	if drawn {
		s.last = s.opts.Clock()
	}
	_, err := s.w.Write(out)
	s.mu.Lock()
	first := err != nil && s.err == nil
	if first {
		s.err = err
	}
	s.mu.Unlock()
	if first && s.opts.Failed != nil {
		s.opts.Failed(err)
	}
}

// printable returns s without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
