package panel

import (
	"strings"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// Pane is a box of Width cells with lines in it.
type Pane struct {
	component.Box
	Width int
	Lines []string
}

// Lay draws panes side by side, h lines high and one cell apart.
func Lay(st *style.Styles, h int, panes ...Pane) string {
	var drawn []string
	for _, p := range panes {
		drawn = append(drawn, p.Render(st, p.Width, h, strings.Join(p.Lines, "\n")))
	}
	return component.Beside(1, drawn...)
}
