//go:build openstack

package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
)

// openReal opens the real cloud that OS_CLIENT_CONFIG_FILE describes.
func openReal(t *testing.T) *Store {
	t.Helper()
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	s, err := Cloud{Settings{Write: true}}.Open(t.Context(), cmp.Or(os.Getenv("OS_CLOUD"), "admin"), engine.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.(*Store)
}

// control runs the script that started the cloud: OPENSTACK_CONTROL has its path and its
// state directory, separated by a blank.
func control(t *testing.T, args ...string) {
	t.Helper()
	script, dir, ok := strings.Cut(os.Getenv("OPENSTACK_CONTROL"), " ")
	if !ok {
		t.Skip("nobody may stop its services: name the script and its directory with OPENSTACK_CONTROL")
	}
	if out, err := exec.Command(script, append(args, "--dir", dir)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// TestOpenStackClaims claims on the real cloud, loses to another client, and reports the
// same as that one.
func TestOpenStackClaims(t *testing.T) {
	s, other := openReal(t), openReal(t)
	name := "placetop-" + uuid.NewString()
	host, consumer := placement.ProviderID(uuid.New()), placement.ConsumerID(uuid.New())
	do := func(by *Store, ops ...cloud.Op) error {
		err := by.Apply(t.Context(), cloud.Change{Ops: ops}).Err()
		return err
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	inventory := func(total int64) cloud.Op {
		return placement.SetInventories{Provider: host, Generation: placement.AnyGeneration(), Inventories: map[placement.ResourceClass]placement.Inventory{
			placement.VCPU: placement.NewInventory(total),
		}}
	}
	must(do(s, placement.CreateProvider{ID: host, Name: name}, inventory(8)))
	t.Cleanup(func() {
		ctx := context.Background()
		_ = s.Refresh(ctx)
		s.Apply(ctx, cloud.Change{Force: cloud.ForceUnchecked, Ops: []cloud.Op{placement.DeleteAllocations{Consumer: consumer}}})
		if err := s.Apply(ctx, cloud.Change{Ops: []cloud.Op{placement.DeleteProvider{ID: host}}}).Err(); err != nil {
			t.Error(err)
		}
	})
	must(do(s, placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: consumer, Generation: placement.NewConsumer(), Type: placement.InstanceConsumer, Project: uuid.NewString(), User: uuid.NewString(),
		Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{host: {placement.VCPU: 3}},
	}}}))
	must(other.Refresh(t.Context()))
	if c, ok := other.Snapshot().Placement().Consumer(consumer); !ok || c.Type() != placement.InstanceConsumer {
		t.Errorf("another client sees %v of the claim", c)
	}
	must(do(other, inventory(16)))
	if err := do(s, inventory(32)); !errors.Is(err, placement.ErrConflict) {
		t.Errorf("overtaken by another client: %v", err)
	}
	must(do(s, inventory(32)))
	client := "/usr/bin/openstack"
	if _, err := os.Stat(client); err != nil {
		t.Skip("the upstream client is not installed")
	}
	for _, test := range []struct {
		args string
		want []string
	}{
		{"resource provider list", func() (all []string) {
			for p := range s.Snapshot().Placement().Providers() {
				all = append(all, p.Name())
			}
			return all
		}()},
		{"resource provider inventory list " + host.String(), []string{"VCPU"}},
	} {
		out, err := exec.Command(client, append(strings.Fields(test.args), "-f", "json", "--os-placement-api-version", "1.39")...).Output()
		if err != nil {
			t.Fatalf("%s: %v", test.args, err)
		}
		var rows []map[string]any
		if err := json.Unmarshal(out, &rows); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			if r["name"] != nil {
				got = append(got, r["name"].(string))
			} else {
				got = append(got, r["resource_class"].(string))
				if r["total"] != 32.0 || r["used"] != 3.0 {
					t.Errorf("%v", r)
				}
			}
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the client says %q, we %q", test.args, got, test.want)
		}
	}
}

// TestOpenStackFaults reads while tokens expire, and while Placement is slow, fails or is
// stopped: what was read stays, the link says why, and all is well once it is back.
func TestOpenStackFaults(t *testing.T) {
	s := openReal(t)
	providers := s.Snapshot().Placement().ProviderCount()
	refresh := func() error {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		return s.Refresh(ctx)
	}
	well := func(what string) {
		t.Helper()
		if err := refresh(); err != nil || s.Link().Lost != "" || s.Snapshot().Placement().ProviderCount() != providers {
			t.Errorf("%s: %v, %+v", what, err, s.Link())
		}
	}
	control(t, "expire-tokens")
	well("after all tokens are void")
	control(t, "slow", "placement", "500")
	well("while it is slow")
	control(t, "fail", "placement", "503", "20")
	well("while one of five requests fails")
	control(t, "slow", "placement", "0")
	control(t, "stop", "placement")
	err := refresh()
	control(t, "start", "placement")
	if err == nil || s.Link().Lost == "" || s.Snapshot().Placement().ProviderCount() != providers {
		t.Errorf("while it is away: %v, %+v", err, s.Link())
	}
	well("after it is back")
}

// TestOpenStackNovaStops stops nova-api after the cloud was read: what was read before is no
// proof that an owner is gone, so nothing is released, and nothing is judged by it.
func TestOpenStackNovaStops(t *testing.T) {
	s := openReal(t)
	var servers []placement.ConsumerID
	for i := range s.Snapshot().Nova().Instances() {
		if _, holds := s.Snapshot().Placement().Consumer(i.UUID); holds {
			servers = append(servers, i.UUID)
		}
	}
	if len(servers) == 0 {
		t.Fatal("no server holds anything")
	}
	release := func(when string) {
		t.Helper()
		for _, id := range servers {
			ev := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.DeleteAllocations{Consumer: id}}})
			if err := ev.Err(); !errors.Is(err, placement.ErrState) && !errors.Is(err, placement.ErrUnsupported) {
				t.Errorf("%s: release of %s: %v", when, id, err)
			}
		}
	}
	release("while all is well")
	control(t, "stop", "nova-api")
	defer control(t, "start", "nova-api")
	release("nova-api is stopped, and nothing was read since")
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	release("nova-api is stopped")
	if s.Snapshot().Gap(cloud.Instances) == "" || s.Snapshot().Gap(cloud.Migrations) == "" {
		t.Error("the servers count as whole")
	}
	if l := s.Link(); l.Lost != "" || l.Of("Nova").Lost == "" {
		t.Errorf("%+v", l)
	}
	must.Succeed(t, s.Refresh(t.Context()))
	for _, id := range servers {
		if _, holds := s.Snapshot().Placement().Consumer(id); !holds {
			t.Errorf("%s lost what it holds", id)
		}
	}
}
