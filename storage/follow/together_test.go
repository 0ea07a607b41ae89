package follow_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/shared"
	"github.com/placetop/placetop/storage/storagetest"
	"github.com/placetop/placetop/storage/view"
)

// until waits for a revision of a store.
func until(t *testing.T, s storage.Store, rev cloud.Revision) {
	t.Helper()
	changes := s.Watch(t.Context())
	for s.Snapshot().Revision() < rev {
		if _, ok := <-changes; !ok {
			t.Fatalf("the store ends at revision %d, before %d", s.Snapshot().Revision(), rev)
		}
	}
}

// TestTogether has an owner and three followers claim units at once: each unit is given
// out once, and all see the same cloud.
func TestTogether(t *testing.T) {
	t.Parallel()
	const capacity = 60
	own := ownMemory(t, storagetest.Clock())
	all := []storage.Store{own}
	for range 3 {
		all = append(all, followed(t, own, follow.Options{}))
	}
	must.Succeed(t, own.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, capacity)}).Err())
	for _, s := range all {
		until(t, s, 1)
	}
	var won, next atomic.Int64
	var work sync.WaitGroup
	for _, s := range all {
		for range 2 {
			work.Go(func() {
				for {
					c := storagetest.Claim(uint64(100+next.Add(1)), storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1})
					err := s.Apply(t.Context(), c).Err()
					if errors.Is(err, placement.ErrCapacity) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					won.Add(1)
				}
			})
		}
	}
	work.Wait()
	if won.Load() != capacity {
		t.Errorf("%d claims of %d units won", won.Load(), capacity)
	}
	for _, s := range all {
		until(t, s, 1+capacity)
		storagetest.Same(t, own.Snapshot(), s.Snapshot())
		storagetest.Clean(t, s)
	}
}

// outrun is a store to which somebody is always faster to write than a follower, unless that has
// its turn.
type outrun struct {
	*bolt.Store
	writes atomic.Uint64
}

func (o *outrun) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if c.On != nil {
		n := 1000 + o.writes.Add(1)
		if out := o.Store.Apply(ctx, storagetest.Claim(n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})); out.Err() != nil {
			return out
		}
	}
	return o.Store.Apply(ctx, c)
}

// TestBusyOwner writes beside an owner that is always faster: the follower gets its turn after a
// few of the owner's writes, which wait until it has written.
func TestBusyOwner(t *testing.T) {
	t.Parallel()
	own := &outrun{Store: must.Get(bolt.Open(t.Context(), filepath.Join(t.TempDir(), "cloud.db"), engine.Options{Clock: storagetest.Clock()}))(t)}
	defer own.Close()
	must.Succeed(t, own.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 1000, 4)}).Err())
	const mine = 20
	s := followed(t, own, follow.Options{})
	for n := range uint64(mine) {
		must.Succeed(t, s.Apply(t.Context(), storagetest.Claim(100+n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err())
	}
	if n := own.writes.Load(); n < mine || n > 3*mine {
		t.Errorf("others have written %d times between %d writes of the follower", n, mine)
	}
	must.Succeed(t, own.Store.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(3, 8, 4)}).Err())
	storagetest.Clean(t, own)
}

// TestFollowersOfFollowers follows a follower: the interface is the same.
func TestFollowersOfFollowers(t *testing.T) {
	t.Parallel()
	own := ownMemory(t, storagetest.Clock())
	first := followed(t, own, follow.Options{})
	second := followed(t, first, follow.Options{})
	must.Succeed(t, second.Apply(t.Context(), cloud.Change{Actor: "far", Ops: storagetest.Host(1, 8, 4)}).Err())
	storagetest.Same(t, own.Snapshot(), second.Snapshot())
	events, err := own.Events(t.Context(), cloud.EventQuery{})
	if err != nil || len(events) != 1 || events[0].Actor != "far" {
		t.Errorf("the journal has %+v, %v", events, err)
	}
}

// TestJournalLost makes the owner forget events that a follower has not got: it gets the
// complete cloud again.
func TestJournalLost(t *testing.T) {
	t.Parallel()
	own := memory.New(memory.Options{Clock: storagetest.Clock(), JournalChanges: 3})
	s := followed(t, own, follow.Options{})
	for n := range uint64(20) {
		must.Succeed(t, own.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1+2*n, 8, 4)}).Err())
	}
	until(t, s, 20)
	storagetest.Same(t, own.Snapshot(), s.Snapshot())
}

// TestGone closes the owner: what the follower had stays, and nothing more can be
// written.
func TestGone(t *testing.T) {
	t.Parallel()
	own := ownMemory(t, storagetest.Clock())
	s := followed(t, own, follow.Options{})
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
	if s.Capabilities().Can() != nil {
		t.Errorf("read-only: %s", s.Capabilities().ReadOnly)
	}
	must.Succeed(t, own.Close())
	<-s.Gone()
	if s.Snapshot().Revision() != 1 {
		t.Errorf("revision %d is left", s.Snapshot().Revision())
	}
	_, applied := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(3, 8, 4)}).Result()
	_, told := s.Events(t.Context(), cloud.EventQuery{})
	_, verified := s.Verify(t.Context())
	for _, err := range []error{applied, told, verified} {
		if !errors.Is(err, shared.ErrGone) || !errors.Is(err, placement.ErrUnavailable) || !strings.Contains(err.Error(), "it was closed there") {
			t.Errorf("after the owner is gone: %v", err)
		}
	}
	if s.Capabilities().ReadOnly == "" {
		t.Error("it can be written")
	}
}

// TestGoneAmidQuestions ends the serving while followers ask question after question:
// each gets the reason, whatever was under way on its line.
func TestGoneAmidQuestions(t *testing.T) {
	t.Parallel()
	own := ownMemory(t, storagetest.Clock())
	must.Succeed(t, own.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	must.Succeed(t, err)
	defer l.Close()
	for range 100 {
		here, err := net.Dial("unix", l.Addr().String())
		must.Succeed(t, err)
		there, err := l.Accept()
		must.Succeed(t, err)
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { _ = follow.Serve(ctx, there, own, follow.Owner{Place: "cloud.db"}) })
		s, err := follow.Follow(t.Context(), here, follow.Options{Clock: storagetest.Clock()})
		must.Succeed(t, err)
		asked := make(chan struct{}, 8)
		for range cap(asked) {
			work.Go(func() {
				_, err := s.Events(t.Context(), cloud.EventQuery{})
				asked <- struct{}{}
				for err == nil {
					_, err = s.Events(t.Context(), cloud.EventQuery{})
				}
				if !strings.Contains(err.Error(), "it was closed there") {
					t.Error(err)
				}
			})
		}
		<-asked
		stop()
		work.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOnlooker follows read-only: neither side lets it write.
func TestOnlooker(t *testing.T) {
	t.Parallel()
	s := followed(t, ownMemory(t, storagetest.Clock()), follow.Options{ReadOnly: "only to look"})
	if err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err(); !errors.Is(err, placement.ErrUnsupported) || !strings.Contains(err.Error(), "only to look") {
		t.Errorf("apply: %v", err)
	}
}

// TestReadOnlyOwner follows a read-only store: the reason is the owner's.
func TestReadOnlyOwner(t *testing.T) {
	t.Parallel()
	own := memory.New(memory.Options{Clock: storagetest.Clock(), Can: cloud.Capabilities{ReadOnly: "a copy for triage"}})
	s := followed(t, own, follow.Options{})
	if err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err(); !errors.Is(err, placement.ErrUnsupported) {
		t.Errorf("apply: %v", err)
	}
	if why := s.Capabilities().ReadOnly; why != "a copy for triage" {
		t.Errorf("read-only because of %q", why)
	}
}

// flawed is a store of which a newer release wrote a part, and another part is damaged.
type flawed struct{ storage.Store }

func (flawed) Condition() engine.Condition {
	return engine.Condition{
		Newer:  &storage.NewerError{Path: "/a.db", What: "a record of kind instance", Has: versioned.Version{Major: 9, Minor: 1}, Knows: versioned.Version{Major: 1}, By: "v9.1"},
		Damage: &storage.DamagedError{Path: "/a.db", What: "page 7 is torn", Err: errors.New("as read")},
	}
}

// TestNewerIsTold follows a store that a newer release wrote to, as it is and through the
// views of an SSH server: what cannot be read is told, and what is damaged.
func TestNewerIsTold(t *testing.T) {
	t.Parallel()
	own := flawed{memory.New(memory.Options{Clock: storagetest.Clock()})}
	for name, s := range map[string]storage.Store{
		"followed": followed(t, own, follow.Options{}),
		"read":     view.ReadOnly(own, "a reader"),
		"written":  view.Signed(own, "ann", func(cloud.Change) error { return nil }),
	} {
		is := engine.ConditionOf(s)
		if is.Newer == nil || is.Damage == nil {
			t.Errorf("%s: %+v is said", name, is)
			continue
		}
		if d := is.Damage; d.What != "page 7 is torn" {
			t.Errorf("%s: the damage is %v", name, d)
		}
		got, want := *is.Newer, *own.Condition().Newer
		if got.Path = want.Path; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if is := engine.ConditionOf(followed(t, ownMemory(t, storagetest.Clock()), follow.Options{})); is != (engine.Condition{}) {
		t.Errorf("of a sound store: %v", is)
	}
}

// newerChanges is a store whose only event has changes that only a newer release knows, and
// others.
type newerChanges struct {
	storage.Store
	known, all int
}

func (s newerChanges) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	events, err := s.Store.Events(ctx, q)
	for i := range events {
		if q.Small > 0 && s.all > q.Small {
			events[i].Changes, events[i].Omitted = nil, s.all
		} else {
			events[i].Changes, events[i].Note = events[i].Changes[:s.known], "and records that only a newer placetop can read"
		}
	}
	return events, err
}

// TestNewerChanges lists an event some or all of whose changes are of kinds that a newer
// release has added: the list is that of the owner.
func TestNewerChanges(t *testing.T) {
	t.Parallel()
	for _, own := range []newerChanges{{known: 0, all: 2}, {known: 0, all: 100}, {known: 1, all: 100}} {
		own.Store = ownMemory(t, storagetest.Clock())
		must.Succeed(t, own.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
		s := followed(t, own, follow.Options{})
		for _, small := range []int{0, 64, 200} {
			want := must.Get(own.Events(t.Context(), cloud.EventQuery{Small: small}))(t)
			got := must.Get(s.Events(t.Context(), cloud.EventQuery{Small: small}))(t)
			if len(got) != 1 || got[0].Note != want[0].Note || len(got[0].Changes) != len(want[0].Changes) || got[0].Omitted != want[0].Omitted {
				t.Errorf("%d of %d changes, small is %d: %+v, want %+v", own.known, own.all, small, got, want)
			}
		}
	}
}

// TestEndsWithContext checks that the end of the context ends the wait for a silent
// owner.
func TestEndsWithContext(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer there.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := follow.Follow(ctx, here, follow.Options{Clock: storagetest.Clock()}); !errors.Is(err, context.Canceled) {
		t.Errorf("follow: %v", err)
	}
}
