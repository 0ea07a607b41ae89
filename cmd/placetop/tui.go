package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/form"
	"github.com/placetop/placetop/tui/form/handover"
	"github.com/placetop/placetop/tui/form/instance"
	"github.com/placetop/placetop/tui/form/move"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/screen/owners"
	"github.com/placetop/placetop/tui/screen/problems"
	"github.com/placetop/placetop/tui/screen/provider"
	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/screen/pulses"
	"github.com/placetop/placetop/tui/screen/whatif"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/terminal"
)

// dashboard shows the cloud in the --db file, and makes the file where there is
// none. Where nothing can be drawn it prints the overview as text instead, and
// makes nothing.
func (p *program) dashboard(ctx context.Context) error {
	if !p.canDraw() {
		store, err := p.openToRead(ctx)
		if err != nil {
			return err
		}
		return p.printOverview(ctx, store, p.settings.DB)
	}
	store, err := p.openToWrite(ctx)
	var locked *storage.LockedError
	switch {
	case errors.As(err, &locked):
		return p.runDashboard(ctx, nil, p.settings.DB, func(env screen.Env) screen.Screen { return p.lockedPage(env, locked) })
	case err != nil:
		return err
	case store.Snapshot().Placement().ProviderCount() == 0 && store.Capabilities().ReadOnly == "":
		return p.runDashboard(ctx, nil, p.settings.DB, func(env screen.Env) screen.Screen { return p.firstRunPage(env, store) })
	}
	return p.runDashboard(ctx, store, p.settings.DB, nil)
}

// show shows the cloud in a store, which the user knows by name.
func (p *program) show(ctx context.Context, store storage.Store, name string) error {
	if !p.canDraw() {
		return p.printOverview(ctx, store, name)
	}
	return p.runDashboard(ctx, store, name, nil)
}

// canDraw reports whether there is a terminal to draw on and to read keys from.
func (p *program) canDraw() bool {
	return isTerminal(p.stdin) && isTerminal(p.stdout) && !p.capabilities().Dumb
}

// runDashboard runs the dashboard until it is quit. Where store is nil, first
// makes the page that leads to one.
func (p *program) runDashboard(ctx context.Context, store storage.Store, name string, first func(screen.Env) screen.Screen) error {
	if err := p.notOnScreen(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tty, err := terminal.NewTTY(p.stdin.(*os.File), p.stdout.(*os.File))
	if err != nil {
		return err
	}
	styles, err := p.styles()
	if err != nil {
		return err
	}
	inspector := screen.NewInspector(p.now)
	inspector.Own = screen.OwnRules{
		Rules: p.settings.Rules, Faults: p.settings.Faults, File: cmp.Or(p.settings.Config, tilde(defaultConfig())),
	}
	cfg := tui.Config{
		Env:        screen.Env{Styles: styles, Clock: p.now, Context: ctx, Actor: p.actor(), Inspector: inspector, UnderWay: &screen.UnderWay{}},
		Name:       filepath.Base(name),
		Screens:    screens(),
		Problems:   p.countProblems,
		SaveReport: p.saveReport,
		Local:      true,
	}
	if store != nil {
		open := p.openMsg(store, name)
		cfg.Cloud, cfg.Store, cfg.Notice = open.Cloud, open.Store, open.Notice
	} else {
		cfg.First = first(cfg.Env)
	}
	app := tui.New(cfg)
	defer app.Close()
	_, err = session.Run(ctx, session.Config{
		Terminal: tty, Capabilities: p.capabilities(), Clock: p.now, Local: true,
	}, app)
	var crash *session.PanicError
	if errors.As(err, &crash) {
		return p.crashed(crash)
	}
	return err
}

// screens makes the screens of the dashboard.
func screens() map[screen.Kind]tui.Factory {
	all := map[screen.Kind]tui.Factory{
		screen.Pulses: func(env screen.Env, _ string) (screen.Screen, error) {
			return pulses.New(env, env.Cloud.Snapshot()), nil
		},
		screen.Providers: func(env screen.Env, filter string) (screen.Screen, error) {
			return providers.New(env, env.Cloud.Snapshot(), filter), nil
		},
		screen.Provider: func(env screen.Env, which string) (screen.Screen, error) {
			return provider.New(env, env.Cloud.Snapshot(), which)
		},
		screen.Consumers: func(env screen.Env, filter string) (screen.Screen, error) {
			return consumers.New(env, env.Cloud.Snapshot(), filter), nil
		},
		// One consumer is the list of consumers with its uuid as the filter.
		screen.Consumer: func(env screen.Env, id string) (screen.Screen, error) {
			return consumers.New(env, env.Cloud.Snapshot(), id), nil
		},
		screen.Problems: func(env screen.Env, which string) (screen.Screen, error) {
			return problems.New(env, env.Cloud.Snapshot(), which), nil
		},
		screen.Owners: func(env screen.Env, _ string) (screen.Screen, error) {
			return owners.New(env, env.Cloud.Snapshot()), nil
		},
		screen.Gate: func(env screen.Env, simulate string) (screen.Screen, error) {
			return owners.OpenGate(env, env.Cloud.Snapshot(), simulate)
		},
		screen.WhatIf: func(env screen.Env, query string) (screen.Screen, error) {
			return whatif.New(env, env.Cloud.Snapshot(), query), nil
		},
		screen.Allocate: form.OpenAllocate,
		screen.Release:  form.OpenRelease,
		screen.Resize:   move.OpenResize,
		screen.Migrate:  move.OpenMigrate,

		screen.Terminate:  instance.OpenTerminate,
		screen.Evacuate:   instance.OpenEvacuate,
		screen.Heal:       instance.OpenHeal,
		screen.Unfinished: instance.OpenUnfinished,
		screen.Boot:       form.OpenBoot,
		screen.EditFlavor: form.OpenFlavor,
		screen.DelFlavor:  form.OpenDeleteFlavor,
		screen.NewProfile: form.OpenProfile,
		screen.DelProfile: form.OpenDeleteProfile,
		screen.SetService: form.OpenService,
		screen.SetDevice:  form.OpenDevice,
		screen.Pool:       form.OpenPool,
		screen.Handover:   handover.Open,
	}
	maps.Copy(all, novaScreens())
	return all
}

// countProblems counts what is wrong, what waits for a person and what was
// interrupted, for the dashboard.
func (p *program) countProblems(env screen.Env, s *cloud.Snapshot) tui.Counts {
	pass := env.Inspect(s)
	n := audit.Count(pass.Open())
	counts := tui.Counts{Critical: n[audit.Critical], Warnings: n[audit.Warning], Until: pass.Until}
	for m := range s.Nova().Migrations() {
		if m.Status.Waits() {
			counts.Pending++
		}
	}
	found, again := env.Interrupted(s)
	for _, x := range found {
		counts.Unfinished = append(counts.Unfinished, x.Words)
	}
	if counts.Until.IsZero() || !again.IsZero() && again.Before(counts.Until) {
		counts.Until = again
	}
	return counts
}

// saveReport keeps the report of a crash where programs keep their state.
func (p *program) saveReport(report []byte) (string, error) {
	folder := filepath.Join(xdg.StateHome, "placetop")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(folder, "crash-"+p.now().UTC().Format("2006-01-02T15-04-05")+"-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.Write(report)
	return f.Name(), errors.Join(err, f.Close())
}

// crashed returns the error about a panic of the dashboard itself, and keeps its
// report.
func (p *program) crashed(crash *session.PanicError) error {
	report := fmt.Sprintf("placetop %s, %s\n%v\n\n%s", version(), p.now().UTC().Format(time.RFC3339), crash.Value, crash.Stack)
	path, err := p.saveReport([]byte(report))
	if err != nil {
		return failed(crash, "its report could not be kept: "+err.Error())
	}
	return failed(crash, "what was confirmed is written; the report is in "+path)
}
