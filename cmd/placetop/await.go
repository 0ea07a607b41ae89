package main

import (
	"cmp"
	"io"
	"sync"
	"time"

	"github.com/placetop/placetop/storage/engine"
)

// awaits says whom of a cloud elsewhere a command waits for, where that takes long: from
// when it starts to open the cloud until that is open, and from each request then.
type awaits struct {
	say func(format string, args ...any)

	mu    sync.Mutex
	timer *time.Timer
	turn  int           // counts the timers: one that was stopped may fire all the same
	took  time.Duration // when the timer fires
	whom  string        // was asked last
	doing string        // how far the reading is that opens the cloud
	open  bool
}

// firstAwait is when something is said for the first time; then in twice the time each.
const firstAwait = 3 * time.Second

// await has a cloud that is opened with o tell what is waited for, where somebody watches,
// until opened is called, and what a request waits for then.
func (p *program) await(o *engine.Options) (opened func()) {
	to := cmp.Or[io.Writer](p.watch, p.stderr)
	if !isTerminal(to) {
		return func() {}
	}
	by := *p
	by.stderr = to
	a := &awaits{say: by.say}
	a.start()
	o.Asking = a.asking
	if o.Progress == nil {
		o.Progress = a.reading
	}
	return a.opened
}

// start has something said when it takes long from now.
func (a *awaits) start() {
	a.stop()
	turn := a.turn
	a.took = firstAwait
	a.timer = time.AfterFunc(firstAwait, func() { a.tell(turn) })
}

// stop has nothing said any more.
func (a *awaits) stop() {
	a.turn++
	if a.timer != nil {
		a.timer.Stop()
	}
}

// asking notes who is asked, "" for nobody.
func (a *awaits) asking(whom string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.whom
	switch {
	case whom == "" && !a.open: // it is asked again, or the next is
		return
	case whom == "":
		a.stop()
	case was == "":
		a.start()
	}
	a.whom = whom
}

// reading notes how far a reading is. Those after the first one nobody waits for.
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

// tell says what is waited for, unless the timer of that turn was stopped meanwhile.
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
