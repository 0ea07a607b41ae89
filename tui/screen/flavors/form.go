package flavors

import (
	"maps"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// flavorForm creates a flavor, or edits the extra specs of an existing one, and whether
// new instances may have it.
type flavorForm struct {
	env  screen.Env
	snap *cloud.Snapshot

	name                       *form.Field
	amounts                    []*form.Field // as of nova.Flavor.Amounts
	private, disable, describe *form.Field
	specs                      *form.SpecLines
}

// OpenFlavor makes the form that edits a flavor, or creates one.
func OpenFlavor(env screen.Env, at place.SetFlavor) (screen.Screen, error) {
	st, snap := env.Styles, env.Cloud.Snapshot()
	e := &flavorForm{env: env, snap: snap}
	e.specs = &form.SpecLines{
		Styles: st, Label: "spec", About: "an extra spec such as resources:VGPU=1; empty for none",
		Check:    e.checkSpec,
		Complete: func(text string) []string { return form.CompleteExtraSpec(e.snap, text) },
		Note:     func(text string) string { return form.NoteExtraSpec(e.snap, text) },
	}
	a := form.Ask{
		Scope: "flavor", Title: "new flavor", Section: "NEW FLAVOR", Steps: []string{"flavor", "preview"},
		Key: e.specs.Key, Snap: &e.snap,
	}
	var all []*form.Field
	if at.Name == "" {
		e.name = form.NewField(st, "name", "its name", "", form.NameLimit)
		e.name.Check = e.checkName
		all = append(all, e.name)
		usual := nova.NewFlavor()
		for _, a := range usual.Amounts() {
			about := a.Name
			if a.Unit != "" {
				about += " in " + a.Unit
			}
			if a.Option == "disk" {
				about += "; 0 if instances boot from a volume"
			}
			f := form.NewField(st, a.Option, about, strconv.FormatInt(*a.Of, 10), form.NumberLimit)
			f.Check = form.AtLeast(a.Least)
			if a.Option == "disk" {
				f.Note = noteRootDisk
			}
			e.amounts, all = append(e.amounts, f), append(all, f)
		}
		e.private = form.NewYesNo(st, "private", "not for all projects: yes or no", false)
		e.disable = form.NewYesNo(st, "disable", "not for new instances yet: yes or no", false)
		e.describe = form.NewField(st, "describe", "what it is for; may be empty", "", form.TextLimit)
		all = append(all, e.private, e.disable, e.describe)
		a.Write = func() (confirm.Spec, error) {
			return confirm.Spec{Verb: "write", Makes: e.name.Text, Plan: e.planner(), Done: func(w confirm.WriteResult) tea.Cmd {
				return w.Finish(screen.Goto{To: place.Flavor{Ref: e.name.Text}, Replace: true})
			}}, nil
		}
	} else {
		of := ops.EditableFlavor{Name: at.Name}
		state, err := of.State(snap)
		if err != nil {
			return nil, err
		}
		base := state.(ops.FlavorState)
		a.Title, a.Section = "edit flavor "+at.Name, "FLAVOR "+at.Name
		a.Note = func() string { return "instances keep what they have" }
		e.disable = form.NewYesNo(st, "disable", "not for new instances: yes or no", base.Disabled)
		all = append(all, e.disable)
		for _, key := range slices.Sorted(maps.Keys(base.ExtraSpecs)) {
			all = append(all, e.specs.Add(key+"="+base.ExtraSpecs[key]))
		}
		a.Edit = func() (ops.Edit, error) {
			want := ops.FlavorState{Disabled: e.disable.Yes(), ExtraSpecs: form.Pairs(e.specs.Texts())}
			return ops.Edit{Of: of, Base: base, Want: want, At: env.Clock()}, nil
		}
	}
	all = append(all, e.specs.Add(""))
	a.Fields = form.NewFields(st, all...)
	e.specs.Fields = a.Fields
	return form.New(env, snap, a), nil
}

// checkSpec refuses an extra spec that another line has, or that makes the request
// impossible.
func (e *flavorForm) checkSpec(line int, text string) error {
	if err := e.specs.Twice(line, text); err != nil {
		return err
	}
	return form.CheckExtraSpec(e.snap, form.Pairs(e.specs.Texts()), text)
}

// checkName refuses a name that is taken.
func (e *flavorForm) checkName(text string) error {
	if _, ok := e.snap.Nova().FlavorNamed(text); ok {
		return &form.Fault{Text: "is taken by another flavor"}
	}
	return form.AsFault(e.snap.Nova().Allows(nova.CreateFlavor{Flavor: &nova.Flavor{Name: text, FlavorID: "placetop new flavor", VCPUs: 1, MemoryMB: 1}}))
}

// noteRootDisk says what a root disk of size 0 means.
//
// Source: nova/policies/servers.py, ZERO_DISK_FLAVOR.
func noteRootDisk(text string) string {
	if text != "0" {
		return ""
	}
	return "has no root disk: boot it from a volume; from an image only admins may"
}

// planner returns a function that plans the flavor according to the fields.
func (e *flavorForm) planner() ops.Planner {
	at := e.env.Clock()
	f := &nova.Flavor{
		Name: e.name.Text, FlavorID: uuid.NewString(), Private: e.private.Yes(), Disabled: e.disable.Yes(), Description: e.describe.Text,
		ExtraSpecs: form.Pairs(e.specs.Texts()),
	}
	for i, a := range f.Amounts() {
		*a.Of = e.amounts[i].Number()
	}
	return func(s *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanFlavor(s, "create flavor "+f.Name, f.Name, at, nova.CreateFlavor{Flavor: f})
	}
}

// OpenDeleteFlavor makes the page that deletes a flavor. If instances use it, its
// name must be typed.
func OpenDeleteFlavor(env screen.Env, at place.DelFlavor) (screen.Screen, error) {
	name, snap := at.Name, env.Cloud.Snapshot()
	if _, ok := snap.Nova().FlavorNamed(name); !ok {
		return nil, &placement.NotFoundError{What: "flavor", Name: name}
	}
	return confirm.New(env, snap, confirm.Spec{
		Title: "delete flavor " + name, Verb: "delete",
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteFlavor(s, name) },
		Word: func(s *cloud.Snapshot, _ ops.Preview) string {
			if ops.FlavorUsers(s, name) == 0 {
				return ""
			}
			return name
		},
	}), nil
}
