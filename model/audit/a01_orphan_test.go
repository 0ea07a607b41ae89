package audit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestNotNovas leaves it to people to release what nothing says was ever Nova's: containers of
// Zun hold what they use on the same hosts, and like Nova's servers they have no type.
func TestNotNovas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typ     placement.ConsumerType
		deleted bool // Nova remembers that it deleted a server with that uuid
		file    bool // not a live cloud
		choice  bool
	}{
		"without a type":                 {choice: true},
		"without a type, and remembered": {deleted: true},
		"an instance by its type":        {typ: instance},
		"in a file":                      {file: true},
	} {
		w := newWorld(t)
		w.Node("h").Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h"}).Instance("other", nova.Active).Claim("i", test.typ, on("h"))
		if test.deleted {
			w.Instance("i", nova.Deleted)
		}
		s := w.Snapshot
		if !test.file {
			s = s.ReadAs(cloud.NewReadings(nil, nil))
		}
		found := audit.FindBy(s, audit.RuleOrphan)
		if len(found) != 1 {
			t.Errorf("%s: found %v", name, found)
			continue
		}
		if fixes := audit.Fixes(s, found[0]); len(fixes) != 1 || fixes[0].Choice != test.choice {
			t.Errorf("%s: the fixes are %+v", name, fixes)
		}
	}
}

// TestFailedServerIsNovas finds that a server which could not be built holds something, and
// leaves it to Nova on a live cloud, as it exists; where hosts are not told, it is not judged.
func TestFailedServerIsNovas(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h"}, &nova.Instance{UUID: vm("i"), Name: "i", VMState: nova.Broken}).Claim("i", "", on("h"))
	s := w.ReadAs(cloud.NewReadings(nil, nil))
	found := audit.FindBy(s, audit.RuleOrphan)
	if len(found) != 1 || len(audit.Fixes(s, found[0])) > 0 || audit.NoFix(s, found[0]) == audit.RuleOf(found[0]).Advice {
		t.Errorf("found %v", found)
	}
	s = w.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Instances, Cut: "the host is not told of j"}}, nil))
	if found := audit.FindBy(s, audit.RuleOrphan); len(found) > 0 {
		t.Errorf("without hosts, found %v", found)
	}
}

// TestServerThatIsNeverPlaced finds that a server of a live cloud which got no host long ago holds
// something, as its build, or its deletion, ended with a conductor; and leaves it to Nova.
func TestServerThatIsNeverPlaced(t *testing.T) {
	t.Parallel()
	const hours = int64(time.Hour / time.Millisecond)
	now := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	at := now.UnixMilli()
	for name, test := range map[string]struct {
		is     nova.Instance
		moves  bool          // its migration is under way
		hidden bool          // hosts are not told
		file   bool          // not a live cloud
		ahead  time.Duration // of our clock, Nova's
		found  bool
	}{
		"being built, our clock ahead":  {is: nova.Instance{VMState: nova.Building, Updated: at - 3*hours}, ahead: -3 * time.Hour},
		"built long, our clock behind":  {is: nova.Instance{VMState: nova.Building, Updated: at}, ahead: 3 * time.Hour, found: true},
		"being built for long":          {is: nova.Instance{VMState: nova.Building, Updated: at - 3*hours}, found: true},
		"being scheduled for long":      {is: nova.Instance{VMState: nova.Building, TaskState: nova.Scheduling, Created: at - 3*hours}, found: true},
		"being deleted for long":        {is: nova.Instance{VMState: nova.Broken, TaskState: "deleting", Updated: at - 3*hours}, found: true},
		"being built":                   {is: nova.Instance{VMState: nova.Building, TaskState: nova.Scheduling, Created: at - 9*hours, Updated: at - hours}},
		"of which no time is told":      {is: nova.Instance{VMState: nova.Building}},
		"being built on its host":       {is: nova.Instance{VMState: nova.Building, Host: "h", Updated: at - 3*hours}},
		"being unshelved for long":      {is: nova.Instance{VMState: nova.ShelvedOffloaded, TaskState: "unshelving", Updated: at - 3*hours}, found: true},
		"being unshelved":               {is: nova.Instance{VMState: nova.ShelvedOffloaded, TaskState: "unshelving", Updated: at - hours}},
		"being evacuated":               {is: nova.Instance{VMState: nova.Broken, TaskState: "rebuilding", Updated: at - 3*hours}, moves: true},
		"of which the host is not told": {is: nova.Instance{VMState: nova.Building, Updated: at - 3*hours}, hidden: true},
		"in a file":                     {is: nova.Instance{VMState: nova.Building, Updated: at - 3*hours}, file: true},
	} {
		is := test.is
		is.UUID, is.Name = vm("i"), "i"
		w := newWorld(t).Node("h").Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h"}, &is).Claim("i", "", on("h"))
		if test.moves {
			w.Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Evacuation, Status: "accepted", Source: "h"})
		}
		s := w.Snapshot
		if !test.file {
			var read []cloud.Reading
			if test.hidden {
				read = []cloud.Reading{{Part: cloud.Instances, Cut: "the host is not told of j"}}
			}
			s = s.ReadAs(cloud.NewReadings(read, nil).ByClock(test.ahead))
		}
		found := slices.DeleteFunc(audit.Inspect(s, audit.InspectOptions{Now: now}).Open, func(n audit.AnnotatedFinding) bool { return n.Rule != audit.RuleOrphan })
		if len(found) > 0 != test.found {
			t.Errorf("%s: found %v", name, found)
		} else if test.found && len(audit.Fixes(s, found[0].Finding)) > 0 {
			t.Errorf("%s: it is to be released", name)
		}
	}
}

func TestA01(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a01 orphan", func(w *world) { w.Node("h").Instance("other", nova.Active).Claim("i", instance, on("h")) },
			[]string{"a01 " + vm("i").String()},
			[]string{"release"},
		},
		{
			"a01 an orphan with an accelerator", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Deleted).Claim("i", instance, modeltest.Holding("c"))
			},
			[]string{"a01 i"},
			[]string{"release"},
		},
		{
			"a01 an orphan of whose accelerators one does not let go", func(w *world) {
				w.Node("h").Card(2, 2).Instance("i", nova.Deleted).Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 2}}).Stuck("i")
			},
			[]string{"a01 i", "d04 c"},
			[]string{"release"},
		},
	})
	testRule(t, []ruleCase{{
		"a01 a shelved instance that is on no host, and kept its claim", func(w *world) {
			w.Node("h").Record(&nova.Instance{UUID: vm("i"), Name: "i", VMState: nova.ShelvedOffloaded}).Claim("i", instance, on("h"))
		},
		[]string{"a01 i"},
		[]string{"release"},
	}, {
		"a01 an instance that could not be built, and kept its claim", func(w *world) {
			w.Node("h").Record(&nova.Instance{UUID: vm("i"), Name: "i", VMState: nova.Broken}).Claim("i", instance, on("h"))
		},
		[]string{"a01 i"},
		[]string{"release"},
	}})
	testFinds(t, []findCase{
		{"a01 not a shelved instance that is being unshelved", func(w *world) {
			w.Node("h").Record(&nova.Instance{UUID: vm("i"), Name: "i", VMState: nova.ShelvedOffloaded, TaskState: "unshelving"}).Claim("i", instance, on("h"))
		}, nil},
		{"a01 not an instance in error that is on its host", func(w *world) {
			w.Node("h").Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "h", VMState: nova.Broken}).Claim("i", instance, on("h"))
		}, nil},
		{"a01 not an instance in error that is being scheduled", func(w *world) {
			w.Node("h").Record(&nova.Instance{UUID: vm("i"), Name: "i", VMState: nova.Broken, TaskState: nova.Scheduling}).Claim("i", instance, on("h"))
		}, nil},
		{"a01 not a shelved instance that is on its host", func(w *world) {
			w.Node("h").Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "h", VMState: nova.Shelved}).Claim("i", instance, on("h"))
		}, nil},
		{"a01 an instance that Nova does not know", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", instance, on("h"))
		}, []string{"a01 " + vm("i").String()}},
		{"a01 an untyped consumer that Nova does not know", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", "", on("h"))
		}, []string{"a01 " + vm("i").String()}},
		{"a01 a deleted instance", func(w *world) {
			w.Node("h").Instance("gone", nova.Deleted).Claim("gone", instance, on("h"))
		}, []string{"a01 gone"}},
		{"a01 not without Nova's ledger", func(w *world) {
			w.Node("h").Claim("i", instance, on("h"))
		}, nil},
		{"a01 not another type of consumer", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", "VOLUME", on("h"))
		}, nil},
	})
}
