package diskfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// fakeProc makes a folder like /proc, with the list of locks given and process
// 4211.
func fakeProc(t *testing.T, locks string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"locks":        locks,
		"stat":         "cpu  1 2 3\nbtime 1763640000\nprocesses 9\n",
		"4211/cmdline": "/usr/local/bin/placetop\x00demo\x00--db\x00x.db\x00",
		// name with a space and a bracket; starttime 60000 ticks
		"4211/stat": "4211 (a) b) S 1 4211 4211 34819 4300 4194304 1 0 0 0 1 1 0 0 20 0 9 0 60000 1 1\n",
	} {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func TestHolderIsDescribed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	var st syscall.Stat_t
	must.Succeed(t, syscall.Stat(path, &st))
	id := fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
	locks := strings.Join([]string{
		"1: POSIX  ADVISORY  WRITE 77 " + id + " 0 EOF", // another kind of lock
		"2: FLOCK  ADVISORY  WRITE 4212 08:01:1 0 EOF",  // another file
		"3: -> FLOCK  ADVISORY  WRITE 4213 " + id + " 0 EOF",
		"4: FLOCK  ADVISORY  WRITE 4211 " + id + " 0 EOF",
		"garbage", "",
	}, "\n")
	h := diskfile.HolderIn(fakeProc(t, locks), path)
	want := storage.LockedError{
		PID: 4211, Command: "placetop demo --db x.db", Since: time.Unix(1763640600, 0),
	}
	if h.PID != want.PID || h.Command != want.Command || !h.Since.Equal(want.Since) {
		t.Errorf("got %+v, want %+v", h, want)
	}
	h.Now = h.Since.Add(time.Hour)
	if got, want := h.Holder(), "pid 4211, placetop demo --db x.db, since "+h.Since.Format("15:04"); got != want {
		t.Errorf("it is said: %s; want: %s", got, want)
	}
}

func TestHolderIsUnknown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	for name, proc := range map[string]string{
		"no list": t.TempDir(), "not in the list": fakeProc(t, "1: FLOCK  ADVISORY  WRITE 4211 08:01:1 0 EOF\n"),
	} {
		h := diskfile.HolderIn(proc, path)
		h.Path = path
		if h.PID != 0 || h.Holder() != "" || h.Error() != path+" is open elsewhere" {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

func TestHolderIsFoundByItsOpenFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	proc := fakeProc(t, "")
	fds := filepath.Join(proc, "4211", "fd")
	must.Succeed(t, os.Mkdir(fds, 0o700))
	must.Succeed(t, os.Symlink(path, filepath.Join(fds, "7")))
	if h := diskfile.HolderIn(proc, path); h.PID != 4211 {
		t.Errorf("got %+v", h)
	}
}
