package bolt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// sample returns a closed file with a few dozen revisions, and the cloud in it.
func sample(tb testing.TB) (path string, s *cloud.Snapshot) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), "placetop.db")
	db := must.Get(bolt.Open(tb.Context(), path, engine.Options{Clock: storagetest.Clock(), Version: "v1.2.3"}))(tb)
	r := storagetest.NewRandom("sample", 3)
	for range 60 {
		if err := db.Apply(tb.Context(), r.Change(db.Snapshot())).Err(); errors.Is(err, placement.ErrUnavailable) {
			tb.Fatal(err)
		}
	}
	must.Succeed(tb, db.Close())
	return path, db.Snapshot()
}

func read(tb testing.TB, path string) []byte {
	tb.Helper()
	b := must.Get(os.ReadFile(path))(tb)
	return b
}

func write(tb testing.TB, path string, b []byte) {
	tb.Helper()
	must.Succeed(tb, os.WriteFile(path, b, 0o600))
}

// refused opens the file at path, which must be refused as damaged and left as it is, and
// returns the text of the error.
func refused(tb testing.TB, path string) string {
	tb.Helper()
	before := read(tb, path)
	s, err := bolt.Open(tb.Context(), path, engine.Options{Clock: storagetest.Clock()})
	if err == nil {
		_ = s.Close()
		tb.Fatal("it was opened")
	}
	var d *storage.DamagedError
	if !errors.As(err, &d) || !errors.Is(err, storage.ErrDamaged) || !errors.Is(err, placement.ErrUnavailable) {
		tb.Fatalf("it was refused with %v", err)
	}
	if remedy, at := storage.RemedyOf(err); remedy != storage.GoBack && remedy != storage.NameOrGoBack || at != path {
		tb.Errorf("no way back is told: %v", err)
	}
	if !bytes.Equal(before, read(tb, path)) {
		tb.Error("the file was written")
	}
	if found, err := bolt.VerifyFile(tb.Context(), path, engine.Options{Clock: storagetest.Clock()}); err != nil || len(found) == 0 {
		tb.Errorf("verify finds %v, %v", found, err)
	}
	return d.What
}

func TestDamagedFileIsRefused(t *testing.T) {
	t.Parallel()
	good, _ := sample(t)
	image := read(t, good)
	page := os.Getpagesize()
	anyKey := func(tx *bbolt.Tx, bucket string) (k, v []byte) {
		k, v = tx.Bucket([]byte(bucket)).Cursor().First()
		return bytes.Clone(k), bytes.Clone(v)
	}
	consumers, providers := bolt.RecordBucket(placement.KindConsumer), bolt.RecordBucket(placement.KindProvider)
	for name, test := range map[string]struct {
		bytes func(b []byte) []byte // changes the bytes of the file
		mend  bool
		bolt  func(tx *bbolt.Tx) error // changes the file through bbolt
		want  string
	}{
		"text":             {bytes: func([]byte) []byte { return []byte("hosts:\n  - cmp-1\n") }, want: "not a placetop file"},
		"zeros":            {bytes: func(b []byte) []byte { return make([]byte, len(b)) }, want: "not a placetop file"},
		"one page":         {bytes: func(b []byte) []byte { return b[:page] }, want: "truncated"},
		"half":             {bytes: func(b []byte) []byte { return b[:5*page+17] }, want: "truncated"},
		"a few bytes":      {bytes: func(b []byte) []byte { return b[:100] }, want: "truncated"},
		"both metas torn":  {bytes: func(b []byte) []byte { b[20]++; b[page+20]++; return b }, want: "not a placetop file"},
		"pages in a cycle": {bytes: cycle, want: "page"},
		"another program": {bolt: func(tx *bbolt.Tx) error {
			if err := tx.DeleteBucket([]byte(bolt.MetaBucket)); err != nil {
				return err
			}
			_, err := tx.CreateBucket([]byte("accounts"))
			return err
		}, want: "another program"},
		"meta without the file": {bolt: func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte(bolt.MetaBucket)).Delete([]byte(bolt.FileKey))
		}, want: "another program"},
		"a record is missing": {bolt: func(tx *bbolt.Tx) error {
			k, _ := anyKey(tx, consumers)
			return tx.Bucket([]byte(consumers)).Delete(k)
		}, want: "the checksum of its records"},
		"a record is another's": {mend: true, bolt: func(tx *bbolt.Tx) error {
			k, v := anyKey(tx, consumers)
			k[3]++
			return tx.Bucket([]byte(consumers)).Put(k, v)
		}, want: "is stored in the place of"},
		"a record has another byte": {mend: true, bolt: func(tx *bbolt.Tx) error {
			k, v := anyKey(tx, consumers)
			v[len(v)-1] ^= 1
			return tx.Bucket([]byte(consumers)).Put(k, v)
		}, want: "checksum does not match"},
		"a record is cut off": {mend: true, bolt: func(tx *bbolt.Tx) error {
			k, v := anyKey(tx, consumers)
			return tx.Bucket([]byte(consumers)).Put(k, v[:7])
		}, want: "cut off"},
		"a provider is gone under its consumers": {mend: true, bolt: func(tx *bbolt.Tx) error {
			return tx.DeleteBucket([]byte(providers))
		}, want: "its records are inconsistent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "placetop.db")
			b := bytes.Clone(image)
			if test.bytes != nil {
				b = test.bytes(b)
			}
			write(t, path, b)
			if test.bolt != nil {
				bolt.Rewrite(t, path, test.mend, test.bolt)
			}
			if what := refused(t, path); !strings.Contains(what, test.want) {
				t.Errorf("it is said: %s; want: %s", what, test.want)
			}
		})
	}
}

// cycle makes the first branch page its own child, which would keep a reader that trusts
// it going in circles.
func cycle(b []byte) []byte {
	page := os.Getpagesize()
	for at := 2 * page; at+page <= len(b); at += page {
		if b[at+8] == 1 && b[at+9] == 0 && b[at+10] > 0 && int(b[at]) == at/page {
			copy(b[at+16+8:], b[at:at+8])
		}
	}
	return b
}

// TestEveryDamagedByteIsNoticed damages a file at many places, one at a time. The file
// must be refused, or, if the byte is not in use, open with the same content.
func TestEveryDamagedByteIsNoticed(t *testing.T) {
	t.Parallel()
	good, want := sample(t)
	image := read(t, good)
	path := filepath.Join(t.TempDir(), "placetop.db")
	write(t, path, image)
	in := openHere(t, path)
	damagedOnes := 0
	for at := 0; at < len(image); at += 97 * storagetest.Stride(7) {
		if image[at] == 0 && at > 40*os.Getpagesize() {
			continue // the unused end
		}
		in.poke(at, image[at]^0x41)
		s, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock(), ReadOnly: true})
		switch {
		case errors.Is(err, storage.ErrDamaged):
			damagedOnes++
		case err != nil:
			t.Errorf("byte %d: %v", at, err)
		default:
			if at >= 2*os.Getpagesize() { // a torn meta takes the file back one revision
				storagetest.Same(t, want, s.Snapshot())
			}
			if s.Condition().Damage != nil { // only the journal is damaged
				damagedOnes++
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		in.poke(at, image[at])
	}
	if damagedOnes < 20 {
		t.Errorf("only %d places were noticed: the test shows little", damagedOnes)
	}
}

// TestPagesThatLeadElsewhere has elements that lie beyond their page and beyond the file, or
// that claim to be buckets, and a list of free pages that is longer than its page. bbolt's
// check of its pages, which runs in a goroutine of its own, would end the process there.
func TestPagesThatLeadElsewhere(t *testing.T) {
	t.Parallel()
	good, _ := sample(t)
	whole := read(t, good)
	path := filepath.Join(t.TempDir(), "placetop.db")
	write(t, path, whole)
	in := openHere(t, path)
	noticed := 0
	try := func(at int, b ...byte) {
		t.Helper()
		for i := range b {
			in.poke(at+i, b[i])
		}
		found, err := bolt.VerifyFile(t.Context(), path, engine.Options{Clock: storagetest.Clock(), Wait: time.Minute})
		if err != nil {
			t.Errorf("bytes %d: verify: %v", at, err)
		}
		if len(found) > 0 {
			noticed++
		}
		for _, readOnly := range []bool{true, false} {
			// A child that another test is about to start has the file open, too, for a moment.
			s, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock(), ReadOnly: readOnly, Wait: time.Minute})
			if err != nil {
				must.Fail(t, err, storage.ErrDamaged)
				continue
			}
			must.Get(s.Verify(t.Context()))(t)
			must.Succeed(t, s.Close())
		}
		for i := range b {
			in.poke(at+i, whole[at+i])
		}
	}
	size := os.Getpagesize()
	for at := 2 * size; at < len(whole) && at < 60*size; at += size {
		switch kind, elements := whole[at+8], whole[at+10]; {
		case kind == 0x10: // free pages
			try(at+10, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40)
			try(at+10, 0xF0, 0xFF)
		case kind == 2 && elements > 0:
			try(at+16, 1)                // a bucket
			try(at+16+7, 0x10)           // where the key begins
			try(at+16+11, 0x10)          // how long it is
			try(at+16+13, 0x7F, 0, 0x10) // how long the value is
		case kind == 1:
			try(at+16+3, 0x10)
			try(at+16+7, 0x10)
		}
	}
	if noticed < 40 {
		t.Errorf("only %d changes were noticed: the test shows little", noticed)
	}
}

// here is a file that single bytes are put into.
type here struct {
	t *testing.T
	f *os.File
}

func openHere(t *testing.T, path string) here {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	t.Cleanup(func() { _ = f.Close() })
	return here{t, f}
}

func (h here) poke(at int, b byte) {
	h.t.Helper()
	must.Succeed(h.t, must.Err(h.f.WriteAt([]byte{b}, int64(at))))
}

// TestTornMeta damages one of the two meta pages, as a crash in the middle of a commit
// may: the file is as before that commit, but for the revisions that are left out.
func TestTornMeta(t *testing.T) {
	t.Parallel()
	path, want := sample(t)
	image := read(t, path)
	var got []cloud.Revision
	for n := range 2 {
		b := bytes.Clone(image)
		b[n*os.Getpagesize()+30]++
		write(t, path, b)
		s := must.Get(bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()}))(t)
		got = append(got, s.Snapshot().Revision()-bolt.Leap)
		storagetest.Clean(t, s)
		if err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 4, 4)}).Err(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	last := want.Revision()
	if !(got[0] == last && got[1] == last-1 || got[1] == last && got[0] == last-1) {
		t.Errorf("with either meta torn the revision is %v, want %d and %d", got, last, last-1)
	}
}

func TestWhatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "plain"), []byte("x"), 0o600))
	dangling := filepath.Join(dir, "dangling")
	must.Succeed(t, os.Symlink(filepath.Join(dir, "none"), dangling))
	for name, test := range map[string]struct {
		path string
		o    engine.Options
		want string
	}{
		"folder":             {path: dir, want: "it is a folder"},
		"device":             {path: os.DevNull, want: "it is a device"},
		"below a file":       {path: filepath.Join(dir, "plain", "placetop.db"), want: "not a directory"},
		"link to nothing":    {path: dangling, want: "it is a link to a file that is not there"},
		"read-only, no file": {path: filepath.Join(dir, "none"), o: engine.Options{ReadOnly: true}, want: "no such file. Name another file"},
	} {
		test.o.Clock = storagetest.Clock()
		_, err := bolt.Open(t.Context(), test.path, test.o)
		var e *storage.OpenError
		if !errors.As(err, &e) || !errors.Is(err, placement.ErrUnavailable) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a file was made by opening it read-only")
	}
}

func TestNewFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	write(t, empty, nil)
	bare := filepath.Join(dir, "bare") // what a crash leaves between the first pages and the first transaction
	db := must.Get(bbolt.Open(bare, 0o600, nil))(t)
	must.Succeed(t, db.Close())
	for _, path := range []string{filepath.Join(dir, "a", "b", "placetop.db"), empty, bare} {
		s := open(t, path, engine.Options{})
		storagetest.Same(t, cloud.Empty(), s.Snapshot())
		if err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 4, 4)}).Err(); err != nil {
			t.Error(err)
		}
		storagetest.Clean(t, s)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, mode %v", path, err, info.Mode())
		}
	}
}

// TestUnreadableTextIsRefused has a name that could be written but never read back: it
// must not reach the file.
func TestUnreadableTextIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{})
	var c cloud.Change
	vm := storagetest.Instance(1)
	vm.Host = "cmp-\xff"
	modeltest.PutIn(&c, s.Snapshot(), vm)
	must.Fail(t, s.Apply(t.Context(), c).Err(), placement.ErrInvalid)
	c.Ops = nil
	vm = storagetest.Instance(2)
	vm.Name = strings.Repeat("Ω", 70000)
	modeltest.PutIn(&c, s.Snapshot(), vm)
	if err := s.Apply(t.Context(), c).Err(); err != nil {
		t.Errorf("apply: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	storagetest.Same(t, s.Snapshot(), open(t, path, engine.Options{}).Snapshot())
}

func TestEmptyFileIsNotOpenedReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	write(t, path, nil)
	var e *storage.OpenError
	if _, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock(), ReadOnly: true}); !errors.As(err, &e) {
		t.Errorf("open: %v", err)
	}
	if len(read(t, path)) != 0 {
		t.Error("the file was written")
	}
}

// TestFolderOfSomebodyElse makes a file in a folder that does not allow it.
func TestFolderOfSomebodyElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if os.Getuid() == 0 { // root may write into any folder but one of the kernel's
		dir = "/sys/kernel" // absent if there is no sysfs
	} else if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("there is no folder that root may not write into")
	}
	var e *storage.OpenError
	_, err := bolt.Open(t.Context(), filepath.Join(dir, "new.db"), engine.Options{Clock: storagetest.Clock()})
	if !errors.As(err, &e) {
		t.Fatalf("open: %v", err)
	}
	if want := "it cannot be created in the folder " + dir + ": "; !strings.HasPrefix(e.What, want) {
		t.Errorf("%q, want %q", e.What, want)
	}
	if strings.Contains(err.Error(), "--read-only") || strings.Count(err.Error(), "new.db") != 1 {
		t.Errorf("advice: %v", err)
	}
}

func TestFileOfSomebodyElse(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may open any file")
	}
	path, want := sample(t)
	must.Succeed(t, os.Chmod(path, 0o400))
	var e *storage.OpenError
	if _, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()}); !errors.As(err, &e) || !strings.Contains(err.Error(), "--read-only") {
		t.Errorf("open: %v", err)
	}
	storagetest.Same(t, want, open(t, path, engine.Options{ReadOnly: true}).Snapshot())
	must.Succeed(t, os.Chmod(path, 0))
	if _, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock(), ReadOnly: true}); !errors.As(err, &e) {
		t.Errorf("open: %v", err)
	}
}
