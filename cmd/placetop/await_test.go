package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/storage/engine"
)

// watched is a terminal that keeps what it shows.
type watched struct{ bytes.Buffer }

func (*watched) IsTerminal() bool { return true }

// TestAwait says what a command waits for: while it opens a cloud from its beginning,
// afterwards from each request.
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
		o.Doing("reading 40%")
		time.Sleep(10 * time.Second)
		if diff := cmp.Diff("reading 40%, waiting for placement at http://b, 3s; Ctrl-C ends that\n"+
			"reading 40%, waiting for placement at http://b, 6s; Ctrl-C ends that\n"+
			"reading 40%, waiting for placement at http://b, 12s; Ctrl-C ends that\n", said()); diff != "" {
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
		if diff := cmp.Diff("waiting for compute at http://c, 3s; Ctrl-C ends that\n", said()); diff != "" {
			t.Error(diff)
		}
	})
}
