package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// claimsOf yields 40 claims of one VCPU, except that number greedy, counted from 0,
// claims more than there is. asked counts them.
func claimsOf(greedy int, asked *int) iter.Seq[cloud.Change] {
	return func(yield func(cloud.Change) bool) {
		for i := range 40 {
			c := vcpu(uint64(10 + i))
			if i == greedy {
				c = storagetest.Claim(uint64(10+i), storagetest.Provider(1), storagetest.Resources{placement.VCPU: 2000})
			}
			c.Note = fmt.Sprintf("claim %d", i)
			*asked++
			if !yield(c) {
				return
			}
		}
	}
}

// kept checks that s has the first n claims of claimsOf, and takes more, each as its own
// revision in the journal and in the file.
func kept(t *testing.T, s *bolt.Store, n int) {
	t.Helper()
	if got := s.Snapshot().Placement().ConsumerCount(); got != n {
		t.Fatalf("%d claims are kept, want %d", got, n)
	}
	// This takes back what a failed commit has left in the file.
	must.Get(s.Apply(t.Context(), vcpu(1000)).Result())(t)
	events := must.Get(s.Events(t.Context(), cloud.EventQuery{}))(t)
	if len(events) != n+2 { // with this one and the host
		t.Fatalf("%d revisions, want %d", len(events), n+2)
	}
	for i, ev := range events[1 : n+1] {
		if want := fmt.Sprintf("claim %d", n-1-i); ev.Note != want {
			t.Errorf("revision %d is %q, want %q", ev.Revision, ev.Note, want)
		}
	}
	works(t, s, 1001)
}

// TestApplyAll stores many changes, each as a revision.
func TestApplyAll(t *testing.T) {
	t.Parallel()
	s := withHost(t, bolt.Options{})
	asked := 0
	must.Succeed(t, s.ApplyAll(t.Context(), claimsOf(-1, &asked)))
	kept(t, s, 40)
}

// TestLargeChangesTakeNoTurns fills a file with changes of thousands of records: each goes
// to disk by itself, so that the next one is decided meanwhile.
func TestLargeChangesTakeNoTurns(t *testing.T) {
	t.Parallel()
	var commits []int
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), bolt.Options{Committed: func(c engine.Commit) { commits = append(commits, c.Changes) }})
	must.Succeed(t, s.ApplyAll(t.Context(), func(yield func(cloud.Change) bool) {
		for n := range 6 {
			var c cloud.Change
			for i := range 2000 {
				c.Ops = append(c.Ops, placement.CreateProvider{ID: storagetest.Provider(uint64(2000*n + i + 1)), Name: fmt.Sprintf("host-%d-%d", n, i)})
			}
			if !yield(c) {
				return
			}
		}
	}))
	must.Succeed(t, s.Close())
	must.Match(t, []int{1, 1, 1, 1, 1, 1}, commits)
}

// TestApplyAllStops has one change refused: those before it are kept; none after it is,
// although they would fit; and no more are fetched than can be under way.
func TestApplyAllStops(t *testing.T) {
	t.Parallel()
	s := withHost(t, bolt.Options{})
	asked := 0
	err := s.ApplyAll(t.Context(), claimsOf(7, &asked))
	if !errors.Is(err, placement.ErrCapacity) || !strings.HasPrefix(err.Error(), "claim 7: ") {
		t.Errorf("it is said: %v", err)
	}
	if asked > 12 {
		t.Errorf("%d were asked for after all", asked)
	}
	kept(t, s, 7)
}

// TestApplyAllFailedCommit makes a commit fail, without a trace or after it has reached
// the file: what was decided on top of it fails with it.
func TestApplyAllFailedCommit(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*bbolt.Tx) error{
		"without a trace":  func(tx *bbolt.Tx) error { return errors.Join(syscall.ENOSPC, tx.Rollback()) },
		"reached the file": func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), syscall.EIO) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withHost(t, bolt.Options{})
			at := s.Snapshot().Revision()
			good := cloud.Revision(0)
			bolt.OnCommit(s, func(tx *bbolt.Tx) error {
				if s.Snapshot().Revision() < at+5 {
					return tx.Commit()
				}
				good = s.Snapshot().Revision()
				return fail(tx)
			})
			asked := 0
			err := s.ApplyAll(t.Context(), claimsOf(-1, &asked))
			bolt.OnCommit(s, (*bbolt.Tx).Commit)
			if !errors.Is(err, placement.ErrUnavailable) || !strings.HasPrefix(err.Error(), fmt.Sprintf("claim %d: ", good-at)) {
				t.Errorf("after %d were kept it is said: %v", good-at, err)
			}
			if now := s.Snapshot().Revision(); now != good {
				t.Errorf("revision %d is shown, %d was kept", now, good)
			}
			kept(t, s, int(good-at)) // a few
		})
	}
}

// TestApplyAllEnds ends the context, or the store, while changes are under way.
func TestApplyAllEnds(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{"context": context.Canceled, "store": storage.ErrClosed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withHost(t, bolt.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			asked := 0
			err := s.ApplyAll(ctx, func(yield func(cloud.Change) bool) {
				for c := range claimsOf(-1, &asked) {
					if asked == 9 && want == context.Canceled { //nolint:errorlint // which of the two it is
						cancel()
					} else if asked == 9 {
						if err := s.Close(); err != nil {
							t.Error(err)
						}
					}
					if !yield(c) {
						return
					}
				}
			})
			must.Fail(t, err, want)
			n := s.Snapshot().Placement().ConsumerCount()
			if n > 8 {
				t.Errorf("%d claims are kept", n)
			}
			must.Succeed(t, s.Close())
			kept(t, open(t, s.Path(), bolt.Options{}), n)
		})
	}
}
