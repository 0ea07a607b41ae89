package main

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/placetop/placetop/cmd/placetop/internal/open"
	"github.com/placetop/placetop/storage/remote"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
)

// contexts are the clouds of a dashboard: the one that it started with, those of
// clouds.yaml, and places that :ctx has opened. A cloud stays open once shown, so that
// returning to it takes no time.
type contexts struct {
	p     *program
	env   screen.Env
	first string
	apart bool // the first is not in clouds.yaml, whatever its name

	mu   sync.Mutex
	open map[string]*opening
}

// opening is a cloud that is open or being opened. The cloud, or why it cannot be opened,
// is known once done is closed.
type opening struct {
	done chan struct{}
	msg  tui.OpenMsg
	err  error
}

// newContexts makes the clouds of a dashboard that starts with one.
func (p *program) newContexts(env screen.Env, name string, open tui.OpenMsg) *contexts {
	open.Name = name
	there := &opening{done: make(chan struct{}), msg: open}
	close(there.done)
	c := &contexts{p: p, env: env, first: name, apart: open.Store != remote.Cloud{}.Scheme(), open: map[string]*opening{name: there}}
	p.clouds = c
	return c
}

// ofFile precedes the name of a cloud of clouds.yaml if the dashboard started with
// something else of that name, such as a file: as in --db.
const ofFile = "cloud:"

func (c *contexts) Names() []string {
	names := remote.Names()
	if i := slices.Index(names, c.first); i >= 0 && c.apart {
		names[i] = ofFile + names[i]
	}
	if !slices.Contains(names, c.first) {
		names = append([]string{c.first}, names...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.open)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (c *contexts) Open(ctx context.Context, name string) (tui.OpenMsg, error) {
	o := c.of(name)
	select {
	case <-o.done:
		return o.msg, o.err
	case <-ctx.Done():
		return tui.OpenMsg{}, ctx.Err()
	}
}

// again notes that a cloud has another keeper, reachable from now on.
func (c *contexts) again(name string, msg tui.OpenMsg) {
	msg.Instead = nil
	there := &opening{done: make(chan struct{}), msg: msg}
	close(there.done)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[name] = there
}

// of returns a cloud, and opens it unless that is under way.
func (c *contexts) of(name string) *opening {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.open[name]
	if o == nil {
		o = &opening{done: make(chan struct{})}
		if !c.p.openings.begin() {
			o.err = context.Canceled
			close(o.done)
			return o
		}
		c.open[name] = o
		go func() { c.p.openings.done(c.start(name, o)) }()
	}
	return o
}

// start opens a cloud, and returns what has to be closed for it. A cloud that fails to
// open is opened again on the next request.
func (c *contexts) start(name string, o *opening) []io.Closer {
	one := *c.p
	one.opened, one.alone, one.stderr = nil, false, io.Discard
	var err error
	one.settings.Engine, one.settings.DB, err = open.Engines(one.settings.Elsewhere).Parse(open.PlaceOf(name))
	if err == nil {
		err = one.mustBeThere()
	}
	if err == nil {
		store, fail := one.openToShow(c.env.Context)
		if err = fail; err == nil {
			o.msg = one.openMsg(c.env, store, name, false)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.err = err; err != nil {
		delete(c.open, name)
	}
	close(o.done)
	return one.opened
}
