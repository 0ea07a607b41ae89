package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/suggest"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// prompt is the line after ":", which runs commands.
type prompt struct {
	line  *component.Prompt
	open  bool
	all   func() []command
	stack *stack
}

// newPrompt returns a prompt that completes commands.
func newPrompt(cfg *Config, s *stack, all func() []command) *prompt {
	p := &prompt{line: component.NewPrompt(cfg.Env.Styles, ":"), all: all, stack: s}
	p.line.Suggest = p.suggest
	if m := cfg.Env.Memory; m != nil {
		p.line.SetHistory(m.Commands)
	}
	return p
}

// ask opens the prompt.
func (p *prompt) ask() tea.Cmd {
	p.line.Reset()
	p.open = true
	return nil
}

// key passes a key to the prompt.
func (p *prompt) key(msg tea.KeyMsg) tea.Cmd {
	if msg.String() == "tab" && p.line.Value() == "" {
		p.open = false
		return p.stack.openMenu(p.aliases())
	}
	if msg.String() == "enter" {
		p.line.Complete()
	}
	switch p.line.Key(msg) {
	case component.PromptCancel:
		p.open = false
	case component.PromptSubmit:
		return p.submit(p.line.Value())
	case component.PromptNone, component.PromptChanged:
	}
	return nil
}

// suggest completes what was typed at the prompt. A whole name needs no completion, though
// it may be the beginning of another.
func (p *prompt) suggest(text string) []string {
	if text == "" {
		return nil
	}
	var out []string
	said, begun, more := strings.Cut(text, " ")
	for _, c := range p.all() {
		if c.called(text) {
			return []string{text}
		}
		if c.unlisted {
			continue
		}
		for _, arg := range c.args {
			if more && c.called(said) && strings.HasPrefix(arg, begun) {
				out = append(out, said+" "+arg)
			}
		}
		for _, name := range append([]string{c.name}, c.also...) {
			if strings.HasPrefix(name, text) {
				out = append(out, name)
				break
			}
		}
	}
	if len(p.meaning(text)) > 0 { // a whole word, which may be the beginning of a command
		return []string{text}
	}
	return out
}

// submit runs what was typed at the prompt, or completed by it.
func (p *prompt) submit(text string) tea.Cmd {
	name, arg, _ := strings.Cut(strings.TrimSpace(text), " ")
	all := p.all()
	i := slices.IndexFunc(all, func(c command) bool { return c.called(name) })
	p.open = false
	if i >= 0 && all[i].off == "" {
		return p.run(all[i], strings.TrimSpace(arg))
	}
	means := p.meaning(name)
	found := filter.Best(p.stack.screens.views(), screen.Named.Words, filter.Asked(text))
	var note string
	switch {
	case name == "":
		return nil
	case i >= 0:
		note = all[i].off
	case onlyWhere(name) != "":
		note = onlyWhere(name)
	case len(found) > 0 && len(means) == 1 && arg == "":
		return p.stack.visit(means[0].To)
	case len(found) > 0:
		return p.stack.visit(place.Find{Text: text})
	default:
		note = "no such command" + nearestCommand(name, all)
	}
	p.open = true
	p.line.SetNote(themes.Warn, note)
	return nil
}

// meaning returns what people call by a name that is no command: where there are several,
// they choose.
func (p *prompt) meaning(name string) []screen.Named {
	var out []screen.Named
	for _, v := range p.stack.screens.views() {
		if strings.EqualFold(v.Name, name) {
			return []screen.Named{v}
		}
		if v.Means(strings.ToLower(name)) && !slices.ContainsFunc(out, func(o screen.Named) bool { return o.To == v.To }) {
			out = append(out, v)
		}
	}
	return out
}

// choose runs the command of a name if it has a page to choose from, or begins its line.
func (p *prompt) choose(name string) tea.Cmd {
	for _, c := range p.all() {
		if c.name == name && c.lists != nil && c.off == "" {
			return p.run(c, "")
		}
	}
	cmd := p.ask()
	p.line.SetValue(name + " ")
	return cmd
}

// named returns the commands that people look for by other words.
func (p *prompt) named() []screen.Named {
	var out []screen.Named
	for _, c := range p.all() {
		if c.words != "" {
			out = append(out, screen.Named{Kind: "command", Name: c.name, Title: c.name, What: c.what, Also: strings.Join(append(c.also, c.words), " "), To: place.Command{Name: c.name}})
		}
	}
	return out
}

// run runs a command.
func (p *prompt) run(c command, arg string) tea.Cmd {
	if c.lists != nil && arg == "" {
		return p.stack.openMenu(c.lists())
	}
	return c.run(arg)
}

// aliases lists all commands.
func (p *prompt) aliases() list.MenuSpec {
	all := p.all()
	return list.MenuSpec{
		Name: "alias", Title: "commands", Verb: "run", Empty: "there are no commands",
		Items: func() []list.Item {
			var items []list.Item
			for _, c := range all {
				if c.unlisted {
					continue
				}
				note := c.what
				if c.off != "" {
					note += "   (" + c.off + ")"
				}
				for _, name := range c.also {
					note += "   :" + name
				}
				items = append(items, list.Item{Name: ":" + c.name, Note: note, Run: func() tea.Cmd {
					if c.off != "" {
						return p.stack.messages.refuse(":"+c.name+": "+c.off, "")
					}
					return p.run(c, "")
				}})
			}
			return items
		},
	}
}

// onlyWhere says which dashboards have a command that not all have; "" for any other word.
func onlyWhere(name string) string {
	const remote, shared = "only on a remote cloud", "only on a shared file or over SSH"
	return map[string]string{"who": shared, "people": shared, "ages": remote, "age": remote, "refresh": remote}[name]
}

// nearestCommand returns the command that an unknown name resembles most.
func nearestCommand(name string, all []command) string {
	var names []string
	for _, c := range all {
		names = append(append(names, c.name), c.also...)
	}
	if like := suggest.Nearest(name, names); len(like) > 0 {
		return "; try :" + like[0]
	}
	return "; :alias lists all"
}
