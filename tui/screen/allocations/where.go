package allocations

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/places"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// where is the second step of an allocation: the trees on which a wish fits, and the others
// with the reasons.
type where struct {
	st    *style.Styles
	wish  ops.Wish
	main  placement.ResourceClass // whose bars are shown
	asked int64                   // requested units of it
}

// newWhere returns the step; pick returns the one after it.
func newWhere(env screen.Env, snap *cloud.Snapshot, indexer *candidates.Indexer, wish ops.Wish, pick func(*cloud.Snapshot, ops.Option) form.Step) form.Step {
	s := &where{st: env.Styles, wish: wish, main: scarcest(wish)}
	s.asked = wish.Resources[s.main]
	bar := func(l *component.Line, _ *ops.Option, load component.Load) { component.Bar(l, l.Left(), load) }
	columns := list.Show("name=TREE:14-40+2~ now:8-16+1 used=now:9> then=:8-16+1 after=after:9> why=OFFERS,_OR_WHY_NOT:28+4", "then now after used", list.Cells[*ops.Option]{
		"name": func(l *component.Line, o *ops.Option, _ list.At) { l.Add(textOf(o), o.Anchor.Name()) },
		"now":  s.load(false, bar), "used": s.load(false, s.used), "then": s.load(true, bar), "after": s.load(true, s.used),
		"why": gives,
	})
	columns.Of("now").Title = string(s.main)
	env.Memory = env.Memory.Copy() // with the filters that have names, and without the one that this list had the last time
	return form.List(env.Styles, steps, 1, nil, list.New(list.Spec[*ops.Option]{
		Name: "trees", Thing: "tree",
		Rows: func(_ context.Context, snap *cloud.Snapshot) []*ops.Option {
			options, _ := ops.Fits(snap, indexer.Index(snap.Placement()), wish) // refused only for what the fields refuse
			return list.Pointers(options)
		},
		ID: func(o *ops.Option) string {
			id := o.Anchor.ID()
			return string(id[:])
		},
		Text:    searched,
		Columns: columns,
		Fields: []*kinds.Field{
			kinds.TextField("name", func(o *ops.Option, _ list.At) string { return o.Anchor.Name() }),
			kinds.TextField("fits", func(o *ops.Option, _ list.At) string { return yesNo(o.Fits()) }),
			kinds.NumberField("free", panel.Unit(s.main), func(o *ops.Option, at list.At) (float64, bool) { return s.free(at, o), true }),
			kinds.TextField("why", func(o *ops.Option, _ list.At) string { return o.Why() }),
			kinds.TextField("disabled", func(o *ops.Option, _ list.At) string { return yesNo(o.Disabled) }),
		},
		FilterHelp: "text, regex, !term, fits=yes free>2",
		Severity: func(o *ops.Option, _ list.At) style.Severity {
			switch {
			case !o.Fits():
				return style.SeverityCritical
			case o.Disabled || o.Phantom != "":
				return style.SeverityWarn
			}
			return style.SeverityOK
		},
		Actions: func(h list.Here[*ops.Option]) []action.Action {
			enter := action.Action{ID: "allocate.pick", Keys: "enter", Title: "pick", Help: "preview it on the tree under the cursor", Priority: 95}
			if h.Nothing == "" && !h.Row.Fits() {
				enter.Disabled = h.Row.Anchor.Name() + " cannot take it: " + h.Row.Why()
			}
			return []action.Action{h.About(enter, func(o *ops.Option) tea.Msg { return form.NextMsg{Step: pick(h.Snap, *o)} })}
		},
		Top:    s.asks,
		Title:  func(o *ops.Option, _ list.At) (title, note string) { return o.Anchor.Name(), "" },
		Detail: s.explain,
		Half:   true,
		Side:   true,
		Empty:  []string{"this cloud has no resource providers"},
	}, env, snap, ""))
}

func yesNo(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }

// searched is what a filter without a field searches.
func searched(o *ops.Option) string {
	words := []string{o.Anchor.Name()}
	for _, p := range o.Parts {
		words = append(words, p.Provider.Name())
	}
	return strings.Join(append(words, o.Why()), " ")
}

// scarcest returns the class of a wish that matters most for where it fits: an accelerator, if
// it has any.
func scarcest(w ops.Wish) placement.ResourceClass {
	all := slices.SortedFunc(maps.Keys(w.Resources), kinds.CompareClasses)
	return all[max(slices.IndexFunc(all, placement.ResourceClass.IsAccelerator), 0)]
}

// textOf is the colour of an option.
func textOf(o *ops.Option) themes.Token {
	if o.Fits() {
		return themes.Text
	}
	return themes.Faint
}

// gives draws which providers other than the root give what, with their owners, or why an
// option does not fit.
func gives(l *component.Line, o *ops.Option, at list.At) {
	for i, r := range o.Reasons {
		if i > 0 {
			l.Add(themes.Dim, "; ")
		}
		l.Add(themes.Dim, whyNot(o, r))
	}
	switch {
	case !o.Fits():
	case o.Phantom != "":
		l.Add(themes.Warn, o.Phantom)
	default:
		places.Gives(l, at.Snap.Placement(), o.Anchor.ID(), partsOf(o, at))
	}
}

// partsOf returns what each provider would give to an option.
func partsOf(o *ops.Option, at list.At) []places.Part {
	all := ops.Amounts{}
	for _, p := range o.Parts {
		of := all[p.Provider.ID()]
		if of == nil {
			of = map[placement.ResourceClass]int64{}
			all[p.Provider.ID()] = of
		}
		of[p.Class] += p.Amount
	}
	return places.Parts(at.Snap.Placement(), o.Anchor.ID(), all, nil)
}

// load returns a cell about the main class: draw gets how full it is, or then would be.
func (s *where) load(then bool, draw func(*component.Line, *ops.Option, component.Load)) func(*component.Line, *ops.Option, list.At) {
	return func(l *component.Line, o *ops.Option, at list.At) {
		id, fits := s.giver(o)
		load, ok := sheet.LoadOf(at.Snap.Placement(), id, s.main)
		switch {
		case !ok && !then:
			l.Add(themes.Faint, "-")
		case !then:
			draw(l, o, load)
		case ok && fits && o.Fits():
			draw(l, o, sheet.Then(load, s.asked))
		}
	}
}

// used draws a load in numbers.
func (s *where) used(l *component.Line, o *ops.Option, load component.Load) {
	l.Add(textOf(o), component.Used(load, panel.Unit(s.main)))
}

// giver returns the provider of o that matters for the main class, and whether it would
// give it.
func (s *where) giver(o *ops.Option) (placement.ProviderID, bool) {
	for _, p := range o.Parts {
		if p.Class == s.main {
			return p.Provider.ID(), true
		}
	}
	for _, r := range o.Reasons {
		if r.Condition.Class == s.main && r.Provider != nil {
			return r.Provider.ID(), false
		}
	}
	return placement.ProviderID{}, false
}

// free returns the free units of the main class on o.
func (s *where) free(at list.At, o *ops.Option) float64 {
	id, _ := s.giver(o)
	if p, ok := at.Snap.Placement().Provider(id); ok {
		iu, _ := p.Inventory(panel.ClassID(at.Snap.Placement(), s.main))
		return float64(iu.Free())
	}
	return 0
}

// asks draws what is asked for, and on how many trees it fits.
func (s *where) asks(all []*ops.Option, _ int, a list.Area) []string {
	l := a.Line().Space(1).Add(themes.Strong, strings.ReplaceAll(api.Resources(s.wish.Resources), ",", "  "))
	if terms := (candidates.Query{Groups: []candidates.Group{s.wish.Terms}}).URL(); terms != "" {
		l.Add(themes.Dim, "   with ").Add(themes.Text, terms)
	}
	if p, ok := a.Snap.Placement().Provider(s.wish.Provider); ok {
		l.Add(themes.Dim, "   from ").Add(themes.Text, p.Name())
	}
	fits := 0
	for _, o := range all {
		if o.Fits() {
			fits++
		}
	}
	return []string{l.Add(themes.Dim, fmt.Sprintf("   fits %s of %s", component.Count(fits), component.Count(len(all)))).String()}
}

// explain says what an option gives, or why it does not fit.
func (s *where) explain(o *ops.Option, a list.Area) []string {
	var checks []sheet.Check
	say := func(sev style.Severity, text string) { checks = append(checks, sheet.Check{Severity: sev, Text: text}) }
	for _, r := range o.Reasons {
		say(style.SeverityCritical, whyNot(o, r))
	}
	if !o.Fits() && !s.wish.Provider.IsZero() {
		say(style.SeverityInfo, "only this provider was asked: esc and clear its field for any")
	}
	lines := sheet.Checks(s.st, a.Width, checks...)
	lines = append(lines, places.Lines(a, partsOf(o, a.At))...)
	checks = nil
	if o.Disabled {
		say(style.SeverityWarn, "the compute service is disabled: the scheduler skips it")
	}
	if o.Fits() {
		say(style.SeverityOK, "room, units, traits and aggregates fit")
	}
	lines = append(lines, sheet.Checks(s.st, a.Width, checks...)...)
	return lines[:min(len(lines), max(a.Height, 0))]
}

// whyNot returns why an option does not fit, and which provider is the reason if it is
// not the root.
func whyNot(o *ops.Option, r candidates.Reason) string {
	if r.Provider == nil || r.Provider == o.Anchor || !r.Condition.OfGroup() {
		return r.Words()
	}
	return shortOf(o, r.Provider) + " " + r.Words()
}

// shortOf returns the name of a provider without that of the root in front.
func shortOf(o *ops.Option, p *placement.ResourceProvider) string {
	if rest, ok := strings.CutPrefix(p.Name(), o.Anchor.Name()+"_"); ok && rest != "" {
		return rest
	}
	return p.Name()
}

// roomFor searches for room for a wish, and returns what draws the result:
// "11 trees   VGPU of ⬢ N 6 ⬡ C 5".
func roomFor(snap *cloud.Snapshot, indexer *candidates.Indexer, wish ops.Wish) func(*component.Line) {
	options, err := ops.Fits(snap, indexer.Index(snap.Placement()), wish)
	if err != nil {
		return nil
	}
	trees, of := 0, scarcest(wish)
	var owned panel.AcceleratorCounts // by the owner of the accelerator that each tree gives
	for _, o := range options {
		if !o.Fits() {
			continue
		}
		trees++
		for _, p := range o.Parts {
			if p.Class == of {
				owned[snap.Placement().Owner(p.Provider)]++
				break
			}
		}
	}
	return func(l *component.Line) {
		if trees == 0 {
			l.Add(themes.Warn, "nowhere now").Add(themes.Dim, "; the next step says why not, tree by tree")
			return
		}
		l.Add(themes.Text, component.Plural(trees, "tree"))
		if of.IsAccelerator() {
			l.Add(themes.Dim, "   "+string(of)+" of ")
			owned.Draw(l)
		}
	}
}
