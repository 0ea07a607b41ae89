package shared_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/shared"
	"github.com/placetop/placetop/storage/storagetest"
	"github.com/placetop/placetop/storage/view"
)

// open opens a store over a log whose line is as bad as that.
func open(t *testing.T, l *memoryLog, bad int, clock func() time.Time) *shared.Store {
	t.Helper()
	var s *shared.Store
	for err := errLost; err != nil; {
		s, err = shared.Open(t.Context(), &client{memoryLog: l, bad: bad}, shared.Options{Clock: clock, Place: "log:test", Scheme: "log"})
		if err != nil && !errors.Is(err, errLost) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// harness runs the suite on stores over a log.
func harness(bad int) storagetest.Harness {
	var mu sync.Mutex
	logs := map[storage.Store]*memoryLog{}
	put := func(s *shared.Store, l *memoryLog) storage.Store {
		mu.Lock()
		defer mu.Unlock()
		logs[s] = l
		return s
	}
	return storagetest.Harness{
		Open: func(t *testing.T, clock func() time.Time) storage.Store {
			l := newLog()
			return put(open(t, l, bad, clock), l)
		},
		Reopen: func(t *testing.T, s storage.Store, clock func() time.Time) storage.Store {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			mu.Lock()
			l := logs[s]
			mu.Unlock()
			return put(open(t, l, bad, clock), l)
		},
	}
}

func TestSuite(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, harness(0))
}

// TestSuiteOnABadLine runs the suite where a tenth of what is said is lost, late or doubled.
func TestSuiteOnABadLine(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, harness(10))
}

// TestLastUnits has writers of several processes take units until none is left, over lines
// that lose, delay and double: no unit is given out twice, and whoever was told has got one.
func TestLastUnits(t *testing.T) {
	t.Parallel()
	const processes, writers, capacity = 4, 4, 60
	l := newLog()
	var stores []*shared.Store
	for range processes {
		stores = append(stores, open(t, l, 10, storagetest.Clock()))
	}
	must.Succeed(t, stores[0].Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, capacity)}).Err())
	var next atomic.Int64
	var kept, doubtful sync.Map
	var all sync.WaitGroup
	for _, s := range stores {
		for range writers {
			all.Go(func() {
				for {
					n := uint64(100 + next.Add(1))
					err := s.Apply(t.Context(), storagetest.Claim(n, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1})).Err()
					switch {
					case err == nil:
						kept.Store(n, true)
					case errors.Is(err, cloud.ErrInDoubt):
						doubtful.Store(n, true)
					case errors.Is(err, placement.ErrNotFound): // the host is not here yet
					case errors.Is(err, placement.ErrCapacity):
						return
					default:
						t.Errorf("refused with %v", err)
						return
					}
				}
			})
		}
	}
	all.Wait()
	for _, s := range stores {
		storagetest.Clean(t, s) // it has read everything then
		storagetest.Same(t, stores[0].Snapshot(), s.Snapshot())
	}
	now := stores[0].Snapshot().Placement()
	kept.Range(func(n, _ any) bool {
		if _, there := now.Consumer(storagetest.Consumer(n.(uint64))); !there { //nolint:forcetypeassert // as stored
			t.Errorf("claim %d was kept, and is not there", n)
		}
		return true
	})
	if n := now.ConsumerCount(); n != capacity {
		t.Errorf("%d units were given out, of %d", n, capacity)
	}
	if now, rev := stores[0].Snapshot().Revision(), cloud.Revision(capacity+1); now != rev {
		t.Errorf("revision %d, want %d", now, rev)
	}
}

// alone opens a store over a good line.
func alone(t *testing.T, line *client, readOnly string) *shared.Store {
	t.Helper()
	s, err := shared.Open(t.Context(), line, shared.Options{Clock: time.Now, Place: "log:test", ReadOnly: readOnly})
	must.Succeed(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestCutOff cuts the line: a write is in doubt, what is here can still be read, and how
// old it is can be told.
func TestCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		line := &client{memoryLog: newLog()}
		s := alone(t, line, "")
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
		if err := s.Writable(t.Context()); err != nil {
			t.Error(err)
		}
		line.cut.Store(true)
		began := time.Now()
		err := s.Apply(t.Context(), storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err()
		if !errors.Is(err, cloud.ErrInDoubt) || !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("%v, want it in doubt", err)
		}
		if err := s.Writable(t.Context()); err == nil {
			t.Error("it can be written")
		}
		if since, why := s.Silent(); why == nil || since.After(began) {
			t.Errorf("silent since %s: %v", since, why)
		}
		if s.Snapshot().Revision() != 1 {
			t.Errorf("revision %d", s.Snapshot().Revision())
		}
	})
}

// TestCheckpoints writes so much that checkpoints are made and the journal is trimmed: who
// opens the cloud then, or was away meanwhile, has the same as who was there.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		line := &client{memoryLog: l}
		s, away := alone(t, &client{memoryLog: l}, ""), alone(t, line, "it only looks")
		ten := int64(10)
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: append(storagetest.Host(1, 100_000, 4), operator.LimitJournal{Revisions: &ten})}).Err())
		time.Sleep(time.Second)
		if away.Snapshot().Revision() != 1 {
			t.Errorf("revision %d", away.Snapshot().Revision())
		}
		line.cut.Store(true)
		for n := range uint64(200) {
			must.Succeed(t, s.Apply(t.Context(), storagetest.Claim(100+n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err())
		}
		time.Sleep(time.Minute)
		l.mu.Lock()
		points, entries := l.points, len(l.entries)
		l.mu.Unlock()
		if points == 0 || entries != int(ten) {
			t.Errorf("%d checkpoints, %d entries", points, entries)
		}
		if !s.OnDuty() || away.OnDuty() {
			t.Error("the duty is not done by who may write")
		}
		line.cut.Store(false)
		time.Sleep(10 * time.Second)
		storagetest.Same(t, s.Snapshot(), away.Snapshot())
		fresh := alone(t, &client{memoryLog: l}, "")
		storagetest.Same(t, s.Snapshot(), fresh.Snapshot())
		storagetest.Clean(t, fresh)
		events, err := fresh.Events(t.Context(), cloud.EventQuery{Limit: 1000})
		if err != nil || len(events) != int(ten) || events[0].Revision != 201 {
			t.Errorf("%d events, %v", len(events), err)
		}
	})
}

// TestTurns has processes write without pause, one of which takes long, beside one that has died
// while it waited: each gets its turn, and hardly anything is sent for nothing. Whom the log forgets
// comes back by itself.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		first := alone(t, &client{memoryLog: l}, "")
		must.Succeed(t, first.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100_000, 4)}).Err())
		l.wait(shared.Turn{Of: "dead", For: 200 * time.Millisecond})
		ctx, stop := context.WithCancel(t.Context())
		var did [4]atomic.Int64
		var next atomic.Uint64
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		for n, slow := range []time.Duration{2 * time.Millisecond, 3 * time.Millisecond, 5 * time.Millisecond, 300 * time.Millisecond} {
			s := alone(t, &client{memoryLog: l, slow: slow}, "")
			all.Go(func() {
				for ; ctx.Err() == nil; did[n].Add(1) {
					if err := s.Apply(context.WithoutCancel(ctx), claims(next.Add(1))).Err(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			time.Sleep(3 * time.Second)
			l.mu.Lock()
			a, b, c, d := did[0].Swap(0), did[1].Swap(0), did[2].Swap(0), did[3].Swap(0)
			if a < 100 || b < 70 || c < 40 || d < 2 || l.lost > 60 {
				t.Errorf("%d, %d, %d and %d writes, and %d for nothing", a, b, c, d, l.lost)
			}
			l.waiting, l.lost = nil, 0
			l.mu.Unlock()
		}
	})
}

// TestLongTurn gives the turn to a process that takes minutes to decide: others wait for all of that,
// but not for long once it has died.
func TestLongTurn(t *testing.T) {
	t.Parallel()
	for name, dies := range map[string]time.Duration{"lives": 0, "dies": 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			l := newLog()
			s := alone(t, &client{memoryLog: l}, "")
			must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100_000, 4)}).Err())
			_, ev, err := s.Snapshot().Apply(claims(1))
			must.Succeed(t, err)
			e := must.Get(shared.NewEntry(cloud.NewCodec(), ev))(t)
			e.ID, e.Turn = "an entry", shared.Turn{Of: "slow", For: 100 * time.Second}
			began := time.Now()
			must.Get(l.append(must.Get((&client{memoryLog: l}).End(t.Context()))(t), e))(t)
			synctest.Wait()
			least, most := 100*time.Second, 101*time.Second
			if dies > 0 {
				least, most = dies, dies+5*time.Second
				time.AfterFunc(dies, func() {
					l.mu.Lock()
					defer l.mu.Unlock()
					l.dead = map[string]bool{"slow": true}
				})
			}
			must.Succeed(t, s.Apply(t.Context(), claims(2)).Err())
			if took := time.Since(began); took < least || took > most {
				t.Errorf("%s: others wait %s", name, took)
			}
		})
	}
}

// TestClocksDiffer writes from a machine whose clock is ahead and from one whose clock is
// not: the times of a journal, which is read by them, do not go back.
func TestClocksDiffer(t *testing.T) {
	t.Parallel()
	l := newLog()
	ahead := open(t, l, 0, func() time.Time { return storagetest.Start.Add(time.Hour) })
	right := open(t, l, 0, func() time.Time { return storagetest.Start })
	for n, s := range []*shared.Store{right, ahead, right} {
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(uint64(1+2*n), 8, 4)}).Err())
	}
	events, err := right.Events(t.Context(), cloud.EventQuery{})
	must.Succeed(t, err)
	for i, want := range []time.Duration{time.Hour, time.Hour, 0} {
		if !events[i].At.Equal(storagetest.Start.Add(want)) {
			t.Errorf("revision %d is of %s", events[i].Revision, events[i].At)
		}
	}
}

// TestWrongClock has the duty done by a process whose clock is a year ahead: it drops nothing
// of a journal that is of today.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		s := open(t, l, 0, time.Now)
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100_000, 4)}).Err())
		must.Succeed(t, s.Close())
		wrong := open(t, l, 0, func() time.Time { return time.Now().AddDate(1, 0, 0) })
		time.Sleep(10 * time.Second) // it has the duty
		right := open(t, l, 0, time.Now)
		for n := range uint64(5000) { // enough for a checkpoint
			must.Succeed(t, right.Apply(t.Context(), claims(n)).Err())
		}
		time.Sleep(time.Minute)
		if point, _ := l.at(); point == 0 || !wrong.OnDuty() {
			t.Errorf("a checkpoint of revision %d, made there %t", point, wrong.OnDuty())
		}
		events := must.Get(right.Events(t.Context(), cloud.EventQuery{Until: 1}))(t)
		must.Be(t, len(events), 1)
	})
}

// deaf is a log that answers, but from which nothing can be read for a while.
type deaf struct {
	*client
	is atomic.Bool
}

func (d *deaf) Watch(ctx context.Context, _ shared.End, _ func(*shared.Entry) error) error {
	<-ctx.Done()
	return ctx.Err()
}

func (d *deaf) Read(ctx context.Context, from cloud.Revision, take func(*shared.Entry) error) (shared.End, error) {
	for d.is.Load() {
		if err := storage.Pause(ctx, time.Second); err != nil {
			return shared.End{}, err
		}
	}
	return d.client.Read(ctx, from, take)
}

// TestLag has others write what does not come here: it is told, to guests too, while the log
// answers, and no longer once it has come.
func TestLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		line := &deaf{client: &client{memoryLog: l}}
		late := must.Get(shared.Open(t.Context(), line, shared.Options{Clock: time.Now, Place: "log:test"}))(t)
		defer late.Close()
		seen := engine.Several(view.ReadOnly(late, "a guest"))
		line.is.Store(true)
		must.Succeed(t, alone(t, &client{memoryLog: l}, "").Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
		time.Sleep(10 * time.Second)
		if _, why := seen.Silent(); why == nil || late.Writable(t.Context()) == nil {
			t.Errorf("it is behind, and says %v", why)
		}
		line.is.Store(false)
		time.Sleep(5 * time.Second)
		if _, why := seen.Silent(); why != nil || late.Writable(t.Context()) != nil || late.Snapshot().Revision() != 1 {
			t.Errorf("it is at revision %d, and says %v", late.Snapshot().Revision(), why)
		}
		must.Succeed(t, seen.Refresh(t.Context()))
	})
}

// TestRefresh has others write what a process hears late of: once refreshed it has all that
// was acknowledged before, as a client needs whose requests go to several servers.
func TestRefresh(t *testing.T) {
	t.Parallel()
	l := newLog()
	writer := alone(t, &client{memoryLog: l}, "")
	must.Succeed(t, writer.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 1000, 4)}).Err())
	late := must.Get(shared.Open(t.Context(), &deaf{client: &client{memoryLog: l}}, shared.Options{Clock: time.Now, Place: "log:test"}))(t)
	var clients sync.WaitGroup
	for c := range uint64(8) {
		clients.Go(func() {
			for n := range uint64(25) {
				out := writer.Apply(t.Context(), claims(100*c+n))
				if err := errors.Join(out.Err(), late.Refresh(t.Context())); err != nil {
					t.Error(err)
				}
				if done, err := out.Result(); err == nil && late.Snapshot().Revision() < done.Snapshot.Revision() {
					t.Errorf("revision %d was acknowledged, and %d is shown", done.Snapshot.Revision(), late.Snapshot().Revision())
				}
			}
		})
	}
	clients.Wait()
	must.Succeed(t, late.Close())
	if err := late.Refresh(t.Context()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a closed store says %v", err)
	}
}

// claims returns a change that claims a unit for a consumer.
func claims(n uint64) cloud.Change {
	return storagetest.Claim(100+n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})
}

// TestLaggardMakesNoCheckpoint has a process get the duty that does not follow the log: it
// must not put what it has in the place of a newer checkpoint, as the log no longer has what
// came after it.
func TestLaggardMakesNoCheckpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		s := must.Get(shared.Open(t.Context(), &client{memoryLog: l}, shared.Options{Clock: time.Now, Place: "log:test", Scheme: "log"}))(t)
		time.Sleep(5 * time.Second) // s has the duty
		line := &client{memoryLog: l}
		away := must.Get(shared.Open(t.Context(), line, shared.Options{Clock: time.Now, Place: "log:test", Scheme: "log"}))(t)
		defer away.Close()
		ten := int64(10)
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: append(storagetest.Host(1, 100_000, 4), operator.LimitJournal{Revisions: &ten})}).Err())
		time.Sleep(time.Second)
		line.cut.Store(true)
		for n := range uint64(200) {
			must.Succeed(t, s.Apply(t.Context(), claims(n)).Err())
		}
		time.Sleep(time.Minute)
		made, _ := l.at()
		must.Succeed(t, s.Close())
		time.Sleep(time.Minute)
		if now, _ := l.at(); now < made || made == 0 {
			t.Errorf("the checkpoint of revision %d is one of revision %d now", made, now)
		}
		line.cut.Store(false)
		again := must.Get(shared.Open(t.Context(), &client{memoryLog: l}, shared.Options{Clock: time.Now, Place: "log:test", Scheme: "log"}))(t)
		defer again.Close()
		must.Be(t, again.Snapshot().Revision(), cloud.Revision(201))
	})
}

// TestRestoredLog puts a log back to what it was, as when etcd is restored from a snapshot,
// while a process has it open: that neither writes on what never was, nor says that all is
// well, whether or not others have written since.
func TestRestoredLog(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]uint64{"nothing since": 0, "as much since": 2, "more since": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLog()
				a := open(t, l, 0, time.Now)
				must.Succeed(t, a.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100, 4)}).Err())
				l.mu.Lock()
				entries, end := l.entries, l.end
				l.mu.Unlock()
				must.Succeed(t, a.Apply(t.Context(), claims(1)).Err())
				must.Succeed(t, a.Apply(t.Context(), claims(2)).Err())
				l.mu.Lock()
				l.entries, l.end = entries[:len(entries):len(entries)], end
				l.mu.Unlock()
				b := open(t, l, 0, time.Now)
				for n := range since {
					must.Succeed(t, b.Apply(t.Context(), claims(10+n)).Err())
				}
				if err := a.Apply(t.Context(), claims(3)).Err(); !errors.Is(err, storage.ErrDamaged) {
					t.Errorf("it writes on what never was: %v", err)
				}
				if err := a.Refresh(t.Context()); !errors.Is(err, storage.ErrDamaged) {
					t.Errorf("it says that it is up to date: %v", err)
				}
				time.Sleep(time.Minute)
				if err := a.Writable(t.Context()); !errors.Is(err, storage.ErrDamaged) {
					t.Errorf("it says that all is well: %v", err)
				}
				must.Succeed(t, b.Apply(t.Context(), claims(20)).Err())
				_, ends := l.at()
				must.Be(t, ends, b.Snapshot().Revision())
			})
		})
	}
}

// TestSilentLogIsTold refuses a write soon where the log has said that others were faster,
// and then says nothing any more.
func TestSilentLogIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(shared.Open(t.Context(), movedThenCut{&client{memoryLog: newLog()}}, shared.Options{Clock: time.Now, Place: "log:test", Scheme: "log"}))(t)
		defer s.Close()
		began := time.Now()
		err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100, 4)}).Err()
		if took := time.Since(began); err == nil || errors.Is(err, cloud.ErrInDoubt) || took > 30*time.Second {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// movedThenCut is a log that is cut off after its first answer.
type movedThenCut struct{ *client }

func (m movedThenCut) Append(context.Context, shared.End, *shared.Entry) (shared.End, error) {
	m.cut.Store(true)
	return shared.End{}, shared.ErrMoved
}

// TestLeavesSilentLog leaves a write of which the log has said that others were faster, and then
// nothing any more: it is refused at once, as nothing of it was appended.
func TestLeavesSilentLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(shared.Open(t.Context(), movedThenCut{&client{memoryLog: newLog()}}, shared.Options{Clock: time.Now, Place: "log:test", Scheme: "log"}))(t)
		defer s.Close()
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		began := time.Now()
		err := s.Apply(ctx, cloud.Change{Ops: storagetest.Host(1, 100, 4)}).Err()
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, cloud.ErrInDoubt) || took != time.Second {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// farther is a log whose end is asked for from far away.
type farther struct {
	*client
	asked atomic.Int32
}

func (f *farther) End(ctx context.Context) (shared.End, error) {
	time.Sleep(50 * time.Millisecond)
	end, err := f.client.End(ctx)
	if end.Revision > 0 {
		f.asked.Add(1)
	}
	return end, err
}

// TestRefusedBesideABusyWriter refuses a change that would not fit while somebody else writes
// without pause: the log never ends where that was decided when it is asked, but it did since.
func TestRefusedBesideABusyWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		busy, line := alone(t, &client{memoryLog: l, slow: time.Millisecond}, ""), &farther{client: &client{memoryLog: l}}
		must.Succeed(t, busy.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100_000, 4)}).Err())
		s := must.Get(shared.Open(t.Context(), line, shared.Options{Clock: time.Now, Place: "log:test"}))(t)
		defer s.Close()
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			for n := uint64(0); ctx.Err() == nil; n++ {
				if err := busy.Apply(context.WithoutCancel(ctx), claims(n)).Err(); err != nil {
					t.Error(err)
				}
			}
		})
		defer work.Wait()
		defer stop()
		time.Sleep(10 * time.Millisecond)
		err := s.Apply(t.Context(), storagetest.Claim(50, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 5})).Err()
		if asked := line.asked.Load(); !errors.Is(err, placement.ErrCapacity) || asked != 1 {
			t.Errorf("%v after it was asked %d times", err, asked)
		}
	})
}

// TestLeavesWhileOthersAreFaster leaves a write that others are always faster than, or closes
// the store: it is refused, as nothing of it was appended.
func TestLeavesWhileOthersAreFaster(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(shared.Open(t.Context(), moved{&client{memoryLog: newLog()}}, shared.Options{Clock: time.Now, Place: "log:test", Scheme: "log"}))(t)
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		err := s.Apply(ctx, cloud.Change{Ops: storagetest.Host(1, 100, 4)}).Err()
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, cloud.ErrInDoubt) {
			t.Error(err)
		}
		time.AfterFunc(time.Second, func() { _ = s.Close() })
		err = s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100, 4)}).Err()
		if !errors.Is(err, storage.ErrClosed) || errors.Is(err, cloud.ErrInDoubt) {
			t.Error(err)
		}
	})
}

// moved is a log that somebody else is always faster to append to.
type moved struct{ *client }

func (moved) Append(context.Context, shared.End, *shared.Entry) (shared.End, error) {
	time.Sleep(time.Millisecond)
	return shared.End{}, shared.ErrMoved
}

// TestLeavesBeforeItsTurn leaves a write that waits for another one, in a log that takes one
// event at a time: it is refused at once, and never written.
func TestLeavesBeforeItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		line := &client{memoryLog: newLog(), slow: 10 * time.Second}
		s := must.Get(shared.Open(t.Context(), line, shared.Options{Clock: time.Now, Place: "log:test", Single: true}))(t)
		defer s.Close()
		for n := range uint64(2) { // one is being written, the other waits, too
			go s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(10+2*n, 8, 4)})
			synctest.Wait()
		}
		ctx, leave := context.WithTimeout(t.Context(), 11*time.Second)
		defer leave()
		began := time.Now()
		err := s.Apply(ctx, cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err()
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, cloud.ErrInDoubt) || took != 11*time.Second {
			t.Errorf("%v after %s", err, took)
		}
		time.Sleep(time.Minute)
		must.Be(t, s.Snapshot().Revision(), cloud.Revision(2))
	})
}

// TestTooLargeToShare has a write wait for one with which it was taken, but whose commit it is
// too large to share. If its caller leaves it is not written. If that one is in doubt,
// nothing was done of this one, and it says so.
func TestTooLargeToShare(t *testing.T) {
	t.Parallel()
	large := func(from uint64) (c cloud.Change) {
		for n := range uint64(2000) {
			c.Ops = append(c.Ops, storagetest.Host(from+2*n, 8, 4)...)
		}
		return c
	}
	synctest.Test(t, func(t *testing.T) {
		line := &client{memoryLog: newLog(), slow: 10 * time.Second}
		s := alone(t, line, "")
		first, second := make(chan error, 1), make(chan error, 1)
		send := func(small, large cloud.Change, other func() error) {
			go s.Apply(t.Context(), small)
			synctest.Wait()
			go func() { first <- s.Apply(t.Context(), large).Err() }()
			synctest.Wait()
			go func() { second <- other() }()
			time.Sleep(11 * time.Second) // the large ones were taken
		}
		ctx, leave := context.WithCancel(t.Context())
		send(cloud.Change{Ops: storagetest.Host(1, 8, 4)}, large(10_001), func() error { return s.Apply(ctx, large(20_001)).Err() })
		leave()
		if err := <-first; err != nil {
			t.Error(err)
		}
		<-second
		time.Sleep(time.Minute)
		must.Be(t, s.Snapshot().Revision(), cloud.Revision(2))

		send(cloud.Change{Ops: storagetest.Host(3, 8, 4)}, large(30_001), func() error { return s.Apply(t.Context(), large(40_001)).Err() })
		must.Be(t, s.Snapshot().Revision(), cloud.Revision(3))
		line.cut.Store(true)
		if err := <-first; !errors.Is(err, cloud.ErrInDoubt) {
			t.Errorf("%v, want it in doubt", err)
		}
		if err := <-second; errors.Is(err, cloud.ErrInDoubt) || !errors.Is(err, placement.ErrUnavailable) ||
			strings.Contains(err.Error(), "not known") || !strings.Contains(err.Error(), "Nothing was changed") {
			t.Errorf("%v, want it refused", err)
		}
	})
}
