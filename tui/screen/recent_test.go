package screen_test

import (
	"context"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

// turning is a cloud of two revisions that is shown as of the first once its journal is
// read.
type turning struct {
	screen.Cloud

	turns, past bool
}

func (c *turning) Events(context.Context, cloud.EventQuery) ([]cloud.Event, error) {
	if c.past = c.turns; c.past {
		return []cloud.Event{{Revision: 1}}, nil
	}
	return []cloud.Event{{Revision: 2}, {Revision: 1}}, nil
}

func (c *turning) Past() (time.Time, bool) { return time.Time{}, c.past }

// TestReadOnTurns goes to the past while the journal is being read: what is read then is
// not shared with others.
func TestReadOnTurns(t *testing.T) {
	t.Parallel()
	var common screen.Common
	turns, other := screen.Env{Cloud: &turning{turns: true}, Common: &common}, screen.Env{Cloud: &turning{}, Common: &common}
	mine := turns.ReadOn(t.Context(), 2, screen.Recent{}, 9, 9)
	if got := other.ReadOn(t.Context(), 2, screen.Recent{}, 9, 9); len(got.Events) != 2 {
		t.Errorf("another sees %d events, %d of them from who looks at the past", len(got.Events), len(mine.Events))
	}
}
