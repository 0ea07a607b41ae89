//go:build etcd

package etcd_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
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

// write claims and releases units, and prints each deed; or it writes a large change.
func write(job []string) error {
	if job[1] == "measure" {
		return measure(job)
	}
	if job[1] == "large" {
		s, err := etcd.Engine{}.Open(context.Background(), job[0], engine.Options{Clock: time.Now, Version: "test"})
		if err != nil {
			return err
		}
		seed, err := strconv.ParseUint(job[2], 10, 64)
		if err != nil {
			return err
		}
		return s.Apply(context.Background(), large(seed)).Err()
	}
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
					c = cloud.Change{Force: cloud.ForceUnchecked, Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
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
	slow, _ := c.through(t, "faults/slow-link", 50*time.Millisecond, 256<<10)
	cut, links := c.through(t, "faults/cut-off", 0, 0)
	for _, fault := range []struct {
		name    string
		seconds int
		do      func(t *testing.T)
		place   string // that the writers have; "" for the usual one
	}{
		{name: "none", seconds: 3, do: func(t *testing.T) {}},
		{name: "slow link", seconds: 6, do: func(t *testing.T) {}, place: slow},
		{name: "cut off from the leader", seconds: 10, place: cut, do: func(t *testing.T) {
			l := links[slices.Index(c.members, c.leader())]
			l.sever()
			time.Sleep(6 * time.Second)
			l.mend()
		}},
		{name: "disk of a member full", seconds: 8, do: func(t *testing.T) { c.fill(t, c.other()) }},
		{name: "leader killed", seconds: 8, do: func(t *testing.T) {
			m := c.leader()
			m.kill()
			time.Sleep(3 * time.Second)
			m.start(t)
		}},
		{name: "leader paused", seconds: 10, do: func(t *testing.T) {
			m := c.leader()
			m.signal(syscall.SIGSTOP)
			time.Sleep(5 * time.Second)
			m.signal(syscall.SIGCONT)
		}},
		{name: "follower paused", seconds: 8, do: func(t *testing.T) {
			m := c.other()
			m.signal(syscall.SIGSTOP)
			time.Sleep(4 * time.Second)
			m.signal(syscall.SIGCONT)
		}},
		{name: "all restarted", seconds: 8, do: func(t *testing.T) {
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
			place := cmp.Or(fault.place, c.place("faults/"+strings.ReplaceAll(fault.name, " ", "-")))
			s := open(t, place, time.Now)
			must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, units)}).Err())
			history := compete(t, place, fault.seconds, func() {
				time.Sleep(time.Second)
				fault.do(t)
			})
			c.await()
			judge(t, open(t, place, time.Now).Snapshot(), history)
			storagetest.Clean(t, s)
			reach(t, s, open(t, place, time.Now).Snapshot())
		})
	}
}

// fill has a member go on with a disk that is full, and then with one that is not.
func (c *cluster) fill(t *testing.T, m *member) {
	t.Helper()
	m.kill()
	dir := filepath.Join(c.dir, m.name)
	disk := dir + ".disk"
	must.Succeed(t, os.Mkdir(disk, 0o700))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=200m"); err != nil {
		m.start(t)
		t.Skipf("no disk can be made here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	must.Succeed(t, os.CopyFS(disk, os.DirFS(dir)))
	rest := must.Get(os.Create(filepath.Join(disk, "rest")))(t)
	for whole := make([]byte, 64<<10); ; {
		if _, err := rest.Write(whole); err != nil {
			must.Be(t, errors.Is(err, syscall.ENOSPC), true)
			break
		}
	}
	must.Succeed(t, rest.Close())
	m.args = append(m.args, "--data-dir", disk)
	m.start(t)
	client := c.client()
	for n := range 40 { // more than there is room for
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, _ = client.Put(ctx, fmt.Sprint("fill/", n), strings.Repeat("x", 1<<20))
		cancel()
	}
	ended := make(chan error, 1)
	go func() { ended <- m.process.Wait() }()
	select {
	case err := <-ended:
		t.Logf("the member ends: %v", err)
	case <-time.After(3 * time.Second):
		t.Log("the member goes on")
		m.signal(syscall.SIGKILL)
		<-ended
	}
	m.process = nil
	must.Succeed(t, os.Remove(rest.Name()))
	m.start(t)
}

// reach waits until a store is where another one is.
func reach(t *testing.T, s cloud.Reader, there *cloud.Snapshot) {
	t.Helper()
	await(t, "all revisions", func() bool { return s.Snapshot().Revision() >= there.Revision() })
	storagetest.Same(t, there, s.Snapshot())
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

// TestSlowLink opens, fills and follows a cloud over a link that is slow in every way.
func TestSlowLink(t *testing.T) {
	t.Parallel()
	c := begin(t)
	place, _ := c.through(t, "slow", 50*time.Millisecond, 256<<10)
	s := open(t, place, time.Now)
	must.Succeed(t, s.Apply(t.Context(), large(1)).Err())
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
	near := open(t, c.place("slow"), time.Now)
	reach(t, near, s.Snapshot())
	must.Succeed(t, near.Apply(t.Context(), storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err())
	reach(t, s, near.Snapshot())
	reach(t, open(t, place, time.Now), near.Snapshot())
}

// large returns a change of some MiB that does not fit into one request, the same for a seed.
func large(seed uint64) cloud.Change {
	c := cloud.Change{At: storagetest.Start}
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // it is to be the same again
	for range 12_000 {
		c.Ops = append(c.Ops, storagetest.Host(random.Uint64()|1, 8, 4)...)
	}
	return c
}

// TestCompacted has etcd forget what a process has not seen yet, which was cut off meanwhile:
// it gets everything all the same.
func TestCompacted(t *testing.T) {
	t.Parallel()
	c := begin(t)
	place, links := c.through(t, "compacted", 0, 0)
	away, s := open(t, place, time.Now), open(t, c.place("compacted"), time.Now)
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8_000, 4)}).Err())
	reach(t, away, s.Snapshot())
	for _, l := range links {
		l.sever()
	}
	for n := range uint64(300) {
		must.Succeed(t, s.Apply(t.Context(), storagetest.Claim(10+n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err())
	}
	must.Get(etcd.Engine{}.Compact(t.Context(), c.place("compacted"), engine.Options{}))(t)
	if away.Snapshot().Revision() != 1 {
		t.Errorf("it is at revision %d", away.Snapshot().Revision())
	}
	for _, l := range links {
		l.mend()
	}
	reach(t, away, s.Snapshot())
	must.Succeed(t, away.Apply(t.Context(), storagetest.Claim(9, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err())
	storagetest.Clean(t, away)
}

// TestKilledWhileStaging leaves a large change while it is sent, and kills a process that sends
// one: nothing of that is in the cloud. Whoever writes the same goes on where that stopped, what
// nobody writes vanishes, and one who is still at it does no harm.
func TestKilledWhileStaging(t *testing.T) {
	t.Parallel()
	c := begin(t)
	place, _ := c.through(t, "staging", 0, 256<<10)
	s := open(t, c.place("staging"), time.Now)
	client := c.client()
	staged := func(prefix string) []*mvccpb.KeyValue {
		return must.Get(client.Get(t.Context(), "/staging/"+prefix, clientv3.WithPrefix()))(t).Kvs
	}
	some := func() bool { return len(staged("part/")) > 1 }
	killed := func(seed string) {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env, cmd.Stderr = append(os.Environ(), childVar+"="+place+" large "+seed), os.Stderr
		must.Succeed(t, cmd.Start())
		await(t, "parts", some)
		must.Succeed(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
	killed("2")
	for _, kv := range append(staged("part/"), staged("stage/")...) {
		must.Be(t, kv.Lease > 0, true)
		_, _ = client.Revoke(t.Context(), clientv3.LeaseID(kv.Lease)) // as time does
	}
	must.Be(t, len(staged("part/"))+len(staged("stage/")), 0)
	must.Be(t, s.Snapshot().Revision(), cloud.Revision(0))

	killed("1")
	id := strings.Split(string(staged("part/")[0].Key), "/")[3]
	ctx, leave := context.WithCancel(t.Context())
	far := must.Get(etcd.Engine{}.Open(t.Context(), place, engine.Options{Clock: time.Now, Version: "test"}))(t)
	refused := make(chan error, 1)
	sent := len(staged("part/"))
	go func() { refused <- far.Apply(ctx, large(1)).Err() }()
	await(t, "more parts", func() bool { return len(staged("part/")) > sent })
	leave()
	if err := <-refused; err == nil || errors.Is(err, cloud.ErrInDoubt) {
		t.Errorf("its caller has left, and is told %v", err)
	}
	go func() { refused <- far.Apply(t.Context(), large(1)).Err() }()
	must.Succeed(t, s.Apply(t.Context(), large(1)).Err())
	if err := <-refused; !errors.Is(err, placement.ErrExists) && !errors.Is(err, placement.ErrConflict) {
		t.Errorf("another one has written the same, and it is told %v", err)
	}
	must.Succeed(t, far.Close())
	again := 0
	for _, kv := range staged("part/") {
		must.Be(t, strings.Split(string(kv.Key), "/")[3], id)
		must.Be(t, kv.Lease, 0)
		if kv.Version > 2 { // sent, taken up, added
			again++
		}
	}
	if again < sent {
		t.Errorf("%d parts were sent before, and %d were taken up", sent, again)
	}
	must.Be(t, len(staged("stage/")), 0)
	fresh := open(t, c.place("staging"), time.Now)
	must.Be(t, fresh.Snapshot().Revision(), cloud.Revision(1))
	storagetest.Clean(t, fresh)
}

// await waits until something is so.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("there are never %s", what)
		}
		must.Succeed(t, storage.Pause(t.Context(), 50*time.Millisecond))
	}
}
