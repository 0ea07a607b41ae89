package hardware

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// columns returns the columns of the comparison.
func columns() list.Columns {
	text := func(t themes.Token, get func(r *row) string) func(*component.Line, *row, list.At) {
		return list.TextCell(t, func(r *row, _ list.At) string { return get(r) })
	}
	return list.Show("provider:8-40+1 what:12-30+1 machine=THIS_MACHINE:12-40+2 placement:12-40+2 verdict:8-24+1 why:12-60+3 source=SEEN_IN:14-50+2", "source why machine", list.Cells[*row]{
		"provider":  text(themes.Strong, func(r *row) string { return r.provider }),
		"what":      text(themes.Text, func(r *row) string { return r.what }),
		"machine":   text(themes.Text, func(r *row) string { return orDash(r.machine) }),
		"placement": text(themes.Text, func(r *row) string { return orDash(r.placement) }),
		"verdict":   func(l *component.Line, r *row, _ list.At) { l.Add(r.verdict.severity().Token(), string(r.verdict)) },
		"why":       text(themes.Dim, func(r *row) string { return r.why }),
		"source":    text(themes.Faint, func(r *row) string { return r.source }),
	})
}

// several returns a count, given as text, with its noun: "1 socket", "2 sockets".
func several(count, thing string) string {
	if count != "1" {
		thing += "s"
	}
	return count + " " + thing
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func severity(r *row, _ list.At) style.Severity { return r.verdict.severity() }

// facts are the basic facts about a machine.
func facts(s *state, at list.At) []panel.Fact {
	get := func(name string) string {
		for _, f := range s.machine.Facts {
			if f.Name == name && f.Value != "?" {
				return f.Value
			}
		}
		return ""
	}
	cpus := get("cpu.threads")
	if sockets := get("cpu.sockets"); sockets != "" && cpus != "" {
		cpus = several(cpus, "thread") + ", " + several(orDash(get("cpu.cores")), "core") + ", " + several(sockets, "socket")
	}
	return []panel.Fact{
		{Name: "host", Text: s.machine.Reports.Tree.Root.Name, Token: themes.Strong},
		{Name: "linux", Text: get("host.kernel")},
		{Name: "cpu", Text: cpus},
		{Name: "model", Text: get("cpu.model"), Token: themes.Dim},
		{Name: "probed", Text: panel.Age(at.Now, s.machine.At) + " ago", Token: themes.Faint},
	}
}

// fault says why the two cannot be compared.
func fault(s *state, a list.Area) []string {
	var lines []string
	if s.unlike != "" {
		tone := themes.Warn
		if len(s.rows) > 0 && s.rows[0].verdict == foreign {
			tone = themes.Dim
		}
		lines = append(lines, component.Paragraph(a.Styles, a.Width, 1, tone, s.unlike)...)
	}
	for _, err := range []error{s.fault, s.why} {
		if err != nil {
			lines = append(lines, panel.Fault(a.Styles, a.Width, err.Error())...)
		}
	}
	return lines
}

// live draws the load of the machine.
func live(s *state, a list.Area) []string {
	if len(s.samples) == 0 {
		return nil
	}
	now := s.samples[len(s.samples)-1]
	var busy, used []float64
	steal := 0.0
	for i, l := range s.samples {
		used = append(used, share(float64(l.MemoryUsed), float64(l.MemoryTotal)))
		if i > 0 {
			busy = append(busy, share(l.Busy-s.samples[i-1].Busy, l.All-s.samples[i-1].All))
			steal = share(l.Steal-s.samples[i-1].Steal, l.All-s.samples[i-1].All)
		}
	}
	cpu := ""
	if len(busy) > 0 {
		cpu = fmt.Sprintf("%3.0f%%", busy[len(busy)-1])
	}
	load := fmt.Sprintf("load %.1f", now.One)
	if steal >= 1 {
		load += fmt.Sprintf("   steal %.0f%%", steal)
	}
	width := barWidth(a, s.machine.Parts)
	lines := []string{
		graph(a, width, "cpu", busy, cpu, load),
		graph(a, width, "mem", used, fmt.Sprintf("%3.0f%%", used[len(used)-1]), bytes(now.MemoryUsed)+" of "+bytes(now.MemoryTotal)+swap(now)),
	}
	for _, p := range s.machine.Parts {
		lines = append(lines, partLine(a, width, p))
	}
	return lines
}

// barWidth returns the width of bars and graphs, in cells: that which the words beside
// them leave.
func barWidth(a list.Area, parts []screen.MachinePart) int {
	words := 31
	for _, p := range parts {
		words = max(words, component.Width(a.Styles, amountOf(p)))
	}
	return min(max(a.Width-words-13, 8), kept)
}

// amountOf says how much of a part is used.
func amountOf(p screen.MachinePart) string {
	if p.Total > 0 {
		return fmt.Sprintf("%d of %d %s   %s", p.Used, p.Total, p.Unit, p.Note)
	}
	return fmt.Sprintf("%d %s   %s", p.Used, p.Unit, p.Note)
}

// partLine draws how full a part of the machine is.
func partLine(a list.Area, width int, p screen.MachinePart) string {
	l, name := a.Line().Space(1), 4
	if w := component.Width(a.Styles, p.Name); w > name {
		width -= w - name
		name = w
	}
	l.Column(name, themes.Dim, p.Name).Space(1)
	width--
	now := ""
	if p.Total > 0 {
		component.Bar(l, max(width, 4), component.Load{Total: p.Total, Capacity: p.Total, Used: p.Used})
		now = fmt.Sprintf("%3.0f%%", share(float64(p.Used), float64(p.Total)))
	} else {
		l.Space(max(width, 4))
	}
	return l.Space(1).Number(4, themes.Text, now).Space(2).Add(themes.Dim, amountOf(p)).String()
}

// graph draws a graph, the current value, and a note.
func graph(a list.Area, width int, name string, values []float64, now, note string) string {
	const percent = 100
	l := a.Line().Space(1).Column(4, themes.Dim, name)
	l.Cell(width)
	component.Spark(l, width, values, percent)
	return l.EndCell(component.AlignRight).Space(1).Number(4, themes.Text, now).Space(2).Add(themes.Dim, note).String()
}

func share(part, whole float64) float64 {
	const percent = 100
	if whole <= 0 {
		return 0
	}
	return min(max(part/whole, 0), 1) * percent
}

func swap(l screen.MachineLoad) string {
	if l.SwapTotal == 0 {
		return "   no swap"
	}
	return "   swap " + bytes(l.SwapUsed)
}

// bytes formats an amount of memory in GiB.
func bytes(n uint64) string {
	const gib = 1 << 30
	return fmt.Sprintf("%.1f GiB", float64(n)/gib)
}

// seen lists everything that a probe found, and what it could not read.
func seen(s *state, a list.Area) []string {
	width := 8
	for _, f := range s.machine.Facts {
		width = max(width, component.Width(a.Styles, f.Name))
	}
	width = min(width, max(a.Width/2, 8))
	var lines []string
	for _, f := range s.machine.Facts {
		name := f.Name
		for _, part := range wrapped(a, f.Value, width+2) {
			l := a.Line().Space(1).Column(width, themes.Dim, name)
			lines, name = append(lines, l.Space(1).Add(themes.Text, part).String()), ""
		}
	}
	for _, text := range s.machine.Reports.Tree.Notes {
		lines = append(lines, below(a, themes.Warn, text)...)
	}
	for _, text := range s.machine.Gaps {
		lines = append(lines, below(a, themes.Faint, "not read: "+text)...)
	}
	return lines
}

// mostLines is how many lines a text gets at most: the flags of a CPU would fill a screen.
const mostLines = 4

// wrapped breaks a text that begins after left cells.
func wrapped(a list.Area, text string, left int) []string {
	parts := component.Wrap(a.Styles, text, max(a.Width-left, 1))
	if len(parts) > mostLines {
		parts = append(parts[:mostLines-1], strings.Join(parts[mostLines-1:], " "))
	}
	if len(parts) == 0 {
		return []string{""}
	}
	return parts
}

// below draws a text below the facts.
func below(a list.Area, t themes.Token, text string) []string {
	var lines []string
	for _, part := range wrapped(a, text, 1) {
		lines = append(lines, panel.Text(a.Styles, a.Width, t, " "+part))
	}
	return lines
}

// ticket returns what was found, as text.
func ticket(s *state) string {
	var b strings.Builder
	for _, r := range s.rows {
		fmt.Fprintf(&b, "%s %s: machine %s, placement %s: %s %s\n", r.provider, r.what, orDash(r.machine), orDash(r.placement), r.verdict, r.why)
	}
	for _, f := range s.machine.Facts {
		fmt.Fprintf(&b, "%s = %s\n", f.Name, f.Value)
	}
	return b.String()
}
