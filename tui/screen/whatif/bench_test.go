package whatif_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen/whatif"
	"github.com/placetop/placetop/tui/tuitest"
)

// BenchmarkView draws the screen after a key, with thousands of candidates.
func BenchmarkView(b *testing.B) {
	c := tuitest.Big(b, modeltest.Size{Hosts: 10_000})
	h := tuitest.Open(b, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), place.WhatIf{}))
	b.ReportAllocs()
	for b.Loop() {
		h.Press("j")
		h.Screen.View(160, 44)
		h.Screen.Actions()
	}
}

// BenchmarkAnswer changes an amount and waits for the answer, reasons included.
func BenchmarkAnswer(b *testing.B) {
	c := tuitest.Big(b, modeltest.Size{Hosts: 10_000})
	h := tuitest.Open(b, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), place.WhatIf{}))
	b.ReportAllocs()
	for b.Loop() {
		h.Press("l", "h")
	}
}
