package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/remote"
)

// TestPercentFor checks that memory is spent on fewer collections while little of it is
// in use.
func TestPercentFor(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 400, 10 << 20: 400, 64 << 20: 200, 128 << 20: 100, 4 << 30: 100} {
		if got := percentFor(live); got != want {
			t.Errorf("with %d MiB in use: %d, want %d", live>>20, got, want)
		}
	}
}

// collecting returns a collector of which percent is the percentage.
func collecting(percent *int) *holdable {
	return &holdable{set: func(to int) int {
		was := *percent
		*percent = to
		return was
	}}
}

// TestGarbageIsCollectedAgain has two holders of the collector, the first of which lets
// go first, as when two clouds are opened at once.
func TestGarbageIsCollectedAgain(t *testing.T) {
	t.Parallel()
	percent := 100
	h := collecting(&percent)
	first := h.hold()
	second := h.hold()
	first()
	first()
	if percent != -1 {
		t.Errorf("one still holds it back, and the percentage is %d", percent)
	}
	second()
	if percent != 100 {
		t.Errorf("nobody holds it back, and the percentage is %d", percent)
	}
}

// TestGarbageIsCollectedOnceMuchIsThere checks that the heap of who makes a cloud grows to
// the size that it is given, twice what is live where that is more, and that who does not
// want any collection gets none.
func TestGarbageIsCollectedOnceMuchIsThere(t *testing.T) {
	t.Parallel()
	percent := 100
	h := collecting(&percent)
	collect := h.hold()
	for live, want := range map[uint64]int{0: 12700, 128 << 20: 300, 256 << 20: 100, 4 << 30: 100} {
		if h.fill(live); percent != want {
			t.Errorf("with %d MiB in use: %d, want %d", live>>20, percent, want)
		}
	}
	h.percent, percent = -1, -1 // as by GOGC=off
	if h.fill(0); percent != -1 {
		t.Errorf("the percentage is %d, though nothing is to be collected", percent)
	}
	h.percent = 100
	other := h.hold()
	percent = -1
	if h.fill(0); percent != -1 {
		t.Errorf("another holds it back, and the percentage is %d", percent)
	}
	other()
	collect()
	if percent != 100 {
		t.Errorf("nobody holds it back, and the percentage is %d", percent)
	}
}

// collected is an engine of live clouds that notes whether garbage is held back while a
// cloud is opened.
type collected struct {
	remote.Cloud
	holders int
}

var errNotOpened = errors.New("it is not opened")

func (c *collected) Open(context.Context, string, engine.Options) (storage.Store, error) {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	c.holders = collector.holders
	return nil, errNotOpened
}

// TestGarbageIsCollectedWhileACloudIsRead checks that nothing is held back while a live
// cloud is read: for 10,000 hosts that would be 3 GB.
func TestGarbageIsCollectedWhileACloudIsRead(t *testing.T) { // there is one collector
	far := &collected{}
	p := &program{alone: true, stderr: io.Discard, log: slog.New(slog.DiscardHandler), settings: settings{Engine: far, DB: "cloud:a"}}
	must.Fail(t, must.Err(p.openWith(t.Context(), engine.Options{})), errNotOpened)
	if far.holders > 0 {
		t.Error("garbage is not collected")
	}
}
