package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// asked returns a task as a cloud with a real Nova carries it out.
func asked(t *testing.T, task ops.Task, minor int) ops.NovaTask {
	t.Helper()
	a, ok := ops.TaskFor(cloud.Capabilities{Servers: &cloud.Servers{Minor: minor}}, task).(ops.NovaTask)
	if !ok {
		t.Fatalf("%T is not asked of Nova", task)
	}
	return a
}

// TestAsksWhatNovaMayDo checks what Nova is asked for, and why it is not asked.
func TestAsksWhatNovaMayDo(t *testing.T) {
	t.Parallel()
	plain := newMove(t, "plain").Snapshot()
	profile := newMove(t, "cyborg").Snapshot()
	waits := newMove(t, "plain")
	must.Succeed(t, (ops.Runner{}).Run(t.Context(), waits, move("nova")))
	host := &ops.Place{Host: "compute2"}
	for name, tt := range map[string]struct {
		on    *cloud.Snapshot
		task  ops.Task
		minor int
		want  string // the body of the request, or why there is none
		is    error
	}{
		"resize":                     {plain, move("nova"), 1, `"resize"`, nil},
		"migrate":                    {plain, move(""), 1, `{"migrate":null}`, nil},
		"migrate to a host":          {plain, ops.Move{Migration: vm("m"), Instance: vm("i"), Pick: host}, 56, `{"migrate":{"host":"compute2"}}`, nil},
		"live":                       {plain, ops.Move{Instance: vm("i"), Live: true}, 25, `{"os-migrateLive":{"host":null,"block_migration":"auto"}}`, nil},
		"live to a host":             {plain, ops.Move{Instance: vm("i"), Live: true, Pick: host}, 30, `{"host":"compute2"`, nil},
		"live, a Nova too old":       {plain, ops.Move{Instance: vm("i"), Live: true}, 24, "it needs Nova's microversion 2.25", placement.ErrUnsupported},
		"live, with a profile":       {profile, ops.Move{Instance: vm("i"), Live: true}, 95, "refuses to resize or migrate with a device profile", placement.ErrState},
		"live, to a flavor":          {plain, ops.Move{Instance: vm("i"), Flavor: "nova", Live: true}, 95, "keeps the flavor", placement.ErrUnsupported},
		"live, while it waits":       {waits.Snapshot(), ops.Move{Instance: vm("i"), Live: true}, 95, "confirm or revert it first", placement.ErrState},
		"a Nova too old for it":      {plain, ops.Move{Migration: vm("m"), Instance: vm("i"), Host: "compute2"}, 53, "it needs Nova's microversion 2.56", placement.ErrUnsupported},
		"delete":                     {plain, ops.Terminate{Instance: vm("i")}, 1, "", nil},
		"confirm":                    {waits.Snapshot(), ops.Confirm{Migration: vm("m")}, 1, `{"confirmResize":null}`, nil},
		"revert":                     {waits.Snapshot(), ops.Revert{Migration: vm("m")}, 1, `{"revertResize":null}`, nil},
		"resize to a host":           {plain, ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "nova", Host: "compute2"}, 95, "name no host", placement.ErrUnsupported},
		"resize, to be reverted":     {plain, ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "nova", RevertAfter: time.Hour}, 95, "never reverts a move by itself", placement.ErrUnsupported},
		"resize on its host":         {plain, ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "nova", SameHost: true}, 95, "allow_resize_to_same_host", placement.ErrUnsupported},
		"to a device profile":        {plain, move("cyborg"), 95, "refuses to resize or migrate with a device profile", placement.ErrState},
		"from a device profile":      {profile, move("plain"), 95, "refuses to resize or migrate with a device profile", placement.ErrState},
		"with a device profile":      {profile, move(""), 95, "refuses to resize or migrate with a device profile", placement.ErrState},
		"while it waits":             {waits.Snapshot(), ops.Move{Migration: vm("m2"), Instance: vm("i"), Flavor: "plain"}, 95, "confirm or revert it first", placement.ErrState},
		"a move that is under way":   {waits.Snapshot(), move("nova"), 95, "Nova takes the move of i on by itself", placement.ErrState},
		"evacuate while it is up":    {plain, ops.Evacuate{Instance: vm("i")}, 95, "not known to be down", placement.ErrState},
		"confirm what does not wait": {plain, ops.Confirm{Migration: vm("m")}, 95, "migration", placement.ErrNotFound},
		"boot":                       {plain, ops.Boot{Instance: vm("n")}, 95, "openstack server create", placement.ErrUnsupported},
		"vacate":                     {plain, ops.Vacate{Migration: vm("m")}, 95, "does that itself", placement.ErrUnsupported},
	} {
		a := asked(t, tt.task, tt.minor)
		got, err := a.Action(tt.on, time.Time{})
		text := got.Call().Body
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, tt.want) || !errors.Is(err, tt.is) {
			t.Errorf("%s: %s, want %q", name, text, tt.want)
		}
		refused := false
		for _, c := range a.Checks(tt.on, time.Time{}) {
			refused = refused || c.Refusal != nil
		}
		if refused != (err != nil) {
			t.Errorf("%s: refused before it is begun: %v", name, refused)
		}
	}
}

// TestShowsWhatCannotBeForetold shows a request whose outcome cannot be predicted.
func TestShowsWhatCannotBeForetold(t *testing.T) {
	t.Parallel()
	s := (&store{world: modeltest.NewVGPUWorld(t, 1).VGPUInstance("i", "plain", 1)}).Snapshot()
	r := must.Get(ops.Rehearse(s, asked(t, move(""), 95), time.Time{}))(t)
	if lines := r.Outcome().Lines(); len(lines) != 2 || !strings.HasPrefix(lines[0], "POST /servers/") || !strings.Contains(lines[1], `{"migrate":null}`) {
		t.Errorf("%q", lines)
	}
}

// TestForetellsWhatNovaDoes shows one request and its expected result, and writes nothing
// itself.
func TestForetellsWhatNovaDoes(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "plain")
	a := asked(t, move("nova"), 95)
	r, err := ops.Rehearse(tr.Snapshot(), a, time.Time{})
	if err != nil || len(r.Steps) != 1 || !r.Steps[0].Asked || r.Steps[0].Title != "ask Nova to resize i to nova" {
		t.Fatalf("%+v, %v", r.Steps, err)
	}
	all := r.Outcome()
	if calls := all.Requests(); len(calls) != 1 || !strings.HasSuffix(calls[0].Path, "/action") || len(all.Commands()) != 1 {
		t.Errorf("requests %+v, commands %q", calls, all.Commands())
	}
	if i, _ := r.Final.Nova().Instance(vm("i")); i.VMState != nova.Resized || len(all.Consumers) != 2 {
		t.Errorf("it leads to %+v", i)
	}
	may := a
	may.Of.Cannot = func(action string) string { return "not by you: " + action }
	if _, err := may.Action(tr.Snapshot(), time.Time{}); !errors.Is(err, placement.ErrUnsupported) || err.Error() != "not by you: resize" {
		t.Errorf("%v", err)
	}
	if _, ok := ops.TaskFor(cloud.Capabilities{}, move("nova")).(ops.NovaTask); ok {
		t.Error("a cloud without a Nova of its own asks one")
	}
}

// TestForetellsALiveMigration shows where a guest would be after a live migration:
// nothing waits to be confirmed, and its old place is free. No other cloud can do it.
func TestForetellsALiveMigration(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	live := move("")
	live.Live = true
	r, err := ops.Rehearse(tr.Snapshot(), asked(t, live, 95), time.Time{})
	if err != nil || len(r.Steps) != 1 || r.Steps[0].Title != "ask Nova to live-migrate i" {
		t.Fatalf("%+v, %v", r.Steps, err)
	}
	i, _ := r.Final.Nova().Instance(vm("i"))
	if _, parked := r.Final.Placement().Consumer(vm("m")); parked || i.Host != "compute2" || i.VMState != nova.Active || i.TaskState != "" {
		t.Errorf("it leads to %+v, and the migration holds something: %v", i, parked)
	}
	if _, err := ops.WaitingMigration(r.Final, vm("i")); err == nil {
		t.Error("a migration waits at its end")
	}
	warned := 0
	for _, c := range asked(t, live, 95).Checks(tr.Snapshot(), time.Time{}) {
		if c.Name == "live" && strings.Contains(c.Text, "VGPU") {
			warned++
		}
	}
	if warned != 1 {
		t.Errorf("%d warnings of its VGPU", warned)
	}
	own := ops.TaskFor(cloud.Capabilities{}, live)
	must.Fail(t, (ops.Runner{}).Run(t.Context(), tr, own), placement.ErrUnsupported)
	if checks := own.(ops.Checker).Checks(tr.Snapshot(), time.Time{}); len(checks) != 1 || checks[0].Refusal == nil {
		t.Errorf("it is not refused before: %+v", checks)
	}
}

// TestForetellsWhatNovaDoesToSeveral asks it once for each of several instances.
func TestForetellsWhatNovaDoesToSeveral(t *testing.T) {
	t.Parallel()
	s := modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "plain", 1).VGPUInstance("j", "plain", 1).Snapshot
	all := ops.TaskFor(cloud.Capabilities{Servers: &cloud.Servers{Minor: 95}}, ops.Each{ops.Terminate{Instance: vm("i")}, ops.Terminate{Instance: vm("j")}})
	r, err := ops.Rehearse(s, all, time.Time{})
	if err != nil || len(r.Steps) != 2 || !r.Steps[0].Asked || !r.Steps[1].Asked || !ops.IsNovaTask(all) {
		t.Fatalf("%+v, %v", r.Steps, err)
	}
	var paths []string
	for _, call := range r.Outcome().Requests() {
		paths = append(paths, call.Method+" "+call.Path)
	}
	want := []string{"DELETE /servers/" + vm("i").String(), "DELETE /servers/" + vm("j").String()}
	if !slices.Equal(paths, want) || len(r.Outcome().Commands()) != 2 {
		t.Errorf("it sends %q, want %q", paths, want)
	}
	for _, name := range []string{"i", "j"} {
		if i, _ := r.Final.Nova().Instance(vm(name)); i.Live() {
			t.Errorf("%s lives on", name)
		}
	}
}

// TestWarnsOfWhatNovaDoesNotAsk has a claim that differs from the flavor: Nova moves the
// instance nevertheless.
func TestWarnsOfWhatNovaDoesNotAsk(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "plain")
	tr.Do(placement.DeleteAllocations{Consumer: vm("i")})
	a := asked(t, move("nova"), 95)
	warned := ""
	for _, c := range a.Checks(tr.Snapshot(), time.Time{}) {
		if c.Refusal != nil {
			t.Errorf("refused: %v", c.Refusal)
		}
		if c.Warning {
			warned += c.Text + "\n"
		}
	}
	if !strings.Contains(warned, "holds nothing in Placement") {
		t.Errorf("it warns of %q", warned)
	}
	if r, err := ops.Rehearse(tr.Snapshot(), a, time.Time{}); err != nil || len(r.Steps) != 1 || !r.Outcome().Empty() {
		t.Errorf("%+v, %v", r.Steps, err)
	}
}
