package hw_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/hw"
)

// TestPoolThatIsNotMounted measures a folder on the root file system, as that of a pool
// whose mount is gone: its size is not the pool's.
func TestPoolThatIsNotMounted(t *testing.T) {
	t.Parallel()
	if whole, err := hw.MeasureFilesystem(t.Context(), "", "/"); err != nil || whole.Total == 0 {
		t.Fatalf("/ has %d bytes: %v", whole.Total, err)
	}
	if _, err := hw.MeasureFilesystem(t.Context(), "", "/etc"); err == nil || !strings.Contains(err.Error(), "no file system is mounted there") {
		t.Errorf("/etc is measured: %v", err)
	}
}
