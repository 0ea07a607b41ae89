package follow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/shared"
	"github.com/placetop/placetop/storage/storagetest"
)

// said is a message from a fake peer.
type said struct {
	kind    kind
	message any
}

// greeting is a valid hello.
func greeting() hello {
	return hello{Magic: magic, Protocol: protocol, Release: "test", Formats: wire.Formats(), PID: 4211, Scheme: "made-up"}
}

// play follows an owner of an empty cloud that greets and answers the kinds of questions in
// says with what stands there, in place of the truth; those about events only where they
// wait for some. It leaves at the first append, unless
// that is one of them.
func play(t *testing.T, greets said, says map[kind]said) (*Store, error) {
	t.Helper()
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		peer := line{conn: there}
		_, err := peer.read(maxGreeting, time.Minute)
		if err != nil || peer.send(greets.kind, greets.message) != nil {
			return
		}
		for {
			f, err := peer.read(maxFrame, time.Minute)
			if err != nil {
				return
			}
			q := must(decode[question](f))
			lie, lies := says[f.kind]
			switch wait := f.kind == kindEvents && q.Wait; {
			case lies && (f.kind != kindEvents || wait):
			case f.kind == kindAppend:
				return
			case wait:
				continue // until something is written
			default:
				lie = said{kindAnswer, answer{}}
			}
			if a, is := lie.message.(answer); is {
				if part := a.Part; part != nil && peer.send(kindAnswer, answer{ID: q.ID, Part: part}) != nil {
					return
				}
				a.ID, a.Part = q.ID, nil
				lie.message = a
			}
			if peer.send(lie.kind, lie.message) != nil {
				return
			}
		}
	}()
	s, err := Follow(t.Context(), here, Options{Clock: storagetest.Clock()})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// written is the cloud with one host, and the event of that.
func written(t testing.TB) (*cloud.Snapshot, cloud.Event) {
	t.Helper()
	next, ev, err := cloud.Empty().Apply(cloud.Change{At: storagetest.Start, Actor: "tester", Ops: storagetest.Host(1, 8, 4)})
	if err != nil {
		t.Fatal(err)
	}
	return next, ev
}

// sent is an event as it is sent.
func sent(ev cloud.Event) entry {
	e := must(shared.NewEntry(cloud.NewCodec(), ev))
	return entry{Revision: e.First, Head: e.Head, Body: e.Body}
}

// headed is an entry with another head.
func headed(e entry, edit func(*wire.Event)) entry {
	var heads []wire.Event
	if err := wire.Unmarshal(e.Head, &heads); err != nil {
		panic(err)
	}
	edit(&heads[0])
	e.Head = must(wire.Marshal(heads))
	return e
}

// TestOwnersThatAreNone checks that peers that are not owners are refused on greeting.
func TestOwnersThatAreNone(t *testing.T) {
	t.Parallel()
	other, newer, foreign := greeting(), greeting(), greeting()
	other.Formats = other.Formats[1:]
	newer.Protocol++
	foreign.Magic = "smtp"
	for name, tt := range map[string]struct {
		says said
		want string
	}{
		"another release":  {said{kindHello, other}, `(pid 4211) is release "test"`},
		"another protocol": {said{kindHello, newer}, "whose record formats differ"},
		"another program":  {said{kindHello, foreign}, "is not placetop"},
		"no greeting":      {said{kindAnswer, answer{}}, "is not placetop"},
		"a long greeting":  {said{kindHello, hello{Magic: magic, Release: strings.Repeat("x", maxGreeting)}}, "malformed message"},
	} {
		_, err := play(t, tt.says, nil)
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestOwnersThatLie checks that followers leave owners that lie, and keep what they had
// before.
func TestOwnersThatLie(t *testing.T) {
	t.Parallel()
	next, ev := written(t)
	one := sent(ev)
	stale := ev
	stale.Changes = []versioned.Change{ev.Changes[0].Reverse()}
	var whole bytes.Buffer
	must(0, shared.WriteCloud(cloud.NewCodec(), &whole, next))
	tell := func(e entry) said {
		return said{kindAnswer, answer{Revision: e.Revision, Entries: []entry{e}}}
	}
	for name, tt := range map[string]struct {
		to   kind
		says said
		want string
	}{
		"an event of another revision":  {kindEvents, tell(headed(one, func(h *wire.Event) { h.Revision = 7 })), "revision 7 in the place of 1"},
		"an event that lacks a change":  {kindEvents, tell(headed(one, func(h *wire.Event) { h.Count++ })), "cut off"},
		"an event of no time":           {kindEvents, tell(headed(one, func(h *wire.Event) { h.At.Nano = -1 })), "nanoseconds"},
		"an event without changes":      {kindEvents, tell(headed(one, func(h *wire.Event) { h.Count = 0 })), "it changes nothing"},
		"an event that does not follow": {kindEvents, tell(sent(stale)), "does not follow"},
		"a body that is none":           {kindEvents, tell(entry{Revision: 1, Head: one.Head, Body: []byte("no body")}), "malformed"},
		"news that are old":             {kindEvents, said{kindAnswer, answer{}}, "revision 0 after 0"},
		"a checkpoint that is cut off":  {kindCheckpoint, said{kindAnswer, answer{Revision: 1, Part: whole.Bytes()[:whole.Len()/2]}}, "corrupt"},
		"a checkpoint that is none":     {kindCheckpoint, said{kindAnswer, answer{Revision: 1, Part: []byte("no cloud")}}, "corrupt"},
		"an unknown kind":               {kindEvents, said{99, bye{}}, "kind 99"},
		"a question":                    {kindEvents, said{kindVerify, question{}}, "kind 13"},
	} {
		says := map[kind]said{tt.to: tt.says}
		s, err := play(t, said{kindHello, greeting()}, says)
		if err == nil {
			<-s.Gone()
			err = s.log.ended()
			if s.Snapshot().Revision() != 0 {
				t.Errorf("%s: revision %d", name, s.Snapshot().Revision())
			}
		}
		if !errors.Is(err, shared.ErrGone) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestOwnerVanishesWhileItWrites checks that the error then leaves open whether the write
// was kept, and likewise if the answer is none.
func TestOwnerVanishesWhileItWrites(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]map[kind]said{
		"it vanishes":                       nil,
		"it did something else":             {kindAppend: {kindAnswer, answer{Revision: 9}}},
		"it has moved to where it has been": {kindAppend: {kindAnswer, answer{Moved: true}}},
	} {
		s, err := play(t, said{kindHello, greeting()}, says)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err()
		var gone *GoneError
		if !errors.As(err, &gone) || !errors.Is(err, cloud.ErrInDoubt) || !strings.Contains(err.Error(), "it is not known whether it was done: check it") {
			t.Errorf("%s: apply: %v", name, err)
		}
		if strings.Count(err.Error(), "pid 4211") != 1 {
			t.Errorf("%s: it says twice: %v", name, err)
		}
		if s.Snapshot().Revision() != 0 {
			t.Errorf("%s: it is shown as if it was kept", name)
		}
	}
}

// TestOwnerIsSlowToWrite leaves a write that the owner has not answered: whether it is
// done is not known.
func TestOwnerIsSlowToWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := stuck{memory.New(memory.Options{Clock: storagetest.Clock()}), make(chan struct{}), make(chan struct{})}
		here, there := net.Pipe()
		go func() { _ = Serve(context.Background(), there, own, Owner{}) }() // ends with the connection
		s := must(Follow(t.Context(), here, Options{Clock: storagetest.Clock()}))
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			<-own.begun
			leave()
		}()
		err := s.Apply(ctx, cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err()
		for _, want := range []error{context.Canceled, cloud.ErrInDoubt, placement.ErrUnavailable} {
			if !errors.Is(err, want) {
				t.Errorf("apply: %v, want %v", err, want)
			}
		}
		if text := fmt.Sprint(err); !strings.Contains(text, "has not answered yet; it is not known whether it was done") || strings.Contains(text, "context") {
			t.Errorf("it says %q", text)
		}
		close(own.ends)
		synctest.Wait()
		if s.Snapshot().Revision() != 1 { // it does not stay in doubt for this store
			t.Errorf("revision %d", s.Snapshot().Revision())
		}
		must(0, s.Close())
	})
}

// TestOwnerIsBusy has an owner take its time for a write whose caller stays: it is in doubt
// only where that is far more than a commit takes, and says so once.
func TestOwnerIsBusy(t *testing.T) {
	t.Parallel()
	for busy, doubt := range map[time.Duration]int{30 * time.Second: 0, time.Hour: 1} {
		synctest.Test(t, func(t *testing.T) {
			own := stuck{memory.New(memory.Options{Clock: storagetest.Clock()}), make(chan struct{}), make(chan struct{})}
			here, there := net.Pipe()
			go func() { _ = Serve(context.Background(), there, own, Owner{}) }() // ends with the connection
			s := must(Follow(t.Context(), here, Options{Clock: storagetest.Clock()}))
			time.AfterFunc(busy, func() { close(own.ends) })
			err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err()
			if n := strings.Count(fmt.Sprint(err), "has not answered yet"); n != doubt || errors.Is(err, cloud.ErrInDoubt) != (n > 0) {
				t.Errorf("busy for %s: %v", busy, err)
			}
			<-own.ends
			must(0, s.Close())
		})
	}
}

// TestUnsound has what an owner said fail in several ways: only what cannot be is a reason to
// leave the owner.
func TestUnsound(t *testing.T) {
	t.Parallel()
	for err, leaves := range map[error]bool{
		context.Canceled: false, context.DeadlineExceeded: false, shared.ErrForgotten: false, placement.ErrUnavailable: false, errFrame: true,
	} {
		here, _ := net.Pipe()
		l := newLog(here, Options{})
		if got := l.sound(err); !errors.Is(got, err) || (l.ended() != nil) != leaves {
			t.Errorf("%v: it returns %v, and has left because of %v", err, got, l.ended())
		}
	}
}

// stuck is a store whose writes take long.
type stuck struct {
	storage.Store
	begun, ends chan struct{}
}

func (s stuck) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	close(s.begun)
	<-s.ends
	return s.Store.Apply(ctx, c)
}

// lagging is a store that has not published yet what its journal has.
type lagging struct {
	storage.Store
	now atomic.Pointer[cloud.Snapshot]
}

func (s *lagging) Snapshot() *cloud.Snapshot { return s.now.Load() }

// TestJournalIsAhead follows a store whose journal is ahead of its Snapshot for a moment: a
// follower that was ahead, too, would take its owner for one that goes back.
func TestJournalIsAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := &lagging{Store: memory.New(memory.Options{Clock: storagetest.Clock()})}
		add := func(n uint64) *cloud.Snapshot {
			return must(own.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(n, 8, 4)}).Result()).Snapshot
		}
		own.now.Store(add(1))
		here, there := net.Pipe()
		go func() { _ = Serve(context.Background(), there, own, Owner{}) }() // ends with the connection
		s := must(Follow(t.Context(), here, Options{Clock: storagetest.Clock()}))
		synctest.Wait()
		second := add(3)
		synctest.Wait()
		own.now.Store(second)
		third := add(5)
		synctest.Wait()
		if is := s.Snapshot().Revision(); is != 2 {
			t.Errorf("revision %d, and the owner shows 2", is)
		}
		own.now.Store(third)
		add(7)
		synctest.Wait()
		if is, why := s.Snapshot().Revision(), s.log.ended(); is != 3 || why != nil {
			t.Errorf("revision %d, %v", is, why)
		}
		must(0, s.Close())
	})
}

// TestFollowersThatLie checks that owners drop followers that lie, which change nothing.
func TestFollowersThatLie(t *testing.T) {
	t.Parallel()
	_, ev := written(t)
	one := sent(ev)
	write := func(rev cloud.Revision, e entry) said {
		e.Revision = rev
		return said{kindAppend, question{ID: 1, Entry: e}}
	}
	looks := greeting()
	looks.Looks = true
	for name, tt := range map[string]struct {
		greets hello
		says   said
		want   string // in the error of Serve; "" if an answer comes instead
	}{
		"a write that rests on nothing": {greeting(), write(0, headed(one, func(h *wire.Event) { h.Revision = 0 })), ""},
		"a write of another revision":   {greeting(), write(2, one), ""},
		"a write that lacks a change":   {greeting(), write(1, headed(one, func(h *wire.Event) { h.Count++ })), ""},
		"a write without a body":        {greeting(), write(1, entry{Head: one.Head}), ""},
		"an answer":                     {greeting(), said{kindAnswer, answer{ID: 1}}, "kind 3"},
		"a write of who only looks":     {looks, write(1, one), ""},
		"a backup anywhere":             {greeting(), said{kindBackup, question{ID: 1, Path: "../x"}}, ""},
	} {
		own := memory.New(memory.Options{Clock: storagetest.Clock()})
		here, there := net.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- Serve(context.Background(), there, own, Owner{}) }()
		peer := line{conn: here}
		must(0, peer.send(kindHello, tt.greets))
		must(peer.read(maxGreeting, time.Minute))
		go func() { _ = peer.send(tt.says.kind, tt.says.message) }() // what comes back says what became of it
		last, _ := peer.read(maxFrame, time.Minute)
		here.Close()
		err := <-ended
		a, _ := decode[answer](last)
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) || tt.want == "" && (last.kind != kindAnswer || a.err() == nil) {
			t.Errorf("%s: ends with %v, last answer %+v", name, err, a)
		}
		if own.Snapshot().Revision() != 0 {
			t.Errorf("%s: it is kept", name)
		}
	}
}

// TestFrames refuses a length that is too long or false.
func TestFrames(t *testing.T) {
	t.Parallel()
	whole := must(appendFrame(nil, kindBye, []byte("body")))
	if f, err := readFrame(bytes.NewReader(whole), 5, func() {}); err != nil || f.kind != kindBye || string(f.body) != "body" {
		t.Errorf("%+v, %v", f, err)
	}
	for name, b := range map[string][]byte{"long": whole, "no length": {0, 0, 0, 0, 1}, "cut": whole[:7]} {
		if _, err := readFrame(bytes.NewReader(b), 4+len(b)/9*-1, func() {}); !errors.Is(err, errFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readFrame(bytes.NewReader(whole[:3]), 5, func() {}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a head that is cut: %v", err)
	}
}
