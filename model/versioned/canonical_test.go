package versioned_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
)

// leaf is a record that can be read quickly.
type leaf struct {
	N    int64            `cbor:"1,keyasint"`
	Name string           `cbor:"2,keyasint"`
	ID   [3]byte          `cbor:"3,keyasint"`
	List []int64          `cbor:"4,keyasint"`
	Map  map[string]int64 `cbor:"5,keyasint"`
	Told string           `cbor:"-"`
}

func (*leaf) RecordKind() versioned.Kind { return "leaf" }
func (*leaf) RecordKey() []byte          { return nil }

// leaves is the codec of leaf, at version 1.2.
func leaves() *versioned.Codec {
	return versioned.NewCodec(versioned.Schema{
		Kind: "leaf", Version: versioned.Version{Major: 1, Minor: 2}, New: func() versioned.Record { return new(leaf) },
	})
}

// What Encode wrote is read quickly, and is the same.
func TestCanonicalReading(t *testing.T) {
	t.Parallel()
	codec := leaves()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{
			0, 23, 24, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, -1, -24, -25, -256, -257, math.MinInt64,
		}))
		in := &leaf{
			N: number.Draw(t, "n"), Name: rapid.String().Draw(t, "name"), ID: [3]byte{1, 2, 3},
			List: rapid.SliceOfN(number, 0, 30).Draw(t, "list"), Map: rapid.MapOfN(rapid.String(), number, 0, 30).Draw(t, "map"),
		}
		b := must.Get(codec.Encode(in))(t)
		out := must.Get(codec.Decode("leaf", b))(t)
		if !codec.Quick("leaf", b) {
			t.Errorf("%x is not read the quick way", b)
		}
		if d := cmp.Diff(versioned.Record(in), out); d != "" {
			t.Errorf("(-in +out):\n%s", d)
		}
	})
}

// Another version, or another form, is read field by field.
func TestCanonicalReadingDeclines(t *testing.T) {
	t.Parallel()
	type newer struct {
		leaf
		More int64 `cbor:"9,keyasint"`
	}
	for _, tt := range []struct {
		name  string
		minor uint16
		data  any
		quick bool
	}{
		{name: "its own version", minor: 2, data: &leaf{N: 7}, quick: false}, // nil for the list and the map
		{name: "its own version, nothing nil", minor: 2, data: &leaf{N: 7, List: []int64{}, Map: map[string]int64{}}, quick: true},
		{name: "an older minor", minor: 1, data: &leaf{N: 7, List: []int64{}, Map: map[string]int64{}}},
		{name: "a newer minor", minor: 3, data: &newer{leaf: leaf{N: 7}, More: 1}},
		{name: "a field that is not known", minor: 2, data: &newer{leaf: leaf{N: 7, List: []int64{}, Map: map[string]int64{}}, More: 1}},
	} {
		b := packed(t, 1, tt.minor, tt.data)
		out, err := leaves().Decode("leaf", b)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if quick := leaves().Quick("leaf", b); out.(*leaf).N != 7 || quick != tt.quick {
			t.Errorf("%s: %+v, quick %t", tt.name, out, quick)
		}
	}
}
