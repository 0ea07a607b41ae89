// Package hwtest unpacks captured machines for tests, and makes single files of
// them unreadable.
//
// A captured machine is a txtar archive of small files, with their paths below the
// root folder of the machine. A name that ends in "/" is an empty folder, and a
// name "path -> target" is a symbolic link:
//
//	-- sys/bus/pci/devices/0000:84:00.0/vendor --
//	0x10de
//	-- sys/bus/pci/devices/0000:84:00.0/driver -> ../../../bus/pci/drivers/nvidia --
//	-- sys/class/mdev_bus/0000:84:00.0/mdev_supported_types/nvidia-222/devices/ --
package hwtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Unpack unpacks the captured machine in file into a temporary folder, which
// then stands for the root folder of that machine.
func Unpack(tb testing.TB, file string) string {
	tb.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		tb.Fatalf("captured machine: %v", err)
	}
	root := tb.TempDir()
	for _, f := range archive.Files {
		if err := unpack(root, f); err != nil {
			tb.Fatalf("captured machine %s: %v", file, err)
		}
	}
	return root
}

func unpack(root string, f txtar.File) error {
	name, target, isLink := strings.Cut(f.Name, " -> ")
	isDir := strings.HasSuffix(name, "/")
	name, err := filepath.Localize(strings.TrimSuffix(name, "/"))
	if err != nil {
		return &fs.PathError{Op: "unpack", Path: f.Name, Err: err}
	}
	name = filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch {
	case isLink:
		return os.Symlink(target, name)
	case isDir:
		return os.MkdirAll(name, 0o755)
	}
	return os.WriteFile(name, f.Data, 0o644)
}

// Machines returns the captured machines in folder, by name without ".txtar".
func Machines(tb testing.TB, folder string) map[string]string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no captured machines in %s (%v)", folder, err)
	}
	slices.Sort(files)
	out := make(map[string]string, len(files))
	for _, f := range files {
		out[strings.TrimSuffix(filepath.Base(f), ".txtar")] = f
	}
	return out
}

// Faulty returns fsys with faults: whatever touches a path of the map fails with
// its error. Root may read every file, so that rights alone cannot make a file
// unreadable in a test.
func Faulty(fsys fs.FS, faults map[string]error) fs.FS { return faultyFS{fsys, faults} }

type faultyFS struct {
	fsys   fs.FS
	faults map[string]error
}

var _ fs.ReadLinkFS = faultyFS{}

func (f faultyFS) fault(op, name string) error {
	if err := f.faults[name]; err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (f faultyFS) Open(name string) (fs.File, error) {
	if err := f.fault("open", name); err != nil {
		return nil, err
	}
	return f.fsys.Open(name)
}

func (f faultyFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.fault("open", name); err != nil {
		return nil, err
	}
	return fs.ReadDir(f.fsys, name)
}

func (f faultyFS) Stat(name string) (fs.FileInfo, error) {
	if err := f.fault("stat", name); err != nil {
		return nil, err
	}
	return fs.Stat(f.fsys, name)
}

func (f faultyFS) ReadLink(name string) (string, error) {
	if err := f.fault("readlink", name); err != nil {
		return "", err
	}
	return fs.ReadLink(f.fsys, name)
}

func (f faultyFS) Lstat(name string) (fs.FileInfo, error) {
	if err := f.fault("lstat", name); err != nil {
		return nil, err
	}
	return fs.Lstat(f.fsys, name)
}
