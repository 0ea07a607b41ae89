package tuitest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

// List makes the screen of a list over a Snapshot, narrowed by a filter.
type List func(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen

// On shows the list on a cloud, without styles.
func (l List) On(t rapid.TB, c *Cloud, filter string) *Host {
	t.Helper()
	return Open(t, c, l(Env(c, Plain()), c.Snapshot(), filter))
}

// Check checks what all lists share: how they look without rows, and if none matches, that
// they fit every size, that their keys are their own, and that no key breaks them.
func (l List) Check(t *testing.T, fleet func(tb testing.TB) *Cloud) {
	t.Helper()
	l.Behaves(t, fleet, "")
	t.Run("states", func(t *testing.T) {
		t.Parallel()
		Frames(t, map[string]func() *Host{
			"empty":    func() *Host { return l.On(t, NewCloud(cloud.Empty()), "") },
			"no match": func() *Host { return l.On(t, fleet(t), "nobody") },
		})
	})
}

// Behaves is Check without how the list looks. Keys are more keys to press.
func (l List) Behaves(t *testing.T, fleet func(tb testing.TB) *Cloud, keys string) {
	t.Helper()
	for name, check := range map[string]func(t *testing.T){
		"every size": func(t *testing.T) { EverySize(t, l.On(t, fleet(t), "")) },
		"actions": func(t *testing.T) {
			Actions(t, l.On(t, fleet(t), ""))
			Actions(t, l.On(t, NewCloud(cloud.Empty()), ""))
		},
		"hostile names": func(t *testing.T) {
			h := l.On(t, Hostile(t), "")
			for range Names() {
				h.Harmless()
				h.Press("j")
			}
		},
		"anything": func(t *testing.T) {
			Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen {
				return l(env, snap, "")
			}, "/ s S O a e g > 1 d = o i w W enter esc backspace "+keys)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}
