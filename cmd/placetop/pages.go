package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/cmd/placetop/internal/open"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/remote"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// firstRunPage is the welcome screen for a file without providers: ways to fill it.
func (p *program) firstRunPage(env screen.Env, store storage.Store) screen.Screen {
	name := filepath.Base(p.settings.DB)
	// fill runs do, which may take a moment, and then opens the resulting cloud.
	fill := func(what string, do func(*program) (storage.Store, string, error)) func() tea.Cmd {
		return func() tea.Cmd {
			return p.opening(func(one *program) (tea.Msg, error) {
				filled, name, err := do(one)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", what, err)
				}
				return one.openMsg(env, filled, name, false), nil
			})
		}
	}
	page := screen.NewFirstRun(env.Styles,
		screen.Choice{Key: "1", Title: "look at a made-up cloud, in memory: this cloud stays empty", Run: fill("demo", func(one *program) (storage.Store, string, error) {
			made, err := one.demoInMemory(env.Context, demo.Options{Hosts: demo.DefaultHosts, Seed: defaultSeed, Now: p.now(), Troubles: true})
			return made, "demo", err
		})},
		screen.Choice{Key: "2", Title: "register this machine: CPUs, memory, disk, devices", Run: fill("register", func(one *program) (storage.Store, string, error) {
			o := probeOptions{writes: true}
			_, tree, err := one.look(env.Context, &o)
			if err != nil {
				return nil, "", err
			}
			_, err = one.reconcile(env.Context, store, tree, o, false)
			return store, name, err
		})},
		screen.Choice{Key: "3", Title: "go on with an empty cloud", Run: fill("open", func(*program) (storage.Store, string, error) {
			return store, name, nil
		})},
	)
	page.AddLine(p.settings.DB)
	page.AddLine(`From a shell: "placetop import FILE" reads an export, "placetop create provider NAME" creates a provider.`)
	return page
}

// openMsg makes the dashboard show the cloud in a store, and starts its keeper. Copied
// says that it is a copy of a cloud that another process has open.
func (p *program) openMsg(env screen.Env, store storage.Store, name string, copied bool) tui.OpenMsg {
	msg := tui.OpenMsg{Cloud: store, Name: name, Store: "memory", Place: p.known(), Keeper: p.keeperOf(env.Context, store, copied), Lost: p.lost(env, store, name), Who: p.who(store)}
	if s, named := store.(interface{ Scheme() string }); named {
		msg.Store = s.Scheme()
	} else if p.guest != nil {
		msg.Store = p.guest.Scheme()
	}
	if p.guest == nil {
		msg.Files, msg.Probe, msg.Me = p.files(store), p.machine, p.actor()
	} else {
		msg.Me = p.guest.me()
	}
	if d, is := store.(demoStore); is {
		msg.Probe = d.probe
	}
	if far, is := engine.Far(store); is {
		msg.Refresh, msg.Link = far.Refresh, linkOf{far, p.guest != nil}
		if without := far.Link().Without; len(without) > 0 {
			msg.Notice = "not read: " + strings.Join(without, "; ")
		}
	}
	if several := engine.Several(store); several != nil {
		msg.Refresh, msg.Link = several.Refresh, logLink{store, several}
	}
	if engine.ConditionOf(store).Aged != "" {
		msg.Notice = "a meta page of the file was invalid: it may lack what was last confirmed"
	}
	if engine.ConditionOf(store).Damage != nil {
		msg.Notice = "the journal is damaged, so this is read-only: run placetop copy"
	}
	if n := engine.ConditionOf(store).Newer; n != nil {
		msg.Notice = n.What + " is of a newer placetop: read-only, not all is shown"
	}
	return msg
}

// linkOf shows the dashboard the state of the link to a live cloud.
type linkOf struct {
	engine.Distant
	shared bool // others depend on what is read
}

// Hold implements tui.Link.
func (l linkOf) Hold(ctx context.Context) {
	if !l.shared {
		l.Distant.Hold(ctx)
	}
}

func (l linkOf) Link() tui.LinkState {
	is := l.Distant.Link()
	for _, of := range is.Services() {
		is.Of(of.Name).Lost = oneLine(of.Lost)
	}
	return tui.LinkState{ServiceLink: is.ServiceLink, Beside: is.Beside, Doing: is.Doing, Parts: is.Parts}
}

// logLink shows the dashboard when the log of a store that several processes have open
// does not answer: what is shown may be old then.
type logLink struct {
	cloud.Watcher
	engine.Shared
}

// Link implements tui.Link.
func (l logLink) Link() tui.LinkState {
	is := tui.LinkState{Followed: true, ServiceLink: cloud.ServiceLink{Name: "etcd"}}
	if since, why := l.Silent(); why != nil {
		is.At, is.Heard, is.Lost = since, since, oneLine(why.Error())
	}
	return is
}

// Linked implements tui.Link.
func (l logLink) Linked(ctx context.Context) <-chan struct{} {
	news := make(chan struct{}, 1)
	go func() {
		defer close(news)
		for range l.Watch(ctx) {
			select {
			case news <- struct{}{}:
			default:
			}
		}
	}()
	return news
}

// Look implements tui.Link: all is here.
func (logLink) Look(...placement.ProviderID) {}

// Hold implements tui.Link: others write, whether somebody looks or not.
func (logLink) Hold(context.Context) {}

// lockedPage says which process has the file open, and offers to wait for it or to look
// at a copy.
func (p *program) lockedPage(env screen.Env, held *storage.LockedError) screen.Screen {
	name := filepath.Base(p.settings.DB)
	return screen.NewLocked(env.Styles, held.Path, held.Holder(),
		screen.Choice{Key: "c", Title: "work on a copy in memory", Run: func() tea.Cmd {
			return p.opening(func(one *program) (tea.Msg, error) {
				store, err := one.openCopy(env.Context)
				if err != nil {
					return nil, err
				}
				return one.openMsg(env, store, name+" (copy)", true), nil
			})
		}},
		screen.Choice{Key: "w", Title: "wait until it is closed there", Run: func() tea.Cmd {
			return tea.Batch(
				screen.Send(screen.ToastMsg{Severity: style.SeverityInfo, Text: "waiting for " + name}),
				p.opening(func(one *program) (tea.Msg, error) {
					store, err := one.waitToWrite(env.Context)
					if err != nil {
						return nil, err
					}
					return one.openMsg(env, store, name, false), nil
				}),
			)
		}},
	)
}

// waitToWrite opens the file once no other process has it, or attaches once its holder
// allows that.
func (p *program) waitToWrite(ctx context.Context) (storage.Store, error) {
	o := p.openOptions(p.settings.ReadOnly)
	o.Wait, o.Waiting = math.MaxInt64, nil
	return p.openToShare(ctx, o)
}

// openCopy returns the cloud in a file that another process has open, as of a moment ago,
// in memory.
func (p *program) openCopy(ctx context.Context) (storage.Store, error) {
	able, ok := p.engine().(engine.Peeker)
	if !ok {
		return nil, p.unable("be read while somebody else has it", "")
	}
	snap, err := able.Peek(ctx, p.settings.DB)
	if err != nil {
		return nil, err
	}
	return p.keep(memory.New(memory.Options{Clock: p.now, Start: snap})), nil
}

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

// openings are what a dashboard opens in the background, several at once. Its goroutines
// may outlive it: a cloud that one of them opened after all were closed would stay open.
type openings struct {
	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup // not added to once ended is set
	opened  []io.Closer    // the newest last
}

// begin reports whether something may still be opened. If so, done must be called once it
// is open.
func (o *openings) begin() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.running.Add(1)
	}
	return !o.ended
}

// done ends an opening, with what has to be closed for it.
func (o *openings) done(opened []io.Closer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened = append(o.opened, opened...)
	o.running.Done()
}

// end waits for what is being opened, and returns all that was, to be closed. Nothing is
// opened from now on.
func (o *openings) end() []io.Closer {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.running.Wait()
	return o.opened
}

// opening returns a command that opens something with a part of p, as others may be
// opened meanwhile, and does nothing after the end. An error is shown.
func (p *program) opening(open func(one *program) (tea.Msg, error)) tea.Cmd {
	return func() tea.Msg {
		if !p.openings.begin() {
			return nil
		}
		one := *p
		one.opened, one.alone = nil, false
		defer func() { p.openings.done(one.opened) }()
		msg, err := open(&one)
		if err != nil {
			return screen.ToastMsg{Severity: style.SeverityCritical, Text: oneLine(errorText(err))}
		}
		return msg
	}
}
