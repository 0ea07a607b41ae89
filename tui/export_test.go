package tui_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// tabled is a screen with a table and something to copy.
type tabled struct {
	testScreen
	nothing bool
}

func (s *tabled) Table() (format.Table, bool) {
	return format.Table{Name: "things", Heads: []string{"name"}, Rows: [][]format.Cell{{{Text: "one"}}}}, true
}

func (s *tabled) Copies() []screen.CopyMsg {
	if s.nothing {
		return nil
	}
	return []screen.CopyMsg{{What: "uuid", Text: "u-1"}, {What: "JSON", Text: "{\n}"}}
}

func TestExports(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		wrote := map[string]string{}
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Screens[1].Open = func(env screen.Env, _ place.Place) (screen.Screen, error) {
				return &tabled{testScreen: testScreen{env: env, name: "things"}}, nil
			}
			cfg.WriteFile = func(name string, data []byte) (string, error) {
				if _, there := wrote[name]; there {
					return "", fmt.Errorf("%s is there already: %w", name, fs.ErrExist)
				}
				wrote[name] = string(data)
				return name, nil
			}
		})
		say := func(text string) {
			t.Helper()
			r.Press(":")
			r.Type(text)
			r.Press("enter")
		}
		say("export csv")
		r.wants(t, "export: this screen has no table   :dump writes it as it looks")
		r.Press("2")
		say("export md my.md")
		r.wants(t, "wrote my.md")
		say("export my.csv")
		say("export csv my.csv")
		r.wants(t, "export: my.csv is there already", ":export csv NAME writes another file")
		say("export xls")
		r.wants(t, "xls is none of csv, json, yaml, md, txt, ansi, svg")
		say("dump svg p") // the extension is the format
		r.wants(t, "wrote p.svg")
		say("dump svg p")
		r.wants(t, ":dump svg NAME writes another file")
		say("dump ansi p.ansi")
		say("dump text p.text")
		r.Press("ctrl+s")
		r.wants(t, "> things > export", "csv ", "1 row, for spreadsheets", "as a picture")
		r.Press("G", "k", "k", "enter")
		say("dump") // within the same second
		for name, want := range map[string]string{
			"my.md": "| one  |", "my.csv": "name\none\n", "p.svg": "<svg ", "p.ansi": "\x1b[", "p.text": " pulses > things", "screen-2000-01-01T00-00-00.txt": " pulses > things",
			"screen-2000-01-01T00-00-00-2.txt": " pulses > things",
		} {
			if !strings.Contains(wrote[name], want) {
				t.Errorf("%s is %q, want %q in it", name, wrote[name], want)
			}
		}
		if text := wrote["p.text"]; strings.Contains(text, ":dump") {
			t.Errorf("the dump shows the command that asked:\n%s", text)
		}
		if text := wrote["screen-2000-01-01T00-00-00.txt"]; strings.Contains(text, "> export") || strings.Contains(text, "\x1b") {
			t.Errorf("the dump shows the page that asked, or colours:\n%s", text)
		}
	})
}

func TestCopyAs(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := &tabled{}
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Screens[1].Open = func(env screen.Env, _ place.Place) (screen.Screen, error) {
				s.testScreen = testScreen{env: env, name: "things"}
				return s, nil
			}
		})
		r.Press("2", ":")
		r.Type("copyas")
		r.Press("enter")
		r.wants(t, "> things > copy as", "uuid", "JSON")
		r.Press("j", "enter")
		r.wants(t, "copied JSON", " pulses > things")
		s.nothing = true
		r.Press(":")
		r.Type("copyas")
		r.Press("enter")
		r.wants(t, "there is nothing under the cursor")
		r.Press(":")
		r.Type("dump")
		r.Press("enter")
		r.wants(t, "copied screen as txt, as no files can be written here")
	})
}
