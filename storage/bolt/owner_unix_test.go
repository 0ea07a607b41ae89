//go:build unix

package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestOwnerAndModeStay replaces the file of another user, as root does for a service.
func TestOwnerAndModeStay(t *testing.T) {
	t.Parallel()
	backup, _ := sample(t)
	o := engine.Options{Clock: storagetest.Clock()}
	for name, do := range map[string]func(path string) error{
		"compact": func(path string) error { _, err := bolt.Engine{}.Compact(t.Context(), path, o); return err },
		"restore": func(path string) error { _, err := bolt.Engine{}.Restore(t.Context(), backup, path, o); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := fileOf(t)
			must.Succeed(t, os.Chmod(path, 0o640))
			if os.Getuid() == 0 {
				must.Succeed(t, os.Chown(path, 12345, 23456))
			}
			before := must.Get(os.Stat(path))(t)
			link := filepath.Join(t.TempDir(), "link.db") // this stays a link
			must.Succeed(t, errors.Join(os.Symlink(path, link), do(link)))
			after, err := os.Stat(link)
			if err != nil || os.SameFile(before, after) {
				t.Fatalf("the file is the one before, %v", err)
			}
			was, is := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
			if after.Mode() != 0o640 || is.Uid != was.Uid || is.Gid != was.Gid {
				t.Errorf("mode %v, owner %d, group %d, want %v, %d, %d", after.Mode(), is.Uid, is.Gid, before.Mode(), was.Uid, was.Gid)
			}
			if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
				t.Errorf("the link is replaced: %v, %v", info.Mode(), err)
			}
		})
	}
}
