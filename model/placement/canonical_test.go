package placement_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// header is how many bytes of an envelope come before the data.
const header = 9

// wantPlain fails unless r is encoded as plain is, which says the same and has no
// method that writes it.
func wantPlain(tb rapid.TB, r versioned.Record, plain any) {
	tb.Helper()
	mode := must.Get(cbor.CoreDetEncOptions().EncMode())(tb)
	want := must.Get(mode.Marshal(plain))(tb)
	got := must.Get(versioned.NewCodec(placement.Schemas()...).Encode(r))(tb)
	if !bytes.Equal(got[header:], want) {
		tb.Fatalf("%+v is\n%x, want\n%x", plain, got[header:], want)
	}
}

// What is written by hand is what reflection writes.
func TestCanonicalWriting(t *testing.T) {
	t.Parallel()
	type (
		plainProvider placement.ProviderRecord
		plainConsumer placement.ConsumerRecord
	)
	number := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{
		0, 1, 23, 24, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, -1, -24, -25, -257, math.MinInt64,
	}))
	name := rapid.OneOf(rapid.StringN(0, 30, -1), rapid.StringN(250, 300, -1))
	class := rapid.Map(name, func(s string) placement.ResourceClass { return placement.ResourceClass(s) })
	id := rapid.Map(rapid.SliceOfN(rapid.Byte(), 16, 16), func(b []byte) placement.ProviderID { return placement.ProviderID(b) })
	inventory := rapid.Custom(func(t *rapid.T) placement.Inventory {
		return placement.Inventory{
			Total: number.Draw(t, "total"), Reserved: number.Draw(t, "reserved"), MinUnit: number.Draw(t, "min"),
			MaxUnit: number.Draw(t, "max"), StepSize: number.Draw(t, "step"), AllocationRatio: rapid.Float64().Draw(t, "ratio"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		p := &placement.ProviderRecord{
			UUID: id.Draw(t, "uuid"), Name: name.Draw(t, "name"), Parent: rapid.Ptr(id, true).Draw(t, "parent"),
			Generation: number.Draw(t, "generation"), Inventories: rapid.MapOfN(class, inventory, 0, 30).Draw(t, "inventories"),
			Aggregates: make([]placement.AggregateID, rapid.IntRange(0, 30).Draw(t, "aggregates")),
			Created:    number.Draw(t, "created"), Updated: number.Draw(t, "updated"),
		}
		wantPlain(t, p, (*plainProvider)(p))
		c := &placement.ConsumerRecord{
			UUID: placement.ConsumerID(p.UUID), Type: placement.ConsumerType(name.Draw(t, "type")), Project: name.Draw(t, "project"),
			User: name.Draw(t, "user"), Generation: p.Generation, Created: p.Created, Updated: p.Updated,
			Allocations: rapid.MapOfN(id, rapid.MapOfN(class, number, 0, 12), 0, 12).Draw(t, "allocations"),
		}
		wantPlain(t, c, (*plainConsumer)(c))
	})
	c := &placement.ConsumerRecord{}
	wantPlain(t, c, (*plainConsumer)(c))
	c.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{{}: nil}
	wantPlain(t, c, (*plainConsumer)(c))
	p := &placement.ProviderRecord{}
	wantPlain(t, p, (*plainProvider)(p))
}

// A ratio takes as few bytes as keep it: those that two bytes keep, their neighbours, and
// the limits of each width.
func TestCanonicalRatios(t *testing.T) {
	t.Parallel()
	mode := must.Get(cbor.CoreDetEncOptions().EncMode())(t)
	codec := versioned.NewCodec(placement.Schemas()...)
	check := func(f float64) {
		if f == 0 {
			return
		}
		r := &placement.ProviderRecord{Inventories: map[placement.ResourceClass]placement.Inventory{"A": {AllocationRatio: f}}}
		got, want := must.Get(codec.Encode(r))(t), must.Get(mode.Marshal(f))(t)
		if !bytes.HasSuffix(got, append([]byte{6}, want...)) {
			t.Errorf("%g is\n%x, want it to end in\n%x", f, got, want)
		}
	}
	for exponent := -30; exponent <= 20; exponent++ {
		for m := range 2048 {
			f := math.Ldexp(float64(m), exponent)
			check(f)
			check(-f)
		}
		check(math.Nextafter(math.Ldexp(1, exponent), 0))
		check(float64(math.Nextafter32(float32(math.Ldexp(1, exponent)), 0)))
	}
	for _, f := range []float64{
		math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, math.SmallestNonzeroFloat32, math.MaxFloat64, math.SmallestNonzeroFloat64, 65504, 65505, 65520, 65536, 0.1,
	} {
		check(f)
	}
}
