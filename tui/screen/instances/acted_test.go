package instances_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/tuitest"
)

// acting is a cloud whose Nova returns actions.
type acting struct {
	*tuitest.Cloud
	actions []nova.Action
	err     error
	asked   int
}

func (a *acting) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{Servers: &cloud.Servers{Minor: 87, Actions: a.Actions}}
}

func (a *acting) Actions(context.Context, placement.ConsumerID) ([]nova.Action, error) {
	a.asked++
	return a.actions, a.err
}

// TestActed shows the actions in Nova on the page of an instance, once they are read; a
// cloud without its own Nova has none.
func TestActed(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	shows := func(h *tuitest.Host, wants ...string) {
		t.Helper()
		h.Settle()
		text := h.At(100, 40).Text()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("no %q:\n%s", want, text)
			}
		}
	}
	if text := page(t, c, tuitest.Plain(), "train-1").At(100, 40).Text(); strings.Contains(text, "ASKED OF NOVA") {
		t.Error(text)
	}
	a := &acting{Cloud: c, actions: []nova.Action{
		{Name: "resize", Request: "req-2", User: "ann", At: tuitest.Now().Add(-time.Hour), Wrong: true},
		{Name: "create", Request: "req-1", User: "bob", At: tuitest.Now().Add(-48 * time.Hour)},
	}}
	open := func() *tuitest.Host {
		env := tuitest.Env(c, tuitest.Plain())
		env.Cloud = a
		s, err := instances.Open(env, c.Snapshot(), modeltest.ConsumerID("train-1"))
		must.Succeed(t, err)
		return tuitest.Open(t, c, s)
	}
	shows(open(), "ASKED OF NOVA", "1h  resize", "failed  req-2  by ann", "2d  create", "req-1  by bob")
	a.err = errors.New("503 Service Unavailable")
	shows(open(), "not read: 503 Service Unavailable")
	a.err, a.actions = nil, nil
	shows(open(), "Nova reports none")
	if a.asked != 3 {
		t.Errorf("Nova was asked %d times for three pages", a.asked)
	}
}
