package versioned_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/versioned"
)

func TestTimeIsTheInverseOfMillis(t *testing.T) {
	t.Parallel()
	if ms := versioned.Millis(time.Time{}); ms != 0 || !versioned.Time(0).IsZero() {
		t.Errorf("the zero time is %d, and 0 is %v", ms, versioned.Time(0))
	}
	rapid.Check(t, func(rt *rapid.T) {
		ms := rapid.Int64Range(1, 1<<46).Draw(rt, "ms")
		if got := versioned.Millis(versioned.Time(ms)); got != ms {
			rt.Errorf("%d came back as %d", ms, got)
		}
	})
}
