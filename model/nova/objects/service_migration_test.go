package objects_test

import (
	"errors"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/versioned/object"
)

// TestOldServiceEmbedsItsComputeNode is about readers before 1.10, with and without a
// manifest.
func TestOldServiceEmbedsItsComputeNode(t *testing.T) {
	t.Parallel()
	newest := registry()
	r := objects.NewRegistry(objects.Source{ComputeNode: func(host string) (*objects.ComputeNode, bool) {
		return sample(t, newest, "ComputeNode").(*objects.ComputeNode), host == "cmp1"
	}})
	pinned := []string{"", "1.4", "1.4", "1.5", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10"}
	for n := range 23 {
		service := objects.NewService()
		must.Succeed(t, service.Host.Set("cmp1"))
		p := lowered(t, r, service, object.Target{Version: minor(1, n)})
		node, embedded := data(p)["compute_node"]
		switch {
		case embedded != (n < 10):
			t.Errorf("Service 1.%d embeds a compute node: %v", n, embedded)
		case embedded && n > 0 && versionOf(node) != pinned[n]:
			t.Errorf("Service 1.%d embeds ComputeNode %s, want %s", n, versionOf(node), pinned[n])
		}
		if n < 10 {
			p = lowered(t, r, service, object.Target{Version: minor(1, n), Manifest: object.Manifest{"ComputeNode": "1.2"}})
			if got := versionOf(data(p)["compute_node"]); got != "1.2" {
				t.Errorf("Service 1.%d embeds ComputeNode %s for a reader of 1.2", n, got)
			}
		}
	}
	scheduler := objects.NewService()
	must.Succeed(t, scheduler.Host.Set("ctl1"))
	if _, ok := data(lowered(t, r, scheduler, object.Target{Version: minor(1, 9)}))["compute_node"]; ok {
		t.Error("a host without a compute node got one")
	}
}

func TestMigrationTypeIsGuessed(t *testing.T) {
	t.Parallel()
	r := registry()
	for name, c := range map[string]struct {
		values object.Values
		want   objects.MigrationType
	}{
		"two flavors":                 {object.Values{"old_instance_type_id": 1, "new_instance_type_id": 2}, objects.Resize},
		"one flavor":                  {object.Values{"old_instance_type_id": 1, "new_instance_type_id": 1}, objects.ColdMigration},
		"a flavor and null":           {object.Values{"old_instance_type_id": 0, "new_instance_type_id": nil}, objects.Resize},
		"no flavor, as of evacuation": {object.Values{"old_instance_type_id": nil, "new_instance_type_id": nil}, objects.ColdMigration},
	} {
		old := objects.NewMigration()
		must.Succeed(t, object.Fill(old, c.values))
		must.Succeed(t, old.MigrationType.Set(objects.LiveMigration)) // not sent to a reader of 1.1
		old.ResetChanges()
		p := lowered(t, r, old, object.Target{Version: minor(1, 1)})
		o := must.Get(r.Decode(p))(t)
		m := o.(*objects.Migration)
		if got := m.Type(); got != c.want || old.Type() != objects.LiveMigration || m.Hidden.Get() {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if len(m.WhatChanged()) > 0 {
			t.Errorf("%s: what was guessed counts as changed: %v", name, m.WhatChanged())
		}
	}
	if err := objects.NewMigration().MigrationType.SetAny("teleport"); err == nil {
		t.Error("a migration of no known type")
	}
}

func TestMixedCellsCannotBeLowered(t *testing.T) {
	t.Parallel()
	cell := objects.NewInstanceNUMACell()
	must.Succeed(t, object.Fill(cell, object.Values{"cpuset": []int{2}, "pcpuset": []int{1, 0}, "cpu_policy": "dedicated"}))
	p := lowered(t, registry(), cell, object.Target{Version: minor(1, 4)})
	if got := len(data(p)["cpuset"].([]any)); got != 2 {
		t.Errorf("a reader of 1.4 sees %d CPUs, want the pinned 2", got)
	}
	must.Succeed(t, cell.CPUPolicy.Set("mixed"))
	var refused *object.NotExpressibleError
	if _, err := registry().EncodeFor(cell, object.Target{Version: minor(1, 5)}); !errors.As(err, &refused) {
		t.Errorf("error is %v", err)
	}
}
