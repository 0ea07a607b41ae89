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
