package insight_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// demoFigures returns all figures of the demo cloud, and the cloud.
func demoFigures(t *testing.T) (*cloud.Snapshot, []insight.Series) {
	t.Helper()
	s := demotest.Snapshot(t, demo.Options{Now: modeltest.At(0)})
	now := s.At()
	found := audit.Inspect(s, audit.InspectOptions{Now: now})
	room := insight.RoomOf(s, insight.RoomOptions{Index: candidates.NewIndex(s.Placement()), Trees: true})
	return s, insight.Metrics(insight.Input{Snapshot: s, Now: now, Found: &found, Room: room, Each: true})
}

// TestEveryFigureIsThere expects points of each figure in the demo cloud, each once, with
// a value for each label.
func TestEveryFigureIsThere(t *testing.T) {
	t.Parallel()
	_, all := demoFigures(t)
	there := map[string]bool{}
	for _, s := range all {
		there[s.Name] = true
		seen := map[string]bool{}
		for _, p := range s.Points {
			key := strings.Join(p.Values, "\x00")
			if seen[key] {
				t.Errorf("%s has %q twice", s.Name, p.Values)
			}
			seen[key] = true
			if len(p.Values) != len(s.Labels) {
				t.Errorf("%s has values %q for the labels %q", s.Name, p.Values, s.Labels)
			}
		}
	}
	for _, f := range insight.Families() {
		if !there[f.Name] {
			t.Errorf("the demo cloud has no %s", f.Name)
		}
	}
}

// TestNames checks the table: names in order, each once, and as Prometheus wants them,
// which reserves the suffix _total for counters.
func TestNames(t *testing.T) {
	t.Parallel()
	last := ""
	for _, f := range insight.Families() {
		if f.Name <= last {
			t.Errorf("%s comes after %s", f.Name, last)
		}
		last = f.Name
		if strings.HasSuffix(f.Name, "_total") != f.Untyped {
			t.Errorf("%s: untyped %t", f.Name, f.Untyped)
		}
		if !strings.HasPrefix(f.Name, "placetop_") && !strings.HasPrefix(f.Name, "openstack_") || !strings.HasSuffix(f.Help, ".") {
			t.Errorf("%s: %q", f.Name, f.Help)
		}
		for _, unit := range []string{"_count", "_sum", "_bucket", "_info"} {
			if strings.HasSuffix(f.Name, unit) {
				t.Errorf("%s ends in %s, which is kept for others", f.Name, unit)
			}
		}
	}
}

// TestDashboardsOfOthers checks the names and labels that existing dashboards use.
func TestDashboardsOfOthers(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, f := range insight.Families() {
		if strings.HasPrefix(f.Name, "openstack_") {
			got[f.Name] = strings.Join(f.Labels, ",")
		}
	}
	want := map[string]string{
		"openstack_placement_resource_total":                  "hostname,resourcetype",
		"openstack_placement_resource_allocation_ratio":       "hostname,resourcetype",
		"openstack_placement_resource_reserved":               "hostname,resourcetype",
		"openstack_placement_resource_usage":                  "hostname,resourcetype",
		"openstack_free_capacity_by_flavor_total":             "flavor_name",
		"openstack_free_capacity_hypervisor_by_flavor":        "hypervisor,flavor_name,az_aggregate,project_aggregate",
		"openstack_hypervisor_placement_allocated":            "hypervisor,resource",
		"openstack_hypervisor_placement_allocatable_capacity": "hypervisor,resource",
		"openstack_project_usage":                             "project_id,project_name,placement_resource",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestSumsAgree adds up figures that are given in several ways, and gets the same sums:
// by zone, by project and by provider as by class, and by hypervisor as by flavor.
func TestSumsAgree(t *testing.T) {
	t.Parallel()
	s, all := demoFigures(t)
	sums := func(name string, by int) map[string]float64 {
		out := map[string]float64{}
		for _, series := range all {
			if series.Name != name {
				continue
			}
			for _, p := range series.Points {
				out[p.Values[by]] += p.Value
			}
		}
		return out
	}
	used := sums("placetop_resource_used", 0)
	for name, by := range map[string]int{
		"placetop_zone_resource_used": 1, "openstack_project_usage": 2, "openstack_placement_resource_usage": 1,
		"openstack_hypervisor_placement_allocated": 1,
	} {
		got := sums(name, by)
		maps.DeleteFunc(got, func(_ string, n float64) bool { return n == 0 })
		want := maps.Clone(used)
		maps.DeleteFunc(want, func(_ string, n float64) bool { return n == 0 })
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v\nused: %v", name, got, want)
		}
	}
	fits := sums("placetop_flavor_fits", 0)
	maps.DeleteFunc(fits, func(_ string, n float64) bool { return n == 0 })
	if got := sums("openstack_free_capacity_hypervisor_by_flavor", 1); !maps.Equal(got, fits) || len(fits) == 0 {
		t.Errorf("by hypervisor %v\nfit: %v", got, fits)
	}
	for _, class := range insight.Totals(s).Classes {
		if used[string(class.Class)] != float64(class.Used) {
			t.Errorf("%s: %v", class.Class, used[string(class.Class)])
		}
	}
	vgpu := map[string]float64{}
	for _, series := range all {
		if series.Name == "placetop_owner_resource_capacity" {
			for _, p := range series.Points {
				if p.Values[1] == string(placement.VGPU) {
					vgpu[p.Values[0]] = p.Value
				}
			}
		}
	}
	if vgpu["nova"] == 0 || vgpu["cyborg"] == 0 {
		t.Errorf("VGPU by owner: %v", vgpu)
	}
}

// TestNothingOfEachUnlessAsked expects no series by provider unless asked for, and
// figures even for an empty cloud.
func TestNothingOfEachUnlessAsked(t *testing.T) {
	t.Parallel()
	for _, s := range []*cloud.Snapshot{demotest.Snapshot(t, demo.Options{Now: modeltest.At(0)}), cloud.Empty()} {
		got := insight.Metrics(insight.Input{Snapshot: s, Now: modeltest.At(0)})
		if len(got) < 10 || slices.ContainsFunc(got, func(s insight.Series) bool { return s.Each || strings.Contains(s.Name, "flavor") }) {
			t.Errorf("got %v", fmt.Sprint(got))
		}
	}
}

// TestRoomOfPinnedCPUs counts hosts that report PCPU and others: Nova asks for both.
func TestRoomOfPinnedCPUs(t *testing.T) {
	t.Parallel()
	s := modeltest.NewWorld(t).Pinned().Snapshot
	room := insight.RoomOf(s, insight.RoomOptions{Index: candidates.NewIndex(s.Placement())})
	must.Match(t, []insight.FlavorRoom{{Name: "pin", Copies: 4, Hosts: 2}}, room.Flavors)
}

// TestNothingFoundIsNotNone leaves out the problems of a rule that could not be judged,
// instead of giving 0.
func TestNothingFoundIsNotNone(t *testing.T) {
	t.Parallel()
	s := demotest.Snapshot(t, demo.Options{Now: modeltest.At(0)})
	live := s.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Instances, Why: "503 Service Unavailable"}}, nil))
	points := func(s *cloud.Snapshot) (rules []string, unjudged float64) {
		found := audit.Inspect(s, audit.InspectOptions{Now: s.At()})
		for _, f := range insight.Metrics(insight.Input{Snapshot: s, Now: s.At(), Found: &found}) {
			for _, p := range f.Points {
				switch f.Name {
				case "placetop_problems":
					rules = append(rules, p.Values[0])
				case "placetop_problems_unjudged":
					unjudged = p.Value
				}
			}
		}
		return rules, unjudged
	}
	if rules, n := points(s); !slices.Contains(rules, "a01") || n != 0 {
		t.Errorf("of a whole cloud: %v, %v", rules, n)
	}
	if rules, n := points(live); slices.Contains(rules, "a01") || !slices.Contains(rules, "a02") || n == 0 {
		t.Errorf("without servers: %v, %v", rules, n)
	}
}
