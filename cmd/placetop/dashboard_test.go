package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// startDashboard runs "placetop --db FILE" on a terminal of its own. The returned
// function waits for the end.
func startDashboard(t *testing.T, db string, set func(*config.Settings)) (*tuitest.PTY, func() error) {
	t.Helper()
	return startOnTerminal(t, db, set, (*program).dashboard)
}

// startOnTerminal runs a function on a terminal of its own. The returned function waits
// for the end.
func startOnTerminal(t *testing.T, db string, set func(*config.Settings), run func(*program, context.Context) error) (*tuitest.PTY, func() error) {
	t.Helper()
	term := tuitest.OpenPTY(t, 100, 30)
	p := &program{
		stdin: term.TTY, stdout: term.TTY, stderr: io.Discard,
		env: map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8"},
		now: time.Now, newID: uuid.New, log: slog.New(slog.DiscardHandler),
	}
	p.settings.DB = db
	if set != nil {
		set(&p.settings)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		err := run(p, ctx)
		if closed := p.close(); err == nil {
			err = closed
		}
		ended <- err
	}()
	wait := func() error {
		select {
		case err := <-ended:
			ended <- err
			return err
		case <-time.After(time.Minute):
			return context.DeadlineExceeded
		}
	}
	t.Cleanup(func() {
		cancel()
		_ = wait()
	})
	return term, wait
}

// TestDashboardFirstRun shows the welcome for a file that does not exist yet, registers
// this machine in it, and finds it again afterwards.
func TestDashboardFirstRun(t *testing.T) {
	db := filepath.Join(t.TempDir(), "new", "first.db")
	term, wait := startDashboard(t, db, nil)
	term.WaitForText("FIRST RUN")
	term.Type("2")
	term.WaitForText("CAPACITY")
	term.WaitForText("VCPU")
	term.Type("q")
	must.Succeed(t, wait())

	store := must.Get(bolt.Open(t.Context(), db, engine.Options{Clock: time.Now, ReadOnly: true}))(t)
	defer store.Close()
	p := store.Snapshot().Placement()
	roots := 0
	for rp := range p.Roots() {
		roots++
		if p.Owner(rp) != placement.OwnedByNova {
			t.Errorf("%s is owned by %v", rp.Name(), p.Owner(rp))
		}
	}
	if roots != 1 {
		t.Errorf("%d roots, want this machine alone", roots)
	}
}

// TestDashboardAsItWas shows the cloud as it was before its troubles, on several screens,
// and returns to the present.
func TestDashboardAsItWas(t *testing.T) {
	term, settled := showTriage(t, nil)
	term.WaitForText(settled)
	term.Type("2")
	term.WaitForText("pulses > providers")
	term.Type("{")
	term.Await(t, "the header of the past", func(lines []string) bool {
		return strings.Contains(lines[0], " RO ") && strings.Contains(lines[0], "REPLAY rev") && !strings.Contains(lines[0], settled)
	})
	term.Type("D")
	term.WaitForText(": this is revision")
	term.Type("!")
	term.WaitForText("last pass") // at that time
	term.Type("@")
	term.Await(t, "the header of now", func(lines []string) bool {
		return strings.Contains(lines[0], " RW ") && strings.Contains(lines[0], settled)
	})
}

// TestDashboardDemoLeavesFile opens a made-up cloud from the welcome screen: it is in
// memory.
func TestDashboardDemoLeavesFile(t *testing.T) {
	db := filepath.Join(t.TempDir(), "first.db")
	term, wait := startDashboard(t, db, nil)
	term.WaitForText("FIRST RUN")
	term.Type("1")
	term.WaitForText(" pending") // and lost with the dashboard
	term.Type("q")
	term.WaitForText("q again quits")
	term.Type("q")
	must.Succeed(t, wait())
	store := must.Get(bolt.Open(t.Context(), db, engine.Options{Clock: time.Now, ReadOnly: true}))(t)
	defer store.Close()
	if rev := store.Snapshot().Revision(); rev != 0 {
		t.Errorf("the file is at revision %d", rev)
	}
}

// TestDashboardFiles backs the cloud up, changes it, and restores it: its records are those of
// the backup again, in a revision of their own. An existing file is not overwritten.
func TestDashboardFiles(t *testing.T) {
	db, store := heldFile(t)
	must.Succeed(t, store.Close())
	saved := filepath.Join(t.TempDir(), "saved.db")
	term, wait := startDashboard(t, db, nil)
	term.WaitForText("1 provider ")
	term.Type(":backup\r")
	term.WaitForText("WHOLE CLOUD")
	term.Type(saved + "\r")
	term.WaitForText("backed up revision 1 to")
	term.Type(":backup\r")
	term.WaitForText("WHOLE CLOUD")
	term.Type(saved + "\r")
	term.WaitForText("exists already")
	term.Type("\x1b")
	term.WaitForText("WHOLE CLOUD")
	term.Type("\x1b")
	term.WaitForText("again discards")
	term.Type("\x1b")
	term.WaitForText("1 provider ")
	term.Type("q")
	must.Succeed(t, wait())

	store = must.Get(bolt.Open(t.Context(), db, engine.Options{Clock: time.Now}))(t)
	was := slices.Collect(store.Snapshot().Records())
	_, err := store.Apply(t.Context(), cloud.Change{Note: "one more", Ops: []placement.Op{
		placement.CreateProvider{ID: placement.ProviderID(uuid.New()), Name: "another"}, placement.CreateTrait{Name: "CUSTOM_A"},
	}}).Result()
	must.Succeed(t, err)
	must.Succeed(t, store.Close())
	term, wait = startDashboard(t, db, nil)
	term.WaitForText("2 providers ")
	term.Type(":restore\r")
	term.WaitForText("WHOLE CLOUD")
	term.Type(saved + "\r")
	term.WaitForText("another")
	term.WaitForText("enter restore")
	term.Type("\r")
	term.WaitForText("type restore to go ahead")
	term.Type("restore\r")
	term.WaitForText("restore 2 records, revision 3")
	term.Type("q")
	must.Succeed(t, wait())
	store = must.Get(bolt.Open(t.Context(), db, engine.Options{Clock: time.Now, ReadOnly: true}))(t)
	defer store.Close()
	if left := cloud.Differences(store.Snapshot().Records(), was); len(left) > 0 {
		t.Errorf("not restored: %v", left)
	}
}

// TestDashboardSaysOfDamage opens a file with a damaged journal: the dashboard says so at
// once.
func TestDashboardSaysOfDamage(t *testing.T) {
	db, store := heldFile(t)
	must.Succeed(t, store.Close())
	data := must.Get(os.ReadFile(db))(t)
	must.Succeed(t, os.WriteFile(db, bytes.ReplaceAll(data, []byte("hold it"), []byte("hold IT")), 0o600))
	term, wait := startDashboard(t, db, nil)
	term.WaitForText("the journal is damaged, so this is read-only: run placetop copy")
	term.WaitForText("RO")
	term.Type("q")
	must.Succeed(t, wait())
}

// TestDemoIsShared writes to the file of a made-up cloud that a dashboard shows, as to that of
// any other.
func TestDemoIsShared(t *testing.T) {
	db := filepath.Join(t.TempDir(), "demo.db")
	term, _ := startOnTerminal(t, db, nil, func(p *program, ctx context.Context) error {
		return p.demo(ctx, demoOptions{Hosts: 2}, true)
	})
	term.WaitForText("CAPACITY")
	p := &program{now: time.Now, newID: uuid.New, log: slog.New(slog.DiscardHandler)}
	p.settings.DB = db
	defer p.close()
	store := must.Get(p.openToWrite(t.Context()))(t)
	must.Succeed(t, store.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_SEEN"}}}).Err())
}

// TestDemoToLookAt shows a read-only made-up cloud, on which nothing can be presented.
func TestDemoToLookAt(t *testing.T) {
	term, wait := startOnTerminal(t, "", func(s *config.Settings) { s.ReadOnly = true }, func(p *program, ctx context.Context) error {
		return p.demo(ctx, demoOptions{}, false)
	})
	term.WaitForText("demo  RO")
	term.Type(":demo transition\r")
	term.WaitForText("the demonstration writes, and nothing can be written: this run")
	term.Type("q")
	term.WaitForText("again quits")
	term.Type("q")
	must.Succeed(t, wait())
}

// heldFile makes a file with one provider and keeps it open.
func heldFile(t *testing.T) (string, *bolt.Store) {
	t.Helper()
	db := filepath.Join(t.TempDir(), "held.db")
	store, err := bolt.Open(t.Context(), db, engine.Options{Clock: time.Now})
	must.Succeed(t, err)
	t.Cleanup(func() { store.Close() })
	_, err = store.Apply(t.Context(), cloud.Change{Note: "hold it", Ops: []placement.Op{
		placement.CreateProvider{ID: placement.ProviderID(uuid.New()), Name: "held-provider"},
	}}).Result()

	must.Succeed(t, err)
	return db, store
}

// TestDashboardWaits shows which process has the file, and continues once it is free.
func TestDashboardWaits(t *testing.T) {
	db, holder := heldFile(t)
	term, wait := startDashboard(t, db, nil)
	term.WaitForText("LOCKED")
	term.WaitForText("open elsewhere (pid")
	term.Type("w")
	term.WaitForText("waiting for held.db")
	must.Succeed(t, holder.Close())
	term.WaitForText("1 provider ")
	term.Type("q")
	must.Succeed(t, wait())
}

// TestDashboardCopies works on a copy of a file that another process has open.
func TestDashboardCopies(t *testing.T) {
	db, _ := heldFile(t)
	t.Setenv("TMPDIR", t.TempDir()) // only this test makes copies there
	term, wait := startDashboard(t, db, nil)
	term.WaitForText("LOCKED")
	term.Type("c")
	term.WaitForText("held.db (copy)")
	term.WaitForText("1 provider ")
	term.Type("q")
	must.Succeed(t, wait())
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "placetop-*", "1")); err != nil || len(left) > 0 {
		t.Errorf("copies are left behind: %v, %v", left, err)
	}
}

// TestCopyLeavesWhatIsUnderWay finishes nothing in a copy of a file that another process,
// which may be at work, has open.
func TestCopyLeavesWhatIsUnderWay(t *testing.T) {
	db, holder := heldFile(t)
	i := &nova.Instance{UUID: placement.ConsumerID(uuid.New()), Name: "web-1", Flavor: "m1", VMState: nova.Active, TaskState: nova.Deleting}
	must.Get(holder.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{nova.CreateInstance{Instance: i}}}).Result())(t)
	t.Setenv("TMPDIR", t.TempDir()) // only this test makes copies there
	p := &program{now: time.Now, log: slog.New(slog.DiscardHandler), settings: config.Settings{DB: db}}
	store := must.Get(p.openCopy(t.Context()))(t)
	open := p.openMsg(screen.Env{Context: t.Context()}, store, "copy", true)
	for r := open.Keeper.Report(); r.Of == nil; r = open.Keeper.Report() {
		<-r.Newer
	}
	if is, _ := open.Cloud.Snapshot().Nova().Instance(i.UUID); is == nil || is.TaskState != nova.Deleting || len(open.Keeper.Report().Results) > 0 {
		t.Errorf("it is %+v, told is %v", is, open.Keeper.Report().Results)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// TestDashboardReadOnly opens a file read-only, next to another reader.
func TestDashboardReadOnly(t *testing.T) {
	db, holder := heldFile(t)
	must.Succeed(t, holder.Close())
	reader := must.Get(bolt.Open(t.Context(), db, engine.Options{Clock: time.Now, ReadOnly: true}))(t)
	defer reader.Close()
	term, wait := startDashboard(t, db, func(s *config.Settings) { s.ReadOnly = true })
	term.Await(t, "the rights", func(lines []string) bool { return strings.Contains(lines[0], "RO") })
	term.Type("q")
	must.Succeed(t, wait())
}

// TestDashboardAllocates makes an allocation with the form: nothing is in the file before
// the preview is accepted, and it is there when the file is opened again.
func TestDashboardAllocates(t *testing.T) {
	db, holder := heldFile(t)
	host, _ := holder.Snapshot().Placement().ProviderByName("held-provider")
	_, err := holder.Apply(t.Context(), cloud.Change{Ops: []placement.Op{placement.AddInventory{
		Provider: host.ID(), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(8),
	}}}).Result()

	must.Succeed(t, errors.Join(err, holder.Close()))

	term, wait := startDashboard(t, db, nil)
	term.WaitForText("CAPACITY")
	term.Type("n")
	term.WaitForText("NEW ALLOCATION")
	term.Type("demo\t\tVCPU=2")
	term.WaitForText("VCPU=2")
	term.Type("\r\r\r\r") // past traits, aggregates and provider
	term.WaitForText("step 2 of 3")
	term.WaitForText("fits 1 of 1")
	term.Type("\r")
	term.WaitForText("nothing written yet")
	term.Await(t, "revision 2 before the answer", func(lines []string) bool { return strings.Contains(lines[0], "rev 2") })
	term.Type("\r")
	term.WaitForText("held-provider, revision 3   z to undo")
	term.Type("1")
	term.WaitForText("CAPACITY")
	term.Type("z")
	term.WaitForText("> rev 3")
	term.Type("z")
	term.WaitForText("undo rev 3")
	term.Type("\x03")
	must.Succeed(t, wait())

	store := must.Get(bolt.Open(t.Context(), db, engine.Options{Clock: time.Now, ReadOnly: true}))(t)
	defer store.Close()
	p := store.Snapshot().Placement()
	host, _ = p.ProviderByName("held-provider")
	found := 0
	for c := range p.ConsumersOf(host) {
		found++
		if c.Project() != "demo" || c.Type() != placement.InstanceConsumer {
			t.Errorf("consumer of project %q and type %v", c.Project(), c.Type())
		}
	}
	if used := host.Inventories()[0].Used; found != 1 || used != 2 {
		t.Errorf("%d consumers use %d VCPU, want 1 and 2", found, used)
	}
}

// TestDemoTells checks that the progress of making a cloud is shown in a line that is
// erased in the end, also on an interrupt.
func TestDemoTells(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{9: "\r\x1b[Kmaking up 3000 hosts: 0 providers and 0 consumers so far; ^c stops", 1: "\r\x1b[Kmaking up"} {
		var said bytes.Buffer
		p := &program{stderr: &said}
		n := 0
		for range p.telling(memory.New(memory.Options{Clock: time.Now}), 3000, slices.Values(make([]cloud.Change, 2))) {
			if n++; n == most {
				break
			}
		}
		if n != min(most, 2) || strings.Count(said.String(), want) != n || !strings.HasSuffix(said.String(), "stops\r\x1b[K") {
			t.Errorf("%d changes: %q", n, said.String())
		}
	}
}
