package list_test

import (
	"context"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/tuitest"
)

// A list that shows more than is in its Snapshot can be made again, and keeps its filter
// and the row under its cursor.
func TestRemake(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	var made int
	of := spec(&made)
	all, hide := of.Rows, true
	of.Rows = func(ctx context.Context, snap *cloud.Snapshot) []*root {
		rows := all(ctx, snap)
		if hide {
			rows = rows[len(rows)-3:]
		}
		return rows
	}
	s := list.New(of, tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "")
	h := tuitest.Open(t, c, s)
	h.Press("G")
	last := s.CursorID()
	if shown, n := s.Counts(); shown != 3 || n != 3 {
		t.Fatalf("%d of %d rows, want 3 of 3", shown, n)
	}
	hide = false
	cmd := s.Remake()
	h.Send(cmd())
	if _, n := s.Counts(); n <= 3 || s.CursorID() != last {
		t.Errorf("%d rows with the cursor on %s, want more than 3 and %s", n, s.CursorID(), last)
	}
	h.Press("/")
	h.Type("cmp-001")
	h.Press("enter")
	if shown, _ := s.Counts(); shown != 1 || s.Expr() != "cmp-001" {
		t.Errorf("%d rows pass %q, want 1", shown, s.Expr())
	}
}

// A list without headings begins with its first row.
func TestHeadless(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 2)
	var made int
	s := list.New(spec(&made), tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "")
	s.Headless()
	s.Blur(true)
	h := tuitest.Open(t, c, s)
	if text := h.At(60, 6).Text(); strings.Contains(text, "NAME") || !strings.HasPrefix(strings.TrimLeft(text, " >"), "ceph-ssd-01") {
		t.Errorf("the heads are there:\n%s", text)
	}
	if by := s.SortedBy(); !strings.HasPrefix(by, "sort name") {
		t.Errorf("sorted by %q", by)
	}
}
