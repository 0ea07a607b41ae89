package main

import (
	"bufio"
	"os/exec"
	"runtime"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// needsPeers skips a test where the system does not tell which user is at the other end
// of a socket, because nothing can attach there.
func needsPeers(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("nobody is let in here")
	}
}

// TestDashboardsTogether has two dashboards on one file: what a third process writes shows
// in both, and the second takes over when the first is quit.
func TestDashboardsTogether(t *testing.T) {
	needsPeers(t)
	db, store := heldFile(t)
	must.Succeed(t, store.Close())
	write := func(name string) {
		t.Helper()
		if out, err := exec.Command("placetop", "create", "provider", name, "--db", db).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	first, firstEnds := startDashboard(t, db, nil)
	first.WaitForText("1 provider ")
	second, secondEnds := startDashboard(t, db, nil)
	second.WaitForText("1 provider ")
	second.WaitForText("RW")
	write("far")
	first.WaitForText("rev 2")
	second.WaitForText("rev 2")
	first.Type("q")
	must.Succeed(t, firstEnds())
	second.WaitForText("is gone: it was closed there")
	second.WaitForText("RO")
	second.Type("t")
	second.WaitForText("RW")
	write("farther")
	second.WaitForText("3 providers")
	second.Type("q")
	must.Succeed(t, secondEnds())
}

// TestDashboardOutlivesOwner kills the process that has the file, as kill -9 does, while
// a dashboard with an open form is attached to it: what was typed is still there
// afterwards, and gets written.
func TestDashboardOutlivesOwner(t *testing.T) {
	needsPeers(t)
	db, store := heldFile(t)
	must.Succeed(t, store.Close())
	owner := exec.Command("placetop-hold", db, "shared")
	stdin := must.Get(owner.StdinPipe())(t)
	defer stdin.Close()
	out := must.Get(owner.StdoutPipe())(t)
	must.Succeed(t, owner.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	term, ends := startDashboard(t, db, nil)
	term.WaitForText("1 provider ")
	term.Type(":newprovider\r")
	term.WaitForText("new provider")
	term.Type("typed-before")
	term.WaitForText("typed-before")
	must.Succeed(t, owner.Process.Kill())
	_ = owner.Wait()
	term.WaitForText("the placetop that had this cloud is gone")
	term.Type("-and-after\r\r\r\r\r")
	term.WaitForText("> owner gone")
	term.Type("t")
	term.WaitForText("RW")
	term.WaitForText("typed-before-and-after  new")
	term.Type("\r")
	term.WaitForText("typed-before-and-after, revision 2")
	term.Type("\x03")
	must.Succeed(t, ends())
}
