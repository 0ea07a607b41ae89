package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/engine"
)

// watched is a terminal that keeps what it shows.
type watched struct{ bytes.Buffer }

func (*watched) IsTerminal() bool { return true }

// TestAwait checks what a command says that it waits for: while it opens a cloud since
// the beginning, afterwards since each request.
func TestAwait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var shown watched
		p := &program{stderr: &shown}
		said := func() string {
			synctest.Wait()
			defer shown.Reset()
			return shown.String()
		}
		var o engine.Options
		opened := p.await(&o)
		o.Asking("identity at http://a")
		time.Sleep(2 * time.Second)
		o.Asking("")
		if is := said(); is != "" {
			t.Error("early:", is)
		}
		o.Asking("placement at http://b")
		o.Progress(2, 5)
		time.Sleep(10 * time.Second)
		if diff := cmp.Diff("reading 40%, waiting for placement at http://b, 3s; Ctrl-C to stop\n"+
			"reading 40%, waiting for placement at http://b, 6s; Ctrl-C to stop\n"+
			"reading 40%, waiting for placement at http://b, 12s; Ctrl-C to stop\n", said()); diff != "" {
			t.Error(diff)
		}
		o.Asking("")
		opened()
		time.Sleep(time.Minute)
		for range 5 {
			o.Asking("compute at http://c")
			time.Sleep(2 * time.Second)
			o.Asking("")
		}
		if is := said(); is != "" {
			t.Error("of what was answered:", is)
		}
		o.Asking("compute at http://c")
		time.Sleep(4 * time.Second)
		o.Asking("")
		time.Sleep(time.Minute)
		must.Match(t, "waiting for compute at http://c, 3s; Ctrl-C to stop\n", said())
	})
}

// TestAwaitStopped has a stopped timer fire late: it prints nothing, and starts no other
// timer.
func TestAwaitStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var shown watched
		p := &program{stderr: &shown}
		a := &waitNotice{say: p.say}
		a.start()
		late := func(over func()) {
			t.Helper()
			turn := a.turn
			over()
			a.tell(turn)
			time.Sleep(time.Minute)
			synctest.Wait()
			if shown.Len() > 0 {
				t.Error("after it was over:", &shown)
			}
			shown.Reset()
		}
		a.asking("placement at http://b")
		late(a.opened)
		a.asking("compute at http://c")
		late(func() { a.asking("") })
		a.asking("compute at http://c")
		late(func() {
			a.asking("")
			a.asking("compute at http://d")
			a.tell(a.turn - 1)
			a.asking("")
		})
		a.reading(2, 5)
		a.asking("compute at http://c")
		a.tell(a.turn)
		must.Match(t, "waiting for compute at http://c, 3s; Ctrl-C to stop\n", shown.String())
		a.asking("")
	})
}
