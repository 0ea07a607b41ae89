package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestCloudsNamedAlike checks that a cloud of clouds.yaml and a file or an endpoint of
// the same name are kept apart.
func TestCloudsNamedAlike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clouds.yaml")
	must.Succeed(t, os.WriteFile(path, []byte("clouds: {east: {}, west: {}}\n"), 0o600))
	t.Setenv("OS_CLIENT_CONFIG_FILE", path)
	for _, key := range []string{"OS_AUTH_URL", "OS_CLOUD"} {
		t.Setenv(key, "")
	}
	for name, test := range map[string]struct {
		first, store string
		want         []string
	}{
		"one of them":  {"west", "cloud", []string{"east", "west"}},
		"a file":       {"west", "bolt", []string{"west", "east", "cloud:west"}},
		"an endpoint":  {"east", "http", []string{"east", "cloud:east", "west"}},
		"another name": {"a.db", "bolt", []string{"a.db", "east", "west"}},
	} {
		c := (&program{openings: new(openings)}).newContexts(screen.Env{}, test.first, tui.OpenMsg{Name: "a/long/" + test.first, Store: test.store})
		if got := c.Names(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if open, err := c.Open(t.Context(), test.first); err != nil || open.Name != test.first {
			t.Errorf("%s: back to %q, %v", name, open.Name, err)
		}
		for _, of := range []string{test.first, "b.db"} {
			c.again(of, tui.OpenMsg{Name: of, Notice: "taken over " + of, Instead: memory.New(memory.Options{Clock: time.Now})})
		}
		if open, err := c.Open(t.Context(), test.first); err != nil || open.Name != test.first || open.Notice != "taken over "+test.first || open.Instead != nil {
			t.Errorf("%s: back to what was taken over: %+v, %v", name, open, err)
		}
	}
}

// TestCloudsAreOpenedAtOnce opens several clouds, none of which exists, at once: for the
// race detector.
func TestCloudsAreOpenedAtOnce(t *testing.T) {
	t.Parallel()
	p := &program{openings: new(openings)}
	for _, name := range strings.Split("abcdefgh", "") {
		p.settings.Clouds = append(p.settings.Clouds, filepath.Join(t.TempDir(), name))
	}
	c := p.newContexts(screen.Env{Context: t.Context()}, p.settings.Clouds[0], tui.OpenMsg{})
	for _, name := range p.settings.Clouds[1:] {
		if _, err := c.Open(t.Context(), name); err == nil || !strings.Contains(err.Error(), "there is no cloud in "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.openings.end()
}

// TestNoCloudIsOpenedAfterTheEnd asks for clouds while the dashboard ends, as commands of
// its screens may: each is opened before the end, or not at all.
func TestNoCloudIsOpenedAfterTheEnd(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := &program{openings: new(openings)}
	c := p.newContexts(screen.Env{Context: t.Context()}, "first", tui.OpenMsg{})
	var asking sync.WaitGroup
	for n := range 8 {
		asking.Go(func() {
			_, err := c.Open(t.Context(), filepath.Join(folder, strconv.Itoa(n)))
			if err == nil {
				t.Errorf("%d was opened", n)
			}
		})
	}
	p.openings.end()
	asking.Wait()
	_, err := c.Open(t.Context(), filepath.Join(folder, "late"))
	must.Fail(t, err, context.Canceled)
}

// TestPlacesAreCalled checks that the names in the header distinguish places.
func TestPlacesAreCalled(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"//127.0.0.1:8778/placement": "127.0.0.1:8778", "http://cloud/placement": "cloud", "/var/lib/a.db": "a.db", "east": "east", "demo": "demo",
	} {
		if got := called(place); got != want {
			t.Errorf("%s is called %s, want %s", place, got, want)
		}
	}
}

// both are two clouds in memory, and one that is dead.
type both map[string]*memory.Store

func (both) Names() []string    { return []string{"east", "west", "dead"} }
func (both) Together() []string { return []string{"east", "west", "dead"} }

func (b both) Open(_ context.Context, name string) (tui.OpenMsg, error) {
	if store := b[name]; store != nil {
		return tui.OpenMsg{Cloud: store, Name: name, Store: "memory"}, nil
	}
	return tui.OpenMsg{}, errors.New("nobody is there")
}

// showBoth shows the first of both on a terminal; wants fails unless the screen has all
// words.
func showBoth(t *testing.T, w, h int) (all both, d *tuitest.Driver, wants func(words ...string)) {
	t.Helper()
	all = both{}
	for i, name := range []string{"east", "west"} {
		start := demotest.Snapshot(t, demo.Options{Hosts: 2 + i, Seed: defaultSeed, Now: time.Now()})
		all[name] = memory.New(memory.Options{Clock: time.Now, Start: start})
	}
	ctx, cancel := context.WithCancel(context.Background())
	app := tui.New(tui.Config{
		Env:   screen.Env{Styles: screentest.Plain(), Clock: time.Now, Context: ctx, Actor: "you"},
		Cloud: all["east"], Name: "east", Store: "memory", Screens: screens(), Clouds: all,
	})
	d = tuitest.Start(t, app, w, h)
	t.Cleanup(func() {
		app.Close()
		cancel()
	})
	return all, d, func(words ...string) {
		t.Helper()
		d.Advance(2 * time.Second)
		for _, word := range words {
			if !strings.Contains(d.Text(), word) {
				t.Fatalf("there is no %q in\n%s", word, d.Text())
			}
		}
	}
}

// TestAllClouds lists things of several clouds, follows changes in each, goes to a thing
// in another cloud, and returns to the list.
func TestAllClouds(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		all, d, wants := showBoth(t, 80, 24)
		d.Type(":all services")
		d.Press("enter")
		wants("services of all clouds", "2 of 3 clouds", "✓ east   ✓ west   ✗ dead nobody is there", ">  east        cmp-001", "  west        cmp-003")

		var change nova.PutRecords
		s, _ := all["west"].Snapshot().Nova().Service("cmp-003", "nova-compute")
		change.Put(all["west"].Snapshot().Nova(), s.Edit(func(s *nova.Service) { s.Disabled = true }))
		must.Get(all["west"].Apply(t.Context(), cloud.Change{Ops: []cloud.Op{change}}).Result())(t)
		wants("disabled")
		d.Type("/cloud=west host=cmp-003")
		d.Press("enter")
		wants("1 of 5")
		d.Press("enter")
		wants("placetop  west", "services  ", "1 of 3")
		d.Press("esc", "esc")
		wants("placetop  west", "services of all clouds", "/cloud=west host=cmp-003", "1 of 5")
		d.Type(":all nothing")
		d.Press("enter")
		wants(`all "nothing"`, "is none of providers,")
	})
}
