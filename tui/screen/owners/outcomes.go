package owners

import (
	"cmp"
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// formName returns the name of a form of the filter.
func formName(form int) string { return [...]string{"groups", "root"}[form] }

// lost returns how many hosts a flavor loses with the worst form.
func (f *flavorRow) lost() int {
	return max(f.then[formGroups].Lost, f.then[formRoot].Lost)
}

// fault returns why the flavor has no request, "" if it has one.
func (f *flavorRow) fault() string { return cmp.Or(f.then[formGroups].Error, f.then[formRoot].Error) }

// because returns why the first host is lost or, if none is, the first card.
func (f *flavorRow) because() string {
	if why := f.fault(); why != "" {
		return "cannot be asked for: " + why
	}
	for _, t := range f.then {
		if len(t.Hosts) > 0 {
			text := t.Hosts[0].Why
			if t.Lost > 1 {
				text += ", and " + component.Plural(t.Lost-1, "more host")
			}
			return text
		}
	}
	for _, t := range f.then {
		if len(t.Cards) > 0 {
			return t.Cards[0].Why + ", and its host stays"
		}
	}
	return "-"
}

func (f *flavorRow) severity(list.At) style.Severity {
	for _, t := range f.then {
		if t.Error == "" && t.Then == 0 && t.Now > 0 {
			return style.SeverityCritical
		}
	}
	if f.lost() > 0 {
		return style.SeverityWarn
	}
	return style.SeverityNone
}

// drawThen draws where a flavor would still fit with a form.
func (f *flavorRow) drawThen(l *component.Line, form int) {
	t := f.then[form]
	if t.Error != "" {
		l.Add(themes.Faint, "-")
		return
	}
	token := themes.Text
	switch {
	case t.Then == 0 && t.Now > 0:
		token = themes.Critical
	case t.Lost > 0:
		token = themes.Warn
	}
	l.Add(token, component.Count(t.Then))
	if t.Lost > 0 {
		l.Add(themes.Dim, " -"+component.Count(t.Lost))
	}
}

// flavorList is the list of flavors with where they fit now, and would then.
func (s *Screen) flavorList() *list.Screen {
	return list.New(list.Spec[*flavorRow]{
		Name: "gate-flavors", Thing: "flavor",
		Rows: func(context.Context, *cloud.Snapshot) []*flavorRow {
			if o := s.answer.Load(); o != nil {
				return o.flavors
			}
			return nil
		},
		ID:   func(f *flavorRow) string { return f.name },
		Text: func(f *flavorRow) string { return f.name + " " + f.because() },
		Columns: list.Show("flavor:10-34+2 now:6> groups:9> root:9> because=LOST_BECAUSE:16+5", "because", list.Cells[*flavorRow]{
			"groups": func(l *component.Line, f *flavorRow, _ list.At) { f.drawThen(l, formGroups) },
			"root":   func(l *component.Line, f *flavorRow, _ list.At) { f.drawThen(l, formRoot) },
		}),
		Orders: []list.Order[*flavorRow]{
			{Name: "worst", Column: "because", Key: func(f *flavorRow, at list.At) list.Key {
				return list.Key{Number: -1e9*float64(f.severity(at)) - float64(f.lost())}
			}},
			{Name: "flavor"},
			{Name: "now", Desc: true},
			{Name: "groups"},
			{Name: "root"},
		},
		Fields: []*kinds.Field{
			kinds.TextField("because", func(f *flavorRow, _ list.At) string { return f.because() }),
			kinds.TextField("flavor", func(f *flavorRow, _ list.At) string { return f.name }),
			kinds.NumberField("groups", component.UnitCount, func(f *flavorRow, _ list.At) (float64, bool) { return float64(f.then[formGroups].Then), true }),
			kinds.NumberField("lost", component.UnitCount, func(f *flavorRow, _ list.At) (float64, bool) { return float64(f.lost()), true }),
			kinds.NumberField("now", component.UnitCount, func(f *flavorRow, _ list.At) (float64, bool) { return float64(f.now), true }),
			kinds.NumberField("root", component.UnitCount, func(f *flavorRow, _ list.At) (float64, bool) { return float64(f.then[formRoot].Then), true }),
		},
		FilterHelp: "flavor or reason, lost>0 groups=0",
		Severity:   (*flavorRow).severity,
		Actions: func(h list.Here[*flavorRow]) []action.Action {
			a := aim{}
			if h.Row.ref != "" {
				a.open = place.Flavor{Ref: h.Row.ref}
			}
			return s.rowActions(h.Snap, a, h.Nothing)
		},
		Empty: []string{
			"nothing has been simulated yet",
			"try: u checks every flavor and instance as if the gate opened now",
			"try: U does so as if every old nova-compute were upgraded first",
		},
	}, s.env, s.snap, "")
}

// instanceList is the list of instances that could not be placed on their current host.
func (s *Screen) instanceList() *list.Screen {
	why := func(form int) func(l *component.Line, i *instanceRow, _ list.At) {
		return func(l *component.Line, i *instanceRow, _ list.At) {
			if i.why[form] == "" {
				l.Add(themes.OK, "may stay")
				return
			}
			l.Add(themes.Warn, i.why[form])
		}
	}
	return list.New(list.Spec[*instanceRow]{
		Name: "gate-instances", Thing: "instance",
		Rows: func(context.Context, *cloud.Snapshot) []*instanceRow {
			if o := s.answer.Load(); o != nil {
				return o.instances
			}
			return nil
		},
		ID:   func(i *instanceRow) string { return i.Instance.String() },
		Text: func(i *instanceRow) string { return i.Name + " " + i.why[formGroups] + " " + i.why[formRoot] },
		Columns: list.Show("name=INSTANCE:10-34+2 host:8-30+1 groups:14+3 root:14+3", "host root", list.Cells[*instanceRow]{
			"groups": why(formGroups),
			"root":   why(formRoot),
		}),
		Orders: list.By[*instanceRow]("name host"),
		Fields: []*kinds.Field{
			kinds.TextField("flavor", func(i *instanceRow, _ list.At) string { return nova.FlavorName(i.Flavor) }),
			kinds.TextField("host", func(i *instanceRow, _ list.At) string { return i.host }),
			kinds.TextField("name", func(i *instanceRow, _ list.At) string { return i.Name }),
		},
		FilterHelp: "instance or reason, host=cmp-001",
		Severity:   func(*instanceRow, list.At) style.Severity { return style.SeverityWarn },
		Actions: func(h list.Here[*instanceRow]) []action.Action {
			a := aim{}
			if h.Nothing == "" {
				a = aim{instance: h.Row.Instance, open: place.Instance{ID: h.Row.Instance}}
			}
			return s.rowActions(h.Snap, a, h.Nothing)
		},
		Nothing: func() []string {
			if s.answer.Load() == nil {
				return []string{"nothing has been simulated yet", "try: u"}
			}
			return []string{"no instance would lose its place, as far as simulated"}
		},
	}, s.env, s.snap, "")
}

// aboutFlavor lists the hosts that a flavor would lose with each form, and why.
func (s *Screen) aboutFlavor(f *flavorRow, _ list.At) (string, []page.Words) {
	if why := f.fault(); why != "" {
		return f.name, []page.Words{{Token: themes.Warn, Text: "cannot be asked for: " + why}}
	}
	out := []page.Words{say("%s with a candidate now", component.Plural(f.now, "host"))}
	for form, t := range f.then {
		out = append(out, blank(), say("form %s: %d then, %d lost; %s, then %d", formName(form), t.Then, t.Lost, candidates(t.CandidateCount), t.After))
		for _, h := range t.Hosts {
			out = append(out, say("  %s", h.Why))
		}
		if more := t.Lost - len(t.Hosts); more > 0 {
			out = append(out, say("  and %d more", more))
		}
		for _, c := range t.Cards {
			out = append(out, say("  %s stays, but %s", c.Host, c.Why))
		}
	}
	return f.name, append(out, s.aboutForms()...)
}

// candidates returns the current number in words.
func candidates(n insight.CandidateCount) string {
	text := component.Plural(n.Before, "candidate")
	if n.More {
		text = "the first " + text
	}
	return text
}

// aboutForms explains the difference between the forms.
func (s *Screen) aboutForms() []page.Words {
	o := s.answer.Load()
	if o == nil {
		return nil // there is no row without an answer
	}
	out := []page.Words{blank(), say("%s", o.words), say("The form groups requires the owner in every request group. The form root, as merged upstream, only in the root and PCI groups.")}
	if o.mixed > 0 {
		out = append(out, say("With the form root a plain resources:VGPU can still land on a card of Cyborg's, on %s of yours.", component.Plural(o.mixed, "mixed host")))
	}
	return out
}

// aboutInstance says why an instance could not be placed on its current host.
func aboutInstance(i *instanceRow, _ list.At) (string, []page.Words) {
	out := []page.Words{say("flavor %s on %s", nova.FlavorName(i.Flavor), i.host), blank()}
	for form, why := range i.why {
		if why == "" {
			why = "may stay"
		}
		out = append(out, say("form %s: %s", formName(form), why))
	}
	return i.Name, append(out, blank(), say("It keeps running. A move, a resize or a rebuild asks the scheduler, and would not come back here."))
}
