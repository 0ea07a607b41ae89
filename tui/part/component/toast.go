package component

import (
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// Toast is a short message about what just happened.
type Toast struct {
	Severity style.Severity
	// Text is shown as it is: it may begin with the name of something.
	Text string
	// Hint says what to do about it; it may be empty.
	Hint string
}

// How long a toast stays: errors long enough to be read twice.
const (
	toastTime  = 4 * time.Second
	toastWorse = 12 * time.Second
	maxToasts  = 4
)

// Toasts is the list of messages on screen.
type Toasts struct {
	items []timedToast
}

type timedToast struct {
	Toast
	until time.Time
	times int
	spent bool // the key of its hint is about a newer toast
}

// Push adds a toast. One that is already there is counted, and becomes the newest, so that an
// error that repeats does not fill the screen. Older ones with the same hint are shown without
// it: its key is about the newest now.
func (ts *Toasts) Push(t Toast, now time.Time) {
	stay := toastTime
	if t.Severity >= style.SeverityWarn {
		stay = toastWorse
	}
	times := 1
	if i := slices.IndexFunc(ts.items, func(x timedToast) bool { return x.Toast == t }); i >= 0 {
		times += ts.items[i].times
		ts.items = slices.Delete(ts.items, i, i+1)
	}
	for i := range ts.items {
		ts.items[i].spent = ts.items[i].spent || ts.items[i].Hint == t.Hint
	}
	ts.items = append(ts.items, timedToast{Toast: t, until: now.Add(stay), times: times})
	if len(ts.items) > maxToasts {
		ts.items = ts.items[1:]
	}
}

// Expire takes away the toasts whose time is over. It reports whether any
// went, and how long the next one stays; 0 means that none is left.
func (ts *Toasts) Expire(now time.Time) (gone bool, next time.Duration) {
	kept := ts.items[:0]
	for _, t := range ts.items {
		if !now.Before(t.until) {
			gone = true
			continue
		}
		kept = append(kept, t)
		if d := t.until.Sub(now); next == 0 || d < next {
			next = d
		}
	}
	ts.items = kept
	return gone, next
}

// Withdraw removes a toast that no longer holds.
func (ts *Toasts) Withdraw(t Toast) {
	ts.items = slices.DeleteFunc(ts.items, func(x timedToast) bool { return x.Toast == t })
}

// Pressed removes the toasts whose hints begin with a key, which has been pressed now: they
// have been read, and what they say may no longer hold.
func (ts *Toasts) Pressed(st *style.Styles, key string) {
	ts.items = slices.DeleteFunc(ts.items, func(x timedToast) bool {
		first, _, _ := strings.Cut(x.Hint, " ")
		return first == key && !x.spent
	})
}

// Dismiss takes all toasts away and reports whether there were any.
func (ts *Toasts) Dismiss() bool {
	had := len(ts.items) > 0
	ts.items = nil
	return had
}

// Len returns how many toasts there are.
func (ts *Toasts) Len() int { return len(ts.items) }

// leastToast is how many cells the text of a toast keeps where its hint is shown in full.
const leastToast = 40

// View returns the toasts as lines of w cells, the newest last, or "".
func (ts *Toasts) View(st *style.Styles, w int) string {
	var lines []string
	for _, t := range ts.items {
		l := NewLine(st, w)
		l.Space(1)
		l.Mark(t.Severity).Space(1)
		times, hint := "", ""
		if !t.spent {
			hint = t.Hint
		}
		if t.times > 1 {
			times = "  " + st.Glyphs.Times + Count(t.times)
		}
		if hint != "" {
			hint = "   " + hint
		}
		room := l.Left() - Width(st, times) - Width(st, hint)
		if Width(st, t.Text) > room && room >= leastToast { // the key is what helps
			l.Column(room, t.Severity.Token(), t.Text)
		} else {
			l.Add(t.Severity.Token(), t.Text)
		}
		l.Add(themes.Faint, times).Add(themes.Dim, hint)
		lines = append(lines, l.String())
	}
	return strings.Join(lines, "\n")
}
