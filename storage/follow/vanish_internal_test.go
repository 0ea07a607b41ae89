package follow

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
)

// relay passes messages between a follower and its owner, and does something to them at
// the message with a number.
type relay struct {
	at   int
	then func() // what happens there before the message is passed on
	cut  cut    // where the line ends

	mu      sync.Mutex // guards what follows
	n       int        // messages so far
	onApply func()     // called before the first write is passed on
}

// cut is where a line ends.
type cut int

const (
	nowhere cut = iota
	before      // the message
	within
	behind
)

// pass passes messages on from one side to the other.
func (r *relay) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	for {
		f, err := readFrame(from, maxFrame, func() {})
		if err != nil {
			return
		}
		r.mu.Lock()
		r.n++
		here, first := r.n == r.at, func() {}
		if f.kind == kindAppend && r.onApply != nil {
			first, r.onApply = r.onApply, nil
		}
		r.mu.Unlock()
		first()
		b, _ := appendFrame(nil, f.kind, f.body)
		switch {
		case here && r.cut == before:
			return
		case here && r.cut == within:
			_, _ = to.Write(b[:len(b)/2])
			return
		case here && r.then != nil:
			r.then()
		}
		if _, err := to.Write(b); err != nil || here && r.cut == behind {
			return
		}
	}
}

// left is what an owner has left.
type left struct{ storage.Store }

func (left) Close() error { return nil }

// vanishing has one side go at message n of a write that has to be decided twice, as
// another writer is faster. It reports whether there were that many messages.
func vanishing(t *testing.T, how string, n int) bool {
	t.Helper()
	own := memory.New(memory.Options{Clock: storagetest.Clock()})
	if err := own.Apply(context.Background(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err(); err != nil {
		t.Fatal(err)
	}
	here, followerEnd := net.Pipe()
	ownerEnd, there := net.Pipe()
	serving, stop := context.WithCancel(context.Background())
	defer stop()
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	r := &relay{at: n, onApply: func() {
		if err := own.Apply(context.Background(), cloud.Change{Note: "rival", Ops: storagetest.Host(3, 8, 4)}).Err(); err != nil && how != "the owner closes the store" {
			t.Error(err)
		}
	}}
	var work sync.WaitGroup
	defer work.Wait()
	served := make(chan struct{})
	o := Options{Clock: storagetest.Clock()}
	switch how {
	case "the line is cut before a message":
		r.cut = before
	case "the line is cut within a message":
		r.cut = within
	case "the line is cut behind a message":
		r.cut = behind
	case "the owner is killed, and its store opened again":
		r.cut = behind
		o.Reopen = func(context.Context) (storage.Store, error) {
			<-served // as the lock of a file is free only then
			return left{own}, nil
		}
	case "the owner stops serving":
		r.then = stop
	case "the owner closes the store":
		r.then = func() { _ = own.Close() }
	case "the caller leaves":
		r.then = leave
	}
	work.Go(func() { r.pass(followerEnd, ownerEnd) })
	work.Go(func() { r.pass(ownerEnd, followerEnd) })
	work.Go(func() {
		defer close(served)
		_ = Serve(serving, there, own, Owner{}) // its effect shows at the follower
	})
	s, err := Follow(context.Background(), here, o)
	if err != nil {
		return true // it went before there was anything to write
	}
	done, err := s.Apply(ctx, cloud.Change{Actor: "ann", Note: "mine", Ops: storagetest.Host(5, 8, 4)}).Result()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	stop()
	<-served
	kept := cloud.Revision(0)
	if _, err := own.Snapshot().Placement().FindProvider(storagetest.Provider(5)); err == nil {
		kept = own.Snapshot().Revision() // it comes last
	}
	switch doubt := errors.Is(err, cloud.ErrInDoubt); {
	case err == nil && (kept == 0 || done.Event.Revision != kept || done.Snapshot.Revision() != kept):
		t.Errorf("%s at message %d: kept as revision %d of a Snapshot at %d, and the owner has it as %d", how, n, done.Event.Revision, done.Snapshot.Revision(), kept)
	case err != nil && !doubt && kept != 0:
		t.Errorf("%s at message %d: refused with %v, and the owner has it as %d", how, n, err, kept)
	case err != nil && !errors.Is(err, placement.ErrUnavailable) && !errors.Is(err, context.Canceled):
		t.Errorf("%s at message %d: the error is %v", how, n, err)
	case doubt && o.Reopen != nil:
		t.Errorf("%s at message %d: in doubt, though the store can be looked at: %v", how, n, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n >= n
}

// TestVanishing has one side go at each message of a write in turn: what is reported as
// kept is there, what is reported as refused is not, and all else is said to be in doubt,
// unless what the owner left can be looked at. A write used to be reported as kept if the
// owner went between telling that it had moved on and the events that it had.
func TestVanishing(t *testing.T) {
	t.Parallel()
	for _, how := range []string{
		"the line is cut before a message", "the line is cut within a message", "the line is cut behind a message", "the owner is killed, and its store opened again",
		"the owner stops serving", "the owner closes the store", "the caller leaves",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			for range 10 { // the sides run at different speeds
				for n, more := 1, true; more; n++ {
					synctest.Test(t, func(t *testing.T) { more = vanishing(t, how, n) })
				}
			}
		})
	}
}
