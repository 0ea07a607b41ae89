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

// open shows what build makes, within a bubble.
func open(t *testing.T, s *formtest.Store, w, h int, build func(screen.Env) screen.Screen) *rig {
	t.Helper()
	return &rig{formtest.Open(t, s, w, h, build)}
}

// newStore returns a store of the demo cloud; readOnly says why it cannot be
// written, if so.
func newStore(t testing.TB, readOnly string) *formtest.Store {
	t.Helper()
	return formtest.NewStore(memory.New(memory.Options{Clock: formtest.Now, Start: formtest.DemoCloud(t), Can: cloud.Capabilities{ReadOnly: readOnly}}))
}

// storeOf keeps a cloud that was made before.
func storeOf(s *cloud.Snapshot) *formtest.Store {
	return formtest.NewStore(memory.New(memory.Options{Clock: formtest.Now, Start: s}))
}
