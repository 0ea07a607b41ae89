package tui_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestNavigation(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.wants(t, "placetop  demo  RW  ◉ live", "pulses rev=0", "? help  q quit  : command  1 pulses  2 providers  7 migrations", "status of pulses")
		r.lacks(t, "3 consumers")

		r.Press("2")
		r.wants(t, " pulses > providers", "providers rev=0")
		r.Press("enter")
		r.wants(t, " pulses > providers > detail providers")
		r.Press("esc")
		r.wants(t, " pulses > providers  ", "resume")
		r.Press("7")
		r.wants(t, " pulses > migrations")
		r.Press("[")
		r.wants(t, " pulses > providers")
		r.Press("[")
		r.wants(t, " pulses  ")
		r.Press("]", "]")
		r.wants(t, " pulses > migrations")
		r.Press("-")
		r.wants(t, " pulses > providers")
		r.Press("-")
		r.wants(t, " pulses > migrations")
		r.Press("3")
		r.wants(t, "migrations rev=0")
		r.Press("q")
		r.wants(t, " pulses  ")
		if r.Quit() {
			t.Fatal("q quit before the root")
		}
		r.Press("esc", "esc")
		if r.Quit() {
			t.Fatal("esc quit")
		}
		r.Press("q")
		if !r.Quit() {
			t.Error("q at the root does not quit")
		}
	})
}

func TestKeysGoWhereTheyBelong(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		s := r.screens["pulses"]
		log := func(want string) {
			t.Helper()
			must.Be(t, strings.Join(s.log, " "), want)
			s.log = nil
		}
		r.Press("j", "b", "D")
		log("j b did-delete")
		r.Paste("q7?")
		log("") // a paste is not a key
		r.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjD")})
		log("j j did-delete") // three keys in one message
		r.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q"), Alt: true})
		log("alt+q")
		r.Press("/", "q", "?", "7", "esc")
		r.Paste("q7?")
		log("q ? 7 esc [q7?]")
		r.Press("enter", "k")
		log("enter k")
		r.Press("e")
		r.wants(t, "edit: nothing is marked")
		log("")
		s.filter = "x"
		r.Press("2", "1")
		if s != r.screens["pulses"] {
			t.Error("the overview does not stay as it was")
		}
		r.Send(tea.KeyMsg{Type: tea.KeyEsc, Alt: true}) // two esc in one message
		if s.filter != "" {
			t.Error("esc did not reach the screen")
		}
		s.filter = "x"
		// On a keyboard where alt+l types @, the program left the screen and opened another.
		r.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("2"), Alt: true})
		if s.filter == "" {
			t.Error("a key with alt is taken for esc and the key")
		}
		r.wants(t, "no such key: alt+2")
	})
}

// revisions notes at which revision each key came.
type revisions struct {
	testScreen
	at []cloud.Revision
}

func (s *revisions) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(tea.KeyMsg); ok {
		s.at = append(s.at, s.snapshot.Revision())
	}
	return s.testScreen.Update(msg)
}

// TestKeyIsForWhatTheOneBeforeShows sends both in one message: p shows what was written while the
// dashboard was paused.
func TestKeyIsForWhatTheOneBeforeShows(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := &revisions{}
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Screens[0].Open = func(env screen.Env, _ place.Place) (screen.Screen, error) {
				s.env, s.name = env, "pulses"
				return s, nil
			}
		})
		r.Press("p")
		r.cloud.change(t, 1)
		r.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jpj")})
		must.Match(t, []cloud.Revision{0, 1}, s.at)
	})
}

// TestKeysInOneBurst sends keys before the message of any command can come back.
func TestKeysInOneBurst(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Send(tuitest.Key("enter"), tuitest.Key("D"), tuitest.Key("j"), tuitest.Key("esc"), tuitest.Key("k"))
		must.Be(t, strings.Join(r.screens["detail"].log, " "), "did-delete j")
		must.Be(t, strings.Join(r.screens["pulses"].log, " "), "resume k")
		r.Send(tuitest.Key("?"), tuitest.Key("esc"), tuitest.Key("enter"), tuitest.Key("x"))
		must.Be(t, strings.Join(r.screens["detail"].log, " "), "x")
		r.Send(tuitest.Key("F"), tuitest.Key("k"), tuitest.Key("enter"), tuitest.Key("y"))
		must.Be(t, strings.Join(r.screens["pulses"].log, " "), "resume k resume k")
		must.Be(t, strings.Join(r.screens["detail"].log, " "), "y")
		r.screens["detail"].log = []string{"x"}
		r.Send(tuitest.Key("s"), tuitest.Key("y")) // a slow command does not hold up the next key
		must.Be(t, strings.Join(r.screens["detail"].log, " "), "x y")
		r.Advance(time.Hour)
	})
}

func TestAnswersFindTheirScreen(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Press("s", "2", "s")
		providers := r.screens["providers"]
		pulses := r.screens["pulses"]
		r.Press("enter")
		r.Advance(2 * time.Minute)
		must.Be(t, strings.Join(providers.log, " "), "answer:providers")
		must.Be(t, strings.Join(pulses.log, " "), "answer:pulses")
		if got := strings.Join(r.screens["detail"].log, " "); got != "" {
			t.Errorf("the top screen saw %q", got)
		}
		r.Press("s", "esc")
		detail := r.screens["detail"]
		r.Advance(2 * time.Minute)
		if got := strings.Join(detail.log, " "); got != "" {
			t.Errorf("a closed screen saw %q", got)
		}
	})
}

// TestLateScreensStayAway has a screen ask to open another one after the user has gone on:
// it does not open over what they see then, which their keys are about.
func TestLateScreensStayAway(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ask   tea.Msg
		away  string // the key that leads elsewhere
		wants string // on top at the end
	}{
		"opens":               {screen.Goto{To: place.Flavor{Ref: "late"}}, "", "detail late"},
		"pushes":              {screen.PushMsg{Screen: &testScreen{name: "late"}}, "", " > providers > late"},
		"over another screen": {screen.Goto{To: place.Flavor{Ref: "late"}}, "enter", "detail providers"},
		"pushed over another": {screen.PushMsg{Screen: &testScreen{name: "late"}}, "enter", "detail providers"},
		"over another stack":  {screen.Goto{To: place.Flavor{Ref: "late"}}, "7", " pulses > migrations"},
		"over help":           {screen.Goto{To: place.Flavor{Ref: "late"}}, "?", "HERE"},
		"replaces elsewhere":  {screen.Goto{To: place.Flavor{Ref: "late"}, Replace: true}, "7", " pulses > migrations"},
		"replaces below":      {screen.Goto{To: place.Flavor{Ref: "late"}, Replace: true}, "enter", " pulses > detail late > detail providers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := open(t, 100, 24, nil)
				r.Press("2")
				r.screens["providers"].late = test.ask
				r.Press("x", "B") // the first makes it say its keys again
				if test.away != "" {
					r.Press(test.away)
				}
				before := r.Text()
				r.Advance(2 * time.Minute)
				r.wants(t, test.wants)
				if test.away != "" && !strings.Contains(name, "below") {
					must.Be(t, r.Text(), before)
				}
			})
		})
	}
}

func TestLive(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, func(cfg *tui.Config) {
			keep(cfg, func(s *cloud.Snapshot) (keeper.Report, time.Time) {
				return keeper.Report{Critical: int(s.Revision()), Warnings: 11}, time.Time{}
			})
		})
		r.wants(t, "!11")
		s := r.screens["pulses"]
		start := s.snaps
		for i := range 1000 { // for one second
			r.cloud.change(t, i)
			r.Advance(time.Millisecond)
		}
		r.Advance(2 * time.Second)
		if got := s.snaps - start; got < 15 || got > 22 {
			t.Errorf("1,000 changes in a second gave %d updates, want about 20", got)
		}
		r.wants(t, "rev=1000", "rev 1 000", "✗1 000 !11")

		r.Press("p")
		r.cloud.change(t, 1000)
		r.Advance(time.Second)
		r.wants(t, "◌ paused +1", "rev=1000")
		r.Press("R")
		r.wants(t, "rev=1001")
		r.Press("p")
		r.wants(t, "◉ live", "rev=1001")

		r.Send(tea.BlurMsg{})
		r.cloud.change(t, 1001)
		r.Settle()
		before := s.snaps
		for i := range 30 {
			r.cloud.change(t, 2000+i)
			r.Advance(100 * time.Millisecond)
		}
		if got := s.snaps - before; got > 4 {
			t.Errorf("%d updates in 3 s without focus", got)
		}
		r.Send(tea.FocusMsg{})
		r.wants(t, "rev=1032")

		r.Press("2") // a hidden screen gets no data until it is shown again
		r.cloud.change(t, 5000)
		r.Advance(time.Second)
		r.Press("q")
		r.wants(t, "pulses rev=1033")
	})
}

func TestIdleCostsNothing(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, func(cfg *tui.Config) { keep(cfg, nil) })
		r.cloud.change(t, 1)
		r.Advance(time.Minute)
		frame, views := r.Frame(), r.screens["pulses"].views
		r.Advance(24 * time.Hour)
		if r.Frame() != frame {
			t.Error("an idle screen changes")
		}
		if got := r.screens["pulses"].views - views; got != 0 {
			t.Errorf("an idle screen was drawn %d times", got)
		}
	})
}

func TestReadOnly(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.wants(t, "D delete...")
		r.cloud.readOnly = "the file is open elsewhere"
		r.Press("j")
		r.wants(t, " RO ")
		r.lacks(t, "D delete...")
		r.Press("D")
		r.wants(t, "delete...: the file is open elsewhere")
		must.Be(t, strings.Join(r.screens["pulses"].log, " "), "j")
		r.Press("?")
		r.lacks(t, "delete...  ")
	})
}

// TestReadOnlyOpensNoForms refuses to open forms that end in a write, by their names,
// too.
func TestReadOnlyOpensNoForms(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, func(cfg *tui.Config) {
			form := screen.Declare(func(env screen.Env, _ place.NewProvider) (screen.Screen, error) {
				return &testScreen{env: env, name: "form"}, nil
			})
			cfg.Screens = append(cfg.Screens, form.Called("newprovider").Writing(placement.CreateProvider{}))
		})
		ask := func() {
			r.Press(":")
			r.Type("newprovider")
			r.Press("enter")
		}
		ask()
		r.wants(t, "> form")
		r.Press("esc")
		r.cloud.readOnly = "the file is open elsewhere"
		ask()
		r.wants(t, ":newprovider", "nothing can be written: the file is open")
		r.lacks(t, "> form")
		r.Press("esc", "'")
		r.lacks(t, ":newprovider")
	})
}

func TestQuitAsksTwiceWhileWriting(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.screens["pulses"].pending = "a write is under way"
		r.Press("ctrl+c")
		r.wants(t, "a write is under way", "^c again quits")
		r.Press("j", "ctrl+c")
		if r.Quit() {
			t.Fatal("another key between the two does not count")
		}
		r.Press("ctrl+c")
		if !r.Quit() {
			t.Error("the second ctrl+c did not quit")
		}
	})
}

func TestToastsComeAndGo(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		before := r.Frame()
		r.Press("c")
		r.wants(t, "copied the id")
		r.Send(screen.ToastMsg{Severity: style.SeverityCritical, Text: "it broke"})
		r.wants(t, "it broke")
		r.Advance(time.Minute)
		r.lacks(t, "copied", "it broke")
		if r.Frame() != before {
			t.Error("the frame is not as before")
		}
	})
}

// TestHintsOfToastsHold withdraws a toast once the key of its hint is pressed, or a screen
// says that it no longer holds.
func TestHintsOfToastsHold(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Send(screen.ToastMsg{Severity: style.SeverityOK, Text: "written", Hint: "z to undo"})
		r.Press("j")
		r.wants(t, "written   z to undo")
		r.Press("z")
		r.lacks(t, "written")
		hidden := screen.ToastMsg{Text: "the filter hides it"}
		r.Send(hidden)
		r.wants(t, "the filter hides it")
		r.Send(screen.UnsayMsg(hidden))
		r.lacks(t, "the filter hides it")
	})
}

func TestCommandPrompt(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Press(":")
		r.Type("rp /gpu owner=both")
		r.Press("enter")
		r.wants(t, " pulses > providers gpu owner=both")
		r.Press(":")
		r.Type("migr")
		r.wants(t, ":migrations")
		r.Press("enter") // runs what is shown behind the cursor
		r.wants(t, " pulses > migrations")
		r.Press(":")
		r.Type("xyzzy")
		r.Press("enter")
		r.wants(t, "no such command")
		r.Press("esc", ":")
		r.Type("migration")
		r.Press("s", "x", "enter")
		r.wants(t, "no such command; try :migrations")
		for name, want := range map[string]string{
			"who": "only on a shared file or over SSH", "people": "only on a shared file or over SSH", "ages": "only on a remote cloud",
		} {
			r.Press("esc", ":")
			r.Type(name)
			r.Press("enter")
			r.wants(t, want)
		}
		r.Press("esc")
		r.lacks(t, "no such command")
		r.Press(":")
		r.Type("test.off")
		r.Press("enter")
		r.wants(t, "nothing is marked")
		r.Press("esc", ":")
		r.Paste("test.delete")
		r.Press("enter")
		must.Be(t, strings.Join(r.screens["migrations"].log, " "), "did-delete")
		r.Press(":")
		r.Type("providers nonsense")
		r.Press("enter")
		r.wants(t, "providers: no such thing: nonsense", " pulses  ")
		r.Press(":")
		r.Type("q")
		r.Press("enter")
		if !r.Quit() {
			t.Error(":q does not quit")
		}
	})
}

func TestBrokenScreens(t *testing.T) {
	t.Parallel()
	for key, what := range map[string]string{
		"U": "broken Update", "V": "broken View", "X": "broken Run", "C": "broken command",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := open(t, 100, 24, nil)
				r.Press("2", "/")
				r.Type("secret")
				r.Press("enter", key)
				r.wants(t, "PANIC", "something broke in screen 'providers'", what,
					"Your data is safe: last write rev 0", "report: /state/crash.txt", "enter  back to pulses")
				if len(r.reports) != 1 {
					t.Fatalf("%d reports", len(r.reports))
				}
				report := string(r.reports[0])
				must.Say(t, report, what, "app_test.go", "size 100x24", "key 2", "screen    providers {Filter:}\n", "demo (memory)")
				if strings.Contains(report, "key s\n") {
					t.Error("the report tells what was typed into an input")
				}
				r.Press("j", "2") // the rest of the dashboard still works
				r.wants(t, "PANIC")
				r.Press("enter")
				r.wants(t, "pulses rev=0")
				r.lacks(t, "PANIC")
				r.Press("[")
				r.lacks(t, "PANIC")
			})
		})
	}
}

// TestBrokenAfterView replaces a screen that breaks after its View, like one that breaks in it.
func TestBrokenAfterView(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Press("2")
		r.screens["providers"].breakOn = "AfterView"
		r.Press("j")
		r.wants(t, "PANIC", "something broke in screen 'providers'", "broken AfterView", "report: /state/crash.txt")
		r.Press("enter")
		r.wants(t, "pulses rev=0")
	})
}

func TestFactoryPanics(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Screens[2].Open = func(screen.Env, place.Place) (screen.Screen, error) { panic("broken factory") }
			cfg.SaveReport = func([]byte) (string, error) { return "", errors.New("disk full") }
		})
		r.Press("7")
		r.wants(t, "PANIC", "broken factory", "no report: disk full")
	})
}

func TestFirstPageAndOpen(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		next := newCloud(time.Now)
		next.change(t, 1)
		r := open(t, 80, 24, func(cfg *tui.Config) {
			cfg.Cloud, cfg.Name = nil, ""
			cfg.First = screen.NewFirstRun(cfg.Env.Styles,
				screen.Choice{Key: "1", Title: "load the demo cloud", Run: func() tea.Cmd {
					return screen.Send(tui.OpenMsg{Cloud: next, Name: "demo"})
				}},
				screen.Choice{Key: "2", Title: "import from openstack"},
			)
		})
		r.wants(t, "FIRST RUN  this cloud has no providers yet.", "1  load the demo cloud", "2  import from openstack")
		r.lacks(t, "2 providers")
		r.Press("1")
		r.wants(t, "placetop  demo  RW", "pulses rev=1")
		next.change(t, 2)
		r.Advance(time.Second)
		r.wants(t, "pulses rev=2")
	})
}

func TestLockedPage(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, func(cfg *tui.Config) {
			cfg.Cloud = nil
			cfg.First = screen.NewLocked(cfg.Env.Styles, "/data/placetop.db", "pid 4211, placetop on pts/3, since 13:20",
				screen.Choice{Key: "w", Title: "wait"})
		})
		r.wants(t, "LOCKED", "the file is open elsewhere (pid 4211, placetop on pts/3, since", "/data/placetop.db", "w  wait")
		if footer := r.Lines()[len(r.Lines())-1]; strings.Contains(footer, "pause") {
			t.Errorf("with no cloud open the footer offers to pause: %q", footer)
		}
		r.Press("q")
		if !r.Quit() {
			t.Error("q does not quit")
		}
	})
}

func TestRefresh(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		var fail error
		fetched := 0
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Refresh = func(context.Context) error {
				fetched++
				return fail
			}
		})
		r.Press("R")
		fail = errors.New("dial tcp: timeout")
		r.Press("R")
		r.wants(t, "refresh: dial tcp: timeout")
		must.Be(t, fetched, 2)
	})
}

// link is the state of the connection to a live cloud.
type link struct {
	tui.LinkState
	news   chan struct{}
	looked []placement.ProviderID
	held   context.Context //nolint:containedctx // what the link was given
}

func (l *link) Link() tui.LinkState                    { return l.LinkState }
func (l *link) Linked(context.Context) <-chan struct{} { return l.news }
func (l *link) Hold(ctx context.Context)               { l.held = ctx }
func (l *link) Look(ids ...placement.ProviderID)       { l.looked = ids }

// TestPausesLink stops reading a live cloud while the dashboard is paused, and shows the
// age of its data.
func TestPausesLink(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		far := &link{LinkState: tui.LinkState{ServiceLink: cloud.ServiceLink{At: time.Now()}}, news: make(chan struct{}, 1)}
		r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Link = far })
		r.Press("p")
		r.Advance(20 * time.Second)
		r.wants(t, "◌ paused 20s")
		if far.held == nil || far.held.Err() != nil {
			t.Fatalf("it is not held: %v", far.held)
		}
		far.At = time.Now() // by another session
		r.Advance(15 * time.Second)
		r.wants(t, "◌ paused 3")
		r.Press(":", "a", "g", "e", "s", "enter")
		r.wants(t, "paused: p resumes, R reads it now")
		r.Press("esc", "R")
		r.wants(t, "◌ paused 1")
		r.Press("p")
		r.wants(t, "◉ live")
		if far.held.Err() == nil {
			t.Error("it is held still")
		}
	})
}

// TestSaysWhyItIsStale says in a line why a live cloud cannot be read, or where the
// complete reason is.
func TestSaysWhyItIsStale(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		far := &link{LinkState: tui.LinkState{ServiceLink: cloud.ServiceLink{At: time.Now()}}, news: make(chan struct{}, 1)}
		r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Link = far })
		lost := func(why string) {
			far.Lost = why
			far.news <- struct{}{}
			r.Advance(time.Second)
		}
		lost("nobody is there")
		r.wants(t, "◌ stale", "! nobody is there   R again")
		lost("")
		long := strings.Repeat("a reason that goes on ", 6) + "and ends"
		lost(long)
		r.wants(t, "! this cloud cannot be read now   :ages says why")
		r.Press(":", "a", "g", "e", "s", "enter")
		r.wants(t, "and ends")
	})
}

// TestLooks tells a cloud that is being read which providers are on screen, and once
// everything is read, no more.
func TestLooks(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		far := &link{LinkState: tui.LinkState{Doing: "reading"}, news: make(chan struct{}, 1)}
		r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Link = far })
		looks := func(at string, want int) {
			t.Helper()
			r.wants(t, at)
			if len(far.looked) != want {
				t.Errorf("%s: %d are looked at, want %d", at, len(far.looked), want)
			}
		}
		looks("pulses rev=0", len("pulses"))
		r.Type("2")
		looks("providers rev=0", len("providers"))
		far.LinkState = tui.LinkState{ServiceLink: cloud.ServiceLink{At: time.Unix(0, 0)}}
		far.news <- struct{}{}
		r.Advance(time.Second)
		r.Type("7")
		looks("migrations rev=0", len("providers"))
	})
}

// TestLink shows how old the data of a live cloud is, and why.
func TestLink(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		far := &link{LinkState: tui.LinkState{Doing: "reading providers 4 of 10"}, news: make(chan struct{}, 1)}
		var now func() time.Time
		r := open(t, 100, 24, func(cfg *tui.Config) { cfg.Link, now = far, cfg.Env.Clock })
		tell := func(m tui.LinkState) {
			far.LinkState = m
			far.news <- struct{}{}
			r.Advance(time.Second)
		}
		r.wants(t, "reading providers 4 of 10")
		placement := func(l cloud.ServiceLink) tui.LinkState {
			l.Name = "Placement"
			return tui.LinkState{ServiceLink: l}
		}
		tell(placement(cloud.ServiceLink{At: now().Add(-time.Minute)}))
		r.wants(t, "live 1m")
		tell(placement(cloud.ServiceLink{At: now().Add(-38 * time.Minute), Lost: "10.0.0.5:8778 cannot be reached"}))
		r.wants(t, "stale 38m", "10.0.0.5:8778 cannot be reached")
		tell(placement(cloud.ServiceLink{At: now().Add(-14 * time.Minute), Since: now().Add(-20 * time.Second)}))
		r.wants(t, "slow 14m")
		tell(placement(cloud.ServiceLink{At: now()}))
		r.wants(t, "live 1s")
		far.LinkState = placement(cloud.ServiceLink{At: now().Add(-time.Minute), Next: now().Add(time.Hour), Took: time.Second, Requests: 43})
		far.Parts = []cloud.Reading{
			{Part: cloud.Providers, At: now().Add(-time.Minute), Rows: 1200},
			{Part: cloud.Instances, At: now().Add(-2 * time.Hour), Rows: 7, Why: "403 Forbidden"},
			{Part: cloud.Migrations, Why: "503"},
		}
		tell(far.LinkState)
		r.Press(":", "a", "g", "e", "s", "enter")
		r.wants(t, "Placement    1m ago       43 requests, 1s; again in 59m", "providers    1m ago       1 200", "servers      2h ago       403 Forbidden", "migrations   never read   503")
		tell(placement(cloud.ServiceLink{At: now(), Lost: "it cannot be reached"}))
		r.wants(t, "R reads it again; it cannot be reached")
		followed := tui.LinkState{ServiceLink: cloud.ServiceLink{Name: "etcd"}, Followed: true}
		tell(followed)
		r.wants(t, "etcd         changes by others appear at once")
		followed.At, followed.Lost = now().Add(-time.Minute), "no answer in time"
		tell(followed)
		r.wants(t, "etcd         1m ago       R asks again; no answer in time")
	})
}

// TestLinkOfEachService shows a Nova that hangs beside a Placement that answers: it is
// slow, then stale, without any news of it, and all keys work.
func TestLinkOfEachService(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		far := &link{news: make(chan struct{}, 1)}
		var now func() time.Time
		r := open(t, 80, 24, func(cfg *tui.Config) {
			cfg.Link, now = far, cfg.Env.Clock
			is := cloud.ServiceLink{Name: "Placement", At: now(), Every: 30 * time.Second}
			far.LinkState = tui.LinkState{ServiceLink: is, Beside: []cloud.ServiceLink{{Name: "Nova", At: now(), Since: now(), Every: is.Every}}}
		})
		r.wants(t, "◉ live")
		r.lacks(t, "Nova")
		r.Advance(11 * time.Second)
		r.wants(t, "◉ live", "Nova slow 1")
		r.Advance(15 * time.Second)
		r.wants(t, "◉ live", "Nova stale 2")
		r.Type("2")
		r.wants(t, "providers rev=0", "Nova stale")
		r.Press(":", "a", "g", "e", "s", "enter")
		r.Press("j") // all of a note is in the pane
		r.wants(t, "Nova", "reading; Nova has not answered for 26s")
		far.Beside = []cloud.ServiceLink{{Name: "Nova", At: now(), Every: 30 * time.Second}}
		far.news <- struct{}{}
		r.Press("esc")
		r.Advance(time.Second)
		r.lacks(t, "Nova stale")
	})
}

// TestFooterSaysWhatKeysDo checks the hints if a key means something other than usual.
func TestFooterSaysWhatKeysDo(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.lacks(t, "esc back") // at the root, esc has nowhere to go
		r.lacks(t, "^c quit")  // q does that
		r.Press("2")
		r.wants(t, "? help  esc back  : command  1 pulses", "^c quit")
		r.lacks(t, "q quit") // it goes back here
		r.Press(":")
		r.wants(t, "enter run  tab complete  esc close")
		r.lacks(t, "1 pulses") // a digit is text
		r.Press("esc", "/")
		r.wants(t, "^c close")
		r.lacks(t, "1 pulses")
		r.lacks(t, "esc back")
		r = open(t, 100, 24, nil)
		r.Press(":", "tab")
		r.wants(t, "enter run", "esc back")
		r.lacks(t, "1 pulses") // a digit chooses a line
	})
}

func TestTerminalKeysWorkWhileTyping(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"screen": "/", "command": ":"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := open(t, 100, 24, func(cfg *tui.Config) { cfg.Local = true })
				r.Press(key, "a", "ctrl+z", "b")
				if got := strings.Join(r.screens["pulses"].log, " "); name == "screen" && got != "a b" {
					t.Errorf("the input saw %q", got)
				}
				_, cmd := r.app.Update(tuitest.Key("ctrl+z"))
				if !sends(cmd, session.Suspend()()) {
					t.Error("ctrl+z does not suspend")
				}
			})
		})
	}
}

// sends reports whether cmd, or one of the commands in it, returns want.
func sends(cmd tea.Cmd, want tea.Msg) bool {
	if cmd == nil {
		return false
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		return slices.ContainsFunc(batch, func(c tea.Cmd) bool { return sends(c, want) })
	}
	return msg == want
}

func TestLongStandingLeavesTheCrumbs(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, nil)
		r.Press("2", "enter")
		r.wants(t, "pulses > providers > detail providers", "status of")
		r.screens["detail"].name = strings.Repeat("x", 40)
		r.Press("x")
		r.wants(t, "pulses > providers > xxx")
		r.lacks(t, "status of")
		r.Resize(60, 24)
		r.wants(t, "… > ", "> xxx")
	})
}

// TestScreensByName opens screens without a key.
func TestScreensByName(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Screens = append(cfg.Screens,
				screen.Declaration{Of: place.Devices{}}.On("8").Called("devices", "dev"),
				screen.Declaration{Of: place.Flavors{}}.On("9").Called("flavors", "flavor", "fl"),
				screen.Declaration{Of: place.Instances{}}.On("0").Called("instances", "inst", "vm"),
				screen.Declaration{Of: place.Services{}}.Called("services", "svc"),
				screen.Declaration{Of: place.ARQs{}}.Called("arqs", "arq"),
				screen.Declaration{Of: place.Profiles{}}.Called("profiles", "dp").Titled("device profiles"),
			)
			for i := range cfg.Screens[2:] {
				cfg.Screens[2+i].Open = func(env screen.Env, at place.Place) (screen.Screen, error) {
					return &testScreen{env: env, name: strings.TrimSpace(place.Kind(at) + " " + place.Text(at))}, nil
				}
			}
		})
		for typed, want := range map[string]string{
			"flavors gpu": "flavors gpu", "fl": "flavors", "inst host=cmp-1": "instances host=cmp-1", "vm": "instances", "svc": "services",
			"dev": "devices", "arq /state=Bound": "arqs state=Bound", "mig": "migrations", "dp": "profiles", "insta": "instances",
		} {
			r.Press(":")
			r.Type(typed)
			r.Press("enter")
			r.wants(t, "pulses > "+want+" ")
		}
		r.Press("?")
		r.Type("command")
		r.wants(t, "or go to services, arqs, device profiles")
		r.Press("esc", "esc")
		for key, want := range map[string]string{"7": "migrations", "8": "devices"} {
			r.Press(key)
			r.wants(t, "pulses > "+want+" ")
		}
	})
}

// TestTabListsCommands lists all commands, for users who do not know any.
func TestTabListsCommands(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Press(":", "tab")
		r.wants(t, "commands", ":providers", ":rp", ":migrations", "enter run")
		r.Press("j", "enter")
		r.wants(t, " pulses > providers")
	})
}

// TestFind goes to anything from the current screen, and back.
func TestFind(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Screens = append(cfg.Screens, screen.Declare(func(env screen.Env, _ place.Find) (screen.Screen, error) {
				names := ""
				for _, v := range env.Views() {
					if v.Kind != "view" {
						continue
					}
					names += " " + v.Name
				}
				return &testScreen{env: env, name: "find" + names}, nil
			}))
		})
		r.Press("2", "ctrl+p")
		r.wants(t, "pulses > providers > find pulses providers migrations")
		r.Press("esc")
		r.wants(t, "pulses > providers ")
		r.Press("/") // the screen uses it
		r.lacks(t, "> find")
		r.Press("enter")
		r.screens["providers"].idle = true
		r.Press("j")
		r.Press("/")
		r.wants(t, "pulses > providers > find")
	})
}

// TestUnfinished reports once what was interrupted and where to find it, and again if
// there is more; the header always shows the number.
func TestUnfinished(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		left := []string{"the boot of web-1 stopped at spawning"}
		r := open(t, 80, 24, func(cfg *tui.Config) {
			keep(cfg, func(*cloud.Snapshot) (keeper.Report, time.Time) {
				return keeper.Report{Interrupted: left}, time.Time{}
			})
		})
		r.wants(t, "the boot of web-1 stopped at spawning   :unfinished", "1 unfinished  ✓")
		r.Advance(time.Minute)
		r.cloud.change(t, 1)
		r.Advance(5 * time.Second)
		r.wants(t, "1 unfinished  ✓")
		if strings.Contains(r.Text(), "stopped at") {
			t.Errorf("it says so again:\n%s", r.Text())
		}
		left = append(left, "the delete of web-2 stopped")
		r.cloud.change(t, 2)
		r.Advance(5 * time.Second)
		r.wants(t, "2 things were interrupted   :unfinished", "2 unfinished  ✓")
		r.Resize(40, 8)
		r.wants(t, "u2 ✓")
		r.Resize(80, 24)
		left = nil
		r.cloud.change(t, 3)
		r.Advance(2 * time.Second)
		if strings.Contains(r.Text(), "interrupted") {
			t.Errorf("it still says so once nothing is left:\n%s", r.Text())
		}
	})
}

// TestUnfinishedByTheClock shows what the keeper finds without any write.
func TestUnfinishedByTheClock(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		stopped := time.Now().Add(10 * time.Second)
		r := open(t, 80, 24, func(cfg *tui.Config) {
			keep(cfg, func(*cloud.Snapshot) (keeper.Report, time.Time) {
				if time.Now().Before(stopped) {
					return keeper.Report{}, time.Now().Add(time.Second)
				}
				return keeper.Report{Interrupted: []string{"the boot of web-1 stopped"}}, time.Time{}
			})
		})
		r.Advance(9 * time.Second)
		if strings.Contains(r.Text(), "unfinished") {
			t.Errorf("it says so while it is under way:\n%s", r.Text())
		}
		r.Advance(2 * time.Second)
		r.wants(t, "the boot of web-1 stopped   :unfinished")
	})
}

// TestPendingMoves shows on every screen how many moves wait for a user.
func TestPendingMoves(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, func(cfg *tui.Config) {
			keep(cfg, func(*cloud.Snapshot) (keeper.Report, time.Time) { return keeper.Report{Waiting: 2}, time.Time{} })
		})
		r.wants(t, "2 pending  ✓")
		r.Press("2")
		r.wants(t, "2 pending  ✓")
		r.Resize(40, 8)
		r.wants(t, "~2 ✓")
	})
}

// TestWhoIsHere names in the header who is at the dashboard of a server, with their role, and
// counts the others. Whoever works on their own file is named once another dashboard has it.
func TestWhoIsHere(t *testing.T) {
	t.Parallel()
	for _, served := range []bool{false, true} {
		tuitest.Run(t, func(t *testing.T) {
			here := []tui.ConnectedUser{{Name: "bob", Role: "reader"}}
			r := open(t, 100, 24, func(cfg *tui.Config) {
				cfg.Me, cfg.Who = "bob reader", func() []tui.ConnectedUser { return here }
				if served {
					cfg.Presence = tui.NewPresence()
				}
				cfg.Keeper = keeper.New(cfg.Cloud, keeper.Options{Now: cfg.Env.Clock})
			})
			if served {
				r.wants(t, "bob reader ")
			} else {
				r.lacks(t, "bob reader")
			}
			r.lacks(t, "more")
			here = append(here, tui.ConnectedUser{Name: "alice", Role: "operator"})
			r.Press("2")
			r.wants(t, "bob reader and 1 more")
		})
	}
}
