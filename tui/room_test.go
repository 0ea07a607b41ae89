package tui_test

import (
	"testing"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestToldWhilePrompting says beside a prompt what is told meanwhile: that the server ends, say.
func TestToldWhilePrompting(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		var room tui.Room
		ann := room.Enter("ann")
		r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Member = ann })
		r.Type(":prov")
		ann.Tell("the server ends in 3s")
		r.Settle()
		r.wants(t, ":prov", "the server ends in 3s")
	})
}
