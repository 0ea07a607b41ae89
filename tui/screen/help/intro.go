package help

import (
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// About is what the help says before the keys.
type About struct {
	Title string // of the screen
	What  string // what the screen is for, in one sentence; "" for nothing
	// Filter is an example of a filter of the screen, and Fields are those that it may
	// name; both are empty if there is no filter.
	Filter string
	Fields []string
	Tasks  bool           // whether Tasks are listed before a search; a search finds them anyway
	Views  []screen.Named // what else a search finds
	Closed bool           // there is no cloud: no screen of Tasks can be gone to
}

// introFrom is the height from which help explains signs and filters, in cells.
const introFrom = 16

// intro returns the text before the keys.
func (s *Screen) intro(w, h int) []string {
	var rows []string
	if h < introFrom || s.search.Value() != "" {
		return nil
	}
	said := func(title, text string) {
		indent := 8
		rows = append(rows, component.Paragraph(s.st, w, indent, themes.Text, text, func(l *component.Line) { l.Space(1).Add(themes.Title, title) })...)
	}
	if s.about.What != "" {
		said("for", s.about.What)
	}
	rows = append(rows, s.legend(w)...)
	if s.about.Filter != "" || len(s.about.Fields) > 0 {
		said("/", `text  "two words"  a.*b  !not  owner=both  used%>80  age<1d  trait:VULKAN  name=cmp-*  (a | b)  -f fzy  @saved`)
		if s.about.Filter != "" {
			said("e.g.", s.about.Filter)
		}
		if len(s.about.Fields) > 0 {
			said("fields", strings.Join(s.about.Fields, " "))
		}
	}
	return append(rows, component.NewLine(s.st, w).String())
}

// legend explains the signs.
func (s *Screen) legend(w int) []string {
	g := &s.st.Glyphs
	l := component.NewLine(s.st, w).Space(1).Add(themes.Title, "signs").To(8)
	for _, o := range []style.Owner{style.OwnerNova, style.OwnerCyborg, style.OwnerBoth, style.OwnerNone} {
		l.Owner(o).Space(1).Add(themes.KeyHint, o.String()).Space(2)
	}
	lines := []string{l.String()}
	l.Reset(w).To(8)
	for _, v := range []style.Severity{style.SeverityCritical, style.SeverityWarn, style.SeverityInfo, style.SeverityOK} {
		l.Mark(v).Space(1).Add(themes.KeyHint, v.String()).Space(2)
	}
	l.Add(themes.Gutter, g.RowCursor).Space(1).Add(themes.KeyHint, "cursor").Space(2)
	l.Add(themes.Marked, g.RowMark).Space(1).Add(themes.KeyHint, "marked")
	lines = append(lines, l.String())
	l.Reset(w).To(8)
	l.Add(themes.BarUsed, g.Bar[8]).Space(1).Add(themes.KeyHint, "used").Space(2)
	l.Add(themes.BarUsed, g.Held).Space(1).Add(themes.KeyHint, "held by moves").Space(2)
	l.Add(themes.BarFree, g.Bar[0]).Space(1).Add(themes.KeyHint, "free").Space(2)
	l.Add(themes.BarReserved, g.Reserved).Space(1).Add(themes.KeyHint, "reserved").Space(2)
	l.Add(themes.BarPhysical, g.Physical).Space(1).Add(themes.KeyHint, "physical total").Space(2)
	l.Add(themes.BarOver, g.Over).Space(1).Add(themes.KeyHint, "over")
	return append(lines, l.String())
}
