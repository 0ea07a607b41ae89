package tui_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestThemesAreShownLive(t *testing.T) {
	t.Parallel()
	m := &screen.Memory{}
	tuitest.Run(t, func(t *testing.T) {
		own := fstest.MapFS{"mine.toml": &fstest.MapFile{
			Data: []byte("base = \"default-dark\"\ntitle = \"my colours\"\n[tokens]\nlogo = { fg = \"#010203\", ansi = \"red\" }\n"), ModTime: time.Now(),
		}}
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Env.Memory = m
			cfg.Theming = tui.Theming{Own: own, Name: "default-dark"}
		})
		logo := func() string {
			line, _, _ := strings.Cut(r.app.View(), " placetop")
			return line
		}
		dark := logo()
		r.Press(":", "t", "h", "e", "m", "e", "enter")
		r.wants(t, "pulses > themes", "okabe", "paper", "my colours   your own", "follows the background of the terminal")
		r.Press("j")
		if logo() == dark {
			t.Error("a theme does not show as the cursor comes to it")
		}
		r.Press("esc")
		if logo() != dark {
			t.Error("esc does not bring the theme back")
		}
		r.Press(":", "up", "enter", "G", "enter")
		if m.Theme != "mine" || !strings.Contains(logo(), "1;2;3") {
			t.Errorf("mine was picked, kept is %q, the logo is %q", m.Theme, logo())
		}
		own["mine.toml"].Data = []byte(strings.Replace(string(own["mine.toml"].Data), "010203", "040506", 1))
		own["mine.toml"].ModTime = time.Now().Add(time.Second)
		r.Advance(3 * time.Second)
		if !strings.Contains(logo(), "4;5;6") {
			t.Errorf("a theme that was changed is not read again: the logo is %q", logo())
		}
		own["mine.toml"].Data, own["mine.toml"].ModTime = []byte("[tokens"), time.Now().Add(2*time.Second)
		r.Advance(3 * time.Second)
		r.wants(t, "theme: mine.toml:1:")
		if !strings.Contains(logo(), "4;5;6") {
			t.Error("a faulty theme took the colours away")
		}
		r.Press(":")
		r.Type("theme auto")
		r.Press("enter")
		if logo() != dark {
			t.Error("auto is not the dark one where nothing is known")
		}
		r.Send(session.BackgroundMsg{Dark: false})
		if logo() == dark {
			t.Error("a light terminal gets the dark theme")
		}
		r.Press(":")
		r.Type("theme nowhere")
		r.Press("enter")
		r.wants(t, "unknown theme")
		r.Press(":")
		r.Type("theme nowhere") // while that is still shown
		r.Press("enter")
		must.Be(t, m.Theme, "auto")
	})
}

// TestThemeThatBreaksWhileOthersAreTried has nothing to go back to: the colours stay, and
// messages still go after their time.
func TestThemeThatBreaksWhileOthersAreTried(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		own := fstest.MapFS{"mine.toml": &fstest.MapFile{Data: []byte("base = \"default-dark\"\ntitle = \"mine\"\n")}}
		r := open(t, 100, 24, func(cfg *tui.Config) { cfg.Theming = tui.Theming{Own: own, Name: "mine"} })
		r.Press(":")
		r.Type("theme")
		r.Press("enter", "k")
		own["mine.toml"].Data = []byte("[tokens")
		r.Press("esc", "e")
		r.wants(t, "edit: nothing is marked")
		r.Advance(time.Minute)
		r.lacks(t, "nothing is marked", "mine.toml")
	})
}
