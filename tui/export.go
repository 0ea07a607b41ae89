package tui

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// exports writes and copies what is shown.
type exports struct {
	stack     *stack
	messages  *messages
	writeFile func(name string, data []byte) (path string, err error) // nil where the session may write none
}

// copyAs lists what can be copied of the row under the cursor.
func (x *exports) copyAs(copier screen.Copier) tea.Cmd {
	e := x.stack.under()
	var all []screen.CopyMsg
	if crash := try(func() { all = copier.Copies() }); crash != nil {
		return e.crashes.crashed(e, crash)
	}
	if len(all) == 0 {
		return x.messages.inform("copy as: there is nothing under the cursor", "")
	}
	return x.stack.openMenu(list.MenuSpec{
		Name: "copyas", Title: "copy as", Verb: "copy",
		Items: func() []list.Item {
			var items []list.Item
			for _, c := range all {
				items = append(items, list.Item{Name: c.What, Note: strings.Join(strings.Fields(c.Text), " "), Run: func() tea.Cmd { return x.messages.copy(c) }})
			}
			return items
		},
	})
}

// table returns the rows and columns of the screen.
func (x *exports) table() (t format.Table, ok bool) {
	if s, is := as[screen.Tabler](x.stack.under()); is {
		_ = try(func() { t, ok = s.Table() })
	}
	return t, ok
}

// command exports the table: arg is the format, and perhaps the name of a
// file.
func (x *exports) command(arg string) tea.Cmd {
	as, name, _ := strings.Cut(arg, " ")
	name = strings.TrimSpace(name)
	if dot := strings.LastIndexByte(as, '.'); dot >= 0 && name == "" { // the extension is the format
		as, name = as[dot+1:], as
	}
	switch {
	case !slices.Contains(format.Names(), as):
		return x.messages.refuse("export: "+as+" is none of "+strings.Join(format.Names(), ", "), "")
	}
	t, ok := x.table()
	if !ok {
		return x.messages.refuse("export: this screen has no table", "")
	}
	out, _, err := t.Write(as)
	if err != nil {
		return x.messages.fail(err.Error())
	}
	return x.write(as, name, t.Name, out)
}

// menu asks for the format.
func (x *exports) menu() list.MenuSpec {
	t, has := x.table()
	return list.MenuSpec{
		Name: "export", Title: "export", Verb: "write", Empty: "this screen has no table: open a list first",
		Items: func() []list.Item {
			var items []list.Item
			notes := map[string]string{
				"csv": "for spreadsheets", "json": "a list of objects", "yaml": "the same, for people", "md": "a table for a ticket or a page",
			}
			if has {
				for _, as := range format.Names() {
					items = append(items, list.Item{Name: as, Note: component.Plural(len(t.Rows), "row") + ", " + notes[as], Run: func() tea.Cmd { return x.command(as) }})
				}
			}
			return items
		},
	}
}

// wroteMsg says where something was written, or why not.
type wroteMsg component.Toast

// write writes data into a file, or to the clipboard if the session cannot write files.
func (x *exports) write(as, name, what string, data []byte) tea.Cmd {
	if x.writeFile == nil {
		return x.messages.copyAsItIs(screen.CopyMsg{What: what + " as " + as + ", as no files can be written here", Text: string(data)})
	}
	if ending := filepath.Ext(name); name != "" && (ending == "" || strings.ContainsAny(ending, "0123456789")) { // "prod-1.2" has no extension
		name += "." + as
	}
	save, stem := x.writeFile, what+"-"+x.messages.clock().UTC().Format("2006-01-02T15-04-05")
	return func() tea.Msg {
		path, err := save(cmp.Or(name, stem+"."+as), data)
		for n := 2; name == "" && n <= mostOfSecond && errors.Is(err, fs.ErrExist); n++ {
			path, err = save(fmt.Sprintf("%s-%d.%s", stem, n, as), data)
		}
		if err != nil {
			return wroteMsg{Severity: style.SeverityCritical, Text: "export: " + err.Error(), Hint: ":export " + as + " NAME writes another file"}
		}
		return wroteMsg{Severity: style.SeverityOK, Text: "wrote " + path}
	}
}

// mostOfSecond is how many files with one name can be written in one second.
const mostOfSecond = 9
