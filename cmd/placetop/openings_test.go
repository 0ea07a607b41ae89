package main

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// opener returns a run with a dashboard on a file.
func opener(t *testing.T, db string) *program {
	t.Helper()
	p := &program{
		now: time.Now, newID: uuid.New, stderr: io.Discard, log: slog.New(slog.DiscardHandler),
		settings: config.Settings{DB: db}, openings: new(openings),
	}
	t.Cleanup(func() {
		p.opened = append(p.opened, p.openings.end()...)
		must.Succeed(t, p.close())
	})
	return p
}

// TestNothingIsOpenedAfterTheEnd presses the keys of all pages that lead to a cloud. What
// runs only after the dashboard has ended opens nothing.
func TestNothingIsOpenedAfterTheEnd(t *testing.T) {
	t.Parallel()
	needsPeers(t)
	db := filepath.Join(t.TempDir(), "a.db")
	owner, p := opener(t, db), opener(t, db)
	must.Get(owner.openToShow(t.Context()))(t)
	store := must.Get(p.openToShow(t.Context()))(t)
	ctx, cancel := context.WithCancel(t.Context())
	env := screen.Env{Styles: tuitest.Plain(), Clock: time.Now, Context: ctx, Actor: "you"}
	pages := map[string]screen.Screen{
		"first run": p.firstRunPage(env, store),
		"locked":    p.lockedPage(env, &storage.LockedError{Path: db}),
		"lost":      p.lostPage(env, follows(store), "a.db"),
	}
	cancel()
	p.openings.end()
	for name, page := range pages {
		for _, a := range page.Actions() {
			for _, msg := range messages(a.Run()) {
				if msg, is := msg.(tui.OpenMsg); is {
					t.Errorf("%s: %s opens %s", name, a.Keys, msg.Name)
				}
			}
		}
	}
	if more := len(p.openings.opened); more != 0 {
		t.Errorf("%d more are open", more)
	}
}

// TestOpeningsAtOnce presses several keys of a page that leads to a cloud before the first
// of them has opened it: all that they open is closed at the end. It is for the race
// detector, too.
func TestOpeningsAtOnce(t *testing.T) {
	t.Parallel()
	p := opener(t, filepath.Join(t.TempDir(), "a.db"))
	store := must.Get(p.openToShow(t.Context()))(t)
	env := screen.Env{Styles: tuitest.Plain(), Clock: time.Now, Context: t.Context(), Actor: "you"}
	want := 0
	var pressed sync.WaitGroup
	for _, a := range p.firstRunPage(env, store).Actions() {
		if a.Keys == "1" || a.Keys == "3" {
			for range 4 {
				open := a.Run()
				pressed.Go(func() {
					if _, is := open().(tui.OpenMsg); !is {
						t.Error("nothing was opened")
					}
				})
				want++
			}
		}
	}
	pressed.Wait()
	keepers := 0
	for _, c := range p.openings.end() {
		if _, is := c.(closer); is {
			keepers++
		}
	}
	if keepers != want {
		t.Errorf("%d of %d keepers will be closed", keepers, want)
	}
}

// messages returns what cmd sends, or the commands of which it is a batch.
func messages(cmd tea.Cmd) []tea.Msg {
	first := cmd()
	batch, is := first.(tea.BatchMsg)
	if !is {
		return []tea.Msg{first}
	}
	var all []tea.Msg
	for _, one := range batch {
		all = append(all, one())
	}
	return all
}

// TestTheEndWaitsForWhatIsBeingOpened ends a dashboard while something is being opened.
func TestTheEndWaitsForWhatIsBeingOpened(t *testing.T) {
	t.Parallel()
	p := &program{openings: new(openings)}
	begun, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan bool)
	open := false
	go p.opening(func(*program) (tea.Msg, error) {
		close(begun)
		<-goOn
		open = true
		return nil, nil
	})()
	<-begun
	go func() {
		p.openings.end()
		ended <- open
	}()
	close(goOn)
	if !<-ended {
		t.Error("it has not waited")
	}
}
