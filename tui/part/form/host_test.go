package form_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// rig is a form under test.
type rig struct{ *tuitest.Host }

// open shows the screen that build makes, in a synctest bubble.
func open(t *testing.T, s *tuitest.Cloud, w, h int, build func(screen.Env) screen.Screen) *rig {
	t.Helper()
	return &rig{tuitest.Live(t, s, w, h, build)}
}

// newStore returns a store of the demo cloud; readOnly is why it cannot be written, or
// "".
func newStore(t testing.TB, readOnly string) *tuitest.Cloud {
	t.Helper()
	return &tuitest.Cloud{Store: memory.New(memory.Options{Clock: tuitest.Now, Start: demoCloud(t), Can: cloud.Capabilities{ReadOnly: readOnly}})}
}

// demoCloud returns the demo cloud.
func demoCloud(t testing.TB) *cloud.Snapshot {
	t.Helper()
	return demotest.Snapshot(t, demo.Options{Now: tuitest.Now()})
}
