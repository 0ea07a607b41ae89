package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/view"
)

// newKeeper returns the keeper of a store. With resumed it finishes nothing that was
// interrupted: this process had a keeper before, or another one may be working on
// it.
func (p *program) newKeeper(store storage.Store, resumed bool, log *slog.Logger) *keeper.Keeper {
	switch f := follows(store); {
	case f != nil:
		store = view.ReadOnly(store, "what falls due is done by whoever has the cloud open, "+f.Owner())
	case engine.Several(store) != nil:
		store, resumed = sharedKeeperStore{store, engine.Several(store)}, true // others may be working on what looks interrupted
	case distant(store):
		store = view.ReadOnly(store, "the services of the cloud do what falls due")
	}
	jumps := p.jumps
	if jumps == nil {
		jumps = p.newJumps()
	}
	return keeper.New(store, keeper.Options{
		Now: p.now, Jumps: jumps, Tell: logResults(log),
		Resumed: resumed, Unread: readProgress(store),
	})
}

// newJumps returns what notices that the clock jumps from now on.
func (p *program) newJumps() *keeper.Jumps {
	began := p.now()
	return &keeper.Jumps{Ran: func() time.Duration { return p.now().Sub(began) }}
}

// logResults returns a function that logs what a keeper did, or could not do: nobody may look at
// a dashboard.
func logResults(log *slog.Logger) func(keeper.TaskResult) {
	return func(d keeper.TaskResult) {
		tell := log.Warn
		if d.Err != nil {
			tell = log.Error
		}
		tell("due", slog.String("what", d.Text))
	}
}

// readProgress returns a function that returns the progress of reading a live cloud; it returns
// "" once everything is read, and for a local cloud.
func readProgress(store storage.Store) func() string {
	far, is := engine.Far(store)
	return func() string {
		if !is {
			return ""
		}
		switch l := far.Link(); {
		case !l.At.IsZero():
			return ""
		case l.Lost != "":
			return "not all was read"
		default:
			return cmp.Or(l.Doing, "reading")
		}
	}
}

// sharedKeeperStore is a store that several processes have open, for their keepers: one of them at a
// time does what falls due.
type sharedKeeperStore struct {
	storage.Store
	engine.Shared
}

// Capabilities implements cloud.Cloud.
func (d sharedKeeperStore) Capabilities() cloud.Capabilities {
	can := d.Store.Capabilities()
	if can.ReadOnly == "" && !d.OnDuty() {
		can.ReadOnly = "what falls due is done by another process that has the cloud open"
	}
	return can
}

// keeperRounds is the rounds of a keeper that gets the duty at any time, from another process.
type keeperRounds struct {
	storage.Rounds
	engine.Shared

	now func() time.Time
}

// rotateTime is how long after another process has ended what falls due is done here.
const rotateTime = 10 * time.Second

// Round implements storage.Rounds.
func (h keeperRounds) Round(ctx context.Context) time.Time {
	again := h.Rounds.Round(ctx)
	if soon := h.now().Add(rotateTime); !h.OnDuty() && (again.IsZero() || soon.Before(again)) {
		return soon
	}
	return again
}

// closer is a function that ends something.
type closer func()

func (c closer) Close() error {
	c()
	return nil
}

// keeperOf returns the keeper of a store: for a guest that of the server, else a new one
// from startKeeper.
func (p *program) keeperOf(ctx context.Context, store storage.Store, copied bool) *keeper.Keeper {
	if p.guest != nil {
		return p.served.keeper
	}
	return p.startKeeper(ctx, store, copied, p.log)
}

// startKeeper starts the keeper of a store, which ends with ctx, or right before the
// store is closed. In a copy of what another process has open, what looks interrupted
// may still be running there.
func (p *program) startKeeper(ctx context.Context, store storage.Store, copied bool, log *slog.Logger) *keeper.Keeper {
	k := p.newKeeper(store, copied, log)
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				log.LogAttrs(ctx, slog.LevelError, "keeper stopped", slog.String("error", fmt.Sprint(v)), slog.String("stack", string(debug.Stack())))
				k.Stopped(fmt.Errorf("panic: %v", v))
			}
		}()
		var rounds storage.Rounds = k
		if shared := engine.Several(store); shared != nil {
			rounds = keeperRounds{k, shared, p.now}
		}
		storage.Keep(ctx, store, p.now, rounds)
	}()
	p.opened = append(p.opened, closer(func() {
		stop()
		<-done
	}))
	return k
}
