package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// pages returns a place of each screen, by a name for it: its kind, with a number if
// there are several.
func pages(t *testing.T, c *tuitest.Cloud) map[string]place.Place {
	t.Helper()
	out := map[string]place.Place{}
	for _, at := range thingsOf(t, c.Snapshot()).places() {
		name := place.Kind(at)
		for n := 2; out[name] != nil; n++ {
			name = fmt.Sprint(place.Kind(at), "-", n)
		}
		out[name] = at
	}
	for _, d := range screens() {
		name := place.Kind(d.Of)
		if name == "edittext" || out[name] != nil {
			continue // this one opens the user's own editor
		}
		at, err := place.Parse(d.Of, "")
		if _, find := d.Of.(place.Find); find {
			at, err = d.Of, nil
		}
		if err != nil {
			t.Errorf("nobody looks at the screen of %s: add a place to things.places", name)
			continue
		}
		out[name] = at
	}
	return out
}

// visit shows a place on a dashboard of a cloud.
func visit(t *testing.T, c *tuitest.Cloud, st *style.Styles, at place.Place, w, h int) *tuitest.Driver {
	t.Helper()
	env, began := tuitest.Env(c, st), time.Now()
	env.Common, env.Files = &c.Common, new(screen.Files) // as for guests: the demo is visited a thousand times
	env.Clock = func() time.Time { return tuitest.Now().Add(time.Since(began)) }
	env.Keeper, env.Context = keeper.New(c, keeper.Options{Now: env.Clock}), t.Context()
	app := tui.New(tui.Config{Env: env, OpenMsg: tui.OpenMsg{Keeper: env.Keeper, Files: env.Files, Probe: env.Probe, Cloud: c, Name: "demo", Store: "memory"}, Screens: screens(), Local: true})
	t.Cleanup(app.Close)
	d := tuitest.Start(t, app, w, h)
	d.Send(screen.Goto{To: at})
	d.Advance(2 * time.Second)
	return d
}

// eachPage runs a test for each page of the demo cloud.
func eachPage(t *testing.T, test func(t *testing.T, c *tuitest.Cloud, name string, at place.Place)) {
	t.Helper()
	c := tuitest.Demo(t, 12)
	for name, at := range pages(t, c) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) { test(t, c, name, at) })
		})
	}
}

// TestFrames shows each screen on a terminal that grows. At 80x24 and 160x48 the text is
// that of a golden file, which -update rewrites; a list, a page and a form are also pinned
// at 40x8 and in ASCII. At every size:
//
//   - from 80x24 on, rows are known by their whole names
//   - what is cut is not what tells two rows apart
//   - each column title, each fact and each section of a smaller terminal is still there:
//     only the number of listed rows, and the words about that, may differ
//
// Declared screens are included by themselves; a page about one thing needs a place in
// things.places.
func TestFrames(t *testing.T) {
	t.Parallel()
	eachPage(t, func(t *testing.T, c *tuitest.Cloud, name string, at place.Place) {
		var got txtar.Archive
		add := func(name, text string) { got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(text)}) }
		whole := slices.Contains([]string{"providers", "provider", "allocate"}, name)
		st := tuitest.Styles(termenv.TrueColor, style.Block())
		d := visit(t, c, st, at, 40, 8)
		var small string
		var heads []string
		for _, size := range [][2]int{{40, 8}, {40, 60}, {60, 15}, {80, 24}, {100, 30}, {120, 36}, {160, 48}, {250, 80}} {
			at := fmt.Sprintf("%dx%d", size[0], size[1])
			d.Resize(size[0], size[1])
			d.Advance(2 * time.Second)
			d.Text()
			text := frame(d)
			switch {
			case size[0] == 160:
				add(at, shortened(text))
			case size[0] == 80 || size[1] == 8 && whole:
				add(at, text)
			}
			if size[0] <= 80 {
				checkRowsDiffer(t, at, d)
			}
			if size[0] >= 80 {
				checkNames(t, at, d)
			}
			if size[0] < 80 || size[0] == 100 {
				continue
			}
			before := heads
			heads = headsOf(st, d.Frame())
			for _, head := range before {
				if !slices.Contains(heads, head) {
					t.Errorf("%s lacks the column %s, which a smaller terminal has:\n%s", at, head, text)
				}
			}
			if size[0] > 80 {
				checkNothingLost(t, at, small, text)
			}
			small = text
		}
		if whole {
			add("80x24 in ASCII", frame(visit(t, c, tuitest.Styles(termenv.Ascii, style.ASCII()), at, 80, 24)))
		}
		holdFrames(t, filepath.Join("testdata", "frames", name+".txtar"), txtar.Format(&got))
	})
}

// holdFrames compares frames with a file, or writes them there with -update.
func holdFrames(t *testing.T, file string, got []byte) {
	t.Helper()
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(file, got, 0o644); err != nil { // for everybody to see
			t.Fatal(err)
		}
		return
	}
	want := must.Get(os.ReadFile(file))(t)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s is not what shows: take it anew with -update, and look at it (-kept +shown)\n%s", file, diff)
	}
}

// frame returns what the dashboard shows, without spaces at the ends of lines, and with
// one uuid in place of all random ones.
func frame(d *tuitest.Driver) string {
	madeUp := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	var b strings.Builder
	for _, line := range d.Lines() {
		b.WriteString(strings.TrimRight(madeUp.ReplaceAllString(line, "00000000-0000-4000-8000-000000000000"), " ") + "\n")
	}
	return b.String()
}

// shortened replaces runs of a character by the character and its count: most of a large
// frame is blanks, rules and bars.
func shortened(text string) string {
	const least = 8
	var b strings.Builder
	for signs := []rune(text); len(signs) > 0; {
		run := 1
		for run < len(signs) && signs[run] == signs[0] {
			run++
		}
		if run < least {
			b.WriteString(string(signs[:run]))
		} else {
			fmt.Fprintf(&b, "%c{%d}", signs[0], run)
		}
		signs = signs[run:]
	}
	return b.String()
}

// inkOf returns the style of each cell of a frame, as an escape sequence.
func inkOf(frame string) [][]string {
	var out [][]string
	for line := range strings.SplitSeq(frame, "\n") {
		var cells []string
		ink := ""
		for line != "" {
			seq, width, n, _ := ansi.DecodeSequence(line, ansi.NormalState, nil)
			if width == 0 && strings.HasPrefix(seq, "\x1b[") {
				ink = strings.TrimPrefix(strings.TrimSuffix(seq[2:], "m"), "0")
				ink = strings.TrimPrefix(ink, ";")
			}
			for range width {
				cells = append(cells, ink)
			}
			line = line[n:]
		}
		out = append(out, cells)
	}
	return out
}

// headsOf returns the titles of the columns in a frame, except cut ones.
func headsOf(st *style.Styles, frame string) []string {
	var inks []string
	for _, token := range []themes.Token{themes.Header, themes.HeaderSort} {
		inks = append(inks, strings.TrimSuffix(strings.TrimPrefix(st.Paint(token, false).Pre, "\x1b["), "m"))
	}
	var out []string
	texts := strings.Split(ansi.Strip(frame), "\n")
	for y, cells := range inkOf(frame) {
		text := []rune(texts[y])
		if len(text) != len(cells) || slices.Contains(text, '─') {
			continue // signs two cells wide are in no head, and are not titles
		}
		for x := range text {
			if !slices.Contains(inks, cells[x]) {
				text[x] = ' '
			}
		}
		for _, word := range strings.Fields(string(text)) {
			if word = strings.TrimRight(word, "▴▾"); word > "A" && !strings.ContainsAny(word, "…⋮") {
				out = append(out, word)
			}
		}
	}
	return out
}
