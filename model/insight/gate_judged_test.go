package insight_test

import (
	"testing"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
)

// TestReadinessOfJudgedServices tells about a real cloud, whose API says of a service that it
// is up and no version: none of them is told as if it had said one, nor as never heard of.
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
	if c := r.Check(insight.CheckComputes); c.Text != "by OWNER_NOVA on their roots, as Nova's API tells no versions: cell1 1/3, 2 before 73" {
		t.Error(c.Text)
	}
}

// TestVersionsStandInOneOrder has some services judged to be of the version that others
// said.
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
