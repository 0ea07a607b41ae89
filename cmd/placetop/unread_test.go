package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/memory"
)

// TestWarnsOfWhatIsAskedFor warns of parts that were not read, or not completely, if the
// request depends on them.
func TestWarnsOfWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	parts := []cloud.Reading{
		{Part: cloud.Instances, Why: "403 Forbidden"},
		{Part: cloud.Migrations, Cut: "only the newest 3000 are read"},
		{Part: cloud.Services, Rows: 2},
		{Part: cloud.Identities, Cut: "not all users: 403 Forbidden"},
	}
	const names = "warning: names of projects and users: not all users: 403 Forbidden\n"
	const servers, moves = "warning: not read: servers: 403 Forbidden\n", "warning: migrations: only the newest 3000 are read\n"
	for name, test := range map[string]struct {
		kind *kinds.Kind
		want string
	}{
		"all":        {nil, servers},
		"providers":  {kinds.Of(kinds.Providers), ""},
		"projects":   {kinds.Of(kinds.Projects), servers + names},
		"instances":  {kinds.Of(kinds.Instances), servers},
		"migrations": {kinds.Of(kinds.Migrations), servers + moves},
	} {
		var said bytes.Buffer
		p := program{stderr: &said, kind: test.kind}
		for _, of := range parts {
			p.sayUnread(of)
		}
		if said.String() != test.want {
			t.Errorf("%s: it says\n%s and not\n%s", name, &said, test.want)
		}
	}
}

// TestEmptyIsNotNone fails if it is unknown whether the requested things exist.
func TestEmptyIsNotNone(t *testing.T) {
	t.Parallel()
	parts := []cloud.Reading{{Part: cloud.Instances, Why: "503 Service Unavailable"}, {Part: cloud.Services}}
	for kind, want := range map[kinds.Name]string{
		kinds.Instances: "servers could not be read; there may be instances all the same",
		kinds.Services:  "", // they were read
		kinds.Projects:  "", // Placement reports them, too
	} {
		err := checkReadings(parts, kinds.Of(kind))
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
	}
}

// TestWritesOfPlacement checks what a write depends on: one to Placement alone does not
// depend on what others report.
func TestWritesOfPlacement(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ops  []cloud.Op
		want bool
	}{
		"placement": {[]cloud.Op{placement.CreateTrait{Name: "CUSTOM_A"}, placement.DeleteTrait{Name: "CUSTOM_B"}}, true},
		"nova":      {[]cloud.Op{nova.EnableService{}}, false},
		"both":      {[]cloud.Op{placement.CreateTrait{Name: "CUSTOM_A"}, nova.EnableService{}}, false},
	} {
		u := operation{plan: &ops.Plan{Change: cloud.Change{Ops: test.ops}}}
		if got := u.placementAlone(); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (operation{}).placementAlone() {
		t.Error("a course of several steps is no write to Placement alone")
	}
}

// TestDiffOfACopyWithGaps takes nothing for gone that one side merely does not know.
func TestDiffOfACopyWithGaps(t *testing.T) {
	t.Parallel()
	whole := nova.Instance{UUID: modeltest.ConsumerID("vm"), Name: "vm"}
	service := nova.Service{Host: "h", Binary: nova.Compute}
	one, _, err := cloud.Empty().Apply(cloud.PutRecords("", "", changesTo(&whole, &service)))
	must.Succeed(t, err)
	other, _, err := cloud.Empty().Apply(cloud.PutRecords("", "", changesTo(&nova.Config{Live: "prod", Unread: map[string]string{"servers": "a cell does not answer"}})))
	must.Succeed(t, err)
	for name, sides := range map[string][2]*cloud.Snapshot{"A": {other, one}, "B": {one, other}} {
		var said bytes.Buffer
		p := program{stderr: &said}
		diffs := ops.Compare(sides[0], sides[1])
		for i := range sides {
			var gaps []cloud.Part
			diffs, gaps = p.withoutGaps(diffs, sides[i], "copy.db", i == 0)
			if known := sides[i] == one; known != (len(gaps) == 0) {
				t.Errorf("gaps in %s: they are %v", name, gaps)
			}
		}
		var left []string
		for _, d := range diffs {
			left = append(left, string(d.Kind()))
		}
		if slices.Contains(left, string(nova.KindInstance)) || !slices.Contains(left, string(nova.KindService)) {
			t.Errorf("gaps in %s: the differences are %v", name, left)
		}
		if want := "warning: copy.db: servers are only compared as far as they are known: a cell does not answer\n"; said.String() != want {
			t.Errorf("gaps in %s: it says %q", name, &said)
		}
	}
}

func changesTo(records ...versioned.Record) (all []versioned.Change) {
	for _, r := range records {
		all = append(all, versioned.Change{After: r})
	}
	return all
}

// TestAdoptedCopyWithGaps makes a copy a cloud like any other: what could not be read when
// it was copied is still not known, and whoever adopts it is told.
func TestAdoptedCopyWithGaps(t *testing.T) {
	t.Parallel()
	moving := modeltest.ConsumerID("moving")
	s, _, err := cloud.Empty().Apply(cloud.PutRecords("", "", changesTo(&nova.Config{
		Live: "prod", Unread: map[string]string{"servers": "500", "flavors": "403"}, Moving: []placement.ConsumerID{moving},
	})))
	must.Succeed(t, err)
	p := must.Get(ops.PlanSettings(s, modeltest.Noon(), nova.Configure{Adopt: true}))(t)
	must.Say(t, strings.Join(p.Preview.Warnings, "\n"), "when it was copied: flavors, servers; the rules that need it are still not judged")
	if p.After.Nova().Config().Live != "" || p.After.Gap(cloud.Instances) != "500" || p.After.Gap(cloud.Flavors) != "403" || !p.After.Moving(moving) {
		t.Errorf("adopted, it is %+v", p.After.Nova().Config())
	}
	again := must.Get(ops.PlanSettings(p.After, modeltest.Noon(), nova.Configure{PrefiltersOff: []string{nova.FilterOwner}}))(t)
	must.Be(t, len(again.Preview.Warnings), 0)
}

// TestHealOfPart heals all instances of a copy that may lack some: that they hold what they
// should is not known.
func TestHealOfPart(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{
		"":    "",
		"500": "whether all instances hold what they should is not known: servers: 500",
	} {
		s, _, err := cloud.Empty().Apply(cloud.PutRecords("", "", changesTo(&nova.Config{Live: "prod", Unread: map[string]string{"servers": why}})))
		must.Succeed(t, err)
		said := new(strings.Builder)
		p := &program{now: time.Now, stdout: io.Discard, stderr: said, format: print.Table}
		err = p.heal(t.Context(), &writing{}, memory.New(memory.Options{Clock: time.Now, Start: s}), ops.HealOptions{}, nil)
		if (err == nil) != (want == "") || err != nil && err.Error() != want || (said.String() == "") != (want != "") {
			t.Errorf("%q: %v, and it says %q", why, err, said)
		}
	}
}
