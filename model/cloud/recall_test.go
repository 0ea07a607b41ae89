package cloud_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// journal is a Historian of the events of a test, the oldest first.
type journal []cloud.Event

func (j journal) Events(_ context.Context, q cloud.EventQuery) (out []cloud.Event, _ error) {
	for i := len(j) - 1; i >= 0 && len(out) < q.Limit; i-- {
		if ev := j[i]; (q.Until == 0 || ev.Revision <= q.Until) && ev.Revision > q.After {
			out = append(out, ev)
		}
	}
	return out, nil
}

// TestRecall goes back and forth between the revisions of a random journal: each cloud is
// as it was.
func TestRecall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := cloud.Empty()
		past := []*cloud.Snapshot{s}
		var j journal
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			c := anyChange(t, s, step)
			if step == 0 {
				c = cloud.Change{At: modeltest.At(0), Ops: modeltest.Start()}
			}
			next, ev, err := s.Apply(c)
			if err != nil || next == s {
				continue
			}
			j, past, s = append(j, ev), append(past, next), next
		}
		r := cloud.NewRecall(j).Strides(cloud.Revision(rapid.IntRange(1, 9).Draw(t, "stride")))
		for range rapid.IntRange(1, 12).Draw(t, "jumps") {
			want := past[rapid.IntRange(0, len(past)-1).Draw(t, "revision")]
			got, err := r.At(context.Background(), s, want.Revision())
			if err != nil {
				t.Fatalf("revision %d: %v", want.Revision(), err)
			}
			if d := modeltest.Diff(modeltest.Records(want), modeltest.Records(got)); d != "" || got.Revision() != want.Revision() || !got.At().Equal(want.At()) {
				t.Fatalf("revision %d of %s is told as revision %d of %s (-was +told):\n%s", want.Revision(), want.At(), got.Revision(), got.At(), d)
			}
			rev, err := cloud.RevisionAt(context.Background(), j, s, want.At())
			if want.Revision() > 0 && (err != nil || rev != want.Revision()) {
				t.Fatalf("revision %d of %s is found as %d, %v", want.Revision(), want.At(), rev, err)
			}
		}
	})
}

// threeBoots returns a cloud with three instances, and the journal of them.
func threeBoots(t *testing.T) (*cloud.Snapshot, journal) {
	t.Helper()
	s := start(t)
	var j journal
	for _, vm := range []string{"vm1", "vm2", "vm3"} {
		next, ev, err := s.Apply(boot(s, vm, 1))
		must.Succeed(t, err)
		ev.At = modeltest.At(int(ev.Revision))
		j, s = append(j, ev), next
	}
	return s, j
}

// halted is a Historian that ends the context with its second answer.
type halted struct {
	journal
	end   context.CancelFunc
	calls int
}

func (h *halted) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	if h.calls++; h.calls < 2 {
		return h.journal.Events(ctx, q)
	}
	h.end()
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestRecallEnds ends the context while events are read: nothing is read after that.
func TestRecallEnds(t *testing.T) {
	t.Parallel()
	s, j := threeBoots(t)
	ctx, end := context.WithCancel(t.Context())
	h := &halted{journal: j, end: end}
	if _, err := cloud.NewRecall(h).Strides(1).At(ctx, s, s.Revision()-3); !errors.Is(err, context.Canceled) {
		t.Errorf("it is told: %v", err)
	}
	if h.calls != 2 {
		t.Errorf("events were read %d times, want 2", h.calls)
	}
}

// TestRecallForgets asks for revisions that a journal has dropped, and for future ones.
func TestRecallForgets(t *testing.T) {
	t.Parallel()
	s, j := threeBoots(t)
	newest := s.Revision()
	at := func(j journal, rev cloud.Revision) error {
		_, err := cloud.NewRecall(j).At(t.Context(), s, rev)
		return err
	}
	if err := at(j, newest-3); err != nil {
		t.Errorf("before the oldest event: %v", err)
	}
	bare := append(journal{}, j...)
	bare[1].Omitted, bare[1].Changes = len(bare[1].Changes), nil
	for _, test := range []struct {
		what string
		err  error
		want string
	}{
		{"older than the journal", at(j[1:], newest-3), "the journal begins with revision"},
		{"no journal", at(nil, newest-1), "the journal does not go back that far"},
		{"forgotten records", at(bare, newest-3), "the journal does not keep the"},
		{"to come", at(j, newest+1), "does not exist"},
	} {
		if !errors.Is(test.err, placement.ErrNotFound) || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.what, test.err, test.want)
		}
	}
	must.Fail(t, must.Err(cloud.RevisionAt(t.Context(), j[1:], s, modeltest.At(0))), placement.ErrNotFound)
}

// TestRecallTurnsBack asks for a revision that is closer to a kept Snapshot than to the
// newest, after the journal has dropped what followed that Snapshot.
func TestRecallTurnsBack(t *testing.T) {
	t.Parallel()
	s := start(t)
	var j journal
	past := map[cloud.Revision]*cloud.Snapshot{}
	for i := range 8 {
		next, ev, err := s.Apply(boot(s, fmt.Sprint("vm", i), 1))
		must.Succeed(t, err)
		ev.At = modeltest.At(int(ev.Revision))
		j, s = append(j, ev), next
		past[s.Revision()] = s
	}
	first, large := j[0].Revision, append(journal{}, j...)
	large[2].Omitted, large[2].Changes = len(large[2].Changes), nil
	for name, later := range map[string]journal{"trimmed": j[3:], "a large one": large} {
		journal := &struct{ cloud.Historian }{j}
		r := cloud.NewRecall(journal)
		must.Get(r.At(t.Context(), past[first+3], first))(t)
		journal.Historian = later
		got, err := r.At(t.Context(), s, first+3)
		if err != nil || got.Revision() != first+3 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReplay reads a past cloud: nothing can be written, and nothing later is seen.
func TestReplay(t *testing.T) {
	t.Parallel()
	old := start(t)
	s, first, err := old.Apply(boot(old, "vm1", 1))
	must.Succeed(t, err)
	_, second, err := s.Apply(boot(s, "vm2", 1))
	must.Succeed(t, err)
	r := cloud.NewReplay(told{journal: journal{first, second}}, s)
	if err := r.Apply(t.Context(), boot(s, "vm3", 1)).Err(); !errors.Is(err, placement.ErrUnsupported) || !strings.Contains(err.Error(), "this is revision") {
		t.Errorf("written: %v", err)
	}
	events, err := r.Events(t.Context(), cloud.EventQuery{Limit: 9})
	if err != nil || len(events) != 1 || events[0].Revision != s.Revision() {
		t.Errorf("the journal of revision %d: %v, %v", s.Revision(), events, err)
	}
	if none, err := cloud.NewReplay(told{journal: journal{first, second}}, cloud.Empty()).Events(t.Context(), cloud.EventQuery{Limit: 9}); len(none) > 0 || err != nil {
		t.Errorf("the journal before the first revision: %v, %v", none, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	watch := r.Watch(ctx)
	stop()
	if _, open := <-watch; open {
		t.Error("what was has changed")
	}
}

// told is a cloud with only a journal.
type told struct {
	cloud.Cloud
	journal
}

func (t told) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	return t.journal.Events(ctx, q)
}

func (told) Capabilities() cloud.Capabilities { return cloud.Capabilities{} }
