package main

import (
	"bufio"
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/memory"
)

// rival writes something else just before the first write of another writer.
type rival struct {
	storage.Store
	first *cloud.Change // nil once written
}

func (r *rival) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if first := r.first; first != nil {
		r.first = nil
		if err := r.Store.Apply(ctx, *first).Err(); err != nil {
			return cloud.Refused(err)
		}
	}
	return r.Store.Apply(ctx, c)
}

// A tick that another write gets in the way of is decided again on the new state.
func TestAgentDecidesAgain(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	p := &program{now: now, log: slog.New(slog.DiscardHandler)}
	store := memory.New(memory.Options{Clock: now})
	id := placement.ProviderID{1}
	see := func(cpus int64) tracker.Tree {
		tree := tracker.NewTree(id, "test", "cmp1")
		tree.Supply(tracker.DefaultConf(), placement.VCPU, cpus, "test")
		must.Succeed(t, tree.Finish())
		return tree
	}
	must.Get(p.track(t.Context(), store, see(8), agentOptions{}))(t)
	cmp1, _ := store.Snapshot().Placement().Provider(id)
	operator := &rival{Store: store, first: &cloud.Change{Ops: []placement.Op{
		placement.CreateTrait{Name: "CUSTOM_GOLD"},
		placement.SetTraits{Provider: id, Generation: placement.Generation(cmp1.Generation()), Traits: []placement.Trait{"CUSTOM_GOLD"}},
	}}}
	done := must.Get(p.track(t.Context(), operator, see(16), agentOptions{}))(t)
	s := store.Snapshot().Placement()
	cmp1, _ = s.Provider(id)
	want := "COMPUTE_NODE CUSTOM_GOLD OWNER_NOVA"
	var traits []string
	for _, name := range s.TraitsOf(cmp1) {
		traits = append(traits, string(name))
	}
	if got := strings.Join(traits, " "); got != want || cmp1.Inventories()[0].Total != 16 {
		t.Errorf("traits %s, %+v; want %s and 16 CPUs", got, cmp1.Inventories(), want)
	}
	if said := strings.Join(done.changes, "\n"); !strings.Contains(said, "trait OWNER_NOVA added") {
		t.Errorf("said:\n%s\nwithout the trait that the operator took away in between", said)
	}
}

// signals runs a program until it prints a line, sends it a signal, and waits for
// its end; the exit code must be 0.
func signals(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: signals INT|TERM LINE PROGRAM ARG...")
	}
	sig, ok := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[args[0]]
	if !ok {
		ts.Fatalf("no signal %s", args[0])
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "XDG_DATA_HOME="+ts.Getenv("XDG_DATA_HOME"), "XDG_CONFIG_HOME="+ts.Getenv("XDG_CONFIG_HOME"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	said := bufio.NewScanner(out)
	found := false
	for !found && said.Scan() {
		found = said.Text() == args[1]
	}
	if !found {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		ts.Fatalf("%s did not say %q; on stderr: %s", strings.Join(args[2:], " "), args[1], stderr.String())
	}
	ts.Check(cmd.Process.Signal(sig))
	for said.Scan() { // to its end, so that Wait does not close what is still being read
		ts.Logf("%s", said.Text())
	}
	if err := cmd.Wait(); err != nil || strings.Contains(stderr.String(), "placetop: ") { // a warning is not an error
		ts.Fatalf("%s: %v, and on stderr: %s", strings.Join(args[2:], " "), err, stderr.String())
	}
}
