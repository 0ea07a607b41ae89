package panel_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/part/panel"
)

// TestRevertClock shows the time that is left to confirm as people say it.
func TestRevertClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := &nova.Migration{Status: nova.Finished, Deadline: at.UnixMilli()}
	for left, want := range map[time.Duration]string{
		10*time.Minute - 3*time.Millisecond: "in 10m", 9*time.Minute + 20*time.Second: "in 9m", 24*time.Hour - time.Second: "in 1d",
		40 * time.Second: "in 40s", 0: "now", -time.Hour: "now",
	} {
		if got := panel.RevertClock(m, at.Add(-left)); got != want {
			t.Errorf("%s before it is %q, want %q", left, got, want)
		}
	}
	if got := panel.RevertClock(&nova.Migration{Status: nova.Finished}, at); got != "" {
		t.Errorf("without a deadline it is %q", got)
	}
}
