package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/tuitest"
)

// BenchmarkKeys prints, for each screen that can be typed, at two sizes, in truecolour,
// how many bytes a step of the cursor and a page write to the terminal, and how long they
// take, in ms. It leaves out screens without anything to step to.
func BenchmarkKeys(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {160, 48}} {
		for _, name := range typed() {
			b.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(b *testing.B) {
				o := showOn(b, 300, size[0], size[1])
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

// BenchmarkSlowestKeys prints the median and the 99th percentile of the time that a key
// takes, in ms, on a cloud of 30,000 providers: until the first output, and until all is
// drawn, including a second frame 16 ms after the first. The keys open each screen, move
// the cursor and the page, sort, and type a filter letter by letter. It names the slowest
// answers.
func BenchmarkSlowestKeys(b *testing.B) {
	o := showOn(b, 9400, 80, 24) // 30,051 providers
	type stroke struct {
		took, rested time.Duration
		key          string
	}
	var all []stroke
	for b.Loop() {
		for _, name := range typed() {
			if name == "pool" || name == "newprovider" {
				continue // a form takes what is typed, and asks before it is left
			}
			o.Type(":" + name)
			o.rest()
			for _, key := range []string{"\r", "j", "j", "k", "\x06", "\x02", "G", "g", "N", "N", "/", "c", "m", "p", "\x7f"} {
				if took, rested := o.press(key); took > 0 {
					all = append(all, stroke{took, rested, fmt.Sprintf("%s %q", name, key)})
				}
			}
			o.press("\x1b") // not counted: the terminal waits for what might follow it
		}
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	slices.SortFunc(all, func(x, y stroke) int { return cmp.Compare(x.rested, y.rested) })
	b.ReportMetric(ms(all[len(all)*99/100].rested), "ms-p99/drawn")
	slices.SortFunc(all, func(x, y stroke) int { return cmp.Compare(x.took, y.took) })
	b.ReportMetric(ms(all[len(all)/2].took), "ms-p50/key")
	b.ReportMetric(ms(all[len(all)*99/100].took), "ms-p99/key")
	for _, s := range all[max(0, len(all)-8):] {
		b.Logf("%8.1f ms %s", ms(s.took), s.key)
	}
}

// typed returns the commands that open a screen without an argument.
func typed() []string {
	var out []string
	for _, d := range screens() {
		if _, err := place.Parse(d.Of, ""); d.Names != nil && err == nil {
			out = append(out, d.Names[0])
		}
	}
	return out
}

// showOn shows a demo cloud on a terminal in truecolour until the benchmark ends: in
// another process, as this one is busy emulating the terminal.
func showOn(b *testing.B, hosts, w, h int) onLine {
	b.Helper()
	term := tuitest.OpenPTY(b, w, h)
	self := must.Get(os.Executable())(b)
	home := b.TempDir()
	cmd := &exec.Cmd{
		Path: self, Args: []string{"placetop", "demo", "--hosts", strconv.Itoa(hosts)},
		Env:   []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home},
		Stdin: term.TTY, Stdout: term.TTY, Stderr: term.TTY,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	must.Succeed(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	term.WaitForText("CAPACITY")
	return onLine{term, 100 * time.Millisecond}
}

// onLine is a dashboard, considered at rest once nothing has come for a while.
type onLine struct {
	*tuitest.PTY
	silence time.Duration
}

// rest waits until the dashboard is at rest, and returns how long after the call the
// first and the last output came: 0 if there was none.
func (o onLine) rest() (first, last time.Duration) { return o.since(time.Now(), o.Bytes()) }

// since is rest from a moment by which that many bytes had come.
func (o onLine) since(began time.Time, seen int) (first, last time.Duration) {
	for time.Since(began)-last < o.silence {
		time.Sleep(200 * time.Microsecond)
		if n := o.Bytes(); n != seen {
			seen, last = n, time.Since(began)
			first = cmp.Or(first, last)
		}
	}
	return first, last
}

// press types keys and returns how long it took until the first output, and until all was
// drawn.
func (o onLine) press(keys string) (answered, drawn time.Duration) {
	began, seen := time.Now(), o.Bytes()
	o.Type(keys)
	return o.since(began, seen)
}

// report types keys one by one and reports those that change the screen.
func (o onLine) report(b *testing.B, name, keys string) {
	b.Helper()
	var took []time.Duration
	var wrote []int
	for _, k := range strings.Split(keys, "") {
		before := o.Bytes()
		if _, d := o.press(k); d > 0 {
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
