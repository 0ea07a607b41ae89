package view_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
	"github.com/placetop/placetop/storage/view"
)

func TestViews(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{Clock: time.Now})
	defer store.Close()
	r := view.ReadOnly(store, "rob reads")
	must.Fail(t, r.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err(), placement.ErrUnsupported)
	if _, distant := engine.Far(r); distant {
		t.Error("memory is distant")
	}
	refused := errors.New("refused")
	w := view.Signed(store, "ann (key)", func(c cloud.Change) error {
		if c.Note == "no" {
			return refused
		}
		return nil
	})
	must.Get(w.Apply(t.Context(), cloud.Change{Actor: "root", Ops: storagetest.Host(1, 8, 4)}).Result())(t)
	must.Get(w.Apply(t.Context(), cloud.Change{Actor: "root", Ops: storagetest.Host(3, 8, 4)}).Result())(t)
	must.Fail(t, w.Apply(t.Context(), cloud.Change{Note: "no", Ops: storagetest.Host(5, 8, 4)}).Err(), refused)
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Error(err)
	}
	events, err := r.Events(t.Context(), cloud.EventQuery{})
	if err != nil || len(events) != 2 || events[0].Actor != "ann (key)" || events[1].Actor != "ann (key)" {
		t.Errorf("%+v, %v", events, err)
	}
}

// far is a live cloud whose Nova resizes its own servers.
type far struct {
	storage.Store
	engine.Distant
	asked []ops.Task
}

func (f *far) Carry(_ context.Context, t ops.Task, _ *cloud.Snapshot, _ func(ops.StepDone)) (bool, error) {
	f.asked = append(f.asked, t)
	return true, nil
}

// TestWhoMayWriteMayAsk checks that only those who may write can have the Nova of a live
// cloud do something.
func TestWhoMayWriteMayAsk(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{Clock: time.Now})
	defer store.Close()
	live := &far{Store: store}
	r := view.ReadOnly(live, "rob reads")
	if _, able := r.(ops.Executor); able {
		t.Error("a reader may ask")
	}
	if _, distant := engine.Far(r); !distant {
		t.Error("what is read is not distant any more")
	}
	w := view.Signed(live, "ann (key)", func(cloud.Change) error { return nil })
	if _, distant := engine.Far(w); !distant {
		t.Error("it is not distant any more")
	}
	move := ops.Move{Flavor: "m1.large"}
	if err := (ops.Runner{}).Run(t.Context(), w, move); err != nil || len(live.asked) != 1 {
		t.Errorf("%v; asked for %v", err, live.asked)
	}
}

// TestViewOfAView checks that a live cloud is found behind several views.
func TestViewOfAView(t *testing.T) {
	t.Parallel()
	live := &far{}
	w := view.Signed(view.ReadOnly(live, "rob reads"), "ann (key)", func(cloud.Change) error { return nil })
	if found, distant := engine.Far(view.ReadOnly(w, "so does she")); !distant || found != engine.Distant(live) {
		t.Errorf("found %v", found)
	}
}
