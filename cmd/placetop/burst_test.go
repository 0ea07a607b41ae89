package main

import (
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestKeysInOneBurst sends keys in one go, before the message of any command can come
// back: they lead where each leads alone.
func TestKeysInOneBurst(t *testing.T) {
	t.Parallel()
	base := demotest.Snapshot(t, demo.Options{Hosts: 12, Seed: 1, Now: walkStart()})
	for _, keys := range []string{
		"3 enter d",
		"3 j j d esc enter",
		"2 / c m p - 0 1 2 enter enter y",
		"3 / i n f e r enter s enter d",
		"2 S j enter w tab",
		"2 e esc j d",
		"2 n esc j d",
		"4 enter esc j enter",
		"5 j enter",
		"6 j d",
		"7 d",
		"8 enter d",
		"9 j enter",
		"3 F enter",
		"0 F j",
		"3 r enter",
		"2 w enter esc tab enter",
		"ctrl+p c m p - 0 0 3 enter d",
		"? esc 2 enter",
		"2 ? z esc esc j enter",
		"' j enter enter",
		": f l a v o r s enter enter d",
		"3 space j space D esc d",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				open := func() *tuitest.Driver { return newStroll(t, base, 1).d }
				alone, burst := open(), open()
				var msgs []tea.Msg
				for _, key := range strings.Fields(keys) {
					key = strings.ReplaceAll(key, "space", " ")
					alone.Press(key)
					msgs = append(msgs, tuitest.Key(key))
				}
				burst.Send(msgs...)
				made := regexp.MustCompile(`consumer +[0-9a-f-]{36}`) // a new uuid each time
				if got, want := made.ReplaceAllString(burst.Text(), ""), made.ReplaceAllString(alone.Text(), ""); got != want {
					t.Errorf("in one burst the keys lead to\n%s\none after the other to\n%s", got, want)
				}
			})
		})
	}
}
