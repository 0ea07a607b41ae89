package main

import (
	"context"
	"slices"
	"sync"

	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/remote"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
)

// contexts are the clouds of a dashboard: the one that it began with, and those of
// clouds.yaml. One that was shown stays open, so that going back to it takes no time.
type contexts struct {
	p     *program
	env   screen.Env
	first string

	mu   sync.Mutex
	open map[string]tui.OpenMsg
}

// newContexts returns the clouds of a dashboard that begins with one.
func (p *program) newContexts(env screen.Env, name string, open tui.OpenMsg) *contexts {
	return &contexts{p: p, env: env, first: name, open: map[string]tui.OpenMsg{name: open}}
}

func (c *contexts) Names() []string {
	names := remote.Names()
	for i, name := range c.p.settings.Clouds { // those that were named come first
		names = slices.Insert(slices.DeleteFunc(names, func(n string) bool { return n == name }), min(i, len(names)), name)
	}
	if !slices.Contains(names, c.first) {
		names = append([]string{c.first}, names...)
	}
	return names
}

func (c *contexts) Open(ctx context.Context, name string) (tui.OpenMsg, error) {
	c.mu.Lock()
	open, ok := c.open[name]
	c.mu.Unlock()
	if ok {
		return open, nil
	}
	o := c.p.openOptions(c.p.settings.ReadOnly)
	o.Soon = true
	var far engine.Opener = remote.Cloud{Settings: c.p.settings.Elsewhere}
	store, err := far.Open(ctx, name, o)
	if err != nil {
		return tui.OpenMsg{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if open, ok := c.open[name]; ok { // it was asked for twice
		_ = store.Close()
		return open, nil
	}
	open = c.p.openMsg(c.env, c.p.keep(store), name, false)
	open.Place = "" // it is not in the file that the dashboard began with
	c.open[name] = open
	return open, nil
}
