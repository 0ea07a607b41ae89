package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestEverySizeGivesAnExactFrame(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, nil)
		r.cloud.change(t, 1)
		r.Advance(time.Second)
		r.Press("2", "e")
		for w := 1; w <= 250; w += 3 {
			for h := 1; h <= 80; h += 3 {
				r.Resize(w, h)
				r.Text()
				if tooSmall := w < 40 || h < 8; tooSmall != !strings.Contains(r.Text(), "providers rev=1") {
					t.Fatalf("%dx%d shows\n%s", w, h, r.Text())
				}
			}
		}
		r.Resize(39, 8)
		r.wants(t, "placetop needs 40x8, this is 39x8")
		r.Resize(0, 0)
		if r.Frame() != "" {
			t.Errorf("a terminal of no size gets %q", r.Frame())
		}
	})
}

// TestAnyKeysInAnyOrder presses random keys at random sizes while the cloud changes:
// nothing panics, the frame always fits, no key waits for ever, and ^c ends it.
func TestAnyKeysInAnyOrder(t *testing.T) {
	t.Parallel()
	keys := rapid.SampledFrom(strings.Fields("enter esc q ? : / j k D e c s 1 2 7 3 [ ] - p R ctrl+r ctrl+l ctrl+z tab up down pgdown x F O A U V X C @ é 漢"))
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 40).Draw(rt, "steps")
		tuitest.Run(t, func(t *testing.T) {
			r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Local, cfg.Mouse = true, true })
			for i, step := range steps {
				switch step {
				case 0:
					r.Resize(rapid.IntRange(0, 200).Draw(rt, "w"), rapid.IntRange(0, 60).Draw(rt, "h"))
				case 1:
					r.cloud.change(t, i)
					r.Advance(100 * time.Millisecond)
				case 2:
					r.Paste(rapid.StringN(0, 20, 40).Draw(rt, "paste"))
				case 3:
					r.Send(tea.BlurMsg{}, tea.FocusMsg{}, tea.MouseMsg{}, screen.ToastMsg{Text: "toast\x1b[2J\nline"})
				case 4:
					x, y := rapid.IntRange(0, 79).Draw(rt, "x"), rapid.IntRange(0, 23).Draw(rt, "y")
					r.Send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
				default:
					r.Press(keys.Draw(rt, "key"))
				}
				if w, h := r.Size(); w > 0 && h > 0 {
					r.Text()
				}
			}
			r.Advance(time.Minute)
			r.Press("enter", "ctrl+c", "ctrl+c", "ctrl+c") // out of an input first, which the screen does not leave by itself
			if !r.Quit() {
				t.Errorf("^c does not end it:\n%s", r.Text())
			}
			if t.Failed() {
				rt.FailNow()
			}
		})
	})
}

func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	sizes := [][2]int{{40, 8}, {80, 24}, {160, 48}}
	looks := map[string]*style.Styles{
		"truecolor": styles(termenv.TrueColor, style.Block()),
		"nocolor":   styles(termenv.Ascii, style.Block()),
		"ascii":     styles(termenv.ANSI, style.ASCII()),
	}
	for name, st := range looks {
		for _, size := range sizes {
			for _, what := range []string{"list", "help", "prompt"} {
				t.Run(fmt.Sprintf("%s-%s-%dx%d", what, name, size[0], size[1]), func(t *testing.T) {
					t.Parallel()
					var frame string
					tuitest.Run(t, func(t *testing.T) {
						r := open(t, size[0], size[1], func(cfg *tui.Config) { cfg.Env.Styles = st })
						r.cloud.change(t, 1)
						r.Advance(time.Second)
						r.Press("2", "enter")
						switch what {
						case "help":
							r.Press("?")
						case "prompt":
							r.Press(":")
							r.Type("mi")
						}
						r.Text()
						frame = r.Frame()
					})
					if name == "truecolor" && size[0] == 80 || name == "ascii" && size[0] == 40 {
						golden.RequireEqual(t, []byte(strings.ReplaceAll(frame, "\x1b", "␛")))
					}
				})
			}
		}
	}
}

func TestHelpShowsEveryAction(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 120, 60, func(cfg *tui.Config) { cfg.Local = true })
		s := r.screens["pulses"]
		r.Press("?")
		r.wants(t, "help: pulses", "HERE", "MOVE", "EVERYWHERE")
		for _, a := range append(s.Actions(), r.app.Actions()...) {
			r.wants(t, a.Labels(), strings.Fields(a.HelpText())[0])
		}
		r.Type("history")
		r.wants(t, "previous view", "next view")
		r.lacks(t, "suspend")
		r.Press("esc")
		r.wants(t, "suspend")
		r.Press("esc")
		r.lacks(t, "EVERYWHERE")
		r.Press("?", "?")
		r.lacks(t, "EVERYWHERE")
	})
}

func TestGlobalActionsAreSound(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 120, 40, func(cfg *tui.Config) { cfg.Local = true })
		for _, err := range tuitest.Unsound(r.screens["pulses"].Actions(), r.app.Actions()) {
			t.Error(err)
		}
	})
}

func TestBindings(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 120, 40, func(cfg *tui.Config) {
			cfg.Bindings = action.Bindings{"app.help": {"f1"}, "test.delete": {"ctrl+x"}, "app.back": {"f10"}, "app.find": {}, "app.go.providers": {"f7"}}
		})
		r.wants(t, "f1 help", "^x delete...", "f7 providers")
		r.Press("ctrl+x")
		must.Be(t, strings.Join(r.screens["pulses"].log, " "), "did-delete")
		r.Press("f1")
		r.wants(t, "EVERYWHERE")
	})
}

// BenchmarkKey is one key and the frame after it, on a body that costs nothing.
func BenchmarkKey(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {160, 48}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			app := benchApp(b)
			app.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			key := tuitest.Key("j")
			b.ReportAllocs()
			for b.Loop() {
				app.Update(key)
				_ = app.View()
			}
		})
	}
}

func benchApp(b *testing.B) *tui.App {
	b.Helper()
	app := tui.New(tui.Config{
		Env:     screen.Env{Styles: styles(termenv.TrueColor, style.Block()), Clock: time.Now, Context: b.Context()},
		OpenMsg: tui.OpenMsg{Cloud: newCloud(time.Now), Name: "demo"},
		Screens: []screen.Declaration{
			screen.Declare(func(screen.Env, place.Pulses) (screen.Screen, error) { return &still{}, nil }).On("1").Called("pulses"),
			screen.Declare(func(screen.Env, place.Providers) (screen.Screen, error) { return &still{}, nil }).On("2").Called("providers"),
		},
	})
	app.Init()
	return app
}

// still is a screen that always draws the same body.
type still struct {
	testScreen
	body string
	w, h int
}

func (s *still) Update(tea.Msg) tea.Cmd { return nil }

func (s *still) View(w, h int) string {
	if s.w != w || s.h != h {
		s.w, s.h = w, h
		line := strings.Repeat("\x1b[32mcell ████░░\x1b[m ", w/12) + strings.Repeat(" ", w%12)
		s.body = strings.TrimSuffix(strings.Repeat(line+"\n", h), "\n")
	}
	return s.body
}
