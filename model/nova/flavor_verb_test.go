package nova_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// with returns f with another flavorid and revision.
func with(f *nova.Flavor, flavorID string, revision int64) *nova.Flavor {
	f.FlavorID, f.Revision = flavorID, revision
	return f
}

func deleted(f *nova.Flavor) *nova.Flavor {
	f.Deleted = true
	return f
}

func TestCreateFlavor(t *testing.T) {
	t.Parallel()
	base := ledger(t, flavor("m1"), deleted(flavor("old")), with(flavor("m2"), "m2", 0), with(flavor("m2"), "m2", 1))
	for _, tt := range []struct {
		name string
		f    *nova.Flavor
		ref  string
		err  error
		word string // of an ExtraSpecError
	}{
		{"a new one", flavor("m3", "resources1:VGPU=1", "trait1:OWNER_NOVA=required"), "m3", nil, ""},
		{"one with a device profile, which Cyborg knows", flavor("m3", "accel:device_profile=dp"), "m3", nil, ""},
		{"its revision is not the caller's", with(flavor("m3"), "m3", 7), "m3", nil, ""},
		{"after one was deleted", flavor("old"), "old#2", nil, ""},
		{"a name that is taken", with(flavor("m1"), "x", 0), "", placement.ErrExists, ""},
		{"a name with revisions", with(flavor("m2"), "x", 0), "", placement.ErrExists, ""},
		{"a flavorid that is taken", with(flavor("m3"), "m2", 0), "", placement.ErrExists, ""},
		{"the flavorid of one deleted", with(flavor("m3"), "old", 0), "m3", nil, ""},
		{"no flavorid", with(flavor("m3"), "", 0), "", placement.ErrInvalid, ""},
		{"no name", with(flavor(""), "x", 0), "", placement.ErrInvalid, ""},
		{"a name like a revision", flavor("m1#2"), "", placement.ErrInvalid, ""},
		{"no CPUs", &nova.Flavor{Name: "m3", FlavorID: "m3", MemoryMB: 1}, "", placement.ErrInvalid, ""},
		{"a class that is none", flavor("m3", "resources:VGPUS=1"), "", placement.ErrInvalid, "VGPUS"},
		{"a trait that is wanted", flavor("m3", "trait:OWNER_NOVA=wanted"), "", placement.ErrInvalid, "wanted"},
		{"an amount that is none", flavor("m3", "resources:VGPU=some"), "", placement.ErrInvalid, "some"},
		{"a policy that is none", flavor("m3", "group_policy=some"), "", placement.ErrInvalid, "some"},
		{"a group that is called like one of its device profile", flavor("m3", "accel:device_profile=dp", "trait1:OWNER_NOVA=required", "resourcesdevice_profile_10:VGPU=1", "resources1:VGPU=1"), "", placement.ErrInvalid, "device_profile_10"},
		{"a trait for such a group", flavor("m3", "accel:device_profile=dp", "traitdevice_profile_0:OWNER_NOVA=required"), "", placement.ErrInvalid, "device_profile_0"},
		{"a group that is called so without a device profile", flavor("m3", "resourcesdevice_profile_0:VGPU=1"), "m3", nil, ""},
		{"a group that is called nearly so", flavor("m3", "accel:device_profile=dp", "resourcesdevice_profile_a:VGPU=1"), "m3", nil, ""},
		{"no policy", flavor("m3", "resources1:VGPU=1", "resources2:VGPU=1"), "", placement.ErrInvalid, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next, _, err := base.Apply(nova.Change{Ops: []nova.Op{nova.CreateFlavor{Flavor: tt.f}}})
			must.Fail(t, err, tt.err)
			var e *nova.ExtraSpecError
			if tt.word != "" && (!errors.As(err, &e) || e.Word != tt.word) {
				t.Errorf("error %v is not about %q", err, tt.word)
			}
			if err != nil {
				return
			}
			if f, ok := next.FlavorNamed(tt.f.Name); !ok || f.Ref() != tt.ref {
				t.Errorf("flavor %+v, want %s", f, tt.ref)
			}
		})
	}
}

// What instances were booted with stays as it was when the flavor is edited.
func TestSetExtraSpecs(t *testing.T) {
	t.Parallel()
	s := ledger(t, flavor("m1", "resources1:VGPU=1"))
	was, _ := s.Flavor("m1")
	for n, specs := range []map[string]string{{"trait:CUSTOM_A": "required"}, nil, {"resources1:VGPU": "1"}} {
		has, _ := s.FlavorNamed("m1")
		op := nova.SetExtraSpecs{Flavor: "m1", ExtraSpecs: nova.EditsOf(has.ExtraSpecs, specs)}
		var err error
		if s, _, err = s.Apply(nova.Change{At: modeltest.At(n), Ops: []nova.Op{op}}); err != nil {
			t.Fatal(err)
		}
		f, ok := s.FlavorNamed("m1")
		if !ok || f.Revision != int64(n+1) || cmp.Diff(specs, f.ExtraSpecs) != "" || f.Created != modeltest.At(n).UnixMilli() {
			t.Errorf("revision %d is %+v", n+1, f)
		}
		if again := does(t, s, op); again != s {
			t.Error("what it has already makes a revision")
		}
	}
	if first, _ := s.Flavor("m1"); first != was {
		t.Error("the first revision has changed")
	}
	if got := names(s); !slices.Equal(got, []string{"m1#4"}) {
		t.Errorf("current flavors %q", got)
	}
	must.Fail(t, s.Allows(nova.SetExtraSpecs{Flavor: "m1", ExtraSpecs: nova.KeyEdits{Set: map[string]string{"trait:CUSTOM_B": "wanted"}}}), placement.ErrInvalid)
	must.Fail(t, s.Allows(nova.SetExtraSpecs{Flavor: "m9"}), placement.ErrNotFound)
}

func names(s *nova.Snapshot) (out []string) {
	for f := range s.CurrentFlavors() {
		out = append(out, f.Ref())
	}
	return out
}

func TestMarkFlavor(t *testing.T) {
	t.Parallel()
	s := ledger(t, flavor("m1"), flavor("m2"), instance("vm1"))
	do := func(op nova.Op) { s = does(t, s, op) }
	do(nova.DisableFlavor{Flavor: "m2", Disabled: true})
	if f, ok := s.FlavorNamed("m2"); !ok || !f.Disabled || f.Revision != 0 {
		t.Errorf("disabled: %+v", f)
	}
	do(nova.DisableFlavor{Flavor: "m2", Disabled: false})
	do(nova.DeleteFlavor{Flavor: "m1"})
	if got := names(s); !slices.Equal(got, []string{"m2"}) {
		t.Errorf("current flavors %q", got)
	}
	if f, ok := s.Flavor("m1"); !ok || !f.Deleted {
		t.Error("an instance has lost its flavor")
	}
	for _, err := range []error{
		s.Allows(nova.DeleteFlavor{Flavor: "m1"}), s.Allows(nova.DisableFlavor{Flavor: "m1", Disabled: true}), s.Allows(nova.DeleteFlavor{Flavor: "m9"}),
	} {
		must.Fail(t, err, placement.ErrNotFound)
	}
}

// The ledger enforces the rules of verbs for all writers.
func TestRulesBetweenRecords(t *testing.T) {
	t.Parallel()
	a := aggregate("a", "availability_zone=az-1")
	a.Hosts = []string{"c1"}
	base := ledger(t, flavor("m1"), flavor("m2"), instance("vm1"), compute("c1", 70), a)
	b := func(edit func(*nova.HostAggregate)) *nova.HostAggregate {
		b := aggregate("b")
		edit(b)
		return b
	}
	larger := flavor("m1")
	larger.VCPUs++
	for _, tt := range []struct {
		name   string
		change versioned.Change
		err    error
	}{
		{"a flavor that changes", versioned.Change{Before: flavor("m1"), After: larger}, placement.ErrInvalid},
		{"a flavor that is marked", versioned.Change{Before: flavor("m1"), After: deleted(flavor("m1"))}, nil},
		{"a flavor of an instance goes", versioned.Change{Before: flavor("m1")}, placement.ErrInUse},
		{"a flavor of nobody goes", versioned.Change{Before: flavor("m2")}, nil},
		{"a flavorid twice", made(with(flavor("m3"), "m1", 0)), placement.ErrExists},
		{"flavors without flavorid", made(with(flavor("m3"), "", 0)), nil},
		{"an old revision with its flavorid", made(with(flavor("m1"), "m1", 1)), nil},
		{"a service below the fleet", made(compute("c2", 69)), placement.ErrState},
		{"a service that has never reported its version", made(compute("c2", 0)), nil},
		{"a service that takes its version back", versioned.Change{Before: compute("c1", 70), After: compute("c1", 0)}, placement.ErrState},
		{"a service without host", made(&nova.Service{Binary: nova.Compute}), placement.ErrInvalid},
		{"a service without binary", made(&nova.Service{Host: "c2"}), placement.ErrInvalid},
		{"a service of a version below 0", made(compute("c2", -1)), placement.ErrInvalid},
		{"a cell without name", made(&nova.Cell{}), placement.ErrInvalid},
		{"an aggregate of a name that is taken", made(b(func(b *nova.HostAggregate) { b.Name = "a" })), placement.ErrExists},
		{"an aggregate without uuid", made(&nova.HostAggregate{Name: "b"}), placement.ErrInvalid},
		{"an aggregate without name", made(b(func(b *nova.HostAggregate) { b.Name = "" })), placement.ErrInvalid},
		{"an aggregate of a host without name", made(b(func(b *nova.HostAggregate) { b.Hosts = []string{""} })), placement.ErrInvalid},
		{"a host twice in an aggregate", made(b(func(b *nova.HostAggregate) { b.Hosts = []string{"c1", "c1"} })), placement.ErrInvalid},
		{"a host in two aggregates", made(b(func(b *nova.HostAggregate) { b.Hosts = []string{"c1"} })), nil},
		{"a host in two zones", made(b(func(b *nova.HostAggregate) {
			b.Hosts, b.Metadata = []string{"c1"}, map[string]string{"availability_zone": "az-2"}
		})), placement.ErrInvalid},
		{"a form of the owner filter that is none", made(&nova.Config{OwnerFilter: "some"}), placement.ErrInvalid},
		{"a pre-filter off that is none", made(&nova.Config{Off: []string{"owner_filter"}}), placement.ErrInvalid},
		{"pre-filters off", made(&nova.Config{OwnerFilter: nova.OwnerOff, Off: nova.PrefilterNames()}), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.change.Before = sameKey(base, tt.change)
			next, done, err := base.Apply(nova.Change{Ops: []placement.Op{nova.PutRecords{Records: []versioned.Change{tt.change}}}})
			must.Fail(t, err, tt.err)
			if err == nil && (len(done) != 1 || next == base) {
				t.Errorf("%d records changed", len(done))
			}
			if err != nil && strings.Contains(err.Error(), "no longer as the change found it") {
				t.Errorf("refused for another reason: %v", err)
			}
		})
	}
}

// sameKey returns what s holds under the key of c.
func sameKey(s *nova.Snapshot, c versioned.Change) versioned.Record {
	if c.After != nil {
		return s.Held(c.After)
	}
	return s.Held(c.Before)
}
