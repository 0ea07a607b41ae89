package diskfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// findHolder returns the process that holds the lock on the file at path.
func findHolder(path string) holder { return proc("/proc").holder(path) }

// proc is a folder like /proc.
type proc string

// holder returns the process that holds the lock on the file at path: the one in the list
// of locks, else one that has the file open.
//
// Source: proc(5), /proc/locks, /proc/PID/stat, /proc/PID/cmdline.
func (p proc) holder(path string) holder {
	info, err := os.Stat(path)
	if err != nil {
		return holder{}
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return holder{}
	}
	pid := p.locker(fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino))
	if pid == 0 {
		pid = p.opener(info)
	}
	if pid == 0 {
		return holder{}
	}
	return p.describe(pid)
}

// locker returns the process that holds the lock on a file, given as in /proc/locks:
// MAJOR:MINOR:INODE. It returns 0 if there is none, or if the process cannot be seen from
// here.
func (p proc) locker(file string) int {
	b, err := os.ReadFile(filepath.Join(string(p), "locks"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		// 1: FLOCK  ADVISORY  WRITE 4211 08:01:1234567 0 EOF
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != file { // a waiter has "->" in second place
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}

// opener returns a process other than this one that has the file open, 0 if none can be
// seen. It serves for file systems with several device numbers for one file, whose locks
// are not listed under the one that stat returns.
func (p proc) opener(file os.FileInfo) int {
	links, err := filepath.Glob(filepath.Join(string(p), "[0-9]*", "fd", "*"))
	if err != nil {
		return 0
	}
	for _, link := range links {
		dir := filepath.Base(filepath.Dir(filepath.Dir(link)))
		pid, err := strconv.Atoi(dir)
		if err != nil || pid == os.Getpid() {
			continue
		}
		target, err := os.Readlink(link)
		if err != nil || filepath.Base(target) != file.Name() {
			continue
		}
		if info, err := os.Stat(link); err == nil && os.SameFile(info, file) {
			return pid
		}
	}
	return 0
}

// describe returns what is known of a process.
func (p proc) describe(pid int) holder {
	h := holder{pid: pid}
	dir := filepath.Join(string(p), strconv.Itoa(pid))
	if b, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil {
		h.command = commandLine(b)
	}
	b, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return h
	}
	// The second field is the name in brackets, which may contain anything.
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return h
	}
	f := strings.Fields(string(b[end+1:])) // from the third field
	const start = 22 - 3
	if len(f) <= start {
		return h
	}
	if n, err := strconv.ParseInt(f[start], 10, 64); err == nil {
		h.since = p.sinceBoot(n)
	}
	return h
}

// commandLine returns the command as a short line: the name of the program
// without its folder, and its arguments.
func commandLine(b []byte) string {
	args := strings.FieldsFunc(strings.TrimRight(string(b), "\x00"), func(r rune) bool { return r == 0 })
	if len(args) == 0 {
		return ""
	}
	args[0] = filepath.Base(args[0])
	line := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(strings.Join(args, " "), "?"))
	const most = 60
	if r := []rune(line); len(r) > most {
		line = string(r[:most-3]) + "..."
	}
	return line
}

// sinceBoot returns the time that is a number of clock ticks after boot. The kernel
// reports 100 ticks a second on every architecture that we run on.
func (p proc) sinceBoot(ticks int64) time.Time {
	b, err := os.ReadFile(filepath.Join(string(p), "stat"))
	if err != nil {
		return time.Time{}
	}
	for line := range strings.Lines(string(b)) {
		if boot, ok := strings.CutPrefix(line, "btime "); ok {
			if sec, err := strconv.ParseInt(strings.TrimSpace(boot), 10, 64); err == nil {
				return time.Unix(sec, 0).Add(time.Duration(ticks) * (time.Second / 100))
			}
		}
	}
	return time.Time{}
}
