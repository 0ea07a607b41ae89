package watch_test

import (
	"context"
	"sync"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/internal/watch"
)

func TestOnlyTheNewestIsFound(t *testing.T) {
	t.Parallel()
	var h watch.Hub
	ch := h.Watch(t.Context())
	for _, rev := range []cloud.Revision{1, 2, 7, 5, 7} {
		h.Publish(rev)
	}
	must.Be(t, <-ch, 7)
	h.Publish(7)
	select {
	case rev := <-ch:
		t.Errorf("found %d again", rev)
	default:
	}
}

func TestReceiversComeAndGo(t *testing.T) {
	t.Parallel()
	var h watch.Hub
	var all sync.WaitGroup
	for range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		ch := h.Watch(ctx)
		all.Go(func() {
			last := cloud.Revision(0)
			for rev := range ch {
				if rev <= last {
					t.Errorf("found %d after %d", rev, last)
				}
				if last = rev; rev > 50 {
					cancel()
				}
			}
		})
	}
	for rev := range cloud.Revision(1000) {
		h.Publish(rev)
	}
	all.Wait()
	h.Close()
	h.Close()
	h.Publish(2000)
	if _, open := <-h.Watch(t.Context()); open {
		t.Error("a revision after Close")
	}
}

func TestAnEndedContextIsNotWatched(t *testing.T) {
	t.Parallel()
	var h watch.Hub
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, open := <-h.Watch(ctx); open {
		t.Error("a revision")
	}
}
