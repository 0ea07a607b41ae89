package form_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"

	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/screen/edit"
	"github.com/placetop/placetop/tui/screen/services"
	"github.com/placetop/placetop/tui/screen/vocabulary"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestPlansHoldTheirOwnValues plans in the background what is shown, while the user sets
// something else on the page, or goes back to the fields and types: the race detector finds
// a plan that reads what they change.
func TestPlansHoldTheirOwnValues(t *testing.T) {
	t.Parallel()
	start := demoCloud(t)
	pl := start.Placement()
	host, _ := pl.ProviderByName("cmp-001")
	from, to := host, host
	for _, p := range pl.Tree(host) {
		if len(p.Inventories()) > 0 {
			to, from = from, p
		}
	}
	class := string(pl.ClassName(from.Inventories()[0].Class))
	pushed := func(from screen.Screen, key string) screen.Screen {
		return tuitest.Open(t, tuitest.NewCloud(start), from).Opens(key).Screen
	}
	opened := func(s screen.Screen, err error) screen.Screen { return must.Get(s, err)(t) }
	for _, test := range []struct {
		name string
		open func(screen.Env) screen.Screen
		// Shown are the keys up to the preview, other are those that change what it was about.
		shown, other []string
	}{
		{"release", func(env screen.Env) screen.Screen {
			for c := range pl.Consumers() {
				if len(ops.HostsHeld(start, c.ID())) == 2 {
					return opened(consumers.OpenRelease(env, place.Release{Consumer: c.ID()}))
				}
			}
			return nil
		}, nil, []string{"x", "x"}},
		{"delete", func(env screen.Env) screen.Screen {
			return opened(edit.OpenDelete(env, place.DelProvider{ID: host.ID()}))
		}, nil, []string{"x", "x"}},
		{"edit", func(env screen.Env) screen.Screen {
			return confirm.Edit(env, start, "edit", ops.Edit{Of: ops.EditableProvider{ID: host.ID()}, Base: ops.ProviderState{}, Want: ops.ProviderState{}}, nil, "")
		}, nil, []string{"t", "u", "b"}},
		{"reshape", func(env screen.Env) screen.Screen {
			return opened(edit.OpenReshape(env, place.Reshape{From: from.ID()}))
		}, []string{class, "enter", to.Name(), "enter"}, []string{"esc", "x", "shift+tab", "x"}},
		{"trait", func(env screen.Env) screen.Screen {
			return pushed(vocabulary.NewTraits(env, start, ""), "n")
		}, []string{"GOLD", "enter"}, []string{"esc", "EN"}},
		{"service", func(env screen.Env) screen.Screen {
			return opened(services.OpenService(env, place.SetService{Do: "disable", Binary: nova.Compute, Host: "cmp-001"}))
		}, []string{"new fans", "enter"}, []string{"esc", " soon"}},
		{"host aggregate", func(env screen.Env) screen.Screen {
			return pushed(vocabulary.NewAggregates(env, start, ""), "n")
		}, []string{"racks", "enter", "enter", "cmp-001", "enter", "a=b", "enter"}, []string{"esc", "c", "shift+tab", "x", "shift+tab", "y", "shift+tab", "z"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store := tuitest.NewCloud(start)
			page := test.open(screen.Env{Styles: tuitest.Plain(), Clock: tuitest.Now, Cloud: store, Context: t.Context(), Actor: "ops"})
			h := &tuitest.Host{Screen: page}
			background := make(chan struct{})
			ended := 0
			run := func(cmd tea.Cmd) {
				ended++
				go func() {
					drain(cmd)
					background <- struct{}{}
				}()
			}
			run(h.Init())
			for _, key := range test.shown {
				_, cmd := h.Update(tuitest.Key(key))
				run(cmd)
			}
			if next, ok := page.(interface{ Status() string }); len(test.shown) > 0 && ok && next.Status() == "step 1 of 2" {
				t.Errorf("the keys lead to no preview: %s", next.Status())
			}
			for _, key := range test.other {
				_, cmd := h.Update(tuitest.Key(key))
				run(cmd)
			}
			for range ended {
				<-background
			}
		})
	}
}

// drain runs a command and those that it consists of.
func drain(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if more, ok := tuitest.Commands(cmd()); ok {
		for _, one := range more {
			drain(one)
		}
	}
}
