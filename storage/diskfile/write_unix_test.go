//go:build unix

package diskfile_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// text writes a text into a file.
func text(s string) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.WriteString(s)
		return err
	}
}

func put(t *testing.T, path, s string) {
	t.Helper()
	must.Succeed(t, os.WriteFile(path, []byte(s), 0o600))
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%s holds %q, %v, want %q", path, b, err, want)
	}
}

// names returns the names in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	must.Succeed(t, diskfile.Write(path, diskfile.Options{}, text("one")))
	holds(t, path, "one")
	if info, err := os.Stat(path); err != nil || info.Mode() != diskfile.DefaultMode {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	must.Fail(t, diskfile.Write(path, diskfile.Options{}, text("two")), placement.ErrExists)
	holds(t, path, "one")
	if err := diskfile.Write(path, diskfile.Options{Overwrite: true}, text("two")); err != nil {
		t.Errorf("over a file, as told: %v", err)
	}
	holds(t, path, "two")
	full := errors.New("disk full")
	err := diskfile.Write(path, diskfile.Options{Overwrite: true}, func(f *os.File) error { return errors.Join(text("thr")(f), full) })
	if !errors.Is(err, full) {
		t.Errorf("with a fault in the middle: %v", err)
	}
	holds(t, path, "two")
	long := filepath.Join(dir, strings.Repeat("x", 255))
	if err := diskfile.Write(long, diskfile.Options{}, text("long")); err != nil {
		t.Errorf("with the longest name: %v", err)
	}
	must.Be(t, names(t, dir), "out "+filepath.Base(long))
}

// TestWriteIsRefused tries to replace files that must not be replaced. Each stays as it
// was.
func TestWriteIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("cloud"), "cloud")
	put(t, at("other"), "other")
	put(t, at("held"), "held")
	held, err := os.Open(at("held"))
	must.Succeed(t, err)
	defer held.Close()
	must.Succeed(t, diskfile.TryLock(held, false))
	err = errors.Join(
		os.Mkdir(at("folder"), 0o700), os.Link(at("cloud"), at("hard")), os.Symlink("cloud", at("soft")), os.Symlink("soft", at("softer")),
		os.Symlink("other", at("link")), os.Symlink("none", at("dangling")), os.Symlink(os.DevNull, at("null")), makePipe(at("pipe")),
	)
	must.Succeed(t, err)
	open := must.Get(os.Open(at("cloud")))(t)
	defer open.Close()
	keep := []diskfile.ProtectedFile{{Is: "no file"}, {Path: at("missing"), Is: "missing"}, {Path: at("cloud"), Is: "the cloud"}}
	before := names(t, dir)
	for path, want := range map[string]string{
		at("cloud"):                             "it is the cloud. Name another file",
		dir + "/folder/../cloud":                "it is the cloud. Name another file",
		at("hard"):                              "it is the cloud. Name another file",
		at("soft"):                              "it is the cloud. Name another file",
		at("softer"):                            "it is the cloud. Name another file",
		fmt.Sprint("/proc/self/fd/", open.Fd()): "it is the cloud. Name another file",
		at("link"):                              "it is a link to other. Name the file itself",
		at("dangling"):                          "it is a link to none. Name the file itself",
		at("null"):                              "it is a link to " + os.DevNull + ". Name the file itself",
		at("pipe"):                              "it is a pipe. Name a file",
		at("folder"):                            "it is a folder. Name a file",
		os.DevNull:                              "it is a device. Name a file",
		at("other/below"):                       "not a directory. Name another file",
		at("none/below"):                        "no file can be created beside it: no such file or directory. Name a file in another folder",
		at("held"):                              "is open elsewhere",
	} {
		if strings.HasPrefix(path, "/proc") && !exists("/proc/self/fd") {
			continue
		}
		err := diskfile.Write(path, diskfile.Options{Overwrite: true, Keep: keep, Clock: time.Now}, text("x"))
		if err == nil || !strings.HasPrefix(err.Error(), path+" was not written: "+want) && !strings.HasPrefix(err.Error(), path+" "+want) || !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
		if locked := errors.Is(err, storage.ErrLocked); locked != (path == at("held")) {
			t.Errorf("%s: %v", path, err)
		}
	}
	holds(t, at("cloud"), "cloud")
	holds(t, at("other"), "other")
	holds(t, at("held"), "held")
	must.Be(t, names(t, dir), before)
	if info, err := os.Lstat(at("pipe")); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v, %v", info.Mode(), err)
	}
	if err := diskfile.Write(at("held"), diskfile.Options{Overwrite: true, Held: true}, text("mine")); err != nil {
		t.Errorf("by who holds it: %v", err)
	}
	holds(t, at("held"), "mine")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestWriteKeepsOwnerAndMode replaces a file of another user, as root does for a service.
func TestWriteKeepsOwnerAndMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "out"), filepath.Join(dir, "copy")
	put(t, path, "one")
	must.Succeed(t, os.Chmod(path, 0o640))
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 12345, 23456
		must.Succeed(t, os.Chown(path, uid, gid))
	}
	like := must.Get(os.Stat(path))(t)
	must.Succeed(t, diskfile.Write(path, diskfile.Options{Overwrite: true, Mode: 0o600}, text("two")))
	must.Succeed(t, diskfile.Write(copied, diskfile.Options{Like: like}, text("two")))
	for _, path := range []string{path, copied} {
		holds(t, path, "two")
		info := must.Get(os.Stat(path))(t)
		if u, g := owner(info); info.Mode() != 0o640 || u != uid || g != gid {
			t.Errorf("%s: mode %v, owner %d, group %d, want -rw-r-----, %d, %d", path, info.Mode(), u, g, uid, gid)
		}
	}
}

// TestWriteSweeps removes what killed processes have left, and neither what running ones
// are writing nor files of others.
func TestWriteSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{".out.placetop-1", ".other.db.placetop-22", ".living.placetop-3", ".out.swp", ".out.placetop-x", "out.placetop-4", ".placetop-y"} {
		put(t, at(name), "x")
	}
	must.Succeed(t, errors.Join(os.Mkdir(at(".dir.placetop-5"), 0o700), os.Symlink(".out.swp", at(".link.placetop-6")), makePipe(at(".pipe.placetop-7"))))
	living, err := os.Open(at(".living.placetop-3"))
	must.Succeed(t, err)
	defer living.Close()
	must.Succeed(t, diskfile.TryLock(living, true))
	var during string
	err = diskfile.Write(at("out"), diskfile.Options{}, func(f *os.File) error {
		during = filepath.Base(f.Name())
		// Another one writes in the same folder at the same time.
		return diskfile.Write(at("second"), diskfile.Options{}, text("second"))
	})
	must.Succeed(t, err)
	if !strings.HasPrefix(during, ".out.placetop-") {
		t.Errorf("it was written as %s", during)
	}
	want := ".dir.placetop-5 .link.placetop-6 .living.placetop-3 .out.placetop-x .out.swp .pipe.placetop-7 .placetop-y out out.placetop-4 second"
	if got := names(t, dir); got != want {
		t.Errorf("the folder holds\n%s, want\n%s", got, want)
	}
}

// childVar names the file that the test binary, instead of testing, writes. It prints the
// name of the hidden file, and waits.
const childVar = "PLACETOP_DISKFILE_CHILD"

func TestMain(m *testing.M) {
	path := os.Getenv(childVar)
	if path == "" {
		os.Exit(m.Run())
	}
	err := diskfile.Write(path, diskfile.Options{}, func(f *os.File) error {
		fmt.Println(filepath.Base(f.Name()))
		_, err := io.Copy(io.Discard, os.Stdin) // the parent's end closes it at the latest
		return err
	})
	if err != nil {
		os.Exit(1)
	}
}

// TestWriteBesideAnother writes into a folder while another process writes there, and
// again after that one was killed.
func TestWriteBesideAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+filepath.Join(dir, "killed"))
	stdin := must.Get(cmd.StdinPipe())(t)
	defer stdin.Close()
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Succeed(t, cmd.Start())
	hidden := must.Get(bufio.NewReader(stdout).ReadString('\n'))(t)
	hidden = strings.TrimSpace(hidden)
	if err := diskfile.Write(filepath.Join(dir, "one"), diskfile.Options{}, text("one")); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); got != hidden+" one" {
		t.Errorf("beside a living one the folder holds %s", got)
	}
	must.Succeed(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	if err := diskfile.Write(filepath.Join(dir, "two"), diskfile.Options{}, text("two")); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); got != "one two" {
		t.Errorf("after a killed one the folder holds %s", got)
	}
}

// TestWriteManyAtOnce writes many files into one folder at once; each write sweeps it.
func TestWriteManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 20 {
				path := filepath.Join(dir, fmt.Sprint(n, "-", i%4))
				if err := diskfile.Write(path, diskfile.Options{Overwrite: true}, text(path)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 8*4 {
		t.Errorf("the folder holds %d files, %v", len(entries), err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		holds(t, path, path)
	}
}

// TestWriteTakenAway removes the hidden file while it is being written.
func TestWriteTakenAway(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "out")
	put(t, path, "one")
	err := diskfile.Write(path, diskfile.Options{Overwrite: true}, func(f *os.File) error { return os.Remove(f.Name()) })
	if _, ok := errors.AsType[*storage.TargetError](err); !ok {
		t.Errorf("it was written: %v", err)
	}
	holds(t, path, "one")
}

func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }

// owner returns the owner and group of a file.
func owner(info fs.FileInfo) (uid, gid int) {
	st := info.Sys().(*syscall.Stat_t)
	return int(st.Uid), int(st.Gid)
}

// Errors of the disk about the hidden file name the file that the user knows, with a
// hint; other errors are returned unchanged.
func TestWriteTellsOfTheDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "out")
	for fault, want := range map[syscall.Errno]string{
		syscall.ENOSPC: "no space left on device. Make room on its disk, then try again; nothing was changed",
		syscall.EFBIG:  "file too large. Files may not grow that large here: see ulimit -f, or name a file on another file system; nothing was changed",
	} {
		err := diskfile.Write(path, diskfile.Options{}, func(f *os.File) error {
			return fmt.Errorf("write records: %w", &fs.PathError{Op: "write", Path: f.Name(), Err: fault})
		})
		want = path + " was not written: " + want
		if err == nil || err.Error() != want || !errors.Is(err, fault) || !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	other := &fs.PathError{Op: "read", Path: "elsewhere", Err: syscall.EIO}
	if err := diskfile.Write(path, diskfile.Options{}, func(*os.File) error { return other }); !errors.Is(err, other) || errors.As(err, new(*storage.TargetError)) {
		t.Errorf("got %v", err)
	}
}

// TestGuardedPipe checks that opening a pipe does not wait for a writer.
func TestGuardedPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	must.Succeed(t, makePipe(path))
	if _, err := (diskfile.Guarded{Most: 10}).Read(path); err == nil || !strings.HasSuffix(err.Error(), ": is not a regular file") {
		t.Error(err)
	}
}
