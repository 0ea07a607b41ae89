package clouds_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/clouds"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// two are the shown cloud and another, which does not change any more.
type two struct{ other *screentest.Cloud }

func (two) Together() []string { return []string{"east", "west"} }
func (two) Shown() string      { return "east" }

func (c two) Look(context.Context, string) (screen.Look, error) {
	return screen.Look{Cloud: still{c.other}, Standing: func() (time.Time, string) { return screentest.Now().Add(-time.Minute), "it does not answer" }}, nil
}

type still struct{ *screentest.Cloud }

func (still) Watch(context.Context) <-chan cloud.Revision {
	out := make(chan cloud.Revision)
	close(out)
	return out
}

func open(t *testing.T, kind kinds.Name) screentest.List {
	t.Helper()
	other := screentest.Demo(t, 12)
	return func(env screen.Env, _ *cloud.Snapshot, filter string) screen.Screen {
		env.Clouds = two{other}
		env.Views = func() []screen.Named { return []screen.Named{{Name: "traits", To: place.Traits{}}} }
		s := must.Get(clouds.New(env, place.All{Kind: kind, Filter: filter}))(t)
		return s
	}
}

// TestKinds lists each kind that clouds have many things of; no two rows are confused,
// and enter goes to the thing in its cloud.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.All() {
		if k.Rows == nil || k.Only {
			if _, err := clouds.New(screentest.Env(screentest.Fleet(t), screentest.Plain()), place.All{Kind: k.Name}); err == nil {
				t.Errorf("%s are listed", k.Name)
			}
			continue
		}
		h := open(t, k.Name).On(screentest.Fleet(t), "cloud=west")
		h.Text(t, 160, 40)
		h.Press("enter")
		to, goes := h.Last().(screen.Goto)
		if goes && to.Cloud != "west" {
			t.Errorf("%s lead to %+v", k.Name, to)
		}
		for _, kind := range []kinds.Name{kinds.Providers, kinds.Allocations, kinds.Traits, kinds.Flavors, kinds.Instances, kinds.Devices} {
			if k.Name == kind && !goes {
				t.Errorf("%s lead nowhere", k.Name)
			}
		}
	}
}

// growing is two clouds, the second of which is opened only later.
type growing struct {
	two
	more *bool
}

func (c growing) Together() []string {
	if *c.more {
		return c.two.Together()
	}
	return []string{"east"}
}

// TestCloudsJoin has a cloud in the list that was opened after it.
func TestCloudsJoin(t *testing.T) {
	t.Parallel()
	here, more, now := screentest.Fleet(t), false, screentest.Now()
	env := screentest.Env(here, screentest.Plain())
	env.Clouds, env.Clock = growing{two{screentest.Demo(t, 12)}, &more}, func() time.Time { return now }
	env.Views = func() []screen.Named { return nil }
	s := must.Get(clouds.New(env, place.All{Kind: kinds.Traits}))(t)
	h := screentest.Open(here, s, false)
	h.Settle()
	h.Lacks(t, 120, 30, "west")
	more, now = true, now.Add(time.Minute)
	h.Press("j")
	h.Shows(t, 120, 30, "west read")
	h.Press("G")
	if text := h.Text(t, 120, 30); strings.Count(text, "west") < 3 {
		t.Errorf("the rows of west are not there:\n%s", text)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	open(t, kinds.Devices).Check(t)
}
