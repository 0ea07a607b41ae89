package panel

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Subject is what is described: a row of a kind, as it is at a moment.
type Subject struct {
	Kind *kinds.Kind
	At   kinds.At
	Row  kinds.Row
}

// Describing returns the keys that show a thing of a kind: d, y and H, c, which copies its uuid or
// name, and E, which edits it as YAML. Get returns the thing; nothing says why there is none, ""
// if there is one. Keys that the screen itself uses for its own are left out.
func Describing(scope string, env screen.Env, kind *kinds.Kind, own []action.Action, nothing string, get func() Subject) []action.Action {
	part, field := "uuid", "uuid"
	if kind.Field(field) == nil {
		part, field = "name", "name"
		if kind.ID != "" {
			part, field = "id", kind.ID
		}
	}
	show := func(page func(Subject, *style.Styles) *Description) func() tea.Msg {
		return func() tea.Msg { return screen.PushMsg{Screen: page(get(), env.Styles)} }
	}
	all := []action.Action{
		{ID: action.ID(scope + ".describe"), Keys: "d", Title: "describe", Help: "everything known about it, and how to query it", Priority: 34, Disabled: nothing, Request: show(Subject.InWords)},
		{ID: action.ID(scope + ".yaml"), Keys: "y", Title: "YAML", Help: "everything known about it, as YAML", Priority: 24, Disabled: nothing, Request: show(Subject.AsYAML)},
		{ID: action.ID(scope + ".history"), Keys: "H", Title: "history", Help: "its history, newest first", Priority: 23, Disabled: cmp.Or(nothing, env.NoScreen(place.Journal{})), Request: func() tea.Msg {
			return screen.Goto{To: place.Journal{Filter: get().Journal()}}
		}},
		{ID: action.ID(scope + ".copy"), Keys: "c", Title: "copy " + part, Help: "copy the " + part, Disabled: nothing, Request: func() tea.Msg {
			t := get()
			return screen.CopyMsg{What: part + " of " + t.name(), Text: cmp.Or(t.field(field), t.name())}
		}},
	}
	if nothing == "" {
		if t := get(); t.Kind.Edits != nil && t.Kind.Edits(t.Row) != nil {
			edit := EditingText(scope, env)
			edit.To = place.EditText{Kind: string(t.Kind.Name), Name: cmp.Or(t.field("uuid"), t.name())}
			all = append(all, edit)
		}
	}
	if kind.Name == kinds.Events {
		all = all[:2] // events have no history
	}
	return slices.DeleteFunc(all, func(a action.Action) bool { return action.Has(own, a.Keys.First()) })
}

// Journal returns the filter of the journal that finds what changed the records of a
// thing: by its name, and by its uuid.
func (t Subject) Journal() string {
	var terms []string
	for _, field := range []string{"uuid", "name"} {
		if text := t.field(field); text != "" && !strings.Contains(text, `"`) {
			terms = append(terms, `record:"`+text+`"`)
		}
	}
	if len(terms) == 0 {
		return `record:"` + strings.ReplaceAll(t.name(), `"`, "") + `"`
	}
	return strings.Join(terms, " | ")
}

// field returns the value of a field of the thing, "" if the kind has no such field.
func (t Subject) field(name string) string {
	f := t.Kind.Field(name)
	if f == nil {
		return ""
	}
	return f.Get(t.At)(t.Row).String()
}

// name returns the name of the thing.
func (t Subject) name() string { return cmp.Or(t.field("name"), t.Kind.Words(t.At)(t.Row)) }

// Title returns the name of the thing, and its uuid.
func (t Subject) Title() (name, uuid string) { return t.name(), t.field("uuid") }

// spaced returns the name of a field in words.
func spaced(field string) string { return strings.ReplaceAll(field, "_", " ") }

// line is a line of text with its look.
type line struct {
	token themes.Token
	label string // before the text, in a column of its own
	text  string
	rule  bool // text is the title of what follows
}

// InWords returns the page that tells about a thing in words.
func (t Subject) InWords(st *style.Styles) *Description {
	p := &Description{st: st, title: "describe " + t.name(), copied: "description of " + t.name()}
	for _, f := range t.Kind.Fields {
		text, grade := f.Cell(t.At)(t.Row)
		if text == "" {
			continue
		}
		token := cmp.Or(Grade(grade).Token(), themes.Text)
		name := f.Asked()
		if f.Type == kinds.Time {
			name = f.Name // the short name is that of an age
			if at, now := f.Get(t.At)(t.Row).Time(), f.Clock(t.At); !at.IsZero() && !at.After(now) {
				text += "   " + Age(now, at) + " ago"
			}
		}
		p.lines = append(p.lines, line{token: token, label: spaced(name), text: format.Harmless(text)})
	}
	p.nested(t)
	for _, part := range t.Kind.Parts {
		p.part(part, t)
	}
	p.lines = append(p.lines, line{rule: true, text: "ASK FOR IT"})
	for _, c := range Copies(t.Kind, t.At, t.Row) {
		if strings.HasSuffix(c.What, "command") {
			p.lines = append(p.lines, line{token: themes.Text, label: c.What, text: c.Text})
		}
	}
	if request := requestFor(t.Kind.Name, cmp.Or(t.field("uuid"), t.name())); request != "" {
		p.lines = append(p.lines, line{token: themes.Text, label: "request", text: request})
	}
	return p
}

// nested adds the fields with more than a value, such as inventories, each under a title.
func (p *Description) nested(t Subject) {
	inside := false
	for _, text := range yamlOf(t) {
		name, value, _ := strings.Cut(text, ":")
		switch {
		case !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "-"):
			if inside = value == ""; inside {
				p.lines = append(p.lines, line{rule: true, text: strings.ToUpper(spaced(name))})
			}
		case inside:
			p.lines = append(p.lines, line{token: themes.Text, text: text})
		}
	}
}

// yamlOf returns a thing as lines of YAML.
func yamlOf(t Subject) []string {
	for _, c := range Copies(t.Kind, t.At, t.Row) {
		if c.What == "YAML" {
			return strings.Split(strings.TrimRight(c.Text, "\n"), "\n")
		}
	}
	return nil
}

// part adds the parts of the thing, one line each.
func (p *Description) part(part kinds.Part, t Subject) {
	rows := part.Of(t.At, t.Row)
	if len(rows) == 0 {
		return
	}
	p.lines = append(p.lines, line{rule: true, text: strings.ToUpper(part.Plural()) + " " + component.Count(len(rows))})
	columns := part.TableColumns()
	for _, row := range rows {
		var words []string
		for _, c := range columns {
			if text, _ := c.Cell(t.At)(row); text != "" && !c.Wide {
				words = append(words, spaced(c.Asked())+" "+format.Harmless(text))
			}
		}
		p.lines = append(p.lines, line{token: themes.Text, text: strings.Join(words, "   ")})
	}
}

// requestFor returns the request that reads a thing, "" if no API has one.
func requestFor(kind kinds.Name, which string) string {
	path := map[kinds.Name]string{
		kinds.Providers: "placement  GET /resource_providers/",
		kinds.Consumers: "placement  GET /allocations/",
		kinds.Classes:   "placement  GET /resource_classes/",
		kinds.Traits:    "placement  GET /traits/",
		kinds.Instances: "compute  GET /servers/",
		kinds.Flavors:   "compute  GET /flavors/",
		kinds.Profiles:  "accelerator  GET /v2/device_profiles/",
		kinds.Devices:   "accelerator  GET /v2/devices/",
		kinds.ARQs:      "accelerator  GET /v2/accelerator_requests/",
	}[kind]
	if path == "" {
		return ""
	}
	return path + which
}

// AsYAML returns the page that has a thing as YAML.
func (t Subject) AsYAML(st *style.Styles) *Description {
	p := &Description{st: st, title: "yaml " + t.name(), copied: "YAML of " + t.name()}
	for _, text := range yamlOf(t) {
		p.lines = append(p.lines, line{token: themes.Text, text: text})
	}
	return p
}
