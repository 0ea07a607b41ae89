package follow

import (
	"bytes"
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/shared"
	"github.com/placetop/placetop/storage/storagetest"
)

// bytesOf returns messages as they are sent.
func bytesOf(says ...said) []byte {
	var out []byte
	for _, s := range says {
		out = must(appendFrame(out, s.kind, must(wire.Marshal(s.message))))
	}
	return out
}

// seeds adds what owners and followers say.
func seeds(f *testing.F) {
	f.Helper()
	next, ev := written(f)
	one := sent(ev)
	var whole bytes.Buffer
	must(0, shared.WriteCloud(cloud.NewCodec(), &whole, next))
	none, large := said{kindAnswer, answer{ID: 1}}, entry{Revision: 1, Head: one.Head}
	f.Add(bytesOf(none, said{kindAnswer, answer{ID: 2, Revision: 1, Entries: []entry{one}}}))
	f.Add(bytesOf(none, said{kindAnswer, answer{ID: 2, Revision: 1, Entries: []entry{large}}}, said{kindAnswer, answer{ID: 3, Entries: []entry{one}}}))
	f.Add(bytesOf(said{kindAnswer, answer{ID: 1, Part: whole.Bytes()}}, said{kindAnswer, answer{ID: 1, Revision: 1}}, said{kindAnswer, answer{ID: 2, Revision: 1}}))
	f.Add(bytesOf(said{kindAppend, question{ID: 1, Entry: one}}, said{kindEvents, question{ID: 2, Query: cloud.EventQuery{Until: 1, Limit: 3, Small: 2}}},
		said{kindEvents, question{ID: 4, Query: cloud.EventQuery{After: 1}, Wait: true}}, said{kindCheckpoint, question{ID: 5}}))
	f.Add(bytesOf(said{kindHello, greeting()}, said{kindBye, bye{"it was closed there"}}))
	f.Add(bytesOf(said{kindVerify, question{ID: 3}}))
	f.Add(bytesOf(said{kindBackup, question{ID: 4, Path: "x", Keep: []diskfile.ProtectedFile{{Path: "a", Is: "b"}}}}))
	f.Add(bytesOf(said{kindAnswer, answer{ID: 1, Revision: 1, Moved: true, Error: "no", Matches: 5, Defects: []storage.Defect{{Where: "here", What: "that"}}}}))
}

// FuzzOwnerSays gives a follower arbitrary messages from its owner, one answer for each question: it
// never panics, and what it then shows is a sound cloud.
func FuzzOwnerSays(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) { synctest.Test(t, func(t *testing.T) { ownerSays(t, b) }) })
}

// ownerSays is FuzzOwnerSays for one input.
func ownerSays(t *testing.T, b []byte) {
	t.Helper()
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		peer, bytesLeft := line{conn: there}, bytes.NewReader(b)
		for {
			if _, err := peer.read(maxFrame, 0); err != nil {
				return
			}
			for more := true; more; {
				fr, err := readFrame(bytesLeft, 1<<20, func() {})
				if err != nil {
					return
				}
				if _, err := there.Write(must(appendFrame(nil, fr.kind, fr.body))); err != nil {
					return
				}
				a, err := decode[answer](fr)
				more = err == nil && a.Part != nil
			}
		}
	}()
	l := newLog(here, Options{})
	go l.listen()
	s, err := shared.Open(t.Context(), l, shared.Options{Clock: storagetest.Clock(), Single: true})
	if err != nil {
		return
	}
	<-l.gone
	if bad := s.Snapshot().Check(); len(bad) > 0 {
		t.Errorf("what is shown does not agree: %v", bad)
	}
	must(0, s.Close())
}

// FuzzFollowerSays gives an owner arbitrary messages from a follower: it never panics,
// and what it stores is a sound cloud.
func FuzzFollowerSays(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		own := memory.New(memory.Options{Clock: storagetest.Clock()})
		here, there := net.Pipe()
		defer here.Close()
		go func() { // ignores what it receives
			_, _ = new(bytes.Buffer).ReadFrom(here)
		}()
		v := &service{line: line{conn: there}, store: own, codec: cloud.NewCodec(), stop: func(error) {}}
		for r := bytes.NewReader(b); ; {
			fr, err := readFrame(r, 1<<20, func() {})
			if err != nil {
				break
			}
			do, err := v.question(fr)
			if err != nil {
				break
			}
			ctx, stop := context.WithCancel(t.Context())
			if q, _ := decode[question](fr); q.Wait {
				stop() // what it waits for never comes
			}
			err = do(ctx)
			if stop(); err != nil {
				break
			}
		}
		there.Close()
		if bad := own.Snapshot().Check(); len(bad) > 0 {
			t.Errorf("what is kept does not agree: %v", bad)
		}
	})
}

// FuzzGreeting gives either side arbitrary bytes as a greeting.
func FuzzGreeting(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		here, there := net.Pipe()
		go func() {
			_, _ = there.Write(b)
			there.Close()
		}()
		h, err := greeted(&line{conn: here}, "is tested", "test")
		here.Close()
		if err == nil && (h.Magic != magic || !cmp.Equal(h.Formats, wire.Formats())) {
			t.Errorf("let in: %+v", h)
		}
	})
}

// TestMoments checks that any time in the model survives encoding.
func TestMoments(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{{}, storagetest.Start, time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 1, time.UTC)} {
		if got := wire.MomentOf(at).Time(); !got.Equal(at) || got.IsZero() != at.IsZero() {
			t.Errorf("%v came as %v", at, got)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
