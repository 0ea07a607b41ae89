package main

import (
	"bufio"
	"os/exec"
	"runtime"
	"testing"
)

// needsPeers skips a test where the system does not tell who is at the other end of a
// socket, so that nobody is let in.
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
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
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
	if err := firstEnds(); err != nil {
		t.Fatal(err)
	}
	second.WaitForText("has gone: it was closed there")
	second.WaitForText("RO")
	second.Type("t")
	second.WaitForText("RW")
	write("farther")
	second.WaitForText("3 providers")
	second.Type("q")
	if err := secondEnds(); err != nil {
		t.Fatal(err)
	}
}

// TestDashboardOutlivesOwner kills the process that has the file, as kill -9 does, under
// a dashboard that is attached to it and in which a form is open: what was typed is there
// afterwards, and is written.
func TestDashboardOutlivesOwner(t *testing.T) {
	needsPeers(t)
	db, store := heldFile(t)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	owner := exec.Command("placetop-hold", db, "shared")
	stdin, err := owner.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	term, ends := startDashboard(t, db, nil)
	term.WaitForText("1 provider ")
	term.Type(":newprovider\r")
	term.WaitForText("new provider")
	term.Type("typed-before")
	term.WaitForText("typed-before")
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	term.WaitForText("who keeps this cloud has gone")
	term.Type("-and-after\r\r\r\r\r")
	term.WaitForText("> owner gone")
	term.Type("t")
	term.WaitForText("RW")
	term.WaitForText("typed-before-and-after  new")
	term.Type("\r")
	term.WaitForText("typed-before-and-after, revision 2")
	term.Type("\x03")
	if err := ends(); err != nil {
		t.Fatal(err)
	}
}
