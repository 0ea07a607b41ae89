package form_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/part/formtest"
	"github.com/placetop/placetop/tui/screen"
)

// rig is a form under test.
type rig struct{ *formtest.Rig }

// open shows the screen that build makes, in a synctest bubble.
func open(t *testing.T, s *formtest.Store, w, h int, build func(screen.Env) screen.Screen) *rig {
	t.Helper()
	return &rig{formtest.Open(t, s, w, h, build)}
}

// newStore returns a store of the demo cloud; readOnly is why it cannot be written, or
// "".
func newStore(t testing.TB, readOnly string) *formtest.Store {
	t.Helper()
	return formtest.NewStore(memory.New(memory.Options{Clock: formtest.Now, Start: formtest.DemoCloud(t), Can: cloud.Capabilities{ReadOnly: readOnly}}))
}

// storeOf returns a store of an existing cloud.
func storeOf(s *cloud.Snapshot) *formtest.Store {
	return formtest.NewStore(memory.New(memory.Options{Clock: formtest.Now, Start: s}))
}
