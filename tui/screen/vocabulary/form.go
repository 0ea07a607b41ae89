package vocabulary

import (
	"iter"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// custom is the prefix of all names that are not in upstream's lists.
//
// Source: placement/schemas/resource_class.py and trait.py.
const custom = "CUSTOM_"

// sort is a kind of words: resource classes, or traits.
type sort struct {
	scope, thing string
	names        func(*placement.Snapshot) []string
	make, remove func(name string) placement.Op
	rename       func(name, to string) placement.Op // nil if Placement has no call for it
}

// classSort returns the sort for resource classes.
func classSort() sort {
	return sort{
		scope: "classes", thing: "resource class", names: func(s *placement.Snapshot) []string { return texts(s.Classes()) },
		make:   func(name string) placement.Op { return placement.CreateClass{Name: placement.ResourceClass(name)} },
		remove: func(name string) placement.Op { return placement.DeleteClass{Name: placement.ResourceClass(name)} },
		rename: func(name, to string) placement.Op {
			return placement.RenameClass{Name: placement.ResourceClass(name), To: placement.ResourceClass(to)}
		},
	}
}

// traitSort returns the sort for traits.
func traitSort() sort {
	return sort{
		scope: "traits", thing: "trait", names: func(s *placement.Snapshot) []string { return texts(s.Traits()) },
		make:   func(name string) placement.Op { return placement.CreateTrait{Name: placement.Trait(name)} },
		remove: func(name string) placement.Op { return placement.DeleteTrait{Name: placement.Trait(name)} },
	}
}

func texts[K any, T ~string](all iter.Seq2[K, T]) (out []string) {
	for _, name := range all {
		out = append(out, string(name))
	}
	return out
}

// new returns the form of a new word, or with was, the form that renames that one.
func (w sort) new(env screen.Env, snap *cloud.Snapshot, was string) *form.Wizard {
	verb, title := "create", "new "+w.thing
	name := form.NewField(env.Styles, "name", custom+" and then A to Z, 0 to 9 and _", custom, form.TextLimit)
	if was != "" {
		verb, title = "rename", "rename "+was
		name = form.NewField(env.Styles, "name", "what "+was+" gets this name everywhere it is used", was, form.TextLimit)
	}
	name.Grows = true
	spelled, write := once, w.make
	if was != "" {
		spelled, write = strings.ToUpper, func(to string) placement.Op { return w.rename(was, to) }
	}
	name.Check = func(text string) error { return w.check(snap, spelled(text), write) }
	name.Complete = func(text string) []string { return w.complete(snap, spelled(text)) }
	return form.New(env, snap, form.Ask{
		Scope: w.scope, Title: title, Section: strings.ToUpper(title), Steps: []string{"name", "preview"},
		Fields: form.NewFields(env.Styles, name), Snap: &snap,
		Write: func() (confirm.Spec, error) {
			op := write(spelled(name.Text))
			return confirm.Spec{Verb: verb, Makes: spelled(name.Text), Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanOp(s, op) }}, nil
		},
	})
}

// once returns a new word as Placement spells it, with the prefix once if it was typed
// after the one that the form begins with.
func once(text string) string {
	text = strings.ToUpper(text)
	if rest, ok := strings.CutPrefix(text, custom); ok && strings.HasPrefix(rest, custom) {
		return rest
	}
	return text
}

// check refuses a name that upstream does not accept, or that is taken.
func (w sort) check(s *cloud.Snapshot, name string, op func(string) placement.Op) error {
	if name == custom || !strings.HasPrefix(name, custom) {
		return &form.Fault{Text: "begins with " + custom + ": all others are standard ones"}
	}
	plan, err := ops.PlanOp(s, op(name))
	if err == nil && plan.Empty() {
		return &form.Fault{Text: "there already is such a " + w.thing}
	}
	return form.AsFault(err)
}

// complete suggests names: custom ones with that prefix, and standard ones as custom
// ones, such as CUSTOM_VGPU.
func (w sort) complete(s *cloud.Snapshot, text string) []string {
	tail, ok := strings.CutPrefix(text, custom)
	if !ok || tail == "" {
		return nil
	}
	var out []string
	for _, name := range w.names(s.Placement()) {
		switch {
		case strings.HasPrefix(name, text):
			out = append(out, name)
		case strings.HasPrefix(name, tail):
			out = append(out, custom+name)
		}
	}
	return form.First(out)
}

// edits are the keys that create, rename and delete words. For words that cannot be
// deleted they say why.
func edits[R any](env screen.Env, h list.Here[R], w sort, name func(R) string, holders int64) []action.Action {
	all := []action.Action{
		{ID: action.ID(w.scope + ".new"), Keys: "n", Title: "new", Help: "create a custom " + w.thing, Priority: 60, Writes: []placement.Op{w.make("")}, Request: func() tea.Msg {
			return screen.PushMsg{Screen: w.new(env, h.Snap, "")}
		}},
	}
	word := ""
	if h.Nothing == "" {
		word = name(h.Row)
	}
	standard := ""
	if word != "" && !strings.HasPrefix(word, custom) {
		standard = word + " is a standard " + w.thing + ", which stays"
	}
	if w.rename != nil {
		all = append(all, h.About(action.Action{ID: action.ID(w.scope + ".rename"), Keys: "e", Title: "rename", Help: "rename it, everywhere it is used", Disabled: standard, Writes: []placement.Op{w.rename("", "")}}, func(R) tea.Msg {
			return screen.PushMsg{Screen: w.new(env, h.Snap, word)}
		}))
	}
	remove := action.Action{ID: action.ID(w.scope + ".delete"), Keys: "D", Title: "delete...", Help: "delete a custom " + w.thing + " that no provider has", Priority: 40, Disabled: standard, Writes: []placement.Op{w.remove("")}}
	if standard == "" && holders > 0 {
		remove.Disabled = component.Plural(int(holders), "provider") + " still with " + word + ": enter lists them"
	}
	if h.Nothing == "" && h.List.Several() {
		remove.Disabled = "" // the page says which cannot be deleted
	}
	return append(all, list.Each(h, remove, list.Deletes, func(rows []R) tea.Msg {
		plan := func(s *cloud.Snapshot, row R) (ops.Plan, error) { return ops.PlanOp(s, w.remove(name(row))) }
		if len(rows) == 1 {
			return screen.PushMsg{Screen: confirm.Write(env, h.Snap, "delete", "delete "+name(rows[0]), func(s *cloud.Snapshot) (ops.Plan, error) { return plan(s, rows[0]) }, "")}
		}
		return screen.PushMsg{Screen: confirm.WriteAll(env, "delete", w.thing, rows, plan)}
	}))
}
