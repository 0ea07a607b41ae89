package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/menu"
	"github.com/placetop/placetop/tui/screen"
)

// exports are the commands that export or copy what is shown.
func (a *App) exports() []command {
	return []command{
		{name: "export", args: format.Names(), what: "write the table to a file: csv, json, yaml or md, and a name if you like", run: a.export},
	}
}

// exportActions are the keys that copy.
func (a *App) exportActions() []action.Action {
	if copier, ok := a.copier(); ok {
		return []action.Action{{ID: "app.copyas", Keys: "C", Title: "copy as", Help: "copy as id, name, command, JSON, YAML, text for a ticket", Run: func() tea.Cmd { return a.copyAs(copier) }}}
	}
	return nil
}

// copier returns the screen below the help if it has something to copy.
func (a *App) copier() (screen.Copier, bool) {
	if e := a.stack.under(); e != nil {
		c, ok := e.screen.(screen.Copier)
		return c, ok
	}
	return nil, false
}

// copyAs lists what can be copied of the row under the cursor.
func (a *App) copyAs(copier screen.Copier) tea.Cmd {
	var all []screen.CopyMsg
	if crash := try(func() { all = copier.Copies() }); crash != nil {
		return a.crashes.crashed(a.stack.under(), crash)
	}
	if len(all) == 0 {
		return a.messages.inform("copy as: there is nothing under the cursor", "")
	}
	return a.stack.openMenu(menu.Spec{
		Name: "copyas", Title: "copy as", Verb: "copy", Numbered: true,
		Items: func() []menu.Item {
			var items []menu.Item
			for _, c := range all {
				items = append(items, menu.Item{ID: c.What, Name: c.What, Note: strings.Join(strings.Fields(c.Text), " ")})
			}
			return items
		},
		Choose: func(i menu.Item) tea.Cmd {
			for _, c := range all {
				if c.What == i.ID {
					return a.messages.copy(c)
				}
			}
			return nil
		},
	})
}

// table returns the rows and columns of the screen.
func (a *App) table() (t format.Table, ok bool) {
	e := a.stack.under()
	if e == nil {
		return t, false
	}
	if s, is := e.screen.(screen.Tabler); is {
		_ = try(func() { t, ok = s.Table() })
	}
	return t, ok
}

// export exports the table: arg is the format, and perhaps the name of a
// file. Without arg it asks.
func (a *App) export(arg string) tea.Cmd {
	as, name, _ := strings.Cut(arg, " ")
	name = strings.TrimSpace(name)
	if dot := strings.LastIndexByte(as, '.'); dot >= 0 && name == "" { // the extension is the format
		as, name = as[dot+1:], as
	}
	switch {
	case as == "":
		return a.stack.openMenu(a.exportMenu())
	case !slices.Contains(format.Names(), as):
		return a.messages.refuse("export: "+as+" is none of "+strings.Join(format.Names(), ", "), "")
	}
	t, ok := a.table()
	if !ok {
		return a.messages.refuse("export: this screen has no table", "")
	}
	out, _, err := t.Write(as)
	if err != nil {
		return a.messages.fail(err.Error(), "")
	}
	return a.write(as, name, t.Name, out)
}

// exportMenu asks for the format.
func (a *App) exportMenu() menu.Spec {
	t, has := a.table()
	return menu.Spec{
		Name: "export", Title: "export", Verb: "write", Numbered: true,
		Items: func() []menu.Item {
			var items []menu.Item
			notes := map[string]string{
				"csv": "for spreadsheets", "json": "a list of objects", "yaml": "the same, for people", "md": "a table for a ticket or a page",
			}
			if has {
				for _, as := range format.Names() {
					items = append(items, menu.Item{ID: as, Name: as, Note: component.Plural(len(t.Rows), "row") + ", " + notes[as]})
				}
			}
			return items
		},
		Choose: func(i menu.Item) tea.Cmd { return a.export(i.ID) },
	}
}

// wroteMsg says where something was written.
type wroteMsg struct {
	path  string
	again string // the hint if writing failed
	err   error
}

// write writes data into a file, or to the clipboard if the session cannot write files.
func (a *App) write(as, name, what string, data []byte) tea.Cmd {
	if a.cfg.WriteFile == nil {
		return a.messages.copyAsItIs(screen.CopyMsg{What: what + " as " + as + ", as no files can be written here", Text: string(data)})
	}
	save, again := a.cfg.WriteFile, ":export "+as+" NAME writes another file"
	if ending := filepath.Ext(name); name != "" && (ending == "" || strings.ContainsAny(ending, "0123456789")) { // "prod-1.2" has no extension
		name += "." + as
	}
	stem := what + "-" + a.env.Clock().UTC().Format("2006-01-02T15-04-05")
	return func() tea.Msg {
		if name != "" {
			path, err := save(name, data)
			return wroteMsg{path, again, err}
		}
		path, err := save(stem+"."+as, data)
		for n := 2; n <= mostOfSecond && errors.Is(err, fs.ErrExist); n++ {
			path, err = save(fmt.Sprintf("%s-%d.%s", stem, n, as), data)
		}
		return wroteMsg{path, again, err}
	}
}

// mostOfSecond is how many files with one name can be written in one second.
const mostOfSecond = 9

// wrote reports that.
func (a *App) wrote(msg wroteMsg) tea.Cmd {
	if msg.err != nil {
		return a.messages.fail("export: "+msg.err.Error(), msg.again)
	}
	return a.messages.done("wrote " + msg.path)
}
