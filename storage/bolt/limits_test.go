package bolt_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/engine"
)

// What the file cannot hold is refused with an error that names it, and the file opens
// again with all that was acknowledged.
func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path, engine.Options{})
	last := &placement.ProviderRecord{UUID: modeltest.ProviderID("last"), Name: "last", Generation: versioned.MaxCounter, Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(4)}}
	put := func(r versioned.Record) cloud.Change {
		return cloud.PutRecords("", "", []versioned.Change{{After: r}})
	}
	flavor := func(edit func(*nova.Flavor)) versioned.Record {
		f := &nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 1}
		edit(f)
		return f
	}
	claim := cloud.Change{Ops: []placement.Op{modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{"last": {placement.VCPU: 1}}))}}
	for _, tc := range []struct {
		name   string
		change cloud.Change
		why    string // "" if it is kept
	}{
		{"the last generation", put(last), ""},
		{"a claim beyond it", claim, "the counter has reached its end"},
		{"a name beyond what is a key", put(flavor(func(f *nova.Flavor) { f.Name = strings.Repeat("f", 40_000) })), "the limit is 32768"},
		{"a text beyond what is a record", put(flavor(func(f *nova.Flavor) { f.Description = strings.Repeat("d", 9<<20) })), "the limit is 8388608"},
		{"the year 10000", put(flavor(func(f *nova.Flavor) { f.Created = 253402300800000 })), "between the years 0 and 9999"},
		{"another", put(flavor(func(*nova.Flavor) {})), ""},
	} {
		err := s.Apply(t.Context(), tc.change).Err()
		if tc.why == "" && err != nil || tc.why != "" && (!errors.Is(err, placement.ErrInvalid) || !strings.Contains(err.Error(), tc.why) || len(err.Error()) > 400) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	want := modeltest.Records(s.Snapshot())
	must.Succeed(t, s.Close())
	if d := modeltest.Diff(want, modeltest.Records(open(t, path, engine.Options{}).Snapshot())); d != "" {
		t.Errorf("opened again (-written +read):\n%s", d)
	}
}
