package cloud_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
)

// plainCodec reads all kinds field by field, as it takes them for an older version.
func plainCodec() *versioned.Codec {
	schemas := cloud.Schemas()
	for i := range schemas {
		schemas[i].Version.Minor++
	}
	return versioned.NewCodec(schemas...)
}

// wantSameReading fails unless both codecs, and a Bulk, read the same of b, or
// refuse it.
func wantSameReading(t *testing.T, quick, plain *versioned.Codec, kind versioned.Kind, b []byte) {
	t.Helper()
	want, wantErr := plain.Decode(kind, b)
	got, err := quick.Decode(kind, b)
	wantRead(t, "quickly", kind, b, want, got, wantErr, err)
	got, err = quick.Bulk().Decode(kind, b)
	if draft, ok := got.(versioned.Draft); ok {
		got = draft.Full()
	}
	wantRead(t, "in bulk", kind, b, want, got, wantErr, err)
}

func wantRead(t *testing.T, how string, kind versioned.Kind, b []byte, want, got versioned.Record, wantErr, err error) {
	t.Helper()
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%s %x: read %s %v, field by field %v", kind, b, how, err, wantErr)
	}
	if err != nil || reflect.DeepEqual(want, got) { // much faster than cmp, and stricter
		return
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); d != "" {
		t.Errorf("%s %x (-field by field +%s):\n%s", kind, b, how, d)
	}
}

// The quick reader reads what the slow one reads.
func TestQuickReadingIsTheSame(t *testing.T) {
	t.Parallel()
	quick := cloud.NewCodec()
	plain := plainCodec()
	ofPlacement, ofNova := modeltest.Size{Hosts: 3, Traits: 42, Cards: 2, Servers: 3}.Records()
	records := append(ofPlacement, ofNova...)
	for _, kind := range quick.Kinds() {
		for _, r := range samples()[kind] {
			records = append(records, r)
		}
	}
	for _, r := range records {
		b := must.Get(quick.Encode(r))(t)
		wantSameReading(t, quick, plain, r.RecordKind(), b)
		// So it does after any bit of the data is flipped.
		for i := 9 * 8; i < min(len(b), 150)*8; i++ {
			b[i/8] ^= 1 << (i % 8)
			wantSameReading(t, quick, plain, r.RecordKind(), modeltest.Resum(b))
			b[i/8] ^= 1 << (i % 8)
		}
	}
}

// Other forms of the same data.
func TestQuickReadingOfOtherForms(t *testing.T) {
	t.Parallel()
	quick := cloud.NewCodec()
	plain := plainCodec()
	id := func(n byte) []byte { return append([]byte{0x50, n}, make([]byte, 15)...) } // 16 bytes
	join := func(parts ...any) []byte {
		var out []byte
		for _, p := range parts {
			switch p := p.(type) {
			case int:
				out = append(out, byte(p))
			case string:
				out = append(append(out, 0x60+byte(len(p))), p...)
			case []byte:
				out = append(out, p...)
			}
		}
		return out
	}
	vcpu := join(0xa1, "VCPU", 2)
	for name, data := range map[string][]byte{
		"as written":                     join(0xa5, 1, id(1), 3, "p", 4, "u", 5, 1, 6, 0xa1, id(2), vcpu),
		"fields in another order":        join(0xa5, 3, "p", 1, id(1), 4, "u", 5, 1, 6, 0xa1, id(2), vcpu),
		"a field twice":                  join(0xa2, 3, "p", 3, "q"),
		"a field that is not known":      join(0xa2, 3, "p", 9, 1),
		"a key that is a text":           join(0xa2, 3, "p", "4", 1),
		"a negative key":                 join(0xa1, 0x20, 1),
		"a long head":                    join(0xa1, 5, 0x18, 1),
		"a longer head":                  join(0xa1, 5, 0x19, 0, 0x18),
		"a head of four bytes":           join(0xa1, 5, 0x1a, 0, 1, 0, 0),
		"a head of eight bytes":          join(0xa1, 5, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0),
		"the highest number":             join(0xa1, 5, 0x1b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"a number beyond":                join(0xa1, 5, 0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0),
		"the lowest number":              join(0xa1, 5, 0x3b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"a number below":                 join(0xa1, 5, 0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0),
		"a negative number":              join(0xa1, 5, 0x38, 0x63),
		"a float for a number":           join(0xa1, 5, 0xf9, 0x3c, 0),
		"null for a text":                join(0xa1, 3, 0xf6),
		"null for a map":                 join(0xa1, 6, 0xf6),
		"bytes for a text":               join(0xa1, 3, 0x41, 0x61),
		"a text for bytes":               join(0xa1, 1, "0123456789abcdef"),
		"15 bytes":                       join(0xa1, 1, 0x4f, make([]byte, 15)),
		"a text that is not valid UTF-8": join(0xa1, 3, 0x61, 0xff),
		"a map without end":              join(0xbf, 5, 1, 0xff),
		"a text in pieces":               join(0xa1, 3, 0x7f, 0x61, 0x61, 0xff),
		"a map that is too long":         join(0xa2, 5, 1),
		"a map of very many":             join(0xa1, 6, 0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"an array of very many":          join(0xa1, 2, 0x9b, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"a text of very many":            join(0xa1, 3, 0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"a head cut off":                 join(0xa1, 5, 0x19, 1),
		"a reserved head":                join(0xa1, 5, 0x1c),
		"something behind":               join(0xa1, 5, 1, 0),
		"a provider twice":               join(0xa1, 6, 0xa2, id(2), vcpu, id(2), vcpu),
		"a class twice":                  join(0xa1, 6, 0xa1, id(2), 0xa2, "VCPU", 1, "VCPU", 2),
		"providers in any order":         join(0xa1, 6, 0xa2, id(3), vcpu, id(2), vcpu),
		"a class of the cloud":           join(0xa1, 6, 0xa1, id(2), 0xa1, "CUSTOM_A", 1),
		"a tag":                          join(0xa1, 5, 0xc2, 0x41, 1),
		"traits":                         join(0xa2, 1, id(1), 2, 0x82, "OWNER_NOVA", "CUSTOM_A"),
		"a trait twice":                  join(0xa2, 1, id(1), 2, 0x82, "OWNER_NOVA", "OWNER_NOVA"),
		"no field":                       join(0xa0),
		"an array":                       join(0x80),
		"nothing":                        nil,
	} {
		for _, kind := range quick.Kinds() {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				of, _ := quick.Schema(kind)
				b := append([]byte{1, 0, byte(of.Version.Major), 0, byte(of.Version.Minor), 0, 0, 0, 0}, data...)
				wantSameReading(t, quick, plain, kind, modeltest.Resum(b))
			})
		}
	}
}

func FuzzQuickReading(f *testing.F) {
	quick := cloud.NewCodec()
	plain := plainCodec()
	for i, kind := range quick.Kinds() {
		for _, r := range samples()[kind] {
			b := must.Get(quick.Encode(r))(f)
			f.Add(i, b)
		}
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		if i >= 0 && i < len(quick.Kinds()) {
			wantSameReading(t, quick, plain, quick.Kinds()[i], modeltest.Resum(b))
		}
	})
}
