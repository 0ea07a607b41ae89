package screentest

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

// List makes the screen of a list over a Snapshot, narrowed by a filter.
type List func(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen

// On shows the list on a cloud, without styles.
func (l List) On(c *Cloud, filter string) *Host {
	return Open(c, l(Env(c, Plain()), c.Snapshot(), filter), false)
}

// Check is CheckOn for lists of things that the Fleet has.
func (l List) Check(t *testing.T) {
	t.Helper()
	l.CheckOn(t, Fleet)
}

// OnDemo is CheckOn for lists of things that the Fleet lacks.
func (l List) OnDemo(t *testing.T) {
	t.Helper()
	l.CheckOn(t, Demo12)
}

// CheckOn checks what all lists share: how they look with rows, without, and if none
// matches, that they fit every size, that their keys are their own, and that no key
// breaks them.
func (l List) CheckOn(t *testing.T, fleet func(tb testing.TB) *Cloud) {
	t.Helper()
	t.Run("states", func(t *testing.T) {
		t.Parallel()
		l.states(t, fleet)
	})
	l.Behaves(t, fleet, "")
}

// Behaves is CheckOn without how the list looks. Keys are more keys to press.
func (l List) Behaves(t *testing.T, fleet func(tb testing.TB) *Cloud, keys string) {
	t.Helper()
	t.Run("every size", func(t *testing.T) {
		t.Parallel()
		EverySize(t, l.On(fleet(t), ""))
	})
	t.Run("actions", func(t *testing.T) {
		t.Parallel()
		Actions(t, l.On(fleet(t), ""))
		Actions(t, l.On(NewCloud(cloud.Empty()), ""))
	})
	t.Run("hostile names", func(t *testing.T) {
		t.Parallel()
		h := l.On(Hostile(t), "")
		for range Names() {
			h.Harmless(t)
			h.Press("j")
		}
	})
	t.Run("anything", func(t *testing.T) {
		t.Parallel()
		Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen {
			return l(env, snap, "")
		}, "/ s S O a e g > 1 d = o i w W enter esc backspace "+keys)
	})
}

// states compares the list without rows with golden files.
func (l List) states(t *testing.T, fleet func(tb testing.TB) *Cloud) {
	t.Helper()
	Frames(t, map[string]func() *Host{
		"empty":    func() *Host { return l.On(NewCloud(cloud.Empty()), "") },
		"no match": func() *Host { return l.On(fleet(t), "nobody") },
	})
}
