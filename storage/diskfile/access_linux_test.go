package diskfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/diskfile"
)

// TestWriteKeepsAccess replaces a file that a user who is neither its owner nor in its
// group may read.
func TestWriteKeepsAccess(t *testing.T) {
	t.Parallel()
	const access, inherited = "system.posix_acl_access", "system.posix_acl_default"
	const none = 0xFFFFFFFF
	list := binary.LittleEndian.AppendUint32(nil, 2) // the version
	for _, e := range []struct {
		tag, may uint16
		id       uint32
	}{{0x01, 6, none}, {0x02, 4, 12345}, {0x04, 0, none}, {0x10, 4, none}, {0x20, 0, none}} {
		list = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(list, e.tag), e.may)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	get := func(path string) []byte {
		b := make([]byte, 1024)
		n, err := unix.Lgetxattr(path, access, b)
		if err != nil && !errors.Is(err, unix.ENODATA) {
			t.Error(err)
		}
		return b[:max(n, 0)]
	}
	dir := t.TempDir()
	listed, plain := filepath.Join(dir, "listed"), filepath.Join(dir, "plain")
	put(t, listed, "one")
	put(t, plain, "one")
	if err := unix.Setxattr(listed, access, list, 0); err != nil {
		t.Skipf("there are no access lists here: %v", err)
	}
	want := get(listed)
	if err := unix.Setxattr(dir, inherited, list, 0); err != nil { // the default for files made in it
		t.Fatal(err)
	}
	for path, want := range map[string][]byte{listed: want, plain: {}} {
		before := must.Get(os.Stat(path))(t)
		must.Succeed(t, diskfile.Write(path, diskfile.Options{Overwrite: true}, text("two")))
		after, err := os.Stat(path)
		if got := get(path); err != nil || !bytes.Equal(got, want) || after.Mode() != before.Mode() {
			t.Errorf("%s: access list %x, want %x; mode %v, want %v", path, got, want, after.Mode(), before.Mode())
		}
	}
}
