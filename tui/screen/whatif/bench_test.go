package whatif_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen/screentest"
	"github.com/placetop/placetop/tui/screen/whatif"
)

// BenchmarkView draws the screen after a key, with thousands of candidates.
func BenchmarkView(b *testing.B) {
	c := screentest.Big(b, modeltest.Size{Hosts: 10_000})
	h := screentest.Open(c, whatif.New(screentest.Env(c, screentest.Plain()), c.Snapshot(), place.WhatIf{}), false)
	b.ReportAllocs()
	for b.Loop() {
		h.Press("j")
		h.Screen.View(160, 44)
		h.Screen.Actions()
	}
}

// BenchmarkAnswer changes an amount and waits for the answer, reasons included.
func BenchmarkAnswer(b *testing.B) {
	c := screentest.Big(b, modeltest.Size{Hosts: 10_000})
	h := screentest.Open(c, whatif.New(screentest.Env(c, screentest.Plain()), c.Snapshot(), place.WhatIf{}), false)
	b.ReportAllocs()
	for b.Loop() {
		h.Press("l", "h")
	}
}
