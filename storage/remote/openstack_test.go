//go:build openstack

package remote

import (
	"cmp"
	"os"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
)

// TestOpenStack reads a real cloud, that of OS_CLOUD or admin of OS_CLIENT_CONFIG_FILE,
// writes a trait to it and takes it away again.
func TestOpenStack(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	name := cmp.Or(os.Getenv("OS_CLOUD"), "admin")
	opened, err := Cloud{Settings{Write: true}}.Open(t.Context(), name, engine.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*Store)
	defer s.Close()
	is := s.Snapshot()
	if l := s.Link(); len(l.Without) > 0 || l.Lost != "" {
		t.Errorf("%+v", l)
	}
	nodes := 0
	for n := range is.Nova().ComputeNodes() {
		nodes++
		if p, ok := is.Placement().Provider(n.UUID); !ok || p.Name() != n.Hostname {
			t.Errorf("compute node %s is no provider", n.Hostname)
		}
	}
	if nodes == 0 || is.Nova().ServiceCount() == 0 || is.Placement().ProviderCount() < nodes {
		t.Errorf("%d compute nodes, %d services, %d providers", nodes, is.Nova().ServiceCount(), is.Placement().ProviderCount())
	}
	for i := range is.Nova().Instances() {
		if _, ok := is.Nova().Flavor(i.Flavor); !ok {
			t.Errorf("instance %s has flavor %s, which is not there", i.Name, i.Flavor)
		}
	}
	t.Logf("%d providers, %d requests in %s", is.Placement().ProviderCount(), s.Link().Requests, s.Link().Took)
	const trait = "CUSTOM_PLACETOP_WAS_HERE"
	for _, op := range []cloud.Op{placement.CreateTrait{Name: trait}, placement.DeleteTrait{Name: trait}} {
		if _, err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{op}}); err != nil {
			t.Fatal(err)
		}
		_, there := s.Snapshot().Placement().TraitID(trait)
		if _, made := op.(placement.CreateTrait); there != made {
			t.Errorf("after %v the trait is there: %v", op, there)
		}
	}
	t.Logf("a reading without changes: %d requests in %s", s.Link().Requests, s.Link().Took)
}
