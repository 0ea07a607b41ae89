package main

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestFieldListsAll picks a flavor for a new instance by a few letters of it from all that
// there are, and leaves the field as it was with esc.
func TestFieldListsAll(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	tuitest.Run(t, func(t *testing.T) {
		d := visit(t, c, tuitest.Plain(), place.Boot{}, 80, 24)
		d.Press("down")
		must.Say(t, d.Text(), "^l all")
		d.Press("ctrl+l")
		must.Say(t, d.Text(), "gpu.t4.1c", "gpu.whole.1")
		d.Type("t4.2")
		d.Press("esc")
		must.Say(t, d.Text(), "NEW INSTANCE", "^l all")
		d.Press("ctrl+l")
		d.Type("t4")
		d.Press("down", "enter")
		d.Advance(time.Second)
		must.Say(t, d.Text(), "flavor     gpu.t4.2c", "would fit")
		d.Send(screen.Goto{To: place.Allocate{}})
		d.Press("down", "down", "down")
		d.Press("ctrl+l")
		must.Say(t, d.Text(), "type the first letters")
		d.Type("HW_")
		d.Press("ctrl+l")
		d.Type("avx512f")
		d.Press("enter")
		must.Say(t, d.Text(), "traits     HW_CPU_X86_AVX512F")
	})
}
