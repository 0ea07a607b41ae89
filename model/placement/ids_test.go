package placement_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

func TestParseIDs(t *testing.T) {
	t.Parallel()
	const want = "9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee1"
	for text, ok := range map[string]bool{
		want:                                   true,
		strings.ToUpper(want):                  true,
		strings.ReplaceAll(want, "-", ""):      true,
		"{" + want + "}":                       true,
		"urn:uuid:" + want:                     true,
		"":                                     false,
		"compute1":                             false,
		want + "0":                             false,
		want[:35]:                              false,
		"00000000-0000-0000-0000-000000000000": false,
	} {
		p, err1 := placement.ParseProviderID(text)
		c, err2 := placement.ParseConsumerID(text)
		a, err3 := placement.ParseAggregateID(text)
		if !ok {
			for _, err := range []error{err1, err2, err3} {
				wantKind(t, err, placement.ErrInvalid)
			}
			if !p.IsZero() || !c.IsZero() || !a.IsZero() {
				t.Errorf("%q is refused and read", text)
			}
			continue
		}
		if err1 != nil || err2 != nil || err3 != nil {
			t.Errorf("%q: %v, %v, %v", text, err1, err2, err3)
		}
		if p.String() != want || c.String() != want || a.String() != want {
			t.Errorf("%q is read as %s, %s, %s", text, p, c, a)
		}
	}
}

// Ids sort as their text does, as lists are sorted.
func TestIDsSortAsTheirText(t *testing.T) {
	t.Parallel()
	var ids []placement.ProviderID
	var texts []string
	for n := range 256 {
		id := placement.ProviderID{0: byte(n * 37), 15: byte(n)}
		ids, texts = append(ids, id), append(texts, id.String())
	}
	slices.SortFunc(ids, placement.ProviderID.Compare)
	slices.Sort(texts)
	for i := range ids {
		if ids[i].String() != texts[i] {
			t.Fatalf("%d: %s and %s", i, ids[i], texts[i])
		}
	}
}

func TestIDEncodings(t *testing.T) {
	t.Parallel()
	type all struct {
		P placement.ProviderID
		C placement.ConsumerID
		A placement.AggregateID
	}
	in := all{placement.ProviderID{1}, placement.ConsumerID{2}, placement.AggregateID{3}}
	b := must.Get(json.Marshal(in))(t)
	var out all
	if err := json.Unmarshal(b, &out); err != nil || out != in {
		t.Errorf("%s becomes %v, %v", b, out, err)
	}
	for _, bad := range [][]byte{nil, {1}, make([]byte, 17)} {
		if out.P.UnmarshalBinary(bad) == nil || out.C.UnmarshalBinary(bad) == nil || out.A.UnmarshalBinary(bad) == nil {
			t.Errorf("%d bytes are a uuid", len(bad))
		}
	}
	p, _ := in.P.MarshalBinary()
	c, _ := in.C.MarshalBinary()
	a, _ := in.A.MarshalBinary()
	out = all{}
	if out.P.UnmarshalBinary(p) != nil || out.C.UnmarshalBinary(c) != nil || out.A.UnmarshalBinary(a) != nil || out != in {
		t.Errorf("16 bytes become %v", out)
	}
}
