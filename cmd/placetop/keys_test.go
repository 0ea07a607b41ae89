package main

import (
	"cmp"
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
	store := demoOf(b, 300)
	for _, size := range [][2]int{{80, 24}, {160, 48}} {
		for _, name := range typed() {
			b.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(b *testing.B) {
				o := showOn(b, store, size[0], size[1])
				o.press(":" + name + "\r")
				o.press("jj")
				for b.Loop() {
					o.report(b, "cursor", strings.Repeat("j", 12)+"kkkk")
					o.report(b, "page", "\x06\x06\x02")
				}
			})
		}
	}
}

// BenchmarkSlowestKeys prints the median and the 99th percentile of what a key takes, in ms,
// until all is drawn, on a cloud of 30,000 providers: opening each screen, the cursor, a
// page, sorting, a filter typed letter by letter. The slowest are named.
func BenchmarkSlowestKeys(b *testing.B) {
	store := demoOf(b, 9400)
	b.Logf("%d providers", store.Snapshot().Placement().ProviderCount())
	o := showOn(b, store, 80, 24)
	type stroke struct {
		took time.Duration
		key  string
	}
	var all []stroke
	for b.Loop() {
		for _, name := range typed() {
			o.Type(":" + name)
			o.rest()
			for _, key := range []string{"\r", "j", "j", "k", "\x06", "\x02", "G", "g", "N", "N", "/", "c", "m", "p", "\x7f"} {
				if took := o.press(key); took > 0 {
					all = append(all, stroke{took, fmt.Sprintf("%s %q", name, key)})
				}
			}
			o.press("\x1b") // not counted: the terminal waits for what might follow it
		}
	}
	slices.SortFunc(all, func(x, y stroke) int { return cmp.Compare(x.took, y.took) })
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(all[len(all)/2].took), "ms-p50/key")
	b.ReportMetric(ms(all[len(all)*99/100].took), "ms-p99/key")
	for _, s := range all[max(0, len(all)-8):] {
		b.Logf("%8.1f ms %s", ms(s.took), s.key)
	}
}

// demoOf returns a store in memory with a demo cloud.
func demoOf(b *testing.B, hosts int) *memory.Store {
	b.Helper()
	store := memory.New(memory.Options{Clock: time.Now})
	b.Cleanup(func() { _ = store.Close() })
	p := &program{stderr: io.Discard}
	if err := p.fillDemo(b.Context(), store, demo.Options{Hosts: hosts, Seed: 1, Now: time.Now()}); err != nil {
		b.Fatal(err)
	}
	return store
}

// typed returns what opens each screen that needs no argument.
func typed() []string {
	var out []string
	for _, d := range screens() {
		if _, err := place.Parse(d.Of, ""); d.Names != nil && err == nil {
			out = append(out, d.Names[0])
		}
	}
	return out
}

// showOn shows a store on a terminal in truecolour until the benchmark ends.
func showOn(b *testing.B, store *memory.Store, w, h int) onLine {
	b.Helper()
	term := tuitest.OpenPTY(b, w, h)
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
	b.Cleanup(func() {
		cancel()
		<-ended
	})
	term.WaitForText("CAPACITY")
	return onLine{term, 100 * time.Millisecond}
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
