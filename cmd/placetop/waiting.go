package main

import (
	"sync"
	"time"

	"github.com/placetop/placetop/storage/engine"
)

// awaits says which service of a live cloud a command is waiting for, if it takes long:
// from the start until the cloud is open, and after that for each request.
type awaits struct {
	say func(format string, args ...any)

	mu    sync.Mutex
	timer *time.Timer
	turn  int           // counts the timers: a stopped one may still fire
	took  time.Duration // the last interval
	whom  string        // the service last asked
	doing string        // progress of the reading that opens the cloud
	open  bool
}

// firstAwait is the time until the first message; after each message it doubles.
const firstAwait = 3 * time.Second

// await makes a cloud that is opened with o report on a terminal what is waited for,
// until opened is called, and after that what a request waits for.
func (p *program) await(o *engine.Options) (opened func()) {
	if !isTerminal(p.stderr) {
		return func() {}
	}
	a := &awaits{say: p.say}
	a.start()
	o.Asking = a.asking
	if o.Progress == nil {
		o.Progress = a.reading
	}
	return a.opened
}

// start makes tell run if it takes long from now.
func (a *awaits) start() {
	a.stop()
	turn := a.turn
	a.took = firstAwait
	a.timer = time.AfterFunc(firstAwait, func() { a.tell(turn) })
}

// stop prevents further messages.
func (a *awaits) stop() {
	a.turn++
	if a.timer != nil {
		a.timer.Stop()
	}
}

// asking notes the service being asked, "" for none.
func (a *awaits) asking(whom string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.whom
	switch {
	case whom == "" && !a.open: // the request is retried, or the next one follows
		return
	case whom == "":
		a.stop()
	case was == "":
		a.start()
	}
	a.whom = whom
}

// reading notes the progress of a reading. No command waits for those after the first
// one.
func (a *awaits) reading(done, of int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.open {
		a.doing = engine.Reading(done, of) + ", "
	}
}

// opened notes that the cloud is open.
func (a *awaits) opened() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop()
	a.open, a.whom, a.doing = true, "", ""
}

// tell prints what is waited for, unless the timer of that turn was stopped meanwhile.
func (a *awaits) tell(turn int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if turn != a.turn {
		return
	}
	if a.whom != "" {
		a.say("%swaiting for %s, %s; Ctrl-C to stop", a.doing, a.whom, a.took)
	}
	a.timer.Reset(a.took)
	a.took *= 2
}
