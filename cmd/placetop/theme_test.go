package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestThemeIsReadOnce checks that what a command prints has the colours of the theme that was
// there when it began, without reading it again.
func TestThemeIsReadOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings, file := filepath.Join(dir, "config.toml"), filepath.Join(dir, "themes", "mine.toml")
	must.Succeed(t, os.WriteFile(settings, []byte(`theme = "mine"`), 0o600))
	must.Succeed(t, os.Mkdir(filepath.Dir(file), 0o700))
	must.Succeed(t, os.WriteFile(file, must.Get(themes.Source("paper"))(t), 0o600))
	var out bytes.Buffer
	p := &program{stdout: &out, stderr: &out, env: map[string]string{}}
	root := p.root()
	p.add(root, &cobra.Command{Use: "twice", RunE: func(*cobra.Command, []string) error {
		must.Succeed(t, os.Remove(file))
		for range 2 {
			p.printer().Lines(p.printer().Styles.Palette().Name)
		}
		return nil
	}}, anywhere, p.nouns())
	root.SetArgs([]string{"twice", "--config", settings})
	must.Succeed(t, root.ExecuteContext(t.Context()))
	must.Be(t, out.String(), "mine\nmine\n")
}

// TestScreensFollowTheTheme checks that a screen that was drawn in one theme is drawn in
// another as soon as that is picked: nothing keeps the old colours.
func TestScreensFollowTheTheme(t *testing.T) {
	t.Parallel()
	palette := func(name string) themes.Palette {
		p := must.Get(themes.Load(nil, name))(t)
		return p
	}
	look := func(name string) *style.Styles {
		r := lipgloss.NewRenderer(io.Discard)
		r.SetColorProfile(termenv.TrueColor)
		return style.New(palette(name), r, style.Block())
	}
	c := tuitest.Demo(t, 12)
	for _, d := range screens() {
		if d.Names == nil {
			continue
		}
		open := func(st *style.Styles) *tuitest.Host {
			env := tuitest.Env(c, st)
			env.Context = context.Background()
			s, err := d.Open(env, d.Of)
			if err != nil {
				return nil // it needs a subject
			}
			return tuitest.Open(t, c, s)
		}
		old := look("dracula")
		h, want := open(old), open(look("paper"))
		if h == nil {
			continue
		}
		for _, size := range [][2]int{{80, 20}, {160, 44}} {
			h.Screen.View(size[0], size[1])
			old.SetPalette(palette("paper"))
			if got := h.Screen.View(size[0], size[1]); got != want.Screen.View(size[0], size[1]) {
				t.Errorf("%s keeps colours of the theme before at %dx%d", place.Kind(d.Of), size[0], size[1])
			}
			old.SetPalette(palette("dracula"))
		}
	}
}
