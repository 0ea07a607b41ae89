package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/menu"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Arguments of ":let" besides a name.
const (
	letAll  = "all"
	letStop = "stop"
)

// newsMsg says that there is news from the room.
type newsMsg struct{}

// listen waits for news from the room, on behalf of both dashboards if there are two.
func (a *App) listen() tea.Cmd {
	m := a.cfg.Member
	if m == nil || a.second {
		return nil
	}
	ctx := a.env.Context
	return func() tea.Msg {
		select {
		case <-m.News:
			return newsMsg{}
		case <-ctx.Done():
			return nil
		}
	}
}

// news shows news, and waits for more.
func (a *App) news() tea.Cmd {
	cmds := []tea.Cmd{a.listen()}
	for _, text := range a.cfg.Member.told() {
		t := component.Toast{Severity: style.SeverityWarn, Text: text}
		if to := a.focused(); to != a { // only the other dashboard may be visible
			cmds = append(cmds, sided(to, to.toast(t)))
			continue
		}
		cmds = append(cmds, a.toast(t))
	}
	return screen.Batch(cmds...)
}

// roomCommands are the commands for users who share a cloud.
func (a *App) roomCommands() []command {
	m := a.cfg.Member
	if m == nil {
		return nil
	}
	out := []command{
		{name: "follow", what: "see NAME's screen, once they allow it", args: m.others(), run: a.follow},
		{name: "let", what: "let NAME, or all who asked, see your screen; stop ends it", args: append(m.others(), letAll, letStop), run: a.let},
	}
	if a.cfg.Who != nil {
		out = append(out, command{name: "who", what: "list who is connected, from where and since when", run: func(string) tea.Cmd { return a.openMenu(a.whoMenu()) }})
	}
	return out
}

// follow asks another user for permission to follow them.
func (a *App) follow(name string) tea.Cmd {
	of, err := a.cfg.Member.ask(name)
	if err != nil {
		return a.refuse("follow: "+err.Error(), strings.Join(a.cfg.Member.others(), ", "))
	}
	return a.toast(component.Toast{Severity: style.SeverityInfo, Text: of + " is asked; you follow once they allow it"})
}

// let lets a user follow, or ends that for all.
func (a *App) let(name string) tea.Cmd {
	if name == letStop {
		a.cfg.Member.stop()
		return nil
	}
	if err := a.cfg.Member.let(name); err != nil {
		return a.refuse("let: "+err.Error(), "")
	}
	return a.toast(component.Toast{Severity: style.SeverityWarn, Text: "others see your screen", Hint: ":let stop"})
}

// whoMenu lists who is here; choosing one asks to follow them.
func (a *App) whoMenu() menu.Spec {
	return menu.Spec{
		Name: "who", Title: "who is here", Verb: "follow",
		Items:  a.whoItems,
		Choose: func(i menu.Item) tea.Cmd { return a.follow(i.Name) },
	}
}

func (a *App) whoItems() []menu.Item {
	all, now, wide := a.cfg.Who(), a.env.Clock(), 0
	for _, p := range all {
		wide = max(wide, len(p.Address))
	}
	var items []menu.Item
	for i, p := range all {
		idle := ""
		if !p.Heard.IsZero() {
			idle = "idle " + component.Age(max(now.Sub(p.Heard), 0))
		}
		note := fmt.Sprintf("%-8s  %-*s  since %s  %-9s  %s", p.Role, wide, p.Address, p.Since.UTC().Format("15:04Z"), idle, p.At)
		items = append(items, menu.Item{ID: strconv.Itoa(i), Name: p.Name, Note: note})
	}
	return items
}

// follows reports whether this dashboard follows another.
func (a *App) follows() bool {
	if a.cfg.Member == nil {
		return false
	}
	name, _, _ := a.cfg.Member.followed()
	return name != ""
}

// following returns the frame of the followed user, below a line that says so.
func (a *App) following() string {
	name, f, _ := a.cfg.Member.followed()
	w, h := a.size()
	st := a.env.Styles
	text := fmt.Sprintf(" following %s, %dx%d", name, f.Width, f.Height)
	if f.Width > w || f.Height > h-1 {
		text += ", shown in part"
	}
	head := component.Spread(st, w, []component.Seg{{Token: themes.Replay, Text: text}}, []component.Seg{{Token: themes.Dim, Text: "esc ends "}})
	room := h - 1
	if told := a.focused().toldLine(w); told != "" {
		head, room = told+"\n"+head, h-2
	}
	if room <= 0 {
		return component.Fit(head, w, h)
	}
	body := f.Text
	if f.Profile < st.Profile() || st.Glyphs.ASCIIOnly && !f.ASCII {
		body = a.plainly(body, w)
	}
	var lines []string
	for line := range strings.SplitSeq(body, "\n") {
		lines = append(lines, ansi.Truncate(line, w, ""))
	}
	return head + "\n" + component.Fit(strings.Join(a.abridge(lines, w, room), "\n"), w, room)
}

// abridge removes lines from the middle of a frame that is too high: a presenter's bar is
// at its end.
func (a *App) abridge(lines []string, w, h int) []string {
	over := len(lines) - h + 1
	if over < 2 || h < 3 {
		return lines
	}
	below := h / 3
	mark := component.NewLine(a.env.Styles, w).Add(themes.Faint, fmt.Sprintf("%s %d more lines", a.env.Styles.Glyphs.More, over)).String()
	return slices.Concat(lines[:h-1-below], []string{mark}, lines[len(lines)-below:])
}

// plainly draws the frame of a terminal with more abilities than this one.
func (a *App) plainly(body string, w int) string {
	var lines []string
	for line := range strings.SplitSeq(ansi.Strip(body), "\n") {
		lines = append(lines, component.NewLine(a.env.Styles, w).Add(themes.Text, line).String())
	}
	return strings.Join(lines, "\n")
}

// followKey handles a key while a user is followed: only those that end it do anything.
func (a *App) followKey(name string) bool {
	if !a.follows() {
		return false
	}
	if name == "esc" || name == "q" || name == "ctrl+c" {
		a.cfg.Member.leaveOff()
	}
	return true
}

// publish tells the room what is shown, on both dashboards if there are two.
func (a *App) publish() {
	if a.cfg.Member == nil || a.second {
		return
	}
	at := ""
	if titles := a.focused().crumbs(); len(titles) > 0 {
		at = titles[len(titles)-1]
	}
	st := a.env.Styles
	w, h := a.size()
	a.cfg.Member.show(at, Frame{a.own(), w, h, st.Profile(), st.Glyphs.ASCIIOnly})
}

// seen returns what the header says about followers, "" if there are none.
func (a *App) seen(compact bool) string {
	if a.cfg.Member == nil {
		return ""
	}
	_, _, n := a.cfg.Member.followed()
	switch {
	case n == 0:
		return ""
	case compact:
		return fmt.Sprintf("seen by %d", n)
	}
	return fmt.Sprintf("seen by %d: :let stop", n)
}
