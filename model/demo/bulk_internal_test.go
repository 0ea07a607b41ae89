package demo

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
)

// TestFarRow compares the record that a far host gets after the pattern of its shape with
// the one that is decided for it alone.
func TestFarRow(t *testing.T) {
	t.Parallel()
	f := newFleet(Options{Hosts: 600, Seed: 1, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	f.raise()
	base := newWorld(cloud.Empty())
	must.Succeed(t, base.write(f.vocabulary()))
	far := 0
	for n, h := range f.nodes {
		if !h.far {
			continue
		}
		far++
		base.at = f.now.Add(time.Duration(n) * time.Minute)
		must.Match(t, must.Get(h.reported(base))(t), must.Get(f.farRow(h, base))(t))
	}
	if n := len(f.shapes); far < 500 || n > far/10 {
		t.Errorf("%d far hosts are of %d shapes", far, n)
	}
}
