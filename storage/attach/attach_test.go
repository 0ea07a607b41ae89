package attach_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/attach"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/shared"
	"github.com/placetop/placetop/storage/storagetest"
)

// childVar names the file that the test binary, as the child of a test, holds and serves.
const childVar = "PLACETOP_ATTACH_CHILD"

// nameVar is the name of a child that writes instead: see TestCrash.
const nameVar = "PLACETOP_ATTACH_CHILD_NAME"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVar); path != "" {
		var err error
		if name := os.Getenv(nameVar); name != "" {
			err = writeForEver(path, name)
		} else {
			err = hold(path)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// hold serves a file until standard input ends.
func hold(path string) error {
	s, err := attach.Open(context.Background(), bolt.Engine{}, path, options())
	if err != nil {
		return err
	}
	if _, err := share(path, s); err != nil {
		return err
	}
	fmt.Printf("%T\n", s)
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // the parent's end closes it at the latest
	return s.Close()
}

func options() engine.Options { return engine.Options{Clock: time.Now} }

// start runs a child that opens a file, or attaches to its holder. It returns how to kill
// the child, and what it reported.
func start(t *testing.T, path string) (kill func(), has string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVar+"="+path)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	must.Succeed(t, err)
	out, err := cmd.StdoutPipe()
	must.Succeed(t, err)
	must.Succeed(t, cmd.Start())
	kill = func() {
		_ = cmd.Process.Kill() // as kill -9 does
		_ = cmd.Wait()
		_ = stdin.Close()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	must.Succeed(t, err)
	return kill, strings.TrimSpace(line)
}

// needsPeers skips a test where the system does not tell which user is at the other end.
func needsPeers(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("nobody is let in here")
	}
}

// open opens a file, or attaches, until the end of the test.
func open(t *testing.T, path string) storage.Store {
	t.Helper()
	s, err := attach.Open(t.Context(), bolt.Engine{}, path, options())
	must.Succeed(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestProcesses attaches two processes to a third, kills that one, and has another take
// over: nothing that was confirmed is lost.
func TestProcesses(t *testing.T) {
	t.Parallel()
	needsPeers(t)
	path := filepath.Join(t.TempDir(), "cloud.db")
	kill, has := start(t, path)
	if has != "*bolt.Store" {
		t.Fatalf("the first has %s", has)
	}
	if _, has := start(t, path); has != "*follow.Store" {
		t.Fatalf("the second has %s", has)
	}
	info, err := os.Stat(path + ".sock")
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Fatalf("the socket is %v, %v", info, err)
	}
	s, ok := open(t, path).(*follow.Store)
	if !ok {
		t.Fatal("the third has the file")
	}
	for n := range uint64(20) {
		must.Get(s.Apply(t.Context(), cloud.Change{Actor: "third", Ops: storagetest.Host(1+2*n, 8, 4)}).Result())(t)
	}
	kill()
	<-s.Gone()
	err = s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(101, 8, 4)}).Err()
	if must.Fail(t, err, shared.ErrGone); !strings.HasSuffix(err.Error(), "it was not written: try again") {
		t.Error(err)
	}
	own, ok := open(t, path).(*bolt.Store) // the old socket is still there
	if !ok {
		t.Fatal("nobody holds the file, and it is not opened")
	}
	storagetest.Same(t, s.Snapshot(), own.Snapshot())
	storagetest.Clean(t, own)
	server := serve(t, path, own)
	again, ok := open(t, path).(*follow.Store)
	if !ok {
		t.Fatal("who took over lets nobody in")
	}
	must.Get(again.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(101, 8, 4)}).Result())(t)
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	<-again.Gone()
	must.Fail(t, must.Err(os.Lstat(path+".sock")), os.ErrNotExist)
}

// serve serves a store that holds a file, until the end of the test.
func serve(t *testing.T, path string, s storage.Store) *attach.Server {
	t.Helper()
	socket, err := attach.Socket(path)
	must.Succeed(t, err)
	server, err := attach.Serve(t.Context(), socket, s, follow.Owner{Place: path}, func(err error) { t.Log(err) })
	must.Succeed(t, err)
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// TestHeldByWhoLetsNobodyIn checks that a holder without a socket is reported as holding
// the file, and so is one whose socket nothing listens on.
func TestHeldByWhoLetsNobodyIn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	open(t, path)
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path + ".sock", Net: "unix"})
	must.Succeed(t, err)
	ln.SetUnlinkOnClose(false)
	must.Succeed(t, ln.Close())
	told := 0
	o := options()
	o.Wait, o.Waiting = 700*time.Millisecond, func(*storage.LockedError) { told++ }
	if _, err := attach.Open(t.Context(), bolt.Engine{}, path, o); !errors.Is(err, storage.ErrLocked) || told != 1 {
		t.Errorf("%v, told %d times for whom it waits", err, told)
	}
}

// TestStrangersAtTheSocket checks that clients that do not speak the protocol are
// dropped.
func TestStrangersAtTheSocket(t *testing.T) {
	t.Parallel()
	needsPeers(t)
	path := filepath.Join(t.TempDir(), "cloud.db")
	held := open(t, path)
	server := serve(t, path, held)
	conn, err := net.Dial("unix", path+".sock")
	must.Succeed(t, err)
	defer conn.Close()
	must.Get(conn.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")))(t)
	b := make([]byte, 1<<20)
	for err == nil { // the greeting, then the end
		_, err = conn.Read(b)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	// The other way round: what listens there is not placetop.
	ln, err := net.Listen("unix", path+".sock")
	must.Succeed(t, err)
	defer ln.Close()
	go func() {
		if conn, err := ln.Accept(); err == nil {
			_, _ = conn.Write([]byte("220 mail.example.net ESMTP\r\n"))
			conn.Close()
		}
	}()
	_, err = attach.Open(t.Context(), bolt.Engine{}, path, options())
	if !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), "Attaching to it failed") {
		t.Errorf("open: %v", err)
	}
}

// TestSocketNames checks that names of sockets are short enough, the same through any
// link, and never those of existing files.
func TestSocketNames(t *testing.T) {
	t.Parallel()
	needsPeers(t)
	long := strings.Repeat("long-folder-", 15)
	dir := filepath.Join(t.TempDir(), long)
	must.Succeed(t, os.Mkdir(dir, 0o700))
	path := filepath.Join(dir, strings.Repeat("n", 100)+".db")
	held := open(t, path)
	serve(t, path, held)
	link := filepath.Join(t.TempDir(), "link.db")
	must.Succeed(t, os.Symlink(path, link))
	if _, follows := open(t, link).(*follow.Store); !follows {
		t.Error("the link leads elsewhere")
	}
	socket, err := attach.Socket(link)
	if err != nil || len(filepath.Base(socket)) > 64 {
		t.Errorf("%s, %v", socket, err)
	}

	mine := filepath.Join(t.TempDir(), "notes.sock")
	must.Succeed(t, os.WriteFile(mine, []byte("mine"), 0o600))
	if _, err := attach.Serve(t.Context(), mine, held, follow.Owner{}, nil); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("serve: %v", err)
	}
	if b, err := os.ReadFile(mine); err != nil || string(b) != "mine" {
		t.Errorf("the file is %q, %v", b, err)
	}
}
