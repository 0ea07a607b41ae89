package diskfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// othersWrite is the mode bits by which others may write.
const othersWrite fs.FileMode = 0o022

// checkOwned returns an error if users other than root and the one who runs this can change
// the file at path, or put another one in its place: the file, and each folder up to the
// home folder or the root, must belong to one of the two and be writable by nobody else.
// Folders such as /tmp, in which nobody can replace the files of others, are allowed.
//
// Source: openssh-portable/misc.c, safe_path, as for StrictModes of sshd_config(5).
func checkOwned(path string, info fs.FileInfo) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if real, err = filepath.Abs(real); err != nil {
		return err
	}
	at, err := os.Stat(real)
	if err != nil {
		return err
	}
	if !os.SameFile(info, at) {
		return &LineError{Path: path, Why: "was replaced while it was read", Hint: "try again"}
	}
	if err := owned(path, real, info); err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // "" if there is none: then all folders are checked
	if whole, err := filepath.EvalSymlinks(home); err == nil {
		home = whole
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if err := owned(path, dir, info); err != nil {
			return err
		}
		if dir == home || dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// owned returns an error if other users can change what is at a place: the file at path, or
// a folder above it.
func owned(path, place string, info fs.FileInfo) error {
	mode, what := info.Mode(), "other users can write to it"
	if info.IsDir() {
		what = "other users can write to the folder " + place
	}
	if mode.Perm()&othersWrite != 0 && (!info.IsDir() || mode&fs.ModeSticky == 0) {
		return &LineError{Path: path, Why: fmt.Sprintf("%s (mode %04o)", what, mode.Perm()), Hint: "chmod go-w " + place}
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if me := os.Geteuid(); ok && stat.Uid != 0 && int(stat.Uid) != me {
		return &LineError{
			Path: path, Why: fmt.Sprintf("%s belongs to user %d, who is neither root nor the user %d who runs this", place, stat.Uid, me),
			Hint: fmt.Sprintf("chown %d %s", me, place),
		}
	}
	return nil
}
