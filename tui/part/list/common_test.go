package list_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestCommonRows has two sessions look at one cloud: rows are made once for both, and
// each draws, sorts, filters and folds them independently.
func TestCommonRows(t *testing.T) {
	t.Parallel()
	made := 0
	c := some(t)
	env := tuitest.Env(c, tuitest.Plain())
	env.Common = &screen.Common{}
	look := func(mark, filter string) *tuitest.Host {
		s := spec(&made)
		s.Common = true
		s.Columns[0].Cell = func(l *component.Line, r any, _ list.At) { l.Add(themes.Strong, r.(*root).Name()+mark) }
		return tuitest.Open(t, c, list.New(s, env, c.Snapshot(), filter))
	}
	ann := look("-ann", "")
	rob := look("-rob", "")
	wantRows(t, ann, ">Pool-ann a-ann b-ann d-ann")
	wantRows(t, rob, ">Pool-rob a-rob b-rob d-rob")
	rob.Press("j")
	rob.Sort("vcpu")
	ann.Press("/")
	ann.Type("vcpu>8")
	ann.Press("enter")
	wantRows(t, ann, ">b-ann d-ann")
	wantRows(t, rob, "d-rob b-rob >a-rob Pool-rob")
	if made != 1 {
		t.Errorf("rows were made %d times for two who look at the same", made)
	}
	must.Succeed(t, c.Do(placement.CreateProvider{ID: modeltest.ProviderID("e"), Name: "e"}))
	ann.Feed()
	ann.Back()
	rob.Feed()
	wantRows(t, ann, "Pool-ann a-ann >b-ann d-ann e-ann")
	wantRows(t, rob, "d-rob b-rob >a-rob e-rob Pool-rob")
	if late := look("-eve", ""); !strings.Contains(late.At(60, 12).Text(), "e-eve") {
		t.Error("who comes late sees what was")
	}
	if made != 2 {
		t.Errorf("rows were made %d times for two Snapshots", made)
	}
}
