package follow

import (
	"bytes"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
)

// bytesOf returns messages as they are sent.
func bytesOf(f *testing.F, says ...said) []byte {
	f.Helper()
	var out []byte
	for _, s := range says {
		out = must(appendFrame(out, s.kind, must(wire.Marshal(s.message))))
	}
	return out
}

// seeds adds what owners and followers say.
func seeds(f *testing.F) {
	f.Helper()
	_, ev, err := cloud.Empty().Apply(cloud.Change{At: storagetest.Start, Actor: "tester", Ops: storagetest.Host(1, 8, 4)})
	if err != nil {
		f.Fatal(err)
	}
	codec := cloud.NewCodec()
	var some wire.Changes
	whole := map[string]*wire.Records{}
	for _, c := range ev.Changes {
		one, err := wire.EncodeChange(codec, c)
		if err != nil {
			f.Fatal(err)
		}
		some.Changes = append(some.Changes, one)
		k := string(one.Kind)
		if whole[k] == nil {
			whole[k] = &wire.Records{Kind: one.Kind}
		}
		whole[k].Records = append(whole[k].Records, one.After)
	}
	f.Add(bytesOf(f, said{kindChanges, some}, said{kindEvent, event{0, wire.EventOf(ev)}}))
	f.Add(bytesOf(f, said{kindChanges, some}, said{kindTold, event{3, wire.EventOf(ev)}}, said{kindAnswer, answer{ID: 3}}))
	f.Add(bytesOf(f, said{kindChanges, some}, said{kindApply, event{1, wire.EventOf(ev)}}))
	var says []said
	n := 0
	for _, r := range whole {
		says = append(says, said{kindRecords, *r})
		n += len(r.Records)
	}
	f.Add(bytesOf(f, append(says, said{kindCheckpoint, checkpoint{Revision: 4, At: wire.MomentOf(storagetest.Start), Count: n}})...))
	f.Add(bytesOf(f, said{kindHello, greeting()}, said{kindBye, bye{"it was closed there"}}))
	f.Add(bytesOf(f, said{kindSync, query{ID: 1}}, said{kindEvents, query{ID: 2, Until: 5, Limit: 3}}, said{kindVerify, query{ID: 3}}))
	f.Add(bytesOf(f, said{kindBackup, backup{ID: 4, Path: "x", Keep: []string{"a", "b"}}}))
	f.Add(bytesOf(f, said{kindAnswer, answer{ID: 1, Revision: 1, Moved: true, Error: "no", Matches: 5, Defects: []defect{{Where: "here", What: "that"}}}}))
}

// FuzzOwnerSays gives a follower arbitrary messages from its owner: it never panics, and
// what it then shows is a sound cloud.
func FuzzOwnerSays(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &Store{codec: cloud.NewCodec(), waiting: map[uint64]*question{3: {answer: make(chan answer, 1)}}, news: make(chan struct{})}
		s.newest.Store(cloud.Empty())
		in := incoming{Store: s, pieces: pieces{codec: s.codec}}
		for r := bytes.NewReader(b); ; {
			fr, err := readFrame(r, 1<<20, func() {})
			if err != nil || in.take(fr) != nil {
				break
			}
		}
		if bad := s.Snapshot().Check(); len(bad) > 0 {
			t.Errorf("what is shown does not agree: %v", bad)
		}
	})
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
		parts := pieces{codec: v.codec}
		for r := bytes.NewReader(b); ; {
			fr, err := readFrame(r, 1<<20, func() {})
			if err != nil {
				break
			}
			if fr.kind == kindChanges {
				if parts.add(fr) != nil {
					break
				}
				continue
			}
			id, do, err := v.question(fr, parts.take())
			if err != nil || v.answered(t.Context(), id, do) != nil {
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
