//go:build openstack

package remote

import (
	"cmp"
	"fmt"
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

// TestOpenStackTellsAsTheClient reads a real cloud, and compares the result with that of
// the OpenStack client.
func TestOpenStackTellsAsTheClient(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	name := cmp.Or(os.Getenv("OS_CLOUD"), "admin")
	opened := must.Get(Cloud{}.Open(t.Context(), name, engine.Options{Clock: time.Now}))(t)
	s := opened.(*Store)
	defer s.Close()
	is := s.Snapshot()
	ours := map[string][]string{}
	add := func(list string, of ...any) { ours[list] = append(ours[list], strings.TrimSpace(fmt.Sprintln(of...))) }
	for i := range is.Nova().Instances() {
		f, _ := is.Nova().Flavor(i.Flavor)
		add("server list --all-projects --long -c ID -c Name -c Host -c Flavor\\ Name", i.UUID, i.Name, f.Name, i.Host, i.Host) // the client has two columns of that name
	}
	for f := range is.Nova().Flavors() {
		if now, ok := is.Nova().FlavorNamed(f.Name); ok && now == f {
			add("flavor list --all -c Name -c RAM -c Disk -c VCPUs", f.Name, f.MemoryMB, f.RootGB, f.VCPUs)
		}
	}
	for v := range is.Nova().Services() {
		status := "enabled"
		if v.Disabled {
			status = "disabled"
		}
		add("compute service list -c Binary -c Host -c Status", v.Binary, v.Host, status)
	}
	for n := range is.Nova().ComputeNodes() {
		add("--os-compute-api-version 2.53 hypervisor list -c ID -c Hypervisor\\ Hostname", n.UUID, n.Hostname)
	}
	for m := range is.Nova().Migrations() {
		add("--os-compute-api-version 2.59 server migration list -c UUID -c Status -c Type", m.UUID, m.Status, m.Type)
	}
	for a := range is.Nova().Aggregates() {
		add("aggregate list -c ID -c Name", a.Number, a.Name)
	}
	for c := range is.Placement().Consumers() {
		list := "--os-compute-api-version 2.87 quota list --detail --compute -c Resource -c In\\ Use -c Limit --project " + c.Project()
		if ours[list] != nil {
			continue
		}
		quotas, err := s.Capabilities().Quotas(t.Context(), c.Project())
		if err != nil {
			t.Error(err)
		}
		for _, q := range quotas {
			add(list, q.Name, q.Used, q.Limit)
		}
	}
	for p := range is.Placement().Providers() {
		add("resource provider list -c uuid -c name", p.ID(), p.Name())
	}
	for list, told := range ours {
		words := strings.Fields(strings.ReplaceAll(list, "\\ ", "\x00"))
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "\x00", " ")
		}
		cmd := exec.CommandContext(t.Context(), "/usr/bin/openstack", append([]string{"--os-cloud", name}, append(words, "-f", "value")...)...)
		text, err := cmd.Output()
		if err != nil {
			t.Errorf("%v: %v", cmd.Args, err)
			continue
		}
		theirs := strings.Split(strings.TrimSpace(string(text)), "\n")
		slices.Sort(theirs)
		slices.Sort(told)
		if !slices.Equal(told, theirs) {
			t.Errorf("%s: it is\n%s\nand we tell\n%s", list, strings.Join(theirs, "\n"), strings.Join(told, "\n"))
		}
	}
}

// TestOpenStackOverwritesNoProvider has two clients of a real cloud rename, move and delete
// a provider, the second of which has not seen what the first one did.
func TestOpenStackOverwritesNoProvider(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	name := cmp.Or(os.Getenv("OS_CLOUD"), "admin")
	var clients [2]*Store
	for i := range clients {
		clients[i] = must.Get(Cloud{Settings{Write: true}}.Open(t.Context(), name, engine.Options{Clock: time.Now}))(t).(*Store)
		defer clients[i].Close()
	}
	first, second := clients[0], clients[1]
	do := func(s *Store, op cloud.Op) error {
		return s.Apply(t.Context(), cloud.Change{Actor: "placetop's tests", Ops: []cloud.Op{op}}).Err()
	}
	id, root := placement.ProviderID(uuid.New()), placement.ProviderID(uuid.New())
	called := func(what string) string { return "placetop-test-" + what + "-" + id.String() }
	must.Succeed(t, do(first, placement.CreateProvider{ID: id, Name: called("a")}))
	must.Succeed(t, do(first, placement.CreateProvider{ID: root, Name: called("root")}))
	defer func() {
		_ = do(first, placement.DeleteProvider{ID: id}) // it is gone unless the test failed
		must.Succeed(t, do(first, placement.DeleteProvider{ID: root}))
	}()
	must.Succeed(t, second.Refresh(t.Context()))
	for _, turn := range []struct{ theirs, ours cloud.Op }{
		{placement.UpdateProvider{ID: id, Name: called("b")}, placement.UpdateProvider{ID: id, Name: called("c")}},
		{placement.UpdateProvider{ID: id, Name: called("c"), Reparent: true, Parent: root}, placement.UpdateProvider{ID: id, Name: called("d")}},
		{placement.UpdateProvider{ID: id, Name: called("e")}, placement.UpdateProvider{ID: id, Name: called("d"), Reparent: true}},
		{placement.SetTraits{Provider: id, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova}}, placement.DeleteProvider{ID: id}},
	} {
		must.Succeed(t, do(first, turn.theirs))
		must.Fail(t, do(second, turn.ours), placement.ErrConflict)
		must.Succeed(t, do(second, turn.ours)) // it has seen it now
		must.Succeed(t, first.Refresh(t.Context()))
	}
}

// TestOpenStack reads a real cloud, that of OS_CLOUD or admin of OS_CLIENT_CONFIG_FILE,
// writes a trait to it and removes it again.
func TestOpenStack(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	name := cmp.Or(os.Getenv("OS_CLOUD"), "admin")
	opened := must.Get(Cloud{Settings{Write: true}}.Open(t.Context(), name, engine.Options{Clock: time.Now}))(t)
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
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{op}}).Err())
		_, there := s.Snapshot().Placement().TraitID(trait)
		if _, made := op.(placement.CreateTrait); there != made {
			t.Errorf("after %v the trait is there: %v", op, there)
		}
	}
	t.Logf("a reading without changes: %d requests in %s", s.Link().Requests, s.Link().Took)
}
