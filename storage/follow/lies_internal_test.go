package follow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/memory"
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

// play follows an owner that sends the given messages, and then leaves.
func play(t *testing.T, says ...said) (*Store, error) {
	t.Helper()
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		peer := line{conn: there}
		_, err := peer.read(maxGreeting, time.Minute)
		if err != nil {
			return
		}
		for _, s := range says {
			if peer.send(s.kind, s.message) != nil {
				return
			}
		}
		for f := (frame{kind: kindChanges}); err == nil && f.kind == kindChanges; { // the first question, which it does not answer
			f, err = peer.read(maxFrame, time.Minute)
		}
	}()
	s, err := Follow(t.Context(), here, Options{Clock: storagetest.Clock()})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// written is the event of one host.
func written(t *testing.T) cloud.Event {
	t.Helper()
	_, ev, err := cloud.Empty().Apply(cloud.Change{At: storagetest.Start, Ops: storagetest.Host(1, 8, 4)})
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// sent is an event as it is sent.
func sent(t *testing.T, ev cloud.Event) (wire.Changes, event) {
	t.Helper()
	var out wire.Changes
	codec := cloud.NewCodec()
	for _, c := range ev.Changes {
		one, err := wire.EncodeChange(codec, c)
		if err != nil {
			t.Fatal(err)
		}
		out.Changes = append(out.Changes, one)
	}
	return out, event{0, wire.EventOf(ev)}
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
		"no greeting":      {said{kindCheckpoint, checkpoint{}}, "is not placetop"},
		"a long greeting":  {said{kindHello, hello{Magic: magic, Release: strings.Repeat("x", maxGreeting)}}, "malformed message"},
	} {
		_, err := play(t, tt.says)
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
	ev := written(t)
	some, end := sent(t, ev)
	late, fewer, timeless := end, end, end
	late.Revision = 7
	fewer.Count++
	timeless.At.Nano = -1
	stale := ev
	stale.Changes = []versioned.Change{ev.Changes[0].Reverse()}
	gone, goneEnd := sent(t, stale)
	broken := wire.Changes{Changes: []wire.Change{{Kind: some.Changes[0].Kind, After: []byte("no record")}}}
	for name, tt := range map[string]struct {
		says []said
		want string
	}{
		"an event out of turn":            {[]said{{kindChanges, some}, {kindEvent, late}}, "out of turn"},
		"an event that lacks a change":    {[]said{{kindChanges, some}, {kindEvent, fewer}}, "changes"},
		"an event of no time":             {[]said{{kindChanges, some}, {kindEvent, timeless}}, "nanoseconds"},
		"an event without changes":        {[]said{{kindEvent, event{Event: wire.Event{Revision: 1}}}}, "out of turn"},
		"an event that does not follow":   {[]said{{kindChanges, gone}, {kindEvent, goneEnd}}, "does not follow"},
		"a record that is none":           {[]said{{kindChanges, broken}}, "malformed"},
		"a checkpoint that lacks records": {[]said{{kindCheckpoint, checkpoint{Count: 3}}}, "0 of 3 records"},
		"an unknown kind":                 {[]said{{99, bye{}}}, "kind 99"},
		"a question":                      {[]said{{kindSync, query{}}}, "kind 10"},
	} {
		s, err := play(t, append([]said{{kindHello, greeting()}, {kindCheckpoint, checkpoint{At: wire.MomentOf(time.Time{})}}}, tt.says...)...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		<-s.Gone()
		if s.Snapshot().Revision() != 0 || !errors.Is(s.why, ErrGone) || !strings.Contains(s.why.Error(), tt.want) {
			t.Errorf("%s: revision %d, %v, want %q", name, s.Snapshot().Revision(), s.why, tt.want)
		}
	}
}

// TestOwnerVanishesWhileItWrites checks that the error then leaves open whether the write
// was kept.
func TestOwnerVanishesWhileItWrites(t *testing.T) {
	t.Parallel()
	s, err := play(t, said{kindHello, greeting()}, said{kindCheckpoint, checkpoint{At: wire.MomentOf(time.Time{})}})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err()
	var gone *GoneError
	if !errors.As(err, &gone) || !errors.Is(err, cloud.ErrInDoubt) || !strings.Contains(err.Error(), "it is not known whether it was done: check it") {
		t.Errorf("apply: %v", err)
	}
	if s.Snapshot().Revision() != 0 {
		t.Error("it is shown as if it was kept")
	}
}

// TestOwnerIsSlowToWrite leaves a write that the owner has not answered: whether it is
// done is not known.
func TestOwnerIsSlowToWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer there.Close()
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			peer := line{conn: there}
			_, _ = peer.read(maxGreeting, time.Minute)
			_ = peer.send(kindHello, greeting())
			_ = peer.send(kindCheckpoint, checkpoint{At: wire.MomentOf(time.Time{})})
			for {
				if _, err := peer.read(maxFrame, time.Minute); err != nil {
					return
				}
				leave() // the write has begun
			}
		}()
		s, err := Follow(t.Context(), here, Options{Clock: storagetest.Clock()})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		err = s.Apply(ctx, cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err()
		for _, want := range []error{context.Canceled, cloud.ErrInDoubt, placement.ErrUnavailable} {
			if !errors.Is(err, want) {
				t.Errorf("apply: %v, want %v", err, want)
			}
		}
		if text := fmt.Sprint(err); !strings.Contains(text, "has not answered yet; it is not known whether it was done") || strings.Contains(text, "context") {
			t.Errorf("it says %q", text)
		}
	})
}

// TestFollowersThatLie checks that owners drop followers that lie, which change nothing.
func TestFollowersThatLie(t *testing.T) {
	t.Parallel()
	ev := written(t)
	some, end := sent(t, ev)
	end.ID = 1
	late, fewer := end, end
	late.Revision = 0
	fewer.Count++
	looks := greeting()
	looks.Looks = true
	for name, tt := range map[string]struct {
		greets hello
		says   []said
		want   string // in the error of Serve; "" if an answer comes instead
	}{
		"a write that rests on nothing": {greeting(), []said{{kindChanges, some}, {kindApply, late}}, "revision 0"},
		"a write that lacks a change":   {greeting(), []said{{kindChanges, some}, {kindApply, fewer}}, "changes"},
		"an event":                      {greeting(), []said{{kindChanges, some}, {kindEvent, end}}, "kind 6"},
		"a write of who only looks":     {looks, []said{{kindChanges, some}, {kindApply, end}}, ""},
		"a backup anywhere":             {greeting(), []said{{kindBackup, backup{ID: 1, Path: "../x"}}}, ""},
	} {
		own := memory.New(memory.Options{Clock: storagetest.Clock()})
		here, there := net.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- Serve(context.Background(), there, own, Owner{}) }()
		peer := line{conn: here}
		must(0, peer.send(kindHello, tt.greets))
		var last frame
		go func() {
			for _, s := range tt.says {
				if peer.send(s.kind, s.message) != nil {
					return
				}
			}
		}()
		for range 3 { // hello, checkpoint, then the answer or the end
			f, err := peer.read(maxFrame, time.Minute)
			if err != nil {
				break
			}
			last = f
		}
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
