package problems

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// ownRules opens the page about the user's own rules: the rules, what is wrong with them,
// and how to write another.
func (s *Screen) ownRules() tea.Cmd {
	own, pass := s.env.Keeper.Own(), s.env.Keeper.Last()
	severity := style.SeverityInfo
	lines := []string{fmt.Sprintf("%s of your own", component.Plural(len(own.Rules), "rule"))}
	for _, r := range own.Rules {
		lines = append(lines, fmt.Sprintf("%s: %s where %s", r.ID, r.On, r.Where))
	}
	for _, err := range own.Faults {
		severity = style.SeverityWarn
		lines = append(lines, "left out: "+err.Error())
	}
	if pass != nil && pass.Fault != nil {
		severity = style.SeverityWarn
		lines = append(lines, "those with a hold time were not applied: "+pass.Fault.Error())
	}
	file := own.File
	if file == "" {
		file = "the configuration file"
	}
	lines = append(lines, "", "add one to "+file+", and start again:", "")
	lines = append(lines, example()...)
	page := screen.NewPage(s.env.Styles, "rules", severity, "YOUR RULES", lines, screen.Choice{
		Key: "c", Title: "copy the example", Run: func() tea.Cmd {
			return screen.Send(screen.CopyMsg{What: "the example", Text: strings.Join(example(), "\n") + "\n"})
		},
	})
	return screen.Send(screen.PushMsg{Screen: page})
}

// example returns a rule as in the configuration file.
func example() []string {
	const on = "providers"
	return []string{
		"[[rule]]",
		`id = "full-card"`,
		`title = "card nearly full"`,
		`severity = "warning"  # info, warning, critical`,
		`on = "` + on + `"`,
		"# or " + strings.Join(slices.DeleteFunc(audit.RowKinds(), func(kind string) bool { return kind == on }), ", "),
		`where = "class=VGPU free<2"`,
		`count = 1             # fewer matches are fine`,
		`for = "10m"           # it must have matched that long`,
		`fix = "enable another card"`,
		`command = "placetop get provider {name}"`,
	}
}
