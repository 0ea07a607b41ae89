//go:build etcd

package etcd_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/etcd"
	"github.com/placetop/placetop/storage/storagetest"
)

// childVar holds the job of the test binary as a writer of a test: a place, the number of
// the process, and how many seconds it writes.
const childVar = "PLACETOP_ETCD_CHILD"

// How many processes write, how many writers each has, and how many units there are.
const (
	processes = 4
	writers   = 4
	units     = 12
)

func TestMain(m *testing.M) {
	if job := os.Getenv(childVar); job != "" {
		if err := write(strings.Fields(job)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// deed is what one writer did.
type deed struct {
	Writer       int
	Claim        bool // of one unit; else its release
	Consumer     uint64
	Call, Return int64
	Outcome      string
	Revision     cloud.Revision
	Why          string `json:",omitempty"`
}

// The outcomes of a deed.
const (
	kept    = "kept"
	full    = "full" // nothing was left
	doubt   = "in doubt"
	refused = "refused"
)

// write claims and releases units, and prints each deed.
func write(job []string) error {
	number, err := strconv.Atoi(job[1])
	if err != nil {
		return err
	}
	seconds, err := strconv.Atoi(job[2])
	if err != nil {
		return err
	}
	s, err := etcd.Engine{}.Open(context.Background(), job[0], engine.Options{Clock: time.Now, Version: "test"})
	if err != nil {
		return err
	}
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			me := number*writers + w
			var mine []uint64
			for n := uint64(1); time.Now().Before(until); n++ {
				d := deed{Writer: me, Claim: len(mine) == 0 || rand.IntN(2) == 0, Consumer: uint64(me)*1_000_000 + n}
				c := storagetest.Claim(d.Consumer, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1})
				if !d.Claim {
					d.Consumer, mine = mine[0], mine[1:]
					c = cloud.Change{Force: true, Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
						Consumer: storagetest.Consumer(d.Consumer), Generation: placement.Generation(1), Project: "project", User: "user", Type: placement.InstanceConsumer,
					}}}}}
				}
				d.Call = time.Now().UnixNano()
				done, err := s.Apply(context.Background(), c).Result()
				d.Return = time.Now().UnixNano()
				switch {
				case err == nil:
					d.Outcome, d.Revision = kept, done.Event.Revision
					if d.Claim {
						mine = append(mine, d.Consumer)
					}
				case errors.Is(err, cloud.ErrInDoubt):
					d.Outcome = doubt
				case errors.Is(err, placement.ErrCapacity):
					d.Outcome = full
				default:
					d.Outcome, d.Why = refused, err.Error()
				}
				mu.Lock()
				_ = out.Encode(d)
				mu.Unlock()
				if d.Outcome == full { // others are to release something
					time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
				}
			}
		})
	}
	all.Wait()
	return s.Close()
}

// ledger is the state of the card in the model of a history.
type ledger struct {
	revision cloud.Revision
	used     int
}

// model says which histories are possible: every write that was kept has the next revision,
// no unit is given out twice, and a claim is refused only while none is left. What is in
// doubt may have been done at any time, or never.
func model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return ledger{revision: 1} },
		Step: func(state, input, _ any) (bool, any) {
			is, d := state.(ledger), input.(deed) //nolint:forcetypeassert // of this model
			change := -1
			if d.Claim {
				change = 1
			}
			next := ledger{is.revision + 1, is.used + change}
			possible := next.used >= 0 && next.used <= units
			switch d.Outcome {
			case kept:
				return possible && d.Revision == next.revision, next
			case full:
				return is.used == units, is
			default: // in doubt
				if possible {
					return true, next
				}
				return true, is
			}
		},
	}
}

// TestFaults has writers of several processes compete for the last units while members of
// the etcd fail. Nobody is told of what is not so.
func TestFaults(t *testing.T) {
	c := begin(t)
	for _, fault := range []struct {
		name    string
		seconds int
		do      func()
	}{
		{"none", 3, func() {}},
		{"leader killed", 8, func() {
			m := c.leader()
			m.kill()
			time.Sleep(3 * time.Second)
			m.start(t)
		}},
		{"leader paused", 10, func() {
			m := c.leader()
			m.signal(syscall.SIGSTOP)
			time.Sleep(5 * time.Second)
			m.signal(syscall.SIGCONT)
		}},
		{"follower paused", 8, func() {
			m := c.other()
			m.signal(syscall.SIGSTOP)
			time.Sleep(4 * time.Second)
			m.signal(syscall.SIGCONT)
		}},
		{"all restarted", 8, func() {
			for _, m := range c.members {
				m.kill()
			}
			time.Sleep(time.Second)
			for _, m := range c.members {
				m.start(t)
			}
		}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			c.await()
			place := c.place("faults/" + strings.ReplaceAll(fault.name, " ", "-"))
			s := open(t, place, time.Now)
			must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, units)}).Err())
			history := compete(t, place, fault.seconds, func() {
				time.Sleep(time.Second)
				fault.do()
			})
			c.await()
			judge(t, open(t, place, time.Now).Snapshot(), history)
			storagetest.Clean(t, s)
			reach(t, s, open(t, place, time.Now).Snapshot())
		})
	}
}

// reach waits until a store is where another one is.
func reach(t *testing.T, s cloud.Reader, there *cloud.Snapshot) {
	t.Helper()
	for range 100 {
		if s.Snapshot().Revision() >= there.Revision() {
			storagetest.Same(t, there, s.Snapshot())
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the store stays at revision %d of %d", s.Snapshot().Revision(), there.Revision())
}

// compete runs the writers, and meanwhile, and returns what they did.
func compete(t *testing.T, place string, seconds int, meanwhile func()) (history []deed) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for n := range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d", childVar, place, n, seconds))
		cmd.Stderr = os.Stderr
		out := must.Get(cmd.StdoutPipe())(t)
		must.Succeed(t, cmd.Start())
		all.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				var d deed
				if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
					t.Errorf("%s: %v", lines.Text(), err)
				}
				mu.Lock()
				history = append(history, d)
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	meanwhile()
	all.Wait()
	return history
}

// judge checks that a history is possible, and that the cloud is as it says.
func judge(t *testing.T, s *cloud.Snapshot, history []deed) {
	t.Helper()
	var ops []porcupine.Operation
	outcomes := map[string]int{}
	holds := map[uint64]bool{}
	unsure := map[uint64]bool{}
	longest := time.Duration(0)
	for _, d := range history {
		outcomes[d.Outcome]++
		longest = max(longest, time.Duration(d.Return-d.Call))
		switch d.Outcome {
		case kept:
			holds[d.Consumer] = d.Claim
		case doubt:
			unsure[d.Consumer] = true
			d.Return = math.MaxInt64
		case refused:
			t.Logf("refused: %s", d.Why)
			continue
		}
		ops = append(ops, porcupine.Operation{ClientId: d.Writer, Input: d, Call: d.Call, Return: d.Return})
	}
	t.Logf("%v, the longest took %s", outcomes, longest)
	if outcomes[kept] == 0 || outcomes[full] == 0 {
		t.Error("nobody competed")
	}
	if is := porcupine.CheckOperationsTimeout(model(), ops, time.Minute); is != porcupine.Ok {
		t.Errorf("the history is %s", is)
	}
	for n, holding := range holds {
		if _, there := s.Placement().Consumer(storagetest.Consumer(n)); there != holding && !unsure[n] {
			t.Errorf("consumer %d: there %t, was told %t", n, there, holding)
		}
	}
	for _, d := range history {
		if _, there := s.Placement().Consumer(storagetest.Consumer(d.Consumer)); there && d.Claim && (d.Outcome == refused || d.Outcome == full) {
			t.Errorf("consumer %d is there, and was refused", d.Consumer)
		}
	}
}
