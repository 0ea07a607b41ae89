package form

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
)

// numberLimit is how many characters an amount may have.
const numberLimit = 12

// textLimit is how many characters a description may have.
const textLimit = 255

// flavorForm is a flavor that is made, or one that is there, of which the extra specs
// can be edited, and whether new instances may have it.
type flavorForm struct {
	env  screen.Env
	snap *cloud.Snapshot
	of   string // name of the one that is edited; "" for a new one

	name, vcpus, ram, disk, ephemeral, swap *field
	private, disable, describe              *field
	specs                                   *specLines
}

// OpenFlavor makes the screen of kind screen.EditFlavor: arg is the name of the
// flavor that is edited, or empty for a new flavor.
func OpenFlavor(env screen.Env, arg string) (screen.Screen, error) {
	st, snap := env.Styles, env.Cloud.Snapshot()
	e := &flavorForm{env: env, snap: snap, of: arg}
	e.specs = &specLines{
		st: st, label: "spec", about: "an extra spec such as resources:VGPU=1; empty for none",
		check:    e.checkSpec,
		complete: func(text string) []string { return completeExtraSpec(e.snap, text) },
		note:     func(text string) string { return noteExtraSpec(e.snap, text) },
	}
	a := ask{
		scope: "flavor", title: "new flavor", section: "NEW FLAVOR", steps: []string{"flavor", "preview"},
		key: e.specs.key, follow: func(s *cloud.Snapshot) { e.snap = s },
	}
	var all []*field
	if arg == "" {
		usual, amount := nova.NewFlavor(), func(n int64) string { return strconv.FormatInt(n, 10) }
		e.name = newField(st, "name", "what people call it", "", nameLimit)
		e.vcpus = newField(st, "vcpus", "virtual processors", amount(usual.VCPUs), numberLimit)
		e.ram = newField(st, "ram", "memory in MiB", amount(usual.MemoryMB), numberLimit)
		e.disk = newField(st, "disk", "root disk in GiB; 0 where instances boot from a volume", amount(usual.RootGB), numberLimit)
		e.ephemeral = newField(st, "ephemeral", "ephemeral disk in GiB", amount(usual.EphemeralGB), numberLimit)
		e.swap = newField(st, "swap", "swap in MiB", amount(usual.SwapMB), numberLimit)
		e.private = newYesNo(st, "private", "not for all projects: yes or no", false)
		e.disable = newYesNo(st, "disable", "not for new instances yet: yes or no", false)
		e.describe = newField(st, "describe", "what it is for; may be empty", "", textLimit)
		e.disk.note = noteRootDisk
		e.name.check = e.checkName
		e.vcpus.check, e.ram.check, e.disk.check = atLeast(1), atLeast(1), atLeast(0)
		e.ephemeral.check, e.swap.check = atLeast(0), atLeast(0)
		all = []*field{e.name, e.vcpus, e.ram, e.disk, e.ephemeral, e.swap, e.private, e.disable, e.describe}
	} else {
		f, ok := snap.Nova().FlavorNamed(arg)
		if !ok {
			return nil, &placement.NotFoundError{What: "flavor", Name: arg}
		}
		a.title, a.section = "edit flavor "+arg, "FLAVOR "+arg
		a.note = func() string { return "instances keep what they have" }
		e.disable = newYesNo(st, "disable", "not for new instances: yes or no", f.Disabled)
		all = append(all, e.disable)
		for _, key := range slices.Sorted(maps.Keys(f.ExtraSpecs)) {
			all = append(all, e.specs.add(key+"="+f.ExtraSpecs[key]))
		}
	}
	all = append(all, e.specs.add(""))
	a.fields = newFields(st, all...)
	e.specs.fs = a.fields
	a.submit = func(s *cloud.Snapshot) (next, bool) {
		w := Write{Title: a.title, Verb: "write", Steps: a.steps, At: 1, Plan: e.planner()}
		if arg == "" {
			w.Done = func(done cloud.Commit) tea.Cmd {
				return finish(done, screen.Goto{Kind: screen.Flavor, Arg: e.name.text, Replace: true})
			}
		}
		return NewPreview(env, s, w), true
	}
	return newForm(env, snap, a), nil
}

// checkSpec refuses an extra spec that a line above has, or of which nothing could be
// asked.
func (e *flavorForm) checkSpec(line int, text string) error {
	if err := e.specs.twice(line, text); err != nil {
		return err
	}
	return checkExtraSpec(e.snap, pairs(e.specs.texts()), text)
}

// checkName refuses a name that is taken.
func (e *flavorForm) checkName(text string) error {
	if _, ok := e.snap.Nova().FlavorNamed(text); ok {
		return &fault{text: "is taken: there is such a flavor"}
	}
	_, err := e.snap.Nova().CreateFlavor(&nova.Flavor{Name: text, FlavorID: "placetop new flavor", VCPUs: 1, MemoryMB: 1}, nil)
	return asFault(err)
}

// noteRootDisk says what a root disk of no size means.
//
// Source: nova/policies/servers.py, ZERO_DISK_FLAVOR.
func noteRootDisk(text string) string {
	if text != "0" {
		return ""
	}
	return "asks for no root disk: for booting from a volume; from an image, only admins may boot it"
}

// atLeast returns a check that refuses what is no number, less than least, or more than
// any amount may be.
func atLeast(least int64) func(string) error {
	return func(text string) error {
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < least || n > placement.MaxInt {
			return &fault{text: fmt.Sprintf("a number from %d to %d", least, placement.MaxInt)}
		}
		return nil
	}
}

// number returns the number in a field that was checked.
func (f *field) number() int64 {
	n, _ := strconv.ParseInt(f.text, 10, 64)
	return n
}

// planner returns what writes the flavor as the fields have it now.
func (e *flavorForm) planner() ops.Planner {
	specs, at, of, disabled := pairs(e.specs.texts()), e.env.Clock(), e.of, e.disable.yes()
	if of != "" {
		return func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanFlavor(s, "set flavor "+of, of, func(s *cloud.Snapshot) (nova.PutRecords, error) {
				return s.Nova().Chain(
					func(n *nova.Snapshot) (nova.PutRecords, error) { return n.SetExtraSpecs(of, specs, s.Placement(), at) },
					func(n *nova.Snapshot) (nova.PutRecords, error) {
						if f, ok := n.FlavorNamed(of); ok && f.Disabled == disabled {
							return nova.PutRecords{}, nil
						}
						return n.DisableFlavor(of, disabled)
					},
				)
			})
		}
	}
	f := &nova.Flavor{
		Name: e.name.text, FlavorID: uuid.NewString(), VCPUs: e.vcpus.number(), MemoryMB: e.ram.number(), RootGB: e.disk.number(),
		EphemeralGB: e.ephemeral.number(), SwapMB: e.swap.number(), Private: e.private.yes(), Disabled: e.disable.yes(), Description: e.describe.text,
		ExtraSpecs: specs, Created: at.UnixMilli(),
	}
	return func(s *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanFlavor(s, "create flavor "+f.Name, f.Name, func(s *cloud.Snapshot) (nova.PutRecords, error) {
			return s.Nova().CreateFlavor(f, s.Placement())
		})
	}
}

// OpenDeleteFlavor makes the screen of kind screen.DelFlavor: arg is the name of the
// flavor. Where instances have it, its name must be typed.
func OpenDeleteFlavor(env screen.Env, arg string) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	if _, ok := snap.Nova().FlavorNamed(arg); !ok {
		return nil, &placement.NotFoundError{What: "flavor", Name: arg}
	}
	return NewPreview(env, snap, Write{
		Title: "delete flavor " + arg, Verb: "delete",
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteFlavor(s, arg) },
		Word: func(s *cloud.Snapshot, _ ops.Plan) string {
			if ops.FlavorUsers(s, arg) == 0 {
				return ""
			}
			return arg
		},
	}), nil
}
