package diskfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/diskfile"
)

func TestReadText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := filepath.Join(dir, "long")
	must.Succeed(t, os.WriteFile(long, make([]byte, diskfile.MostText+1), 0o600))
	fits := filepath.Join(dir, "fits")
	must.Succeed(t, os.WriteFile(fits, make([]byte, diskfile.MostText), 0o600))
	if text, err := diskfile.ReadText(fits); err != nil || len(text) != diskfile.MostText {
		t.Errorf("read %d bytes, %v", len(text), err)
	}
	for path, want := range map[string]string{long: "longer than 4 MiB", dir: "is a directory", filepath.Join(dir, "none"): "no such file"} {
		if _, err := diskfile.ReadText(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := diskfile.ReadText("/dev/zero"); err == nil {
			t.Error("a device without an end was read")
		}
	}
}
