package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
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
	c := p.newContexts(screen.Env{Context: t.Context()}, "first", tui.OpenMsg{})
	var asking sync.WaitGroup
	for _, name := range strings.Split("abcdefgh", "") {
		name = filepath.Join(t.TempDir(), name)
		asking.Go(func() {
			if _, err := c.Open(t.Context(), name); err == nil || !strings.Contains(err.Error(), "there is no cloud in "+name) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	asking.Wait()
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
		"//127.0.0.1:8778/placement": "127.0.0.1:8778", "http://cloud/placement": "cloud", "/var/lib/a.db": "a.db", "etcd://e1:2379,e2:2379/clouds/prod": "prod", "east": "east", "demo": "demo",
	} {
		if got := called(place); got != want {
			t.Errorf("%s is called %s, want %s", place, got, want)
		}
	}
}
