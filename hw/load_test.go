package hw_test

import (
	"testing"

	"github.com/placetop/placetop/hw"
)

// TestSample checks what is true of any machine.
func TestSample(t *testing.T) {
	t.Parallel()
	l := hw.Sample(t.Context())
	if l.Busy < 0 || l.Busy > l.All || l.One < 0 || l.MemoryUsed > l.MemoryTotal || l.SwapUsed > l.SwapTotal {
		t.Errorf("got %+v", l)
	}
}
