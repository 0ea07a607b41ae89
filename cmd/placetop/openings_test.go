package main

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// opener returns a run with a dashboard on a file.
func opener(t *testing.T, db string) *program {
	t.Helper()
	p := &program{
		now: time.Now, newID: uuid.New, stderr: io.Discard, log: slog.New(slog.DiscardHandler),
		settings: settings{DB: db}, openings: new(openings),
	}
	t.Cleanup(func() {
		p.openings.end()
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
	env := screen.Env{Styles: screentest.Plain(), Clock: time.Now, Context: ctx, Actor: "you"}
	opened := len(p.opened)
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
					t.Errorf("%s: %s opens %s", name, a.Keys[0], msg.Name)
				}
			}
		}
	}
	if more := len(p.opened) - opened; more != 0 {
		t.Errorf("%d more are open", more)
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
	var o openings
	begun, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan bool)
	open := false
	go o.cmd(func() tea.Msg {
		close(begun)
		<-goOn
		open = true
		return nil
	})()
	<-begun
	go func() {
		o.end()
		ended <- open
	}()
	close(goOn)
	if !<-ended {
		t.Error("it has not waited")
	}
}
