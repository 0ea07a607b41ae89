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
		r.wants(t, "export: this screen has no table")
		r.Press("2")
		say("export md my.md")
		r.wants(t, "wrote my.md")
		say("export my.csv")
		say("export csv my.csv")
		r.wants(t, "export: my.csv is there already", ":export csv NAME writes another file")
		say("export xls")
		r.wants(t, "xls is none of csv, json, yaml, md")
		say("export")
		r.wants(t, "> things > export", "csv ", "1 row, for spreadsheets")
		r.Press("enter")
		say("export csv") // within the same second
		for name, want := range map[string]string{
			"my.md": "| one  |", "my.csv": "name\none\n",
			"things-2000-01-01T00-00-00.csv": "name\none\n", "things-2000-01-01T00-00-00-2.csv": "name\none\n",
		} {
			if !strings.Contains(wrote[name], want) {
				t.Errorf("%s is %q, want %q in it", name, wrote[name], want)
			}
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
		r.Type("export csv")
		r.Press("enter")
		r.wants(t, "copied things as csv, as no files can be written here")
	})
}
