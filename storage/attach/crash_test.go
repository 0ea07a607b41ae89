package attach_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/attach"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/storagetest"
)

// writeForEver is a child of TestCrash: it opens a file, or follows its holder, and writes
// from two goroutines. It prints what became of each write. When the holder goes, it opens
// the file again.
func writeForEver(path, name string) error {
	var printing sync.Mutex
	say := func(words ...any) {
		printing.Lock()
		defer printing.Unlock()
		fmt.Println(words...)
	}
	o := options()
	o.Wait, o.Waiting = time.Minute, func(*storage.LockedError) {}
	for n := 0; ; {
		s, err := attach.Open(context.Background(), bolt.Engine{}, path, o)
		if errors.Is(err, placement.ErrUnavailable) { // the holder went meanwhile
			continue
		}
		if err != nil {
			return err
		}
		unshare, err := share(path, s)
		if err != nil {
			return err
		}
		say("has", fmt.Sprintf("%T", s))
		var work sync.WaitGroup
		for w := range 2 {
			work.Go(func() {
				for i := n; ; i++ {
					note := fmt.Sprintf("%s-%d-%d", name, w, i)
					trait := placement.Trait("CUSTOM_" + strings.ToUpper(strings.ReplaceAll(fmt.Sprintf("%s_%d", name, w), "-", "_")))
					op := placement.Op(placement.CreateTrait{Name: trait})
					if _, there := s.Snapshot().Placement().TraitID(trait); there {
						op = placement.DeleteTrait{Name: trait}
					}
					done, err := s.Apply(context.Background(), cloud.Change{Actor: name, Note: note, Ops: []cloud.Op{op}}).Result()
					switch {
					case err == nil:
						say("kept", note, done.Event.Revision)
						continue
					case errors.Is(err, cloud.ErrInDoubt):
						say("doubt", note, 0, err)
					default:
						say("refused", note, 0, err)
					}
					if errors.Is(err, placement.ErrUnavailable) {
						return
					}
				}
			})
		}
		work.Wait()
		n += 1 << 20
		_ = unshare()
		_ = s.Close()
	}
}

// share lets others follow a store that holds the file, until unshare is called.
func share(path string, s storage.Store) (unshare func() error, err error) {
	if _, holds := s.(*bolt.Store); !holds {
		return func() error { return nil }, nil
	}
	socket, err := attach.Socket(path)
	if err != nil {
		return nil, err
	}
	server, err := attach.Serve(context.Background(), socket, s, follow.Owner{Place: path}, func(error) {}) // of followers that are killed
	if err != nil {
		return nil, err
	}
	return server.Close, nil
}

// writing is a child that writes.
type writing struct {
	cmd  *exec.Cmd
	owns bool
	done chan struct{} // closed once all that it printed is noted
}

// crash is the state of TestCrash.
type crash struct {
	path string

	mu    sync.Mutex // guards what follows, and owns of each child
	said  map[string]outcome
	lines int
	more  *sync.Cond
}

type outcome struct {
	word string // kept, refused or doubt
	rev  cloud.Revision
	text string
}

// start starts a child.
func (c *crash) start(t *testing.T, name string) *writing {
	t.Helper()
	w := &writing{cmd: exec.Command(os.Args[0], "-test.run=^$"), done: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), childVar+"="+c.path, nameVar+"="+name)
	w.cmd.Stderr = os.Stderr
	out := must.Get(w.cmd.StdoutPipe())(t)
	must.Succeed(t, w.cmd.Start())
	go func() {
		defer close(w.done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			c.note(w, lines.Text())
		}
	}()
	return w
}

// note notes a line that a child has printed.
func (c *crash) note(w *writing, line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.more.Broadcast()
	f := strings.SplitN(line, " ", 4)
	switch {
	case f[0] == "has":
		w.owns = f[1] == "*bolt.Store"
	case len(f) >= 3: // else it is cut off by the kill
		rev, _ := strconv.ParseUint(f[2], 10, 64)
		c.said[f[1]] = outcome{f[0], cloud.Revision(rev), line}
		c.lines++
	}
}

// wait waits until so many more writes have an outcome.
func (c *crash) wait(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for until := c.lines + more; c.lines < until; {
		c.more.Wait()
	}
}

// kill kills a child, and waits for what it had printed.
func (w *writing) kill(t *testing.T) {
	t.Helper()
	_ = w.cmd.Process.Kill() // as kill -9 does
	<-w.done
	_ = w.cmd.Wait()
	if code := w.cmd.ProcessState.ExitCode(); code >= 0 {
		t.Errorf("a child ended by itself, with code %d", code)
	}
}

// check compares what was said of all writes since a revision with the file, and returns
// its revision.
func (c *crash) check(t *testing.T, since cloud.Revision, total map[string]int) cloud.Revision {
	t.Helper()
	s := must.Get(bolt.Open(t.Context(), c.path, engine.Options{Clock: time.Now, Wait: time.Minute}))(t)
	defer s.Close()
	storagetest.Clean(t, s)
	has := map[string]cloud.Revision{}
	for _, ev := range must.Get(s.Events(t.Context(), cloud.EventQuery{After: since, Limit: 1 << 20}))(t) {
		has[ev.Note] = ev.Revision
	}
	for note, said := range c.said {
		total[said.word]++
		switch rev, there := has[note]; {
		case said.word == "kept" && rev != said.rev:
			t.Errorf("%q, and the journal has it as %d", said.text, rev)
		case said.word == "refused" && there:
			t.Errorf("%q, and the journal has it as %d", said.text, rev)
		}
	}
	clear(c.said)
	return s.Snapshot().Revision()
}

// TestCrash kills the holder of a file and its followers in turn, at random moments; those
// who are left, one of whom takes over, and a new one go on. Every write that was reported
// as kept is in the journal, at the revision that was reported, and none that was reported
// as refused.
//
// PLACETOP_CRASH_ROUNDS sets the number of kills; the default is 6.
func TestCrash(t *testing.T) {
	t.Parallel()
	needsPeers(t)
	const processes, batch = 3, 100
	rounds := 6
	if v := os.Getenv("PLACETOP_CRASH_ROUNDS"); v != "" {
		rounds = must.Get(strconv.Atoi(v))(t)
	}
	c := &crash{path: filepath.Join(t.TempDir(), "cloud.db"), said: map[string]outcome{}}
	c.more = sync.NewCond(&c.mu)
	rng := rand.New(rand.NewPCG(3, 4))
	total := map[string]int{}
	since := cloud.Revision(0)
	for round := 0; round < rounds && !t.Failed(); {
		children := map[int]*writing{}
		for i := range processes {
			children[i] = c.start(t, fmt.Sprintf("p%d-%d", round, i))
		}
		for range min(batch, rounds-round) {
			c.wait(1 + rng.IntN(30))
			at := rng.IntN(processes)
			c.mu.Lock()
			for i, w := range children {
				if w.owns && round%2 == 0 {
					at = i
				}
			}
			c.mu.Unlock()
			children[at].kill(t)
			round++
			children[at] = c.start(t, fmt.Sprintf("p%d-%d", round, at))
		}
		for _, w := range children {
			w.kill(t)
		}
		since = c.check(t, since, total)
	}
	t.Logf("%d kills of holders and followers: %d writes kept, %d refused, %d in doubt", rounds, total["kept"], total["refused"], total["doubt"])
	if total["kept"] < rounds {
		t.Errorf("%d writes in %d rounds: the test shows little", total["kept"], rounds)
	}
}
