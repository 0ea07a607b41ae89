// Package instances is the screens of Nova's instances and their migrations, the page of one
// instance, and the wizard that moves it to another flavor or host, with the page that
// confirms or reverts it.
//
//	instance ──► flavor ──► place ──► preview ──► apply ──► confirm or revert
//	             (resize)      ▲         │           │            │
//	                           └─────────┴── failed ─┘         or left waiting
//
// The work is done by ops.Move, ops.Confirm and ops.Revert; the wizard chooses one of them
// and shows its steps.
package instances

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.List[place.Instances](New).On("0").Called("instances", "inst", "vm", "server").FoundBy("boot start launch terminate delete deleted resize migrate live-migrate live migration move reboot servers vms guest guests kill shelved create deleting evacuate evacuation host instance error state fault").
			For("Which instances run where, and what can be done with each."),
		screen.Declare(OpenBoot),
		screen.Declare(func(env screen.Env, at place.Instance) (screen.Screen, error) {
			return Open(env, env.Cloud.Snapshot(), at.ID)
		}),
		screen.Declare(OpenTerminate),
		screen.Declare(OpenEvacuate),
		screen.Declare(OpenHeal),
		screen.Declare(OpenUnfinished).Called("unfinished", "recover").AsDetail().FoundBy("stuck resume interrupted halfway").
			For("What a command began and did not finish, to be finished or undone."),
		screen.List[place.Migrations](NewMigrations).Called("migrations", "mig").FoundBy("confirm revert server resize resized verify_resize stuck waiting pending migrate live-migrate evacuate evacuation live-migration cold-migration move vm vms").
			For("Which instances move or have moved, and what waits to be confirmed or reverted."),
		screen.Declare(OpenResize),
		screen.Declare(OpenMigrate),
	}
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[*instance]{
		Name: "instances", Thing: "instance", Kind: kinds.Instances,
		Of:     func(list.At) func(*instance) kinds.Row { return func(i *instance) kinds.Row { return i.Instance } },
		Rows:   func(ctx context.Context, snap *cloud.Snapshot) []*instance { return instances(ctx, env, snap) },
		Common: true,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Nova() == now.Nova() && old.Placement() == now.Placement()
		},
		ID: func(i *instance) string { return string(i.UUID[:]) },
		Columns: list.Show("name=INSTANCE:12-38+3 state:8-26+2 flavor:10-30+2 host:7-36+2 owner=DEVICES:11 move:9-22+1 age:4 | project:12-34+1 user:12-34+1 zone:8-20+1 uuid:36-36", "age move flavor owner host", list.Cells[*instance]{
			"state": drawState,
			"owner": func(l *component.Line, i *instance, at list.At) { panel.OwnedBy(at.Snap.Placement(), i.UUID).Draw(l) },
			"move": func(l *component.Line, i *instance, at list.At) {
				if m := moveOf(at, i); m != nil {
					l.Add(panel.MigrationSeverity(m).Token(), strings.TrimPrefix(panel.ShortStatus(m, at.Now), string(nova.Finished)+", "))
				}
			},
		}),
		Orders:     list.By[*instance]("name age state flavor host -devices=owner move"),
		Also:       list.Owners(true, list.Step{Name: "no device", Expr: "!(owner=nova | owner=cyborg | owner=both | owner=none)"}),
		FilterHelp: "name, state=error flavor=gpu.* host=cmp-001 owner:cyborg move=finished",
		Found:      func(i *instance) []audit.Finding { return i.found },
		Severity:   func(i *instance, _ list.At) style.Severity { return panel.InstanceSeverity(i.Instance) },
		Actions: func(h list.Here[*instance]) []action.Action {
			var id placement.ConsumerID
			if h.Nothing == "" {
				id = h.Row.UUID
			}
			return append(actions(env, h), panel.FixingConsumer("instances", env, h.Snap, id, h.Nothing))
		},
		More:  more,
		Empty: []string{"no instances: nova has none, or none is known here", "try: `placetop demo` shows a cloud that has some"},
	}, env, snap, filter)
}

// drawState draws the state of an instance, and what is being done to it.
func drawState(l *component.Line, i *instance, _ list.At) {
	text := panel.InstanceState(i.Instance)
	if i.TaskState != "" && component.Width(l.Styles(), text) > l.Left() {
		text = string(i.TaskState) // it says more than the state that it derives from
	}
	l.Add(cmp.Or(panel.InstanceSeverity(i.Instance).Token(), themes.Text), text)
}

func actions(env screen.Env, h list.Here[*instance]) []action.Action {
	var id placement.ConsumerID
	if h.Nothing == "" {
		id = h.Row.UUID
	}
	return slices.Concat([]action.Action{
		h.Leads(action.Action{ID: "instances.open", Keys: "enter", Title: "open", Help: "open the page of the instance", Priority: 90}, func(i *instance) place.Place { return place.Instance{ID: i.UUID} }),
		{ID: "instances.boot", Keys: "n", Title: "boot", Help: "boot a new instance, step by step", Priority: 60, Writes: []intent.Op{nova.CreateInstance{}}, To: place.Boot{}},
	}, moving(env, h, id), endings(env, h, id), panel.Asking("instances", place.WhatIf{Instance: id}, h.Nothing))
}

// endings are the keys that end instances or start them elsewhere: all marked ones.
func endings(env screen.Env, h list.Here[*instance], id placement.ConsumerID) []action.Action {
	all := panel.Ending("instances", env.Cloud.Capabilities(), h.Snap, id, h.Nothing)
	for i, open := range []opener{terminate, evacuate} {
		all[i] = ofAll(env, h, all[i], strings.TrimSuffix(all[i].Title, "..."), open)
	}
	return all
}

// moving are the keys that move instances: the one under the cursor step by step, or all
// marked ones, each to the host that the scheduler chooses.
func moving(env screen.Env, h list.Here[*instance], id placement.ConsumerID) []action.Action {
	all := panel.Moving("instances", h.Snap, id, h.Nothing)
	if !h.List.Several() {
		return all
	}
	for i, verb := range []string{"resize", "migrate"} {
		all[i].Disabled = ""
		all[i] = ofAll(env, h, all[i], verb, []opener{pickFlavor, migrate}[i])
	}
	return all
}

// opener makes the page of an action on instances.
type opener func(screen.Env, ...placement.ConsumerID) (screen.Screen, error)

// ofAll returns an action on all marked instances.
func ofAll(env screen.Env, h list.Here[*instance], a action.Action, verb string, open opener) action.Action {
	return list.Each(h, a, func(n string) string { return verb + " " + n + "..." }, func(rows []*instance) tea.Msg {
		ids := make([]placement.ConsumerID, len(rows))
		for n, row := range rows {
			ids[n] = row.UUID
		}
		page, err := open(env, ids...)
		if err != nil {
			return screen.Warning(err.Error())
		}
		return screen.PushMsg{Screen: page}
	})
}
