package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/tuitest"
)

// BenchmarkKeys prints for each screen that can be typed, at two sizes, in truecolour, what
// a key writes to the terminal, in bytes, and how long it takes, in ms: a step of the
// cursor, and a page. A screen that has nothing to step to is left out.
func BenchmarkKeys(b *testing.B) {
	store := memory.New(memory.Options{Clock: time.Now})
	defer store.Close()
	p := &program{stderr: io.Discard}
	if err := p.fillDemo(b.Context(), store, demo.Options{Hosts: 300, Seed: 1, Now: time.Now()}); err != nil {
		b.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {160, 48}} {
		for _, d := range screens() {
			if _, err := place.Parse(d.Of, ""); d.Names == nil || err != nil {
				continue
			}
			b.Run(fmt.Sprintf("%s/%dx%d", d.Names[0], size[0], size[1]), func(b *testing.B) {
				term := tuitest.OpenPTY(b, size[0], size[1])
				p := &program{
					stdin: term.TTY, stdout: term.TTY, stderr: io.Discard,
					env: map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"},
					now: time.Now, newID: uuid.New, log: slog.New(slog.DiscardHandler),
				}
				ctx, cancel := context.WithCancel(b.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_ = p.show(ctx, store, "demo") // it ends with ctx
				}()
				defer func() {
					cancel()
					<-ended
				}()
				term.WaitForText("CAPACITY")
				o := onLine{term, 100 * time.Millisecond}
				o.press(":" + d.Names[0] + "\r")
				o.press("jj")
				for b.Loop() {
					o.report(b, "cursor", strings.Repeat("j", 12)+"kkkk")
					o.report(b, "page", "\x06\x06\x02")
				}
			})
		}
	}
}

// onLine is a screen that is at rest once nothing has come for a while.
type onLine struct {
	*tuitest.PTY
	silence time.Duration
}

// rest waits until the screen is at rest, and returns how long after the call the last
// came: 0 where nothing did.
func (o onLine) rest() time.Duration {
	began := time.Now()
	seen, last := o.Bytes(), began
	for time.Since(last) < o.silence {
		time.Sleep(200 * time.Microsecond)
		if n := o.Bytes(); n != seen {
			seen, last = n, time.Now()
		}
	}
	return last.Sub(began)
}

// press types keys and returns how long it took until all was drawn.
func (o onLine) press(keys string) time.Duration {
	o.Type(keys)
	return o.rest()
}

// report types keys one by one and reports those that change the screen.
func (o onLine) report(b *testing.B, name, keys string) {
	b.Helper()
	var took []time.Duration
	var wrote []int
	for _, k := range strings.Split(keys, "") {
		before := o.Bytes()
		if d := o.press(k); d > 0 {
			took, wrote = append(took, d), append(wrote, o.Bytes()-before)
		}
	}
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	slices.Sort(wrote)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "ms/"+name)
	b.ReportMetric(ms(took[len(took)-1]), "ms-worst/"+name)
	b.ReportMetric(float64(wrote[len(wrote)/2]), "B/"+name)
	b.ReportMetric(float64(wrote[len(wrote)-1]), "B-most/"+name)
}
