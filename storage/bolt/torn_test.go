package bolt_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// commits is a file before and after one commit, page by page.
type commits struct {
	before, after   []byte
	old, new        *cloud.Snapshot
	metas, contents []int // numbers of the pages that differ
}

// twoCommits writes some changes and returns the file before and after the last one.
func twoCommits(t *testing.T, seed uint64) commits {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), engine.Options{})
	limit(t, s, 20, 0)
	r := storagetest.NewRandom("torn", seed)
	apply := func() {
		for {
			done, err := s.Apply(t.Context(), r.Change(s.Snapshot())).Result()
			if errors.Is(err, placement.ErrUnavailable) {
				t.Fatal(err)
			}
			if err == nil && len(done.Event.Changes) > 0 {
				return
			}
		}
	}
	for range 25 + seed {
		apply()
	}
	var c commits
	c.before, c.old = read(t, s.Path()), s.Snapshot()
	apply()
	c.after, c.new = read(t, s.Path()), s.Snapshot()
	c.before = append(c.before, make([]byte, len(c.after)-len(c.before))...)
	size := os.Getpagesize()
	for n := range len(c.after) / size {
		if bytes.Equal(c.before[n*size:(n+1)*size], c.after[n*size:(n+1)*size]) {
			continue
		}
		if n < 2 {
			c.metas = append(c.metas, n)
		} else {
			c.contents = append(c.contents, n)
		}
	}
	if len(c.metas) != 1 || len(c.contents) < 3 {
		t.Fatalf("a commit changed metas %v and pages %v", c.metas, c.contents)
	}
	return c
}

// image returns the file before the commit, with the given pages as after it.
func (c commits) image(pages ...int) []byte {
	b := bytes.Clone(c.before)
	size := os.Getpagesize()
	for _, n := range pages {
		copy(b[n*size:(n+1)*size], c.after[n*size:])
	}
	return b
}

// comesUp opens a file that a crash in the middle of a commit has left, and returns the
// revision; 0 if it was refused as damaged.
func (c commits) comesUp(t *testing.T, path string, image []byte) cloud.Revision {
	t.Helper()
	write(t, path, image)
	s, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()})
	if err != nil {
		must.Fail(t, err, storage.ErrDamaged)
		if !bytes.Equal(image, read(t, path)) {
			t.Error("a damaged file was written")
		}
		return 0
	}
	got := s.Snapshot()
	if s.Condition().Aged != "" && s.Condition().Damage == nil { // revisions that may have been confirmed are left out
		got = got.Renumbered(got.Revision()-bolt.Leap, c.old.At())
	}
	want := c.old
	if got.Revision() == c.new.Revision() {
		want = c.new
	}
	storagetest.Same(t, want, got)
	if s.Condition().Damage == nil {
		storagetest.Clean(t, s)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return got.Revision()
}

// TestLostPages makes the newest meta page name pages that an earlier transaction wrote,
// each of them sound: a disk that lost the pages of a commit leaves that, if the pages
// that were there before made a whole tree.
func TestLostPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{Clock: storagetest.Clock()})
	r := storagetest.NewRandom("lost", 1)
	for range 10 {
		s.Apply(t.Context(), r.Change(s.Snapshot()))
	}
	must.Succeed(t, s.Close())
	image := read(t, path)
	bolt.RenumberMeta(image, 2)
	write(t, path, image)
	must.Fail(t, must.Err(bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()})), storage.ErrDamaged)
	found, err := bolt.VerifyFile(t.Context(), path, engine.Options{Clock: storagetest.Clock()})
	if err != nil || len(found) != 1 {
		t.Errorf("verify finds %v (%v), want one finding", found, err)
	}
	if !bytes.Equal(image, read(t, path)) {
		t.Error("a damaged file was written")
	}
}

// TestTornCommit makes the images that a power failure in the middle of a commit may
// leave. bbolt syncs the pages before it writes the meta page that names them, so any of
// the new pages may be there, and then the meta page, whole or torn: the file is as
// before the commit, or as after it.
//
// A disk that lies about what it has synced may also leave a new meta page without its
// pages. The file is then refused, or only its journal is damaged and can be cut, unless
// nothing that matters is missing.
func TestTornCommit(t *testing.T) {
	t.Parallel()
	rounds := 20 / storagetest.Stride(2)
	for seed := range uint64(6 / storagetest.Stride(2)) {
		t.Run(fmt.Sprint("commit ", seed), func(t *testing.T) {
			t.Parallel()
			c := twoCommits(t, seed)
			path := filepath.Join(t.TempDir(), "placetop.db")
			rng := rand.New(rand.NewPCG(seed, 7))
			some := func() (pages []int) {
				for _, n := range c.contents {
					if rng.IntN(2) == 0 {
						pages = append(pages, n)
					}
				}
				return pages
			}
			for range rounds {
				if rev := c.comesUp(t, path, c.image(some()...)); rev != c.old.Revision() {
					t.Errorf("with the old meta page: revision %d, want %d", rev, c.old.Revision())
				}
			}
			meta := c.metas[0] * os.Getpagesize()
			for cut := 0; cut <= 96; cut += 8 {
				b := c.image(c.contents...)
				copy(b[meta:meta+cut], c.after[meta:])
				if rev := c.comesUp(t, path, b); rev != c.old.Revision() && rev != c.new.Revision() {
					t.Errorf("with the meta page torn at %d: revision %d, want %d or %d", cut, rev, c.old.Revision(), c.new.Revision())
				}
			}
			if rev := c.comesUp(t, path, c.image(append(c.contents, c.metas...)...)); rev != c.new.Revision() {
				t.Errorf("the whole commit: revision %d, want %d", rev, c.new.Revision())
			}
			lost := 0
			for range rounds {
				image := c.image(append(some(), c.metas...)...)
				if rev := c.comesUp(t, path, image); rev == 0 || !bytes.Equal(image, read(t, path)) { // refused, or repaired
					lost++
				}
			}
			if lost == 0 {
				t.Error("no missing page was ever noticed: the test shows little")
			}
		})
	}
}
