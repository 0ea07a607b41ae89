package main

import (
	"context"
	"slices"
	"strings"
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
	apart bool // the first is none of clouds.yaml, whatever it is called

	mu   sync.Mutex
	open map[string]tui.OpenMsg
}

// newContexts returns the clouds of a dashboard that begins with one.
func (p *program) newContexts(env screen.Env, name string, open tui.OpenMsg) *contexts {
	open.Name = name
	return &contexts{p: p, env: env, first: name, apart: open.Store != remote.Cloud{}.Scheme(), open: map[string]tui.OpenMsg{name: open}}
}

// ofFile is what stands before the name of a cloud of clouds.yaml where the dashboard began
// with something else of that name, such as a file: as in --db.
const ofFile = "cloud:"

func (c *contexts) Names() []string {
	names := remote.Names()
	if i := slices.Index(names, c.first); i >= 0 && c.apart {
		names[i] = ofFile + names[i]
	}
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
	store, err := far.Open(ctx, strings.TrimPrefix(name, ofFile), o)
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
