package component_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// TestToastKeepsItsHint cuts what happened rather than the key that helps.
func TestToastKeepsItsHint(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	for w, want := range map[int]string{
		100: " ! the resize of train-6 from cmp-004 stopped at pre-migrating   :unfinished finishes it",
		80:  " ! the resize of train-6 from cmp-004 stopped at pre-…   :unfinished finishes it",
		50:  " ! the resize of train-6 from cmp-004 stopped at …",
	} {
		var ts component.Toasts
		ts.Push(component.Toast{
			Severity: style.SeverityWarn, Text: "the resize of train-6 from cmp-004 stopped at pre-migrating", Hint: ":unfinished finishes it",
		}, time.Time{})
		must.Be(t, strings.TrimRight(ts.View(st, w), " "), want)
	}
}

// TestToastsShareNoHint shows with several toasts that z undoes something: only with the
// newest, because only that is undone.
func TestToastsShareNoHint(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	var ts component.Toasts
	for _, text := range []string{"made a", "made b"} {
		ts.Push(component.Toast{Severity: style.SeverityOK, Text: text, Hint: "z to undo"}, time.Time{})
	}
	var got []string
	for line := range strings.SplitSeq(ts.View(st, 40), "\n") {
		got = append(got, strings.TrimSpace(line))
	}
	must.Be(t, strings.Join(got, "; "), "✓ made a; ✓ made b   z to undo")
}

// TestToastsWithoutHintsAreKnown counts and withdraws a toast whose hint is shown with a newer
// one.
func TestToastsWithoutHintsAreKnown(t *testing.T) {
	t.Parallel()
	var ts component.Toasts
	a, b := component.Toast{Text: "a failed", Hint: "R tries again"}, component.Toast{Text: "b failed", Hint: "R tries again"}
	for _, one := range []component.Toast{a, b, a, b} {
		ts.Push(one, time.Time{})
	}
	must.Be(t, ts.Len(), 2)
	ts.Withdraw(a)
	must.Be(t, ts.Len(), 1)
}
