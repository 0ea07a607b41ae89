package cloud_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// number is a number in a record.
type number struct {
	name string
	at   reflect.Value
}

// numbers returns the numbers in v except those in maps, which cannot be set in place.
func numbers(name string, v reflect.Value) []number {
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64:
		return []number{{name, v}}
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return numbers(name, v.Elem())
	case reflect.Struct:
		var out []number
		for i := range v.NumField() {
			out = append(out, numbers(name+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
		return out
	case reflect.Slice:
		var out []number
		for i := range v.Len() {
			out = append(out, numbers(name, v.Index(i))...)
		}
		return out
	default:
		return nil
	}
}

// set puts into n the integer i, or a number like it that n can hold.
func (n number) set(i int64) {
	switch n.at.Kind() {
	case reflect.Float64:
		n.at.SetFloat(math.Copysign(math.Inf(1), float64(i)))
	case reflect.Int32:
		n.at.SetInt(max(math.MinInt32, min(math.MaxInt32, i)))
	default:
		n.at.SetInt(i)
	}
}

// Every number in every kind of record has bounds, which an import cannot exceed: whoever
// adds a field states them.
func TestEveryNumberHasBounds(t *testing.T) {
	t.Parallel()
	any64 := []string{"Acknowledgement.Size"} // only compared
	for kind := range samples() {
		count := len(numbers("", reflect.ValueOf(samples()[kind][""])))
		for i := range count {
			r := samples()[kind][""]
			n := numbers(reflect.TypeOf(r).Elem().Name(), reflect.ValueOf(r))[i]
			if err := versioned.CheckBounds(r); err != nil {
				t.Fatalf("the sample of %s: %v", kind, err)
			}
			n.set(math.MaxInt64)
			refused := versioned.CheckBounds(r) != nil
			if row, ok := r.(ledger.Row); ok {
				refused = refused || row.Validate() != nil
			}
			if refused == slices.Contains(any64, n.name) {
				t.Errorf("%s of %v: refused is %t", n.name, n.at, refused)
			}
		}
	}
}

// movedAsExport returns an empty cloud after an import of the export of s.
func movedAsExport(t *rapid.T, s *cloud.Snapshot) *cloud.Snapshot {
	var text bytes.Buffer
	must.Succeed(t, ops.Export(&text, s))
	export := must.Get(ops.ReadExport(&text))(t)
	im := must.Get(ops.PlanImport(cloud.Empty(), export.Records))(t)
	im.Change.At = s.At()
	there, _, err := cloud.Empty().Apply(im.Change)
	must.Succeed(t, err)
	return there
}

// Whatever extreme Apply accepts, set or reached by counting, can be written, read and
// loaded, and exported and imported.
func TestWhatIsAcceptedIsRead(t *testing.T) {
	t.Parallel()
	codec := cloud.NewCodec()
	extremes := []int64{math.MinInt64, -1, 0, 1, math.MaxInt32, math.MaxInt32 + 1, versioned.MaxCounter - 1, versioned.MaxCounter, versioned.MaxCounter + 1, versioned.MaxID, versioned.MaxID + 1, math.MaxInt64 - 1, math.MaxInt64, 253402300799999, 253402300800000}
	var kinds []versioned.Kind
	for _, schema := range cloud.Schemas() {
		kinds = append(kinds, schema.Kind)
	}
	base := modeltest.NewWorld(t).Provider("compute1", "", modeltest.Resources{"VCPU": 4}).Snapshot
	rapid.Check(t, func(t *rapid.T) {
		s := base
		for range rapid.IntRange(1, 6).Draw(t, "writes") {
			r := samples()[rapid.SampledFrom(kinds).Draw(t, "kind")][""]
			if has, ok := s.Placement().ProviderByName("compute1"); ok && rapid.Bool().Draw(t, "provider") {
				r = s.Placement().ProviderRecord(has)
			}
			for _, n := range numbers("", reflect.ValueOf(r)) {
				if rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
					n.set(rapid.SampledFrom(extremes).Draw(t, n.name))
				}
			}
			var was versioned.Record
			for of := range s.Records() {
				if of.RecordKind() == r.RecordKind() && string(of.RecordKey()) == string(r.RecordKey()) {
					was = of
				}
			}
			change := cloud.PutRecords("", "", []versioned.Change{{Before: was, After: r}})
			if rapid.Bool().Draw(t, "claim") {
				change = cloud.Change{At: time.UnixMilli(rapid.SampledFrom(extremes[1:]).Draw(t, "at")), Ops: []placement.Op{
					modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{"compute1": {"VCPU": 1}})),
				}}
			}
			next, _, err := s.Apply(change)
			if err != nil {
				if !errors.Is(err, placement.ErrInvalid) && !errors.Is(err, placement.ErrState) && !errors.Is(err, placement.ErrConflict) && !errors.Is(err, placement.ErrExists) {
					t.Errorf("%v", err)
				}
				continue
			}
			s = next
			all := modeltest.Records(s)
			read := make([]versioned.Record, len(all))
			for i, r := range all {
				b, err := codec.Encode(r)
				if err == nil {
					read[i], err = codec.Decode(r.RecordKind(), b)
				}
				if err != nil {
					t.Fatalf("%+v: %v", r, err)
				}
			}
			if d := modeltest.Diff(all, modeltest.Records(movedAsExport(t, s))); d != "" {
				t.Fatalf("records (-exported +imported):\n%s", d)
			}
			again, err := cloud.Load(s.Revision(), s.At(), func(yield func(versioned.Record, error) bool) {
				for _, r := range read {
					if !yield(r, nil) {
						return
					}
				}
			})
			must.Succeed(t, err)
			if d := modeltest.Diff(all, modeltest.Records(again)); d != "" {
				t.Fatalf("records (-written +read):\n%s", d)
			}
		}
	})
}

// A generation does not overflow to a negative one, which could not be read back.
func TestGenerationsEnd(t *testing.T) {
	t.Parallel()
	s := modeltest.NewWorld(t).Provider("compute1", "", modeltest.Resources{"VCPU": 4}).Snapshot
	p, _ := s.Placement().ProviderByName("compute1")
	last := s.Placement().ProviderRecord(p)
	was := *last
	last.Generation = versioned.MaxCounter
	s, _, err := s.Apply(cloud.PutRecords("", "", []versioned.Change{{Before: &was, After: last}}))
	must.Succeed(t, err)
	_, _, err = s.Apply(cloud.Change{Ops: []placement.Op{
		modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{"compute1": {"VCPU": 1}})),
	}})
	if !errors.Is(err, placement.ErrInvalid) || !strings.Contains(err.Error(), "the counter has reached its end") {
		t.Errorf("%v", err)
	}
	// One that an earlier release counted beyond that is not counted up either.
	for _, beyond := range []int64{versioned.MaxCounter + 7, math.MaxInt64} {
		own := *last
		own.Generation = beyond
		s := must.Get(cloud.Load(1, time.Time{}, func(yield func(versioned.Record, error) bool) { yield(&own, nil) }))(t)
		for _, now := range []int64{beyond, beyond + 1, beyond - 1, 9} {
			next := own
			next.Name, next.Generation = "renamed", now
			_, _, err := s.Apply(cloud.PutRecords("", "", []versioned.Change{{Before: &own, After: &next}}))
			if may := now == beyond || now == 9; may == errors.Is(err, placement.ErrInvalid) {
				t.Errorf("from %d to %d: %v", beyond, now, err)
			}
		}
	}
}

// A record that an earlier release accepted can still be written, and corrected.
func TestWhatWasLetInStays(t *testing.T) {
	t.Parallel()
	r := samples()["instance"][""]
	n := numbers("", reflect.ValueOf(r))[0]
	n.set(math.MaxInt64)
	s, err := cloud.Load(1, time.Time{}, func(yield func(versioned.Record, error) bool) { yield(r, nil) })
	must.Succeed(t, err)
	bad, good := samples()["instance"][""], samples()["instance"][""]
	numbers("", reflect.ValueOf(bad))[0].set(math.MaxInt64 - 1)
	if s, _, err = s.Apply(cloud.PutRecords("", "", []versioned.Change{{Before: r, After: bad}})); err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Apply(cloud.PutRecords("", "", []versioned.Change{{Before: bad, After: good}})); err != nil {
		t.Fatal(err)
	}
	if _, _, err = s.Apply(cloud.PutRecords("", "", []versioned.Change{{Before: good, After: bad}})); !errors.Is(err, placement.ErrInvalid) {
		t.Errorf("%v", err)
	}
}
