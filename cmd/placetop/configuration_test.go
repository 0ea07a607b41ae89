package main

import (
	"testing"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestActionsOfPagesAreKnown checks that actions of pages about one thing are not
// reported as mistakes.
func TestActionsOfPagesAreKnown(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	env := tuitest.Env(c, tuitest.Plain())
	env.Context = t.Context()
	p := &program{now: env.Clock, settings: config.Settings{Keys: action.Bindings{}}}
	for _, at := range pages(t, c) {
		for _, d := range screens() {
			if place.Kind(d.Of) != place.Kind(at) {
				continue
			}
			if s, err := d.Open(env, at); err == nil {
				for _, a := range s.Actions() {
					p.settings.Keys[a.ID] = nil
				}
			}
		}
	}
	unknown, err := p.unknownActions(t.Context())
	if err != nil || len(p.settings.Keys) < 300 {
		t.Fatal(len(p.settings.Keys), err)
	}
	if len(unknown) > 0 {
		t.Errorf("there are %q", unknown)
	}
}
