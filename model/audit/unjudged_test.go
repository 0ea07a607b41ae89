package audit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// partOf returns the part of a live cloud that a record is read with; "" for those of
// Placement, and what no API reports.
func partOf(r versioned.Record) cloud.Part {
	switch r.(type) {
	case *nova.Service:
		return cloud.Services
	case *nova.Flavor:
		return cloud.Flavors
	case *nova.ComputeNode:
		return cloud.Hypervisors
	case *nova.HostAggregate:
		return cloud.HostAggregates
	case *nova.Instance:
		return cloud.Instances
	case *nova.Migration:
		return cloud.Migrations
	case *cyborg.Device:
		return cloud.Devices
	case *cyborg.Deployable, *cyborg.Attribute:
		return cloud.Deployables
	case *cyborg.DeviceProfile:
		return cloud.Profiles
	case *cyborg.ARQ:
		return cloud.ARQs
	}
	return ""
}

// otherParts are the parts that Placement does not report.
func otherParts() []cloud.Part { return cloud.Parts()[4:] }

// without returns s without those records of a part that lacks returns true for, by their
// number.
func without(t *testing.T, s *cloud.Snapshot, part cloud.Part, lacks func(n int) bool) *cloud.Snapshot {
	t.Helper()
	n := 0
	out, err := cloud.Load(s.Revision(), s.At(), func(yield func(versioned.Record, error) bool) {
		for r := range s.Records() {
			if partOf(r) == part {
				if n++; lacks(n - 1) {
					continue
				}
			}
			if !yield(r, nil) {
				return
			}
		}
	})
	must.Succeed(t, err)
	return out
}

// checkAbsence hides the records of each part of a cloud, all of them and every other one.
// If the rules are told that they are not all there, none may find anything that it does not
// find when it sees them, and each that finds less must be among those that were not judged.
func checkAbsence(t *testing.T, s *cloud.Snapshot) {
	t.Helper()
	was := audit.Find(s)
	there := map[cloud.Part]bool{}
	for r := range s.Records() {
		there[partOf(r)] = true
	}
	for _, part := range otherParts() {
		if !there[part] {
			continue
		}
		for name, lacks := range map[string]func(int) bool{
			"all": func(int) bool { return true }, "even": func(n int) bool { return n%2 == 0 }, "odd": func(n int) bool { return n%2 == 1 },
		} {
			hidden := without(t, s, part, lacks)
			for _, reading := range []cloud.Reading{{Part: part, Cut: "not all"}, {Part: part, Why: "503"}} {
				if reading.Why != "" && name != "all" {
					continue
				}
				r := audit.Inspect(hidden.ReadAs(cloud.NewReadings([]cloud.Reading{reading}, nil)), audit.InspectOptions{Now: s.At()})
				is := audit.Findings(slices.Concat(r.Open, r.Acknowledged, r.Muted))
				for _, f := range is {
					if !slices.ContainsFunc(was, f.Same) {
						t.Errorf("without %s of the %s, %+v: %s", name, part, reading, f)
					}
				}
				for _, f := range was {
					told := slices.ContainsFunc(r.Unjudged, func(u audit.UnjudgedRule) bool { return u.Rule == f.Rule })
					if !told && !slices.ContainsFunc(is, f.Same) && !restsOnLive(f) {
						t.Errorf("without %s of the %s, %+v, nobody says that this was not judged: %s", name, part, reading, f)
					}
				}
			}
		}
	}
}

// restsOnLive reports whether the rule of a finding leaves out what it finds in a cloud in
// a file: that the API of a live cloud does not say enough.
func restsOnLive(f audit.Finding) bool {
	return f.Rule == audit.RuleUnlikeFlavor || f.Rule == audit.RuleWrongOwner
}

// unjudged returns the ids of the rules that were not judged.
func unjudged(s *cloud.Snapshot) string {
	var out []string
	for _, u := range audit.Inspect(s, audit.InspectOptions{Now: s.At()}).Unjudged {
		out = append(out, string(u.Rule))
	}
	return strings.Join(out, " ")
}

// TestUnjudged checks which rules are not judged if parts of a cloud were not read.
func TestUnjudged(t *testing.T) {
	t.Parallel()
	s := newWorld(t).Snapshot
	if got := unjudged(s); got != "" {
		t.Errorf("of a whole cloud: %q", got)
	}
	for part, want := range map[cloud.Part]string{
		cloud.Services: "v02 v03 v04 v01 g03", cloud.Flavors: "o06 a03 d01", cloud.ARQs: "d06 d02 d04 d05", cloud.Profiles: "o06 a03",
		cloud.Migrations: "a08 o06 a01 a03 a04 a05 a06 a07 a10 d02 d05 a09",
	} {
		for _, r := range []cloud.Reading{{Part: part, Why: "403 Forbidden"}, {Part: part, Cut: "only the first 3"}} {
			live := s.ReadAs(cloud.NewReadings([]cloud.Reading{r}, nil))
			if got := unjudged(live); got != want {
				t.Errorf("%+v: %q, want %q", r, got, want)
			}
		}
	}
	all := unjudged(s.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Contents, Why: "still being read"}}, nil)))
	if len(strings.Fields(all)) < len(audit.Rules())-2 { // but c01 and g01, which are not about the cloud
		t.Errorf("while Placement is being read: %q", all)
	}
	text := audit.UnjudgedText([]audit.UnjudgedRule{{Rule: "a01", Why: []string{"servers: 403", "migrations: 503"}}, {Rule: "a04", Why: []string{"servers: 403"}}}, 38)
	if text != "2 of 38 rules not judged, or not about everything: servers: 403; migrations: 503" || audit.UnjudgedText(nil, 38) != "" {
		t.Errorf("%q", text)
	}
}

// TestOrphansOfALiveCloud looks for orphans where not all of what would explain a consumer
// was read, or it may be another Nova's.
func TestOrphansOfALiveCloud(t *testing.T) {
	t.Parallel()
	const own = "403 Forbidden; only those of the user's own project were read"
	for name, test := range map[string]struct {
		typ      placement.ConsumerType
		at       string // host that it holds something on; Nova has no compute node for k
		readings []cloud.Reading
		moving   bool
		want     string // "a01", or why it is not judged
	}{
		"all was read":               {"", "h", nil, false, "a01"},
		"servers of the own project": {"", "h", []cloud.Reading{{Part: cloud.Instances, Cut: own}}, false, "servers: " + own},
		// LP 1852610: a resize may wait for its confirmation behind thousands of newer migrations.
		"the newest migrations":                            {"", "h", []cloud.Reading{{Part: cloud.Migrations, Cut: "only the first 3000 were read"}}, false, "migrations: only the first 3000 were read"},
		"the newest migrations, and all that are not over": {"", "h", []cloud.Reading{{Part: cloud.Migrations, Cut: "only the first 3000 were read", Over: true}}, false, "a01"},
		"an instance, so no old migration":                 {placement.InstanceConsumer, "h", []cloud.Reading{{Part: cloud.Migrations, Cut: "only the first 3000 were read"}}, false, "a01"},
		"no migrations":                                    {"", "h", []cloud.Reading{{Part: cloud.Migrations, Why: "503 Service Unavailable"}}, false, "migrations: 503 Service Unavailable"},
		"servers from before nova-api died":                {"", "h", []cloud.Reading{{Part: cloud.Instances, Rows: 1, Why: "503 Service Unavailable"}}, false, "servers: 503 Service Unavailable"},
		"a root of another Nova":                           {"", "k", nil, false, "it holds something on a root that is no hypervisor of this Nova"},
		"hypervisors of a cell":                            {"", "k", []cloud.Reading{{Part: cloud.Hypervisors, Cut: "a cell does not answer"}}, false, "hypervisors: a cell does not answer"},
		"booted while it was read":                         {"", "h", nil, true, "it changed while the cloud was read, or a list has it twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Node("h").Computes().Node("k").Instance("i", nova.Active).Claim("i", instance, on("h")).Claim("x", test.typ, on(test.at))
			s := w.ReadAs(cloud.NewReadings(test.readings, map[placement.ConsumerID]bool{vm("x"): test.moving}))
			r := audit.Inspect(s, audit.InspectOptions{Now: s.At()})
			var got []string
			for _, f := range r.Open {
				if f.Consumer == vm("x") {
					got = append(got, string(f.Rule))
				}
			}
			for _, u := range r.Unjudged {
				if u.Rule == audit.RuleOrphan {
					got = append(got, u.Why...)
				}
			}
			if !slices.Contains(got, test.want) || slices.Contains(got, "a01") != (test.want == "a01") {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestFixedOrNotJudged distinguishes a finding that is fixed from one that can no longer be
// judged: where old migrations were not read, an orphan that is released is gone.
func TestFixedOrNotJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Node("h").Computes().Instance("i", nova.Active).Claim("i", instance, on("h")).Claim("x", instance, on("h"))
	some := cloud.NewReadings([]cloud.Reading{{Part: cloud.Migrations, Cut: "only the first 3000 were read"}}, nil)
	s := w.ReadAs(some)
	f := audit.FindBy(s, audit.RuleOrphan)[0]
	fix := must.Get(audit.FixNamed(s, f, "release"))(t)
	after := must.Get(fix.Try(s, s.At()))(t)
	must.Succeed(t, fix.Outcome(after))
	if err := f.Gone(after); !errors.Is(err, placement.ErrNotFound) {
		t.Errorf("released: %v", err)
	}
	for name, r := range map[string]*cloud.Readings{
		"nova-api died":    cloud.NewReadings([]cloud.Reading{{Part: cloud.Instances, Why: "503"}}, nil),
		"the own project":  cloud.NewReadings([]cloud.Reading{{Part: cloud.Instances, Cut: "403"}}, nil),
		"it was just seen": cloud.NewReadings(nil, map[placement.ConsumerID]bool{vm("x"): true}),
	} {
		now := s.ReadAs(r)
		if err := f.Gone(now); !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if err := fix.Outcome(now); !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("%s: the outcome is %v", name, err)
		}
		if _, err := fix.Plan(now); !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("%s: the plan is %v", name, err)
		}
	}
}
