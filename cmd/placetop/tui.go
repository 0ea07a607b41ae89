package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/etcd"
	"github.com/placetop/placetop/storage/remote"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/terminal"
)

// dashboard shows the cloud in the --db file, and makes the file if there is none.
// Without a terminal to draw on it prints the overview as text instead, and makes
// nothing.
func (p *program) dashboard(ctx context.Context) error {
	if !p.canDraw() {
		store, err := p.openToRead(ctx)
		if err != nil {
			return err
		}
		return p.printOverview(ctx, store, p.settings.DB)
	}
	name := called(p.settings.DB)
	if _, is := p.settings.Engine.(remote.Cloud); is {
		name = p.settings.DB // the name of a cloud may look like a path
	}
	store, err := p.openToShow(ctx)
	var locked *storage.LockedError
	switch {
	case errors.As(err, &locked):
		return p.runDashboard(ctx, nil, name, func(env screen.Env) screen.Screen { return p.lockedPage(env, locked) })
	case err != nil:
		return err
	case p.guest == nil && store.Snapshot().Placement().ProviderCount() == 0 && store.Capabilities().Can() == nil && !distant(store):
		return p.runDashboard(ctx, nil, name, func(env screen.Env) screen.Screen { return p.firstRunPage(env, store) })
	}
	return p.runDashboard(ctx, store, name, nil)
}

// show shows the cloud in a store under a name.
func (p *program) show(ctx context.Context, store storage.Store, name string) error {
	if !p.canDraw() {
		return p.printOverview(ctx, store, name)
	}
	return p.runDashboard(ctx, store, called(name), nil)
}

// canDraw reports whether there is a terminal to draw on and to read keys from.
func (p *program) canDraw() bool {
	return isTerminal(p.stdin) && isTerminal(p.stdout) && !p.capabilities().Dumb
}

// collectOften makes a process with dashboards collect its garbage more often. They hold
// the whole cloud and make little garbage: letting that grow to the size of the cloud costs
// more.
func (p *program) collectOften() {
	if p.alone {
		debug.SetGCPercent(50)
	}
}

// runDashboard runs the dashboard until it is quit. If store is nil, first makes the page
// that leads to one.
func (p *program) runDashboard(ctx context.Context, store storage.Store, name string, first func(screen.Env) screen.Screen) error {
	if err := p.notOnScreen(); err != nil {
		return err
	}
	p.collectOften()
	ctx, cancel := context.WithCancel(ctx)
	p.openings = new(openings)
	defer func() {
		cancel()
		p.opened = append(p.opened, p.openings.end()...)
	}()
	tty, err := p.terminal()
	if err != nil {
		return err
	}
	memory := p.filters()
	fixed := p.settings.ThemeAt
	if p.settings.Theme != "" && fixed == "" {
		fixed = "--theme"
	}
	if _, err := themes.Load(p.ownThemes(), memory.Theme); p.settings.Theme == "" && err == nil {
		p.settings.Theme = memory.Theme
	}
	mouse := p.settings.Mouse || memory.Mouse != nil && *memory.Mouse
	palette, _, err := p.palette()
	if err != nil {
		return err
	}
	cfg := tui.Config{
		Env:        screen.Env{Styles: p.styles(palette), Clock: p.now, Context: ctx, Actor: p.actor(), Memory: memory, Editor: editor},
		OpenMsg:    tui.OpenMsg{Name: name},
		Screens:    screens(),
		Mouse:      mouse,
		Theming:    tui.Theming{Own: p.ownThemes(), Name: cmp.Or(p.settings.Theme, themes.Default), Fixed: fixed},
		Bindings:   p.settings.Keys,
		Warnings:   p.ignored(),
		SaveReport: p.saveReport,
		WriteFile:  writeNew,
		Remember:   p.remember,
		Local:      true,
		At:         p.at,
	}
	if p.guest != nil {
		p.guest.restrictConfig(&cfg)
	}
	if store != nil {
		cfg.OpenMsg = p.openMsg(cfg.Env, store, name, false)
		if p.guest == nil {
			cfg.Clouds = p.newContexts(cfg.Env, cfg.Name, cfg.OpenMsg)
		}
	} else {
		cfg.First = first(cfg.Env)
	}
	app := tui.New(cfg)
	defer app.Close()
	_, err = session.Run(ctx, session.Config{
		Terminal: tty, Capabilities: p.capabilities(), Clock: p.now, Local: cfg.Local, Mouse: mouse,
	}, app)
	app.Close()
	if err := p.remember(memory); err != nil {
		p.log.WarnContext(ctx, "the layout was not saved", slog.String("error", err.Error()))
	}
	if crash, ok := errors.AsType[*session.PanicError](err); ok {
		return p.crashed(crash)
	}
	return err
}

// ignored returns what is left out of the configuration file, one line for each.
func (p *program) ignored() []string {
	var lines []string
	for _, wrong := range p.settings.Ignored {
		lines = append(lines, strings.ReplaceAll(oneLine(wrong.Error()), p.settings.ConfigAt, filepath.Base(p.settings.ConfigAt)))
	}
	if p.unrecalled != "" {
		lines = append(lines, p.unrecalled)
	}
	return lines
}

// called returns the name of a place in the header: the host of an endpoint, whose path
// is much the same everywhere, and the last part of all others.
func called(place string) string {
	if at, err := url.Parse(place); err == nil && at.Host != "" && at.Scheme != (etcd.Engine{}).Scheme() {
		return at.Host
	}
	return filepath.Base(place)
}

// terminal returns the terminal of the dashboard.
func (p *program) terminal() (terminal.Terminal, error) {
	if p.guest != nil {
		return p.guest.session.Terminal, nil
	}
	tty, err := terminal.NewTTY(p.stdin.(*os.File), p.stdout.(*os.File))
	if err != nil {
		return nil, err
	}
	usual := terminal.Size{}
	usual.Width, _ = strconv.Atoi(p.env["COLUMNS"]) // anything else is as if it were not set
	usual.Height, _ = strconv.Atoi(p.env["LINES"])
	tty.SetUsual(usual.Known(terminal.UsualSize()))
	if p.env["SSH_CONNECTION"] != "" || p.env["SSH_TTY"] != "" {
		tty.SetHold(terminal.HoldRemote)
	}
	return tty, nil
}

// writeNew writes a file that does not exist yet, and returns its path. No shell has
// expanded the name.
func writeNew(name string, data []byte) (string, error) {
	if rest, inHome := strings.CutPrefix(name, "~/"); inHome {
		name = filepath.Join(xdg.Home, rest)
	}
	if whole, err := filepath.Abs(name); err == nil {
		name = whole
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil { // the disk is full: the name must be free once there is room
		err = errors.Join(err, os.Remove(name))
	}
	return name, err
}

// saveReport stores the report of a crash where programs keep their state.
func (p *program) saveReport(report []byte) (string, error) {
	folder := filepath.Join(xdg.StateHome, "placetop")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	return saveTemp(folder, "crash-"+p.now().UTC().Format("2006-01-02T15-04-05")+"-*.txt", string(report))
}

// crashed returns the error for a panic of the dashboard itself, and stores its report.
func (p *program) crashed(crash *session.PanicError) error {
	if p.guest != nil {
		p.log.Error("a dashboard crashed", slog.String("error", crash.Error()), slog.String("stack", string(crash.Stack)))
		return failed(crash, "what you confirmed was written; see the server's log")
	}
	report := fmt.Sprintf("placetop %s, %s\n%v\n\n%s", version(), p.now().UTC().Format(time.RFC3339), crash.Value, crash.Stack)
	path, err := p.saveReport([]byte(report))
	if err != nil {
		return failed(crash, "the report could not be saved: "+err.Error())
	}
	return failed(crash, "what you confirmed was written; the report is in "+path)
}
