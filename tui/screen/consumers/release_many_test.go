package consumers_test

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestReleaseOfSeveralIsOneWrite releases what three consumers hold.
func TestReleaseOfSeveralIsOneWrite(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		store := tuitest.Demo12(t)
		before := store.Snapshot()
		var ids []placement.ConsumerID
		for one := range before.Placement().Consumers() {
			if ids = append(ids, one.ID()); len(ids) == 3 {
				break
			}
		}
		r := tuitest.Live(t, store, 80, 22, func(env screen.Env) screen.Screen {
			s := must.Get(consumers.OpenRelease(env, place.Release{Consumer: ids[0], Others: place.JoinIDs(ids[1:]...)}))(t)
			return s
		})
		must.Be(t, r.Screen.Title(), "release 3 allocations")
		r.Press("enter")
		r.Wants("type release to go ahead")
		r.Type("release")
		r.Press("enter")
		r.Wrote(1)
		if got, want := store.Snapshot().Placement().ConsumerCount(), before.Placement().ConsumerCount()-3; got != want {
			t.Errorf("%d consumers are left, want %d", got, want)
		}
	})
}

// TestReleaseOfOneHost releases the allocations on one of a consumer's two hosts: first
// offered is the one that it does not run on.
func TestReleaseOfOneHost(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		store := tuitest.Demo12(t)
		var split placement.ConsumerID
		var hosts []*placement.ResourceProvider
		for c := range store.Snapshot().Placement().Consumers() {
			if on := ops.HostsHeld(store.Snapshot(), c.ID()); len(on) == 2 {
				split, hosts = c.ID(), on
			}
		}
		if hosts == nil {
			t.Fatal("nobody stands on two hosts")
		}
		if i, _ := store.Snapshot().Nova().Instance(split); i.Host != hosts[0].Name() {
			slices.Reverse(hosts)
		}
		r := tuitest.Live(t, store, 100, 30, func(env screen.Env) screen.Screen {
			s := must.Get(consumers.OpenRelease(env, place.Release{Consumer: split}))(t)
			return s
		})
		name := hosts[1].Name()
		if x, _ := action.Find("x", r.Screen.Actions()); x.Title != "only on "+name {
			t.Errorf("x is %s", x.Title)
		}
		r.Press("x")
		rename := func(to string) {
			must.Succeed(t, r.Cloud.Do(placement.UpdateProvider{ID: hosts[1].ID(), Name: to}))
			r.Follow()
		}
		rename("renamed")
		r.Wants(name + " does not exist")
		rename(name)
		r.Press("enter", "enter") // the first shows what has changed
		r.Type("release")
		r.Press("enter")
		r.Wrote(1)
		if left := ops.HostsHeld(store.Snapshot(), split); len(left) != 1 || left[0].ID() != hosts[0].ID() {
			t.Errorf("it stands on %v, want %s alone", left, hosts[0].Name())
		}
	})
}
