package kinds_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestFindProvider(t *testing.T) {
	t.Parallel()
	one := placement.ProviderID(uuid.MustParse("aaaa0000-0000-0000-0000-000000000001"))
	two := placement.ProviderID(uuid.MustParse("aaaa1111-0000-0000-0000-000000000002"))
	snap, _, err := cloud.Empty().Apply(cloud.Change{Ops: []placement.Op{
		placement.CreateProvider{ID: one, Name: "cmp-one"},
		placement.CreateProvider{ID: two, Name: "cmp-two"},
		// A name that looks like the beginning of a uuid takes precedence.
		placement.CreateProvider{ID: placement.ProviderID(uuid.MustParse("bbbb0000-0000-0000-0000-000000000003")), Name: "aaaa0"},
	}})
	must.Succeed(t, err)
	f := kinds.Finder{Snapshot: snap}
	for _, c := range []struct{ text, want, problem string }{
		{"cmp-one", "cmp-one", ""},
		{"aaaa0000-0000-0000-0000-000000000001", "cmp-one", ""},
		{"AAAA0000-0000-0000-0000-000000000001", "cmp-one", ""},
		{"aaaa0000000000000000000000000001", "cmp-one", ""},
		{"aaaa00", "cmp-one", ""},
		{"aaaa1", "cmp-two", ""},
		{"aaaa0", "aaaa0", ""},
		{"aaaa", "", "is the beginning of 2 resource providers: aaaa0000-0000-0000-0000-000000000001 (cmp-one), aaaa1111"},
		{"cmp", "", "does not exist (did you mean cmp-one, cmp-two?)"},
		{"CMP-ONE-X", "", "did you mean cmp-one?"},
		{"cccc", "", "resource provider cccc does not exist"},
		{"", "", "does not exist"},
		{"-", "", "does not exist"},
		{"aaaa0000-0000-0000-0000-0000000000019", "", "does not exist"},
	} {
		p, err := f.Provider(c.text)
		switch {
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%q: got %v, want %q", c.text, err, c.problem)
		case c.problem == "" && (err != nil || p.Name() != c.want):
			t.Errorf("%q: got %v, %v, want %s", c.text, p, err, c.want)
		case err != nil && errors.Is(err, placement.ErrInvalid) != strings.Contains(err.Error(), "beginning"):
			t.Errorf("%q: is it wrong use? %v", c.text, err)
		}
	}
	if _, err := f.Trait("vulkan"); !errors.Is(err, placement.ErrNotFound) || !strings.Contains(err.Error(), "HW_GPU_API_VULKAN") {
		t.Errorf("trait: %v", err)
	}
	if _, err := f.Class("mem"); !errors.Is(err, placement.ErrNotFound) || !strings.Contains(err.Error(), "MEMORY_MB") {
		t.Errorf("class: %v", err)
	}
}

// TestUUIDsAreNoNames has tenants and operators give things the uuids of other things as
// names: a whole uuid is only the thing that has it, and a part of one that is a name too is
// refused.
func TestUUIDsAreNoNames(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t).Node("h")
	id, gone := modeltest.ConsumerID("vm-1").String(), modeltest.ConsumerID("vm-0").String()
	w.Instance("vm-1", nova.Active).Instance(id, nova.Active).Instance(gone, nova.Active).Instance(id[:8], nova.Active).Instance("ab", nova.Active)
	host := modeltest.ProviderID("h").String()
	w.Do(placement.CreateProvider{ID: modeltest.ProviderID("twin"), Name: host})
	w.Do(placement.CreateProvider{ID: modeltest.ProviderID("other"), Name: gone})
	for _, name := range []string{"vm-1", id, gone} {
		w.Claim(name, placement.InstanceConsumer, map[string]modeltest.Resources{"h": {placement.VCPU: 1}})
	}
	f := kinds.Finder{Snapshot: w.Snapshot}
	instance := func(text string) (string, error) { i, err := f.Instance(text); return nameOf(i, err) }
	live := func(text string) (string, error) { i, err := f.LiveInstance(text); return nameOf(i, err) }
	consumer := func(text string) (string, error) {
		c, err := f.Consumer(text)
		if err != nil {
			return "", err
		}
		return f.ConsumerName(c.ID()), nil
	}
	for _, find := range []func(string) (string, error){instance, live, consumer} {
		for _, text := range []string{id, strings.ToUpper(id), strings.ReplaceAll(id, "-", "")} {
			if got, err := find(text); err != nil || got != "vm-1" {
				t.Errorf("%s: %q, %v", text, got, err)
			}
		}
		if got, err := find(gone); !errors.Is(err, placement.ErrNotFound) {
			t.Errorf("%s: %q, %v, and not that it does not exist", gone, got, err)
		}
	}
	if got, err := instance(id[:8]); !errors.Is(err, placement.ErrInvalid) {
		t.Errorf("%s: %q, %v, and not that it may be either", id[:8], got, err)
	}
	must.Be(t, must.Get(instance("ab"))(t), "ab")
	must.Be(t, must.Get(f.Provider(host))(t).Name(), "h")
	must.Be(t, must.Get(f.Provider(gone))(t).ID(), modeltest.ProviderID("other"))
}

func nameOf(i *nova.Instance, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return i.Name, nil
}

// TestNamesakes refuses to choose among instances of one name, though only one holds something.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t).Node("h").Instance("vm", nova.Active)
	i, _ := w.Nova().Instance(modeltest.ConsumerID("vm"))
	twin := *i
	twin.UUID = modeltest.ConsumerID("twin")
	w.Record(&twin)
	w.Claim("vm", placement.InstanceConsumer, map[string]modeltest.Resources{"h": {placement.VCPU: 1}})
	f := kinds.Finder{Snapshot: w.Snapshot}
	if c, err := f.Consumer("vm"); !errors.Is(err, placement.ErrInvalid) {
		t.Errorf("%v, %v", c, err)
	}
	twin.VMState = nova.Deleted
	w.Record(&twin)
	f = kinds.Finder{Snapshot: w.Snapshot}
	must.Be(t, must.Get(f.Consumer("vm"))(t).ID(), i.UUID)
}
