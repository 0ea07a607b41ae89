package main

import "testing"

// TestPercentFor spends memory on fewer collections as long as there is little of it in use.
func TestPercentFor(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 400, 10 << 20: 400, 64 << 20: 200, 128 << 20: 100, 4 << 30: 100} {
		if got := percentFor(live); got != want {
			t.Errorf("with %d MiB in use: %d, want %d", live>>20, got, want)
		}
	}
}

// TestGarbageIsCollectedAgain has two hold the collector back, of whom the first lets it go
// on first, as where two clouds are opened at once.
func TestGarbageIsCollectedAgain(t *testing.T) {
	t.Parallel()
	percent := 100
	h := holdable{set: func(to int) int {
		was := percent
		percent = to
		return was
	}}
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
