package allocations

import (
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/style"
)

// The columns of the list of trees.
const (
	colTree = iota
	colBefore
	colUsedBefore
	colAfter
	colUsedAfter
	colText
)

// optionColumns returns the columns, with bars of a class.
func optionColumns(class placement.ResourceClass, wide bool) []component.Column {
	bar, text := 8, 28
	if wide {
		text = 12 // the pane beside the list explains
	}
	return []component.Column{
		{Key: "name", Title: "TREE", Min: 14, Max: 40, Flex: 2},
		{Key: "now", Title: string(class), Min: bar, Max: 16, Flex: 1, Priority: 3},
		{Key: "used", Title: "now", Min: 9, Align: component.AlignRight, Priority: 1},
		{Key: "then", Title: "", Min: bar, Max: 16, Flex: 1, Priority: 4},
		{Key: "after", Title: "after", Min: 9, Align: component.AlignRight, Priority: 2},
		{Key: "why", Title: "GIVES, OR WHY NOT", Min: text, Flex: 4, NoSort: true},
	}
}

// optionSource is the options that pass the filter, for a grid.
type optionSource struct {
	offers  offers
	filter  *filter.Filter
	rows    []int32
	main    placement.ResourceClass // whose bars are shown
	asked   int64                   // requested units of main
	version uint64
}

var (
	_ component.Source     = (*optionSource)(nil)
	_ component.Severities = (*optionSource)(nil)
)

func newOptionSource(found offers, wish ops.Wish, f *filter.Filter, version uint64) *optionSource {
	src := &optionSource{offers: found, filter: f, main: scarcest(wish), version: version}
	src.asked = wish.Resources[src.main]
	src.rows = f.Append(make([]int32, 0, len(found.options)), found.keys, 0, len(found.options))
	return src
}

// scarcest returns the class of a wish that matters most for where it fits: an
// accelerator, another device, processors, memory, in this order.
func scarcest(w ops.Wish) placement.ResourceClass {
	rank := func(c placement.ResourceClass) int {
		switch {
		case c.IsAccelerator():
			return 0
		case c == placement.VCPU || c == placement.PCPU:
			return 2
		case c == placement.MemoryMB:
			return 3
		case c == placement.DiskGB:
			return 4
		default:
			return 1
		}
	}
	var best placement.ResourceClass
	for c := range w.Resources {
		if best == "" || rank(c) < rank(best) || rank(c) == rank(best) && c < best {
			best = c
		}
	}
	return best
}

func (s *optionSource) option(row int) ops.Option { return s.offers.options[s.rows[row]] }

// Len implements component.Source.
func (s *optionSource) Len() int { return len(s.rows) }

// ID implements component.Source.
func (s *optionSource) ID(row int) string {
	id := s.option(row).Anchor.ID()
	return string(id[:])
}

// Version implements component.Source.
func (s *optionSource) Version() uint64 { return s.version }

// Severity implements component.Severities.
func (s *optionSource) Severity(row int) style.Severity {
	switch o := s.option(row); {
	case !o.Fits():
		return style.SeverityCritical
	case o.Disabled || o.Phantom != "":
		return style.SeverityWarn
	default:
		return style.SeverityOK
	}
}

// Cell implements component.Source.
func (s *optionSource) Cell(l *component.Line, row, col int) {
	o := s.option(row)
	text := themes.Text
	if !o.Fits() {
		text = themes.Faint
	}
	switch col {
	case colTree:
		l.Add(text, o.Anchor.Name())
	case colText:
		if !o.Fits() {
			for i, r := range o.Reasons {
				if i > 0 {
					l.Add(themes.Dim, "; ")
				}
				l.Add(themes.Dim, whyNot(o, r))
			}
			return
		}
		if o.Phantom != "" {
			l.Add(themes.Warn, o.Phantom)
			return
		}
		s.gives(l, o, text)
	default:
		s.bar(l, o, col, text)
	}
}

// bar draws the columns about the main class.
func (s *optionSource) bar(l *component.Line, o ops.Option, col int, text themes.Token) {
	id, fits := s.giver(o)
	now, ok := sheet.LoadOf(s.offers.snap.Placement(), id, s.main)
	if !ok {
		if col == colUsedBefore {
			l.Add(themes.Faint, "-")
		}
		return
	}
	unit := panel.Unit(s.main)
	var buf [48]byte
	switch col {
	case colBefore:
		component.Bar(l, l.Left(), now)
	case colUsedBefore:
		l.AddBytes(text, component.AppendUsed(buf[:0], now, unit))
	case colAfter:
		if fits && o.Fits() {
			component.Bar(l, l.Left(), sheet.Then(now, s.asked))
		}
	case colUsedAfter:
		if fits && o.Fits() {
			l.AddBytes(text, component.AppendUsed(buf[:0], sheet.Then(now, s.asked), unit))
		}
	}
}

// giver returns the provider of o that matters for the main class, and whether it would
// give it.
func (s *optionSource) giver(o ops.Option) (placement.ProviderID, bool) {
	for _, p := range o.Parts {
		if p.Class == s.main {
			return p.Provider.ID(), true
		}
	}
	for _, r := range o.Reasons {
		if r.Condition.Class == s.main && r.Provider != nil {
			return r.Provider.ID(), false
		}
	}
	return placement.ProviderID{}, false
}

// gives draws which providers other than the root give what, with their owners.
func (s *optionSource) gives(l *component.Line, o ops.Option, text themes.Token) {
	some := false
	for _, p := range o.Parts {
		if p.Provider == o.Anchor {
			continue
		}
		if some {
			l.Add(text, ", ")
		}
		some = true
		component.OwnerBadge(l, panel.Owner(s.offers.snap.Placement().Owner(p.Provider))).Space(1)
		l.Add(text, string(p.Class)+" of "+shortOf(o, p.Provider))
	}
	if !some {
		l.Add(text, "all from the root")
	}
}

// optionFields are the fields that a filter of the list can name.
type optionFields struct {
	offers offers
	main   placement.ResourceClass
}

var _ filter.Fields = optionFields{}

// Names implements filter.Fields.
func (optionFields) Names() []string { return []string{"name", "fits", "free", "why", "disabled"} }

// Field implements filter.Fields.
func (f optionFields) Field(name string) func(row int) filter.Value {
	options := f.offers.options
	yes := func(b bool) filter.Value {
		if b {
			return filter.Text("yes")
		}
		return filter.Text("no")
	}
	switch name {
	case "name":
		return func(row int) filter.Value { return filter.Text(options[row].Anchor.Name()) }
	case "why":
		return func(row int) filter.Value { return filter.Text(options[row].Why()) }
	case "fits":
		return func(row int) filter.Value { return yes(options[row].Fits()) }
	case "disabled":
		return func(row int) filter.Value { return yes(options[row].Disabled) }
	case "free":
		return func(row int) filter.Value {
			return filter.Number(float64(f.free(options[row])), panel.Unit(f.main))
		}
	default:
		return nil
	}
}

// free returns the free units of the main class on o.
func (f optionFields) free(o ops.Option) int64 {
	s := f.offers.snap.Placement()
	for _, p := range o.Parts {
		if p.Class == f.main {
			id, _ := s.ClassID(p.Class)
			iu, _ := p.Provider.Inventory(id)
			return iu.Free()
		}
	}
	for _, r := range o.Reasons {
		if r.Condition.Class == f.main {
			return r.Has.Free()
		}
	}
	return 0
}
