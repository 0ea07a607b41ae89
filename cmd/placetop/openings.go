package main

import (
	"io"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// openings are what a dashboard opens in the background, several at once. Its goroutines
// may outlive it: a cloud that one of them opened after all were closed would stay open.
type openings struct {
	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup // not added to once ended is set
	opened  []io.Closer    // the newest last
}

// begin reports whether something may still be opened. If so, done must be called once it
// is open.
func (o *openings) begin() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.running.Add(1)
	}
	return !o.ended
}

// done ends an opening, with what has to be closed for it.
func (o *openings) done(opened []io.Closer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened = append(o.opened, opened...)
	o.running.Done()
}

// end waits for what is being opened, and returns all that was, to be closed. Nothing is
// opened from now on.
func (o *openings) end() []io.Closer {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.running.Wait()
	return o.opened
}

// opening returns a command that opens something with a part of p, as others may be
// opened meanwhile, and does nothing after the end. An error is shown.
func (p *program) opening(open func(one *program) (tea.Msg, error)) tea.Cmd {
	return func() tea.Msg {
		if !p.openings.begin() {
			return nil
		}
		one := *p
		one.opened, one.alone = nil, false
		defer func() { p.openings.done(one.opened) }()
		msg, err := open(&one)
		if err != nil {
			return screen.ToastMsg{Severity: style.SeverityCritical, Text: oneLine(told(err))}
		}
		return msg
	}
}
