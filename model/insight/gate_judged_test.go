package insight_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
)

// TestReadinessOfJudgedServices is about a real cloud, whose API says that a service is
// up but not its version: none is shown as if it had reported one, or as if it had never
// been heard of.
func TestReadinessOfJudgedServices(t *testing.T) {
	t.Parallel()
	judged := func(state nova.ServiceState) func(s *nova.Service) {
		return func(s *nova.Service) {
			s.Judged, s.Told = true, state
			if state == nova.ServiceUp {
				s.LastSeenUp = 0
			}
		}
	}
	w := newWorld(t).Node("a").Bare("b").
		Compute("a", 73, judged(nova.ServiceUp)).Compute("b", 72, judged(nova.ServiceUp)).Compute("c", 72, judged(nova.ServiceDown))
	r := readiness(w)
	got := map[string]insight.HoldState{}
	for _, h := range r.Holds {
		got[h.Host] = h.State
	}
	must.Match(t, map[string]insight.HoldState{"b": insight.HoldsOld, "c": insight.HoldsSilent}, got)
	var words []string
	for _, v := range r.Cells[0].Versions {
		words = append(words, v.Words())
	}
	must.Match(t, []string{"73+", "<73"}, words)
	if c := r.Check(insight.CheckComputes); c.Text != "by OWNER_NOVA on their roots, as Nova's API tells no versions: cell1 1/3, 2 before 73: b, c" {
		t.Error(c.Text)
	}
}

// TestReadinessOfFlavorsThatAreNotTold is about a cloud whose flavors may ask for more than is known.
func TestReadinessOfFlavorsThatAreNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("a").Compute("a", 73)
	for why, want := range map[string]insight.CheckState{"": insight.CheckMet, "403": insight.CheckUnknown} {
		s := w.Snapshot.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Flavors, Cut: why}}, nil))
		if c := insight.ReadinessOf(s, insight.Owners(s), modeltest.Noon()).Check(insight.CheckUnowned); c.State != want {
			t.Errorf("%q: %+v", why, c)
		}
	}
}

// TestReadinessOfServicesThatAreNotTold is about a cloud whose services could not be read, or not all: the
// gate is not closed for want of them.
func TestReadinessOfServicesThatAreNotTold(t *testing.T) {
	t.Parallel()
	none, two := newWorld(t).Node("a"), newWorld(t).Node("a").Compute("a", 73, func(s *nova.Service) { s.Judged = true })
	for _, test := range []struct {
		w           *world
		read        cloud.Reading
		text, words string
	}{
		{none, cloud.Reading{Why: "403"}, "not judged: services: 403", "not known: services: 403"},
		{none, cloud.Reading{Why: "opened without Nova", Without: true}, "no nova-compute service says its version: Nova is not connected", "closed: no nova-compute service reports its version, need 73"},
		{two, cloud.Reading{Cut: "a cell is down"}, "cell1 1/1; not judged: services: a cell is down", "not judged about all: services: a cell is down"},
	} {
		test.read.Part = cloud.Services
		s := test.w.Snapshot.ReadAs(cloud.NewReadings([]cloud.Reading{test.read}, nil))
		r := insight.ReadinessOf(s, insight.Owners(s), modeltest.Noon())
		if c := r.Check(insight.CheckComputes); c.State != insight.CheckUnknown || !strings.HasSuffix(c.Text, test.text) || !strings.Contains(r.Words(), test.words) {
			t.Errorf("%+v: %s %q, %q", test.read, c.State, c.Text, r.Words())
		}
	}
}

// TestVersionsStandInOneOrder has services judged to be of the version that others
// reported.
func TestVersionsStandInOneOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("a").Compute("b", 73).Compute("a", 73, func(s *nova.Service) { s.Judged = true })
	for range 20 {
		of := readiness(w).Cells[0].Versions
		if len(of) != 2 || of[0].Words() != "73+" || of[1].Words() != "73" {
			t.Fatalf("versions are %v", of)
		}
	}
}
