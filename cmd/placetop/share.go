package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/attach"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/remote"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// attaches reports whether a file that another process has open is used by attaching to
// that.
func (p *program) attaches() bool {
	_, files := p.engine().(engine.FileKeeper)
	return files && !p.settings.NoAttach
}

// place returns the absolute path of the cloud's file, "" if it is not in a file.
func (p *program) place() string {
	if _, files := p.engine().(engine.FileKeeper); !files {
		return ""
	}
	if path, err := filepath.Abs(p.settings.DB); err == nil {
		return path
	}
	return p.settings.DB
}

// known returns what distinguishes the cloud from others with its name, "" if the name
// does: its file, or the file that describes it.
func (p *program) known() string {
	if _, described := p.engine().(remote.Cloud); described {
		return remote.DescribedIn(p.settings.DB)
	}
	return p.place()
}

// openToShare opens the cloud for long, and lets others attach meanwhile.
func (p *program) openToShare(ctx context.Context, o engine.Options) (storage.Store, error) {
	store, err := p.openWith(ctx, o)
	if err != nil || o.ReadOnly {
		return store, err // readers share the file itself
	}
	p.share(ctx, store)
	return store, nil
}

// share lets other processes of this user use a store that this process holds, until it
// is closed. If that is impossible, they wait for the file as usual.
func (p *program) share(ctx context.Context, store storage.Store) {
	if _, files := p.engine().(engine.FileKeeper); !files || follows(store) != nil {
		return
	}
	warn := func(err error) {
		p.log.LogAttrs(context.WithoutCancel(ctx), slog.LevelWarn, "attach", slog.String("error", err.Error()))
	}
	path, err := attach.Socket(p.settings.DB)
	if err != nil {
		warn(err)
		return
	}
	server, err := attach.Serve(ctx, path, store, follow.Owner{Release: version(), Place: p.place()}, warn)
	if err != nil {
		warn(err)
		return
	}
	p.opened = append(p.opened, server)
}

// follows returns s if it follows another process, nil if this process holds it itself.
func follows(store storage.Store) *follow.Store {
	f, _ := store.(*follow.Store)
	return f
}

// lost returns a function that waits until the owner of a followed store is gone, and
// reports that; nil for a store that is held here.
func (p *program) lost(env screen.Env, store storage.Store, name string) func(context.Context) screen.Screen {
	f := follows(store)
	if f == nil {
		return nil
	}
	return func(ctx context.Context) screen.Screen {
		select {
		case <-f.Gone():
			return p.lostPage(env, f, name)
		case <-ctx.Done():
			return nil
		}
	}
}

// lostPage says that the process that had the file open is gone, and offers to take over.
// Name is what the dashboard calls the cloud.
func (p *program) lostPage(env screen.Env, f *follow.Store, name string) screen.Screen {
	why := f.Capabilities().ReadOnly
	var taking atomic.Bool // a second key press would attach to what the first one opens
	page := screen.NewPage(env.Styles, "owner gone", style.SeverityWarn, screen.LabelStale, []string{oneLine(why)},
		screen.Choice{Key: "t", Title: "take over: open the file here, or attach to whoever has it now", Run: func() tea.Cmd {
			return p.opening(func(one *program) (tea.Msg, error) {
				if !taking.CompareAndSwap(false, true) {
					return nil, nil
				}
				msg, err := one.takeOver(env, f, name)
				taking.Store(err == nil)
				return msg, err
			})
		}})
	page.AddLine(fmt.Sprintf("%s: what was confirmed there is on disk. This is revision %d, read only; esc goes back to it for as long as this placetop runs, and R returns here.", filepath.Base(p.settings.DB), f.Snapshot().Revision()))
	return page
}

// takeOver opens the file of a store whose owner is gone, for the dashboard that shows
// it.
func (p *program) takeOver(env screen.Env, f *follow.Store, name string) (tui.OpenMsg, error) {
	store, err := p.openToShare(env.Context, p.openOptions(p.settings.ReadOnly))
	if err != nil {
		return tui.OpenMsg{}, err
	}
	msg := p.openMsg(env, store, name, false)
	msg.Instead = f
	if p.clouds != nil {
		p.clouds.again(name, msg)
	}
	return msg, nil
}
