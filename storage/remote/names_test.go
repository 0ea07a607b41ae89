package remote

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestStandardNamesAreAsked checks that standard traits and classes which a service does
// not have, as an older one lacks those that came since, are refused before it is asked.
func TestStandardNamesAreAsked(t *testing.T) {
	w := newWorld(t, 1)
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		answer := map[string]string{
			"/traits":           `{"traits":["OWNER_NOVA","COMPUTE_NODE","CUSTOM_X"]}`,
			"/resource_classes": `{"resource_classes":[{"name":"VCPU"},{"name":"MEMORY_MB"}]}`,
		}[r.URL.Path]
		if answer != "" {
			out.Header().Set("Content-Type", "application/json")
			_, _ = out.Write([]byte(answer))
		}
		return answer != ""
	})
	s := must.Get(Endpoint{Settings: Settings{Write: true, TokenFile: token(t, "secret\n")}}.Open(t.Context(), strings.TrimPrefix(w.URL, "http:"), engine.Options{Clock: storagetest.Clock()}))(t)
	defer s.Close()
	for _, test := range []struct {
		op   placement.Op
		want string
	}{
		{placement.SetTraits{Traits: []placement.Trait{"OWNER_NOVA", "CUSTOM_X"}}, ""},
		{placement.SetTraits{Traits: []placement.Trait{"OWNER_NOVA", "OWNER_CYBORG"}}, "this Placement does not have the standard trait OWNER_CYBORG: its os-traits is older"},
		{placement.SetTraits{}, ""},
		{placement.SetInventory{Class: placement.VCPU}, ""},
		{placement.SetInventory{Class: placement.PCPU}, "this Placement does not have the standard class PCPU: its os-resource-classes is older"},
		{placement.AddInventory{Class: placement.VGPU}, "the standard class VGPU"},
		{placement.SetInventories{Inventories: map[placement.ResourceClass]placement.Inventory{placement.PCPU: {}}}, "the standard class PCPU"},
		{placement.Reshape{Inventories: []placement.SetInventories{{Inventories: map[placement.ResourceClass]placement.Inventory{placement.PCPU: {}}}}}, "the standard class PCPU"},
	} {
		err := s.Capabilities().Can(test.op)
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%T %+v: %v, want %q", test.op, test.op, err, test.want)
		}
	}
}

// TestUnknownNamesAreNotSent refuses a Change that names a trait or a class which the
// service lacks before any of its calls is sent, whatever else it has.
func TestUnknownNamesAreNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	var writes atomic.Int32
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		answer := map[string]string{
			"/traits":           `{"traits":["COMPUTE_NODE","OWNER_NOVA"]}`,
			"/resource_classes": `{"resource_classes":[{"name":"VCPU"},{"name":"MEMORY_MB"},{"name":"DISK_GB"},{"name":"VGPU"}]}`,
		}[r.URL.Path]
		switch {
		case r.Method != http.MethodGet:
			writes.Add(1)
		case answer != "":
			out.Header().Set("Content-Type", "application/json")
			_, _ = out.Write([]byte(answer))
		}
		return r.Method == http.MethodGet && answer != ""
	})
	s := w.mayWrite(t)
	whatever := placement.AnyGeneration()
	made := placement.CreateProvider{ID: storagetest.Provider(9), Name: "new"}
	gives := placement.SetInventories{Provider: made.ID, Generation: whatever, Inventories: map[placement.ResourceClass]placement.Inventory{placement.PCPU: placement.NewInventory(4)}}
	for name, test := range map[string]struct {
		ops  []cloud.Op
		want string
	}{
		"traits of a new provider": {[]cloud.Op{made, placement.SetTraits{Provider: made.ID, Generation: whatever, Traits: []placement.Trait{placement.OwnerCyborg}}}, "the standard trait OWNER_CYBORG"},
		"inventories of one":       {[]cloud.Op{made, gives}, "the standard class PCPU"},
		"a reshape":                {[]cloud.Op{made, placement.Reshape{Inventories: []placement.SetInventories{gives}}}, "the standard class PCPU"},
	} {
		_, err := s.Apply(t.Context(), cloud.Change{Ops: test.ops}).Result()
		if !errors.Is(err, placement.ErrUnsupported) || !strings.Contains(err.Error(), "this Placement does not have "+test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	if n := writes.Load(); n > 0 {
		t.Errorf("%d writes were sent", n)
	}
}

// TestNewerNamesAreKept refuses what would remove a standard trait that a provider has and
// that is newer than this program, as PUT replaces all traits.
func TestNewerNamesAreKept(t *testing.T) {
	w := newWorld(t, 1)
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		of := strings.HasPrefix(r.URL.Path, "/resource_providers/") && strings.HasSuffix(r.URL.Path, "/traits") && r.Method == http.MethodGet
		if of {
			out.Header().Set("Content-Type", "application/json")
			_, _ = out.Write([]byte(`{"traits":["OWNER_NOVA","HW_OF_NEXT_YEAR"],"resource_provider_generation":1}`))
		}
		return of
	})
	s := must.Get(Endpoint{Settings: Settings{Write: true, TokenFile: token(t, "secret\n")}}.Open(t.Context(), strings.TrimPrefix(w.URL, "http:"), engine.Options{Clock: storagetest.Clock()}))(t)
	defer s.Close()
	for p := range s.Snapshot().Placement().Providers() {
		err := s.Capabilities().Can(placement.SetTraits{Provider: p.ID(), Traits: []placement.Trait{"OWNER_NOVA"}})
		if err == nil || !strings.Contains(err.Error(), "it would remove HW_OF_NEXT_YEAR") {
			t.Errorf("%s: %v", p.Name(), err)
		}
		must.Succeed(t, s.Capabilities().Can(placement.SetInventories{Provider: p.ID()}))
	}
}
