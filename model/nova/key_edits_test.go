package nova_test

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

// TestEditsOf has edits from one map to another, which leave alone what another writer
// has written in the meantime under keys that they do not name.
func TestEditsOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pairs := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.SampledFrom([]string{"", "1", "2"}))
		was, is := pairs.Draw(t, "was"), pairs.Draw(t, "is")
		edits := nova.EditsOf(was, is)
		if got := edits.On(was); !maps.Equal(got, is) {
			t.Fatalf("%v makes %v of %v, want %v", edits, got, was, is)
		}
		meanwhile := maps.Clone(was)
		meanwhile["other"] = "theirs"
		if got := edits.On(meanwhile); got["other"] != "theirs" {
			t.Fatalf("%v makes %v of %v", edits, got, meanwhile)
		}
	})
}

// TestMetadataOfTwo has two writers, based on the same ledger, write different keys of
// one host aggregate: neither is lost.
func TestMetadataOfTwo(t *testing.T) {
	t.Parallel()
	s := ledger(t, aggregate("zone", "ssd=true"))
	id := modeltest.AggregateID("zone")
	for _, edits := range []nova.KeyEdits{
		{Set: map[string]string{"pinned": "true"}}, {Set: map[string]string{"gpu": "true"}, Unset: []string{"ssd"}},
	} {
		s = does(t, s, nova.SetAggregateMetadata{Aggregate: id, Metadata: edits})
	}
	if a, _ := s.Aggregate(id); !maps.Equal(a.Metadata, map[string]string{"pinned": "true", "gpu": "true"}) {
		t.Errorf("it has %v", a.Metadata)
	}
}
