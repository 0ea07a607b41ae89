package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"weak"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/storagetest"
)

// applied applies a random change to s, one that changes something.
func applied(tb testing.TB, s *bolt.Store, r *storagetest.Random) {
	tb.Helper()
	for {
		done, err := s.Apply(tb.Context(), r.Change(s.Snapshot())).Result()
		if errors.Is(err, placement.ErrUnavailable) {
			tb.Fatal(err)
		}
		if err == nil && len(done.Event.Changes) > 0 {
			return
		}
	}
}

// inLog returns a store whose last n revisions are only in the log.
func inLog(tb testing.TB, n int) *bolt.Store {
	tb.Helper()
	s := open(tb, filepath.Join(tb.TempDir(), "placetop.db"), bolt.Options{})
	r := storagetest.NewRandom("log", 5)
	for range 20 {
		applied(tb, s, r)
	}
	bolt.WithLog(s, nil, nil)
	if bolt.Behind(s) == 0 {
		applied(tb, s, r)
	}
	for bolt.Behind(s) < n {
		applied(tb, s, r)
	}
	return s
}

// left copies the file of an open store to another place, as a crash would leave it.
func left(tb testing.TB, s *bolt.Store) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "left.db")
	write(tb, path, read(tb, s.Path()))
	return path
}

// holds opens the file at path and compares it with want, and its journal with events.
func holds(t *testing.T, path string, o bolt.Options, want *cloud.Snapshot, events []cloud.Event) {
	t.Helper()
	o.Clock = storagetest.Clock()
	s := must.Get(bolt.Open(t.Context(), path, o))(t)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	storagetest.Same(t, want, s.Snapshot())
	storagetest.Clean(t, s)
	got := all(t, s)
	if len(got) != len(events) {
		t.Fatalf("%d events, want %d", len(got), len(events))
	}
	for i := range got {
		if fmt.Sprint(got[i].Revision, got[i].At, got[i].Actor, got[i].Note, len(got[i].Changes)) !=
			fmt.Sprint(events[i].Revision, events[i].At, events[i].Actor, events[i].Note, len(events[i].Changes)) {
			t.Errorf("event %+v, want %+v", got[i], events[i])
		}
	}
	storagetest.Same(t, want, storagetest.Replay(t, got))
}

func all(t *testing.T, s *bolt.Store) []cloud.Event {
	t.Helper()
	events := must.Get(s.Events(t.Context(), cloud.EventQuery{Limit: 1 << 20}))(t)
	return events
}

// TestEveryReaderSeesTheLog checks that all ways to read a file show what is only in its
// log.
func TestEveryReaderSeesTheLog(t *testing.T) {
	t.Parallel()
	s := inLog(t, 30)
	want, events, image := s.Snapshot(), all(t, s), read(t, s.Path())
	storagetest.Same(t, want, storagetest.Replay(t, events))
	o := bolt.Options{Clock: storagetest.Clock()}
	reading := o
	reading.ReadOnly = true
	for name, look := range map[string]func(t *testing.T, path string){
		"opened":         func(t *testing.T, path string) { holds(t, path, o, want, events) },
		"opened to read": func(t *testing.T, path string) { holds(t, path, reading, want, events) },
		"opened twice":   func(t *testing.T, path string) { holds(t, path, o, want, events); holds(t, path, o, want, events) },
		"opened and quiet": func(t *testing.T, path string) {
			again := open(t, path, o)
			bolt.Quiet(again)
			if n := bolt.Behind(again); n > 0 {
				t.Errorf("%d events are still in the log alone", n)
			}
			storagetest.Same(t, want, again.Snapshot())
		},
		"verified": func(t *testing.T, path string) {
			found, err := bolt.VerifyFile(t.Context(), path, o)
			if err != nil || len(found) > 0 {
				t.Errorf("found %v, %v", found, err)
			}
		},
		"peeked at": func(t *testing.T, path string) {
			got := must.Get(bolt.Peek(t.Context(), path))(t)
			storagetest.Same(t, want, got)
		},
		"compacted": func(t *testing.T, path string) {
			must.Get(bolt.Compact(t.Context(), path, o))(t)
			holds(t, path, o, want, events)
		},
		"restored": func(t *testing.T, path string) {
			to := filepath.Join(t.TempDir(), "restored.db")
			done, err := bolt.Restore(t.Context(), path, to, o)
			if err != nil || done.Revision != want.Revision() || !done.At.Equal(want.At()) {
				t.Fatalf("restored %+v, %v", done, err)
			}
			holds(t, to, o, want, events)
		},
		"backed up by who reads": func(t *testing.T, path string) {
			to := filepath.Join(t.TempDir(), "backup.db")
			must.Succeed(t, open(t, path, reading).BackupFile(t.Context(), to, diskfile.Options{}))
			holds(t, to, o, want, events)
		},
		"repaired": func(t *testing.T, path string) {
			rev := want.Revision() - 35
			bolt.Rewrite(t, path, false, func(tx *bbolt.Tx) error {
				b := tx.Bucket([]byte(bolt.JournalBucket))
				entry := bytes.Clone(b.Get(bolt.JournalKey(rev, 0)))
				entry[len(entry)-1]++
				return b.Put(bolt.JournalKey(rev, 0), entry)
			})
			done := repaired(t, path, want)
			if done.Kept < 30 {
				t.Errorf("%+v", done)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "left.db")
			write(t, path, image)
			look(t, path)
		})
	}
	t.Run("backed up by who writes", func(t *testing.T) {
		t.Parallel()
		to := filepath.Join(t.TempDir(), "backup.db")
		must.Succeed(t, s.BackupFile(t.Context(), to, diskfile.Options{}))
		holds(t, to, o, want, events)
	})
}

// TestEventsInTheLog queries a journal whose newest events are only in the log.
func TestEventsInTheLog(t *testing.T) {
	t.Parallel()
	s := inLog(t, 12)
	whole := all(t, s)
	now := s.Snapshot().Revision()
	for until := range now + 2 {
		for after := range now + 1 {
			for _, limit := range []int{1, 5, 40} {
				got := must.Get(s.Events(t.Context(), cloud.EventQuery{Until: until, After: after, Limit: limit}))(t)
				var want []cloud.Revision
				for _, ev := range whole {
					if (until == 0 || ev.Revision <= until) && ev.Revision > after && len(want) < limit {
						want = append(want, ev.Revision)
					}
				}
				var has []cloud.Revision
				for _, ev := range got {
					has = append(has, ev.Revision)
				}
				if fmt.Sprint(has) != fmt.Sprint(want) {
					t.Fatalf("until %d, after %d, at most %d: %v, want %v", until, after, limit, has, want)
				}
			}
		}
	}
	small := must.Get(s.Events(t.Context(), cloud.EventQuery{Small: 1, Limit: 100}))(t)
	for i, ev := range small {
		if n := len(whole[i].Changes); n > 1 && (ev.Omitted != n || len(ev.Changes) > 0) || n <= 1 && len(ev.Changes) != n {
			t.Errorf("an event of %d changes comes as %+v", n, ev)
		}
	}
}

// TestTornLog cuts off the newest record of a log at each byte, and puts something else
// there: the file is as before that record, and all that was acknowledged before is
// there.
func TestTornLog(t *testing.T) {
	t.Parallel()
	s := inLog(t, 5)
	before := s.Snapshot()
	was := read(t, s.Path())
	applied(t, s, storagetest.NewRandom("torn", 1))
	is, now := read(t, s.Path()), s.Snapshot()
	from, to := 0, 0
	for at := range is {
		if is[at] != was[at] {
			if to == 0 {
				from = at / bolt.LogBlock * bolt.LogBlock
			}
			to = at + 1
		}
	}
	size := bolt.LogHead + int(binary.BigEndian.Uint32(is[from+4:]))
	if to > from+size || size > bolt.LogBlock {
		t.Fatalf("a commit changed bytes %d to %d, its record takes %d", from, to, size)
	}
	path := filepath.Join(t.TempDir(), "torn.db")
	write(t, path, is)
	log := bolt.LogIn(t, path)
	record := bytes.Clone(is[from : from+size])
	rng := rand.New(rand.NewPCG(1, 2))
	try := func(what string, torn []byte, look bool) {
		want := before
		if bytes.Equal(torn, record) {
			want = now
		}
		copy(is[from:], torn)
		if rev, err := log.Newest(is); err != nil || rev != want.Revision() {
			t.Fatalf("%s: revision %d, want %d (%v)", what, rev, want.Revision(), err)
		}
		if look {
			write(t, path, is)
			got, err := bolt.Peek(t.Context(), path)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			storagetest.Same(t, want, got)
		}
	}
	for cut := range size + 1 {
		torn := bytes.Clone(record)
		for at := cut; at < size; at++ {
			torn[at] = [...]byte{0, was[from+at], byte(rng.Uint32())}[cut%3]
		}
		try(fmt.Sprintf("cut off at byte %d of %d", cut, size), torn, cut%40 == 0 || cut == size)
	}
	for at := range 8 * size {
		torn := bytes.Clone(record)
		torn[at/8] ^= 1 << (at % 8)
		try(fmt.Sprintf("bit %d is wrong", at), torn, false)
	}
}

// TestHoleInTheLog damages each record of a log but the newest: the records after it are
// of no use without it, and the loss is reported.
func TestHoleInTheLog(t *testing.T) {
	t.Parallel()
	s := inLog(t, 6)
	image := read(t, s.Path())
	log := bolt.LogIn(t, left(t, s))
	path := filepath.Join(t.TempDir(), "hole.db")
	records := 0
	for at := log.From; at < log.To; at += bolt.LogBlock {
		if binary.BigEndian.Uint64(image[at+8:]) == 0 {
			continue
		}
		b := bytes.Clone(image)
		b[at+bolt.LogHead+2]++
		write(t, path, b)
		if records++; records == 6 {
			break
		}
		if said := refused(t, path); !strings.Contains(said, "is lost") {
			t.Errorf("it is said: %s", said)
		}
		found, err := bolt.VerifyFile(t.Context(), path, bolt.Options{Clock: storagetest.Clock()})
		if err != nil || len(found) != 1 || found[0].Where != "log" {
			t.Errorf("verify finds %v, %v", found, err)
		}
	}
	if records != 6 {
		t.Errorf("%d records were found", records)
	}
}

// TestOlderReleaseRefusesALog checks what a release that does not know the log checks:
// the records do not add up while the log is in use, and do while it is not.
func TestOlderReleaseRefusesALog(t *testing.T) {
	t.Parallel()
	s := inLog(t, 3)
	if path := left(t, s); bolt.LogIn(t, path).AddsUp {
		t.Error("the records add up without the log")
	}
	if bolt.Quiet(s); !bolt.LogIn(t, left(t, s)).AddsUp {
		t.Error("the records do not add up once it is quiet")
	}
	applied(t, s, storagetest.NewRandom("older", 1))
	must.Succeed(t, s.Close())
	if !bolt.LogIn(t, s.Path()).AddsUp {
		t.Error("the records do not add up in a closed file")
	}
	if log := bolt.LogIn(t, s.Path()); log.From != 0 {
		t.Error("a closed file has a log")
	}
}

// TestLogCannotBeWritten makes writing the log fail, and then bbolt, too.
func TestLogCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := inLog(t, 3)
	r := storagetest.NewRandom("fails", 1)
	half := func(f *os.File, b []byte, at int64) error {
		return errors.Join(bolt.WriteThrough(f, b[:len(b)/2], at), syscall.EIO)
	}
	whole := func(f *os.File, b []byte, at int64) error {
		return errors.Join(bolt.WriteThrough(f, b, at), syscall.EIO)
	}
	for _, fails := range []func(*os.File, []byte, int64) error{half, whole} {
		bolt.WithLog(s, fails, nil)
		for range 3 {
			applied(t, s, r) // bbolt has it
		}
		bolt.WithLog(s, bolt.WriteThrough, nil)
		for bolt.Behind(s) < 4 {
			applied(t, s, r)
		}
		before := s.Snapshot()
		without := func(tx *bbolt.Tx) error { return errors.Join(syscall.ENOSPC, tx.Rollback()) }
		bolt.WithLog(s, fails, without)
		for range 2 {
			_ = notKept(t, s, cloud.Change{Ops: storagetest.Host(7000, 4, 4)})
		}
		got, err := bolt.Peek(t.Context(), left(t, s))
		if err != nil || got.Revision() < before.Revision() || got.Revision() > before.Revision()+1 {
			t.Fatalf("%v, %v; want revision %d", got, err, before.Revision())
		}
		bolt.WithLog(s, bolt.WriteThrough, (*bbolt.Tx).Commit)
		for range 3 {
			applied(t, s, r)
		}
		holds(t, left(t, s), bolt.Options{}, s.Snapshot(), all(t, s))
	}
	events := all(t, s)
	must.Succeed(t, s.Close())
	holds(t, s.Path(), bolt.Options{}, s.Snapshot(), events)
}

// TestBoltCannotFollow makes bbolt fail while the log still works: what was acknowledged
// is kept, and what cannot be kept is refused. Then bbolt works again, or the process
// ends before that.
func TestBoltCannotFollow(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(*bbolt.Tx) error{
		"disk full":        func(tx *bbolt.Tx) error { return errors.Join(syscall.ENOSPC, tx.Rollback()) },
		"reached the file": func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), syscall.EIO) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := inLog(t, 3)
			r := storagetest.NewRandom("stuck", 1)
			bolt.WithLog(s, nil, fails)
			full := false
			for range 2000 {
				err := s.Apply(t.Context(), r.Change(s.Snapshot())).Err()
				if full = errors.Is(err, placement.ErrUnavailable); full {
					break
				}
			}
			if !full {
				t.Fatal("nothing was refused")
			}
			want, events := s.Snapshot(), all(t, s)
			got, err := bolt.Peek(t.Context(), left(t, s))
			if err != nil || got.Revision() < want.Revision() {
				t.Fatalf("a crash leaves %v, %v; want revision %d", got, err, want.Revision())
			}
			holds(t, func() string {
				bolt.WithLog(s, nil, (*bbolt.Tx).Commit)
				applied(t, s, r)
				return left(t, s)
			}(), bolt.Options{}, s.Snapshot(), all(t, s))
			if len(all(t, s)) != len(events)+1 {
				t.Error("events are missing")
			}
		})
	}
}

// TestLogStaysInUse makes bbolt fail to take the log out of use after it has caught up.
func TestLogStaysInUse(t *testing.T) {
	t.Parallel()
	s := inLog(t, 3)
	storagetest.Clean(t, s) // bbolt catches up first
	if n := bolt.Behind(s); n > 0 {
		t.Fatalf("%d events are in the log alone", n)
	}
	bolt.WithLog(s, nil, func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), syscall.EIO) })
	bolt.TakeRest(s)
	bolt.WithLog(s, nil, (*bbolt.Tx).Commit)
	r := storagetest.NewRandom("stays", 1)
	for range 12 {
		applied(t, s, r)
	}
	holds(t, left(t, s), bolt.Options{}, s.Snapshot(), all(t, s))
}

// TestNoRoomForALog has a file that cannot grow.
func TestNoRoomForALog(t *testing.T) {
	t.Parallel()
	s := withHost(t, bolt.Options{MaxSize: 2 << 20})
	bolt.WithLog(s, nil, nil)
	for n := range uint64(20) {
		must.Get(s.Apply(t.Context(), vcpu(10+n)).Result())(t)
	}
	if bolt.Behind(s) > 0 {
		t.Error("there was room")
	}
	works(t, s, 100)
}

// TestCrashAnywhere writes from several goroutines while bbolt follows again and again
// and the log is reused. At each point it checks what a crash would leave: before a
// record is written, synced or published, and before and after bbolt commits.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	s := inLog(t, 1)
	var mu sync.Mutex
	answered := map[cloud.Revision]bool{}
	last := s.Snapshot().Revision()
	rng := rand.New(rand.NewPCG(3, 4))
	dir, images := t.TempDir(), 0
	check := func(image []byte, least cloud.Revision) {
		images++
		path := filepath.Join(dir, "left.db")
		write(t, path, image)
		again, err := bolt.Open(t.Context(), path, bolt.Options{Clock: storagetest.Clock(), ReadOnly: true})
		if err != nil {
			t.Errorf("after a crash: %v", err)
			return
		}
		defer again.Close()
		if got := again.Snapshot().Revision(); got < least {
			t.Errorf("a crash leaves revision %d, %d was answered", got, least)
		}
		storagetest.Clean(t, again)
		storagetest.Same(t, again.Snapshot(), storagetest.Replay(t, all(t, again)))
	}
	moment := func(oneIn int) {
		mu.Lock()
		defer mu.Unlock()
		if rng.IntN(oneIn) == 0 && !t.Failed() {
			least := last
			check(read(t, s.Path()), least)
		}
	}
	wrote := func(f *os.File, b []byte, at int64) error {
		moment(150)
		if _, err := f.WriteAt(b[:len(b)/2], at); err != nil {
			return err
		}
		moment(150)
		err := bolt.WriteThrough(f, b, at)
		moment(150)
		return err
	}
	follows := 0
	commit := func(tx *bbolt.Tx) error {
		moment(4)
		err := tx.Commit()
		follows++
		moment(4)
		return err
	}
	bolt.WithLog(s, wrote, commit)
	bolt.SmallLog(s)
	var writers sync.WaitGroup
	for n := range uint64(3) {
		writers.Go(func() {
			r := storagetest.NewRandom(fmt.Sprint("any", n), n)
			for range 250 {
				done, err := s.Apply(t.Context(), r.Change(s.Snapshot())).Result()
				if errors.Is(err, placement.ErrUnavailable) {
					t.Error(err)
					return
				}
				if err == nil && len(done.Event.Changes) > 0 {
					mu.Lock()
					answered[done.Event.Revision] = true
					last = max(last, done.Event.Revision)
					mu.Unlock()
				}
			}
		})
	}
	writers.Wait()
	if follows < 5 || images < 5 {
		t.Errorf("bbolt followed %d times, %d images: the test shows little", follows, images)
	}
	bolt.WithLog(s, bolt.WriteThrough, (*bbolt.Tx).Commit)
	holds(t, left(t, s), bolt.Options{}, s.Snapshot(), all(t, s))
	for _, ev := range all(t, s) {
		delete(answered, ev.Revision)
	}
	if len(answered) > 0 {
		t.Errorf("%d answered revisions are not in the journal", len(answered))
	}
}

// TestLogOnASlowDisk makes each commit take longer than quietAfter: a constant writer
// needs the log most there.
func TestLogOnASlowDisk(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), bolt.Options{})
	bolt.SlowDisk(s)
	r := storagetest.NewRandom("slow", 1)
	for range 12 {
		applied(t, s, r)
	}
	if bolt.Behind(s) == 0 {
		t.Error("the log is not in use")
	}
}

// TestTornFollow makes the files that a power failure may leave while bbolt follows: any
// of its new pages, without the meta page that names them.
func TestTornFollow(t *testing.T) {
	t.Parallel()
	s := inLog(t, 20)
	want, events := s.Snapshot(), all(t, s)
	before := read(t, s.Path())
	var after []byte
	bolt.WithLog(s, nil, func(tx *bbolt.Tx) error { err := tx.Commit(); after = read(t, s.Path()); return err })
	bolt.Quiet(s)
	if after == nil || bolt.Behind(s) > 0 {
		t.Fatal("bbolt did not follow")
	}
	before = append(before, make([]byte, len(after)-len(before))...)
	rng := rand.New(rand.NewPCG(5, 6))
	path := filepath.Join(t.TempDir(), "torn.db")
	size := os.Getpagesize()
	for range 20 {
		image := bytes.Clone(before)
		for n := 2; n < len(after)/size; n++ {
			if rng.IntN(2) == 0 {
				copy(image[n*size:(n+1)*size], after[n*size:])
			}
		}
		write(t, path, image)
		holds(t, path, bolt.Options{}, want, events)
	}
	write(t, path, after)
	holds(t, path, bolt.Options{}, want, events)
}

// TestFileOverwrittenWhileLogging copies another file over that of a store whose log is
// in use: the store does not write into it.
func TestFileOverwrittenWhileLogging(t *testing.T) {
	t.Parallel()
	other, _ := sample(t)
	s := inLog(t, 3)
	image := read(t, other)
	write(t, s.Path(), image)
	for range 2 {
		if err := notKept(t, s, cloud.Change{Ops: storagetest.Host(7000, 4, 4)}); !strings.Contains(err.Error(), "changed by another program") {
			t.Errorf("it is said: %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(read(t, s.Path()), image) {
		t.Error("the other file was written")
	}
}

// TestNewerLog opens a file whose log has records of an unknown kind.
func TestNewerLog(t *testing.T) {
	t.Parallel()
	s := inLog(t, 2)
	path := left(t, s)
	bolt.RenameInLog(t, path)
	must.Fail(t, must.Err(bolt.Open(t.Context(), path, bolt.Options{Clock: storagetest.Clock()})), storage.ErrNewer)
}

// TestLogUsedAgainWhileRead makes bbolt follow, and the log start again, between two
// pages that a reader without a lock reads: it does not get the old content of the log.
func TestLogUsedAgainWhileRead(t *testing.T) {
	t.Parallel()
	s := inLog(t, 1)
	least := s.Snapshot().Revision()
	r := storagetest.NewRandom("again", 1)
	got, err := bolt.ReadWhile(t, s, func() {
		bolt.Quiet(s)
		bolt.WithLog(s, nil, nil)
		for bolt.Behind(s) < 12 {
			applied(t, s, r)
		}
	})
	if err == nil && got.Revision() < least {
		t.Errorf("revision %d is read, and %d was answered before", got.Revision(), least)
	}
	got, err = bolt.Peek(t.Context(), s.Path())
	must.Succeed(t, err)
	storagetest.Same(t, s.Snapshot(), got)
}

// TestNoLog opens a file that claims to have a log, and has none.
func TestNoLog(t *testing.T) {
	t.Parallel()
	path := left(t, inLog(t, 2))
	bolt.Rewrite(t, path, false, func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(bolt.LogBucket)) })
	if said := refused(t, path); !strings.Contains(said, "its log is missing") {
		t.Errorf("it is said: %s", said)
	}
	found, err := bolt.VerifyFile(t.Context(), path, bolt.Options{Clock: storagetest.Clock()})
	if err != nil || len(found) != 1 || found[0].Where != "log" {
		t.Errorf("verify finds %v, %v", found, err)
	}
}

// TestNothingToFollow makes bbolt take over from a log that is half full: there is then
// nothing left to follow.
func TestNothingToFollow(t *testing.T) {
	t.Parallel()
	s := inLog(t, 10)
	bolt.SmallLog(s)
	commits := 0
	bolt.WithLog(s, func(*os.File, []byte, int64) error { return syscall.EIO }, func(tx *bbolt.Tx) error { commits++; return tx.Commit() })
	applied(t, s, storagetest.NewRandom("nothing", 1))
	bolt.WithLog(s, bolt.WriteThrough, nil) // waits for what is under way
	must.Be(t, commits, 1)
}

// TestLogKeepsNoSnapshots checks that Snapshots that are no longer needed are freed: what
// is only in the log must still be written, not read.
func TestLogKeepsNoSnapshots(t *testing.T) {
	t.Parallel()
	s := inLog(t, 3)
	old := weak.Make(s.Snapshot())
	r := storagetest.NewRandom("old", 1)
	for range 3 {
		applied(t, s, r)
	}
	runtime.GC()
	if old.Value() != nil {
		t.Error("a Snapshot is kept with what is in the log")
	}
	event := weak.Make(bolt.FirstBehind(s))
	bolt.Quiet(s)
	runtime.GC()
	if event.Value() != nil {
		t.Error("what bbolt has is kept")
	}
}

// TestCompactWithoutLog compacts a file that once used a log: neither the log nor the
// room for it is left.
func TestCompactWithoutLog(t *testing.T) {
	t.Parallel()
	s := inLog(t, 3)
	bolt.Quiet(s)
	path := left(t, s)
	done, err := bolt.Compact(t.Context(), path, bolt.Options{Clock: storagetest.Clock()})
	if err != nil || done.After > bolt.LogSize {
		t.Errorf("%+v, %v", done, err)
	}
	holds(t, path, bolt.Options{}, s.Snapshot(), all(t, s))
}
