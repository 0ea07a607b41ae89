package list_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/tuitest"
)

// ofKind is a list of a kind that only sets the width of each field.
func ofKind(k *kinds.Kind) list.Spec[kinds.Row] {
	n := 0
	s := list.Spec[kinds.Row]{
		Name: string(k.Name), Thing: "thing", Kind: k.Name,
		Unchanged: func(old, now *cloud.Snapshot) bool { return old == now },
		ID:        func(kinds.Row) string { n++; return strconv.Itoa(n) },
		Title:     func(kinds.Row, list.At) (string, string) { return "", "" },
	}
	for _, f := range k.Fields {
		s.Columns = append(s.Columns, &list.Column{Column: component.Column{Key: f.Asked(), Title: strings.ToUpper(f.Name), Min: 40}})
		s.Orders = append(s.Orders, list.Order[kinds.Row]{Name: f.Asked()})
	}
	return s
}

// nameable matches what a filter can name.
var nameable = regexp.MustCompile(`^[a-z_0-9%]+$`)

// TestEveryFieldOfEveryKind shows each field of each kind as a column, sorts by it and
// filters by it, although the list only sets its width: a new field or kind is added in
// one place.
func TestEveryFieldOfEveryKind(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 4)
	for _, k := range kinds.All() {
		if k.Rows == nil {
			continue // the store has them
		}
		t.Run(string(k.Name), func(t *testing.T) {
			t.Parallel()
			at := kinds.At{Snap: c.Snapshot(), Now: tuitest.Now()}
			open := func(spec list.Spec[kinds.Row], filter string) *tuitest.Host {
				return tuitest.Open(t, c, list.New(spec, tuitest.Env(c, tuitest.Plain()), c.Snapshot(), filter))
			}
			text := open(ofKind(k), "").At(41*len(k.Fields)+10, 60).Text()
			for i := range k.Fields {
				f, spec := k.Fields[i], ofKind(k)
				spec.Orders, spec.Columns = spec.Orders[i:i+1], spec.Columns[i:i+1]
				filter := f.Asked() + "!=nothing-has-this"
				if !nameable.MatchString(f.Asked()) {
					filter = ""
				}
				status := open(spec, filter).Status()
				if !strings.Contains(status, "sort "+f.Asked()) || strings.Contains(status, " 0 of ") && !strings.Contains(status, "0 of 0") {
					t.Errorf("sorted and filtered by %s the status is %q", f.Asked(), status)
				}
				shows(t, k, f, at, text)
			}
		})
	}
}

// shows fails the test unless the list shows a field of one row, except those drawn
// according to their type.
func shows(t *testing.T, k *kinds.Kind, f *kinds.Field, at kinds.At, text string) {
	t.Helper()
	if f.Type != kinds.Text && f.Type != kinds.ID {
		return
	}
	get := f.Cell(at)
	for row := range k.Rows(at, false) {
		said, _ := get(row)
		if said == "" || len(said) <= 38 && strings.Contains(text, said) {
			return
		}
	}
	for row := range k.Rows(at, false) {
		if said, _ := get(row); len(said) <= 38 {
			t.Fatalf("%s is not shown of any row, such as %q", f.Name, said)
		}
	}
}

// TestWhatTheTimeChangesSaysSo looks at each field of each kind much later: a list must
// show the same, unless the field is declared to change with time.
func TestWhatTheTimeChangesSaysSo(t *testing.T) {
	t.Parallel()
	snap := tuitest.Fleet(t).Snapshot()
	early := kinds.At{Snap: snap, Now: tuitest.Now()}
	late := kinds.At{Snap: snap, Now: tuitest.Now().Add(10 * 365 * 24 * time.Hour)}
	for _, k := range kinds.All() {
		if k.Rows == nil {
			continue
		}
		for i := range k.Fields {
			f := k.Fields[i]
			before, after := f.Cell(early), f.Cell(late)
			for row := range k.Rows(early, true) {
				a, _ := before(row)
				if b, _ := after(row); a != b && !f.Timely() {
					t.Errorf("%s of %s is %q, and later %q", f.Name, k.Name, a, b)
				}
			}
		}
	}
}
