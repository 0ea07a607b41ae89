package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// writeForEver is the child of TestCrash: it writes changes from several goroutines, and
// prints a line for each that was acknowledged. One more goroutine writes as well, and prints
// what has been published.
func writeForEver(s *bolt.Store, seed string) error {
	const writers = 4
	n, err := strconv.ParseUint(seed, 10, 32)
	if err != nil {
		return err
	}
	failed := make(chan error, writers+1)
	var printing sync.Mutex
	out := bufio.NewWriter(os.Stdout)
	say := func(words ...any) error {
		printing.Lock()
		defer printing.Unlock()
		fmt.Fprintln(out, words...)
		return out.Flush()
	}
	for w := range uint64(writers) {
		go func() {
			r := storagetest.NewRandom(fmt.Sprintf("w%d", w), n*writers+w)
			for {
				done, err := s.Apply(context.Background(), r.Change(s.Snapshot())).Result()
				switch {
				case errors.Is(err, placement.ErrUnavailable):
					failed <- err
					return
				case err == nil && len(done.Event.Changes) > 0:
					if err := say(done.Event.Revision, len(done.Event.Changes)); err != nil {
						failed <- err
						return
					}
				}
			}
		}()
	}
	go func() {
		r := storagetest.NewRandom("all", n*writers+writers)
		var silent error
		for silent == nil {
			err := s.Apply(context.Background(), r.Change(s.Snapshot())).Err()
			if silent = say("published", s.Snapshot().Revision()); errors.Is(err, placement.ErrUnavailable) {
				silent = err
			}
		}
		failed <- silent
	}()
	return <-failed
}

// TestCrash kills a process that writes, at random moments, again and again on one file.
// After each kill, every revision that was acknowledged or published is in the journal,
// the cloud is what the journal leads to, and Verify finds nothing.
//
// PLACETOP_CRASH_ROUNDS sets the number of rounds; the default is 5.
func TestCrash(t *testing.T) {
	t.Parallel()
	rounds := 5
	if v := os.Getenv("PLACETOP_CRASH_ROUNDS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("PLACETOP_CRASH_ROUNDS: %v", err)
		}
		rounds = n
	}
	path := filepath.Join(t.TempDir(), "placetop.db")
	acknowledged := map[cloud.Revision]int{} // revision to number of changes
	published := cloud.Revision(0)
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range rounds {
		cmd, out := start(t, fmt.Sprintf("write %s %d", path, round))
		kill := 1 + rng.IntN(60) // number of acknowledgements
		for i := 0; out.Scan(); i++ {
			if rev, ok := strings.CutPrefix(out.Text(), "published "); ok {
				if n, err := strconv.ParseUint(rev, 10, 64); err == nil { // not cut off by the kill
					published = max(published, cloud.Revision(n))
				}
			} else {
				note(t, acknowledged, out.Text())
			}
			if i == kill {
				// The child keeps writing while the signal is on its way.
				must.Succeed(t, cmd.Process.Kill())
			}
		}
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			return
		}
		if has := survived(t, path, acknowledged); has < published {
			t.Errorf("revision %d was published, and the file is at %d", published, has)
		}
	}
	t.Logf("%d revisions, %d kills", len(acknowledged), rounds)
	if len(acknowledged) < rounds {
		t.Errorf("%d revisions in %d rounds: the test shows little", len(acknowledged), rounds)
	}
}

func note(t *testing.T, acknowledged map[cloud.Revision]int, line string) {
	t.Helper()
	rev, changes, ok := strings.Cut(line, " ")
	r, err1 := strconv.ParseUint(rev, 10, 64)
	n, err2 := strconv.Atoi(changes)
	if !ok || err1 != nil || err2 != nil {
		return // cut off by the kill
	}
	if _, twice := acknowledged[cloud.Revision(r)]; twice {
		t.Errorf("revision %d was acknowledged twice", r)
	}
	acknowledged[cloud.Revision(r)] = n
}

// survived checks the file, and returns the revision that it is at.
func survived(t *testing.T, path string, acknowledged map[cloud.Revision]int) cloud.Revision {
	t.Helper()
	s, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()})
	if err != nil {
		t.Fatalf("after the crash: %v", err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	storagetest.Clean(t, s)
	events := must.Get(s.Events(t.Context(), cloud.EventQuery{Limit: 1 << 20}))(t)
	kept := map[cloud.Revision]int{}
	for _, ev := range events {
		kept[ev.Revision] = len(ev.Changes)
	}
	for rev, n := range acknowledged {
		if kept[rev] != n {
			t.Errorf("revision %d was acknowledged with %d changes, the journal has %d", rev, n, kept[rev])
		}
	}
	storagetest.Same(t, s.Snapshot(), storagetest.Replay(t, events))
	return s.Snapshot().Revision()
}
