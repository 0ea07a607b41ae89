package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

// TestWriteNew returns the path of a file that the dashboard writes, however it was
// named, and overwrites none.
func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a.csv", filepath.Join(dir, "b.csv")} {
		path, err := writeNew(name, []byte("x"))
		if data, failed := os.ReadFile(path); err != nil || failed != nil || string(data) != "x" || !filepath.IsAbs(path) {
			t.Errorf("%s is at %q: %v, %v", name, path, err, failed)
		}
		if _, err := writeNew(name, nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s is written twice: %v", name, err)
		}
	}
	_, err := writeNew("~/no such folder/a.csv", nil)
	if want := filepath.Join(xdg.Home, "no such folder"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a file in the home folder: %v, want one in %s", err, want)
	}
}
