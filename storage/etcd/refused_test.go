//go:build etcd

package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/etcd"
	"github.com/placetop/placetop/storage/shared"
	"github.com/placetop/placetop/storage/storagetest"
)

// keys returns what is below a prefix.
func keys(t *testing.T, client *clientv3.Client, prefix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, kv := range must.Get(client.Get(t.Context(), prefix, clientv3.WithPrefix()))(t).Kvs {
		out[string(kv.Key)] = string(kv.Value)
	}
	return out
}

// refuses opens a place, and returns why it is refused.
func refuses(t *testing.T, place string, readOnly bool) error {
	t.Helper()
	s, err := etcd.Engine{}.Open(t.Context(), place, engine.Options{Clock: time.Now, Version: "test", ReadOnly: readOnly, NamedBy: "with --db"})
	if err == nil {
		_ = s.Close()
		t.Fatalf("%s was opened", place)
	}
	return err
}

// TestWhatIsThere opens prefixes that hold nothing, or something else than a cloud of this
// release: it is said, and nothing is written.
func TestWhatIsThere(t *testing.T) {
	c := begin(t)
	client := c.client()
	if err := refuses(t, c.place("nothing"), true); !strings.Contains(err.Error(), "there is no cloud") {
		t.Error(err)
	}
	if len(keys(t, client, "/nothing")) > 0 {
		t.Error("looking has made something")
	}
	open(t, c.place("outer/cloud"), time.Now)
	for inside, outside := range map[string]string{"outer/cloud/in/it": "/outer/cloud", "outer": "/outer/cloud/format"} {
		was := keys(t, client, "/outer/")
		if err := refuses(t, c.place(inside), false); !strings.Contains(err.Error(), outside) {
			t.Error(err)
		}
		must.Be(t, len(keys(t, client, "/outer/")), len(was))
	}
	open(t, c.place("outer/other"), time.Now)
	for _, key := range []string{"/other/key", "/format/format"} {
		must.Get(client.Put(t.Context(), key, "value"))(t)
		place := c.place(strings.Split(key, "/")[1])
		for _, readOnly := range []bool{true, false} {
			var not *storage.OpenError
			if err := refuses(t, place, readOnly); !errors.As(err, &not) || !strings.Contains(err.Error(), key) {
				t.Errorf("%s: %v", place, err)
			}
		}
		if n := len(keys(t, client, key)); n != 1 {
			t.Errorf("%d keys", n)
		}
	}

	s := open(t, c.place("newer"), time.Now)
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
	var format map[int]any
	must.Succeed(t, cbor.Unmarshal([]byte(keys(t, client, "/newer/format")["/newer/format"]), &format))
	format[4] = append(format[4].([]any), "instance 99.0") //nolint:forcetypeassert // as it is written
	must.Get(client.Put(t.Context(), "/newer/format", string(must.Get(cbor.Marshal(format))(t))))(t)
	was := keys(t, client, "/newer/")
	if err := refuses(t, c.place("newer"), false); !errors.Is(err, storage.ErrNewer) {
		t.Error(err)
	}
	if err := s.Apply(t.Context(), storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err(); !errors.Is(err, storage.ErrNewer) {
		t.Errorf("who has it open writes on: %v", err)
	}
	if is := keys(t, client, "/newer/"); fmt.Sprint(is) != fmt.Sprint(was) {
		t.Errorf("%d keys, were %d", len(is), len(was))
	}
	must.Get(client.Delete(t.Context(), "/newer/head"))(t)
	must.Get(client.Put(t.Context(), "/newer/format", was["/newer/format"]))(t)
	format[4] = format[4].([]any)[:1] //nolint:forcetypeassert // as it is written
	must.Get(client.Put(t.Context(), "/newer/format", string(must.Get(cbor.Marshal(format))(t))))(t)
	if err := refuses(t, c.place("newer"), false); !errors.Is(err, storage.ErrDamaged) {
		t.Error(err)
	}
}

// TestLargeChanges writes changes that do not fit into one request while others write: each
// is there as a whole, for others and after opening the cloud again.
func TestLargeChanges(t *testing.T) {
	c := begin(t)
	place := c.place("large")
	s, other := open(t, place, time.Now), open(t, place, time.Now)
	must.Succeed(t, other.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100_000, 4)}).Err())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		var err error
		for n := uint64(1); err == nil && ctx.Err() == nil; n++ {
			err = other.Apply(context.WithoutCancel(ctx), storagetest.Claim(1_000_000+n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err()
			time.Sleep(5 * time.Millisecond)
		}
		ended <- err
	}()
	done, err := s.Apply(t.Context(), large(1)).Result()
	must.Succeed(t, err)
	stop()
	must.Succeed(t, <-ended)
	parts := 0
	for key := range keys(t, c.client(), "/large/part/") {
		parts++
		if leases := must.Get(c.client().Get(t.Context(), key))(t).Kvs[0].Lease; leases != 0 {
			t.Errorf("%s ends with its writer", key)
		}
	}
	if parts < 2 {
		t.Errorf("%d parts", parts)
	}
	fresh := open(t, place, time.Now)
	reach(t, s, fresh.Snapshot())
	reach(t, other, fresh.Snapshot())
	storagetest.Clean(t, fresh)
	events := must.Get(fresh.Events(t.Context(), cloud.EventQuery{Until: done.Event.Revision, Limit: 1}))(t)
	if len(events) != 1 || len(events[0].Changes) != len(done.Event.Changes) {
		t.Errorf("%d events", len(events))
	}
}

// TestNoSpace fills an etcd: the error says so and what to do, nothing of the write is
// there, and after that has been done it is written again, even if a member is away.
func TestNoSpace(t *testing.T) {
	c := begin(t, "--quota-backend-bytes", "8388608")
	client := c.client()
	s := open(t, c.place("full"), time.Now)
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 100_000, 4)}).Err())
	for n := 0; ; n++ {
		if _, err := client.Put(t.Context(), "fill", strings.Repeat("x", 1<<20)); err != nil {
			break
		}
		if n > 100 {
			t.Fatal("it does not become full")
		}
	}
	claim := storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})
	err := s.Apply(t.Context(), claim).Err()
	if !errors.Is(err, placement.ErrUnavailable) || errors.Is(err, cloud.ErrInDoubt) || !strings.Contains(fmt.Sprint(err), "NOSPACE") {
		t.Errorf("%v, want that it is full", err)
	}
	storagetest.Same(t, s.Snapshot(), open(t, c.place("full"), time.Now).Snapshot())
	guest := must.Get(etcd.Engine{}.Open(t.Context(), c.place("full"), engine.Options{Clock: time.Now, Version: "test", As: "guest"}))(t)
	defer guest.Close()
	away := c.members[2]
	away.kill()
	compact := func() (engine.CompactResult, error) {
		return etcd.Engine{}.Compact(t.Context(), "etcd://"+c.members[0].client+"/full", engine.Options{}) // the others, too
	}
	done, err := compact()
	if err == nil || !strings.Contains(err.Error(), away.client) {
		t.Errorf("one member is away: %v", err)
	}
	if done.After >= done.Before/2 {
		t.Errorf("%+v", done)
	}
	must.Succeed(t, s.Apply(t.Context(), claim).Err())
	await(t, "guest", func() bool { return len(keys(t, client, "/full/who/")) == 1 }) // it came when nothing could be written
	away.start(t)
	c.await()
	must.Get(compact())(t)
	all := int64(0)
	for _, host := range c.hosts() {
		all += must.Get(client.Status(t.Context(), host))(t).DbSize
	}
	if all >= done.Before/2 {
		t.Errorf("all have %d bytes", all)
	}
	storagetest.Clean(t, s)
}

// TestTrimmedIsInDoubt asks what became of an entry that was added, and that the journal has
// dropped since: it must not be taken for one that was never added.
func TestTrimmedIsInDoubt(t *testing.T) {
	c := begin(t)
	l := must.Get(etcd.OpenLog(t.Context(), c.place("trim")))(t)
	defer l.Close()
	start := must.Get(l.End(t.Context()))(t)
	entry := func(on shared.End, id string) *shared.Entry {
		return &shared.Entry{ID: id, After: on.ID, First: on.Revision + 1, Last: on.Revision + 1, Head: []byte("h")}
	}
	first := entry(start, "x1")
	end := must.Get(l.Append(t.Context(), start, first))(t) // suppose that this answer was lost
	must.Get(l.Append(t.Context(), end, entry(end, "x2")))(t)
	must.Succeed(t, l.Duty(t.Context(), func(ctx context.Context, d shared.Duty) error {
		return d.Trim(ctx, func(e *shared.Entry) bool { return e.ID == first.ID })
	}))
	if added, err := l.Settle(t.Context(), start, first); err == nil {
		t.Errorf("it is said to be added: %t", added)
	}
	if _, err := l.Append(t.Context(), start, first); !errors.Is(err, shared.ErrUnknown) {
		t.Errorf("sent again: %v", err)
	}
}

// TestLongWaitEnds has processes wait, and vanish: others are held up by one that needs long only
// for a while after that, and one that needs little costs no lease. One that needs long is known to
// live until it leaves.
func TestLongWaitEnds(t *testing.T) {
	c := begin(t)
	l := must.Get(etcd.OpenLog(t.Context(), c.place("wait")))(t)
	defer l.Close()
	other := must.Get(etcd.OpenLog(t.Context(), c.place("wait")))(t)
	defer other.Close()
	lives := func(process string) bool { return must.Get(other.Lives(t.Context(), process))(t) }
	start := must.Get(l.End(t.Context()))(t)
	elsewhere := start
	elsewhere.Mark++
	for _, by := range []shared.Turn{{Of: "short", For: 100 * time.Millisecond}, {Of: "long", For: 10 * time.Second}, {Of: "longest", For: time.Minute}} {
		e := &shared.Entry{ID: by.Of, First: start.Revision + 1, Last: start.Revision + 1, Head: []byte("h"), By: by}
		if _, err := l.Append(t.Context(), elsewhere, e); !errors.Is(err, shared.ErrMoved) {
			t.Fatal(err)
		}
		kvs := must.Get(c.client().Get(t.Context(), "/wait/wait/"+by.Of))(t).Kvs
		must.Be(t, len(kvs), 1)
		left := int64(-1)
		if id := kvs[0].Lease; id != 0 {
			left = must.Get(c.client().TimeToLive(t.Context(), clientv3.LeaseID(id)))(t).GrantedTTL
		}
		must.Be(t, left, map[string]int64{"short": -1, "long": 60, "longest": 120}[by.Of])
	}
	must.Be(t, lives("short"), false)
	must.Be(t, lives("long"), true)
	must.Succeed(t, l.Close())
	must.Be(t, lives("long"), false)
}

// TestPartsLost refuses a large change at the very end, as a part is gone that was sent before: the
// others do not stay in the way, and the next try sends all again.
func TestPartsLost(t *testing.T) {
	c := begin(t)
	l := must.Get(etcd.OpenLog(t.Context(), c.place("parts")))(t)
	defer l.Close()
	start := must.Get(l.End(t.Context()))(t)
	e := &shared.Entry{ID: "x1", First: 1, Last: 1, Head: []byte("h"), Body: make([]byte, 2<<20)}
	elsewhere := start
	elsewhere.Mark++
	if _, err := l.Append(t.Context(), elsewhere, e); !errors.Is(err, shared.ErrMoved) {
		t.Fatal(err)
	}
	for key := range keys(t, c.client(), "/parts/part/") {
		must.Get(c.client().Delete(t.Context(), key))(t)
		break
	}
	if _, err := l.Append(t.Context(), start, e); !errors.Is(err, placement.ErrUnavailable) || errors.Is(err, shared.ErrUnknown) {
		t.Errorf("a part is gone: %v", err)
	}
	must.Be(t, len(keys(t, c.client(), "/parts/part/")), 0)
	must.Get(l.Append(t.Context(), start, e))(t)
	must.Be(t, len(must.Get(l.Body(t.Context(), must.Get(l.Back(t.Context(), 1, 1))(t)[0]))(t)), len(e.Body))
}

// TestMadeAnew removes a cloud and makes another one in its place while a process has it open:
// that writes nothing any more, and says so.
func TestMadeAnew(t *testing.T) {
	c := begin(t)
	place := c.place("anew")
	open := func() storage.Store {
		s := must.Get(etcd.Engine{}.Open(t.Context(), place, engine.Options{Clock: time.Now, Version: "test", NamedBy: "with --db"}))(t)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	a := open()
	must.Succeed(t, a.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
	must.Get(c.client().Delete(t.Context(), "/anew/", clientv3.WithPrefix()))(t)
	b := open()
	must.Succeed(t, b.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(3, 8, 4)}).Err())
	if err := a.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(5, 8, 4)}).Err(); err == nil {
		t.Error("it was written on what is gone")
	}
	for began := time.Now(); ; {
		if err := a.(engine.Tester).Writable(t.Context()); errors.Is(err, storage.ErrDamaged) {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("it says that all is well")
		}
		must.Succeed(t, storage.Pause(t.Context(), 100*time.Millisecond))
	}
	must.Be(t, b.Snapshot().Placement().ProviderCount(), 2)
}
