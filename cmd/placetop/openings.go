package main

import (
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// openings are what a dashboard opens in the background. Its goroutines may outlive it: a
// cloud that one of them opened after all were closed would stay open.
type openings struct {
	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup // not added to once ended is set
}

// begin reports whether something may still be opened. If so, done must be called once it
// is open and among what the program closes at its end.
func (o *openings) begin() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.running.Add(1)
	}
	return !o.ended
}

func (o *openings) done() { o.running.Done() }

// end waits for what is being opened. Nothing is opened from now on.
func (o *openings) end() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.running.Wait()
}

// cmd returns a command that opens something, and does nothing after the end.
func (o *openings) cmd(open func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !o.begin() {
			return nil
		}
		defer o.done()
		return open()
	}
}
