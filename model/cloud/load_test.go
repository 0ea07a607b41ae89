package cloud_test

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
)

// A cloud may be loaded from records as they are decoded, one by one.
func TestLoader(t *testing.T) {
	t.Parallel()
	codec := cloud.NewCodec()
	p, n := modeltest.Size{Hosts: 3, Traits: 5, Cards: 1, Servers: 2}.Records()
	records := slices.Concat(p, n)
	l := cloud.NewLoader()
	for _, r := range records {
		b := must.Get(codec.Encode(r))(t)
		must.Succeed(t, l.Add(must.Get(codec.Decode(r.RecordKind(), b))(t)))
	}
	s := must.Get(l.Snapshot(3, modeltest.At(9)))(t)
	if s.Revision() != 3 || !s.At().Equal(modeltest.At(9)) {
		t.Errorf("revision %d at %s", s.Revision(), s.At())
	}
	if d := modeltest.Diff(records, modeltest.Records(s)); d != "" {
		t.Errorf("records (-in +out):\n%s", d)
	}
	for _, r := range records {
		if has := s.Held(r); !versioned.Alike(has, r) {
			t.Errorf("%s is held as %+v", versioned.Title(r), has)
		}
		if has := cloud.Empty().Held(r); has != nil {
			t.Errorf("an empty cloud holds %+v", has)
		}
	}
	for _, err := range s.Check() {
		t.Errorf("check: %v", err)
	}
}
