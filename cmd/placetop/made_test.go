package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestCursorIsOnWhatWasMade makes one of each that a list has a form for: back on the
// list, the cursor is on it.
func TestCursorIsOnWhatWasMade(t *testing.T) {
	t.Parallel()
	for list, fields := range map[string][]string{
		"classes":    {"CUSTOM_ZZ"},
		"traits":     {"CUSTOM_ZZ"},
		"aggregates": {"zz-rack"},
		"flavors":    {"zz.tiny"},
		"profiles":   {"zz-profile", "", "resources:VGPU=1"},
		"instances":  {"zz-vm", "cpu.small"},
	} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				_, d := onDemo(t, demotest.Snapshot(t, demo.Options{Seed: defaultSeed, Now: walkStart()}))
				d.Type(":" + list)
				d.Press("enter")
				d.Press("n")
				for _, text := range fields {
					d.Type(text)
					d.Press("enter")
				}
				for range 12 {
					if strings.Contains(d.Lines()[1], "   step ") {
						d.Press("enter")
						d.Advance(time.Second)
					}
				}
				if !strings.Contains(d.Lines()[1], "> "+list+"   ") {
					d.Press("esc")
				}
				lines := d.Lines()
				cursor := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, ">") })
				if cursor < 0 || !strings.Contains(lines[cursor], fields[0]) {
					t.Errorf("the cursor is not on %s:\n%s", fields[0], d.Text())
				}
			})
		})
	}
}

// numbering is a store that gives host aggregates uuids of its own, as Nova does.
type numbering struct{ *memory.Store }

func (n numbering) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	c.Ops = slices.Clone(c.Ops)
	for i, op := range c.Ops {
		if create, ok := op.(nova.CreateAggregate); ok {
			create.UUID = placement.AggregateID(uuid.New())
			c.Ops[i] = create
		}
	}
	return n.Store.Apply(ctx, c)
}
