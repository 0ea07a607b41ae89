package panel

import (
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// Fact is a property of a thing, in a word.
type Fact struct {
	Name, Text string
	// Token is the colour of Text; Blank means the usual one.
	Token themes.Token
}

// factGap is how many cells there are between two facts.
const factGap = 3

// Facts returns facts as lines of w cells, as many in each as fit. Facts without a text
// are left out.
func Facts(st *style.Styles, w int, facts ...Fact) []string {
	var lines []string
	l := component.NewLine(st, w).Space(1)
	empty := true
	for _, f := range facts {
		if f.Text == "" {
			continue
		}
		if room := component.Width(st, f.Name) + 1 + component.Width(st, f.Text); !empty && l.Left() < factGap+room {
			lines = append(lines, l.String())
			l.Reset(w).Space(1)
		} else if !empty {
			l.Space(factGap)
		}
		token := f.Token
		if token == themes.Blank {
			token = themes.Text
		}
		l.Add(themes.Dim, f.Name).Space(1).Add(token, f.Text)
		empty = false
	}
	if empty {
		return nil
	}
	return append(lines, l.String())
}
