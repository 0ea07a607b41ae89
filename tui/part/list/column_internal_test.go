package list

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
)

// TestColumnsGoToOneReaderAtATime gives each column to one reader at a time, and never
// one of another moment.
func TestColumnsGoToOneReaderAtATime(t *testing.T) {
	t.Parallel()
	var c columns
	now, free := At{Snap: cloud.Empty()}, filter.NewColumn(3)
	if c.take("free", now) != nil {
		t.Fatal("there is a column of nothing")
	}
	c.give(now, map[string]*filter.Column{"free": free})
	later := now
	later.Class = "VGPU"
	if c.take("free", later) != nil || c.take("used", now) != nil {
		t.Error("a column of something else is taken")
	}
	if c.take("free", now) != free {
		t.Error("it is not remembered")
	}
	if c.take("free", now) != nil {
		t.Error("it is given to two")
	}
	c.give(now, map[string]*filter.Column{"free": free})
	c.give(At{Snap: cloud.Empty()}, map[string]*filter.Column{"used": filter.NewColumn(3)})
	if c.take("free", now) != nil {
		t.Error("that of an older cloud is kept")
	}
}
