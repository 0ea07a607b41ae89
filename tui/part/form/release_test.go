package form_test

import (
	"testing"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestReleaseAsksForTheWord(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		c := liveInstance(t, s.Snapshot())
		r := release(t, s, 100, 30, place.Release{Consumer: c.ID()})
		r.Wants("AFTER  not there", "what it uses may be given to others")
		r.Press("enter")
		r.Wants("type release to go ahead:")
		r.Wrote(0)
		r.Type("yes")
		r.Press("enter")
		r.Wants("type release, or esc")
		r.Wrote(0)
		r.Press("esc")
		r.Lacks("type release to go ahead:")
		r.Press("enter")
		r.Type("release")
		r.Press("enter")
		r.Wrote(1)
		if _, ok := s.Snapshot().Placement().Consumer(c.ID()); ok {
			t.Error("it still holds something")
		}
	})
}

func TestReleaseOfOneProvider(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		c := liveInstance(t, s.Snapshot())
		before := s.Snapshot().Placement().ConsumerRecord(c).Allocations
		var from placement.ProviderID
		for id := range before {
			from = id
		}
		r := release(t, s, 100, 30, place.Release{Consumer: c.ID(), From: from})
		r.Press("enter")
		r.Type("release")
		r.Press("enter")
		r.Wrote(1)
		after, ok := s.Snapshot().Placement().Consumer(c.ID())
		if !ok {
			t.Fatal("all was released")
		}
		held := s.Snapshot().Placement().ConsumerRecord(after).Allocations
		if _, still := held[from]; still || len(held) != len(before)-1 {
			t.Errorf("it holds %v", held)
		}
	})
}

func TestReleaseOfASmallOrphanTakesOneKey(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		id := orphan(t, s)
		r := release(t, s, 100, 30, place.Release{Consumer: id})
		r.Wants("clears a01")
		r.Press("enter")
		r.Wrote(1)
		if _, ok := s.Snapshot().Placement().Consumer(id); ok {
			t.Error("it still holds something")
		}
	})
}
