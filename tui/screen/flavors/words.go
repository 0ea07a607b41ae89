package flavors

import (
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// faultLines says what is wrong with a flavor: each wrong extra spec with the wrong word,
// and below it why.
func faultLines(f *nova.Flavor, w *novaRequest, a list.Area) []string {
	var lines []string
	if w.cannot != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, w.cannot)...)
	}
	for _, wrong := range w.faults {
		lines = append(lines, faultySpec(f, wrong, a)...)
	}
	return lines
}

// faultySpec draws an extra spec with the wrong word marked, and why:
//
//	✗ resources:VGPUS=1
//	            ^ no such resource class
func faultySpec(f *nova.Flavor, wrong fault, a list.Area) []string {
	severity := style.SeverityWarn
	if wrong.fatal {
		severity = style.SeverityCritical
	}
	text := wrong.key
	if value, ok := f.ExtraSpecs[wrong.key]; ok {
		text += "=" + value
	}
	from, to := wordIn(wrong, text)
	l := a.Line()
	l.Mark(severity).Space(1)
	l.Add(themes.Text, text[:from]).Add(severity.Token(), text[from:to]).Add(themes.Text, text[to:])
	first := l.String()
	l.Reset(a.Width)
	l.Space(2 + component.Width(a.Styles, text[:from]))
	return []string{first, l.Add(severity.Token(), "^ ").Add(themes.Text, wrong.why+panel.ToMake(a.Snap.Placement(), wrong.key, wrong.word)).String()}
}

// wordIn returns the position of the wrong word in a text that starts with the key of the
// extra spec: the whole text if there is no such word.
func wordIn(wrong fault, text string) (from, to int) {
	if wrong.word == "" {
		return 0, len(text)
	}
	from = strings.Index(text[:len(wrong.key)], wrong.word)
	if from < 0 {
		if from = strings.Index(text[len(wrong.key):], wrong.word); from < 0 {
			return 0, len(text)
		}
		from += len(wrong.key)
	}
	return from, from + len(wrong.word)
}

// specLines draws all extra specs, wrong ones with the reason.
func specLines(f *nova.Flavor, w *novaRequest, a list.Area) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(f.ExtraSpecs)) {
		wrong := slices.IndexFunc(w.faults, func(x fault) bool { return x.key == key })
		if wrong >= 0 {
			lines = append(lines, faultySpec(f, w.faults[wrong], a)...)
			continue
		}
		lines = append(lines, a.Line().Space(2).Add(themes.Text, key+"="+f.ExtraSpecs[key]).String())
	}
	return lines
}

// groupLines draws the request groups of a flavor, each with its origin and the owner it
// requests.
func groupLines(w *novaRequest, a list.Area, profile string) []string {
	var lines []string
	l := a.Line()
	for _, g := range w.request.Query.Groups {
		source := sourceOf(w.request, g.Suffix)
		words := string(source)
		switch {
		case source == nova.FromDeviceProfile:
			words = "profile " + profile
		case source == "":
			words = "no amounts"
		}
		l.Reset(a.Width).Space(1)
		l.Cell(3)
		panel.AskedOfBadge(l, askedOf(g, source))
		l.EndCell(component.AlignLeft).Space(1)
		l.Column(min(max(a.Width/4, 12), 30), themes.Dim, words).Space(1)
		lines = append(lines, l.Add(themes.Text, panel.Asked(g)).String())
	}
	return lines
}

// unsaid returns the notes that no pre-filter gives as its reason.
func (w *novaRequest) unsaid() []string {
	return slices.DeleteFunc(slices.Clone(w.notes), func(note string) bool {
		return slices.ContainsFunc(w.request.Prefilters, func(p nova.Prefilter) bool { return p.Why == note })
	})
}

// noteLines draws the notes about the requests of a flavor.
func noteLines(notes []string, a list.Area) []string {
	var lines []string
	for _, note := range notes {
		lines = append(lines, component.Marked(a.Styles, a.Width, 0, style.SeverityInfo, themes.Dim, note)...)
	}
	return lines
}

// filterLines draws the pre-filters: what each did to the request, and why.
func filterLines(w *novaRequest, a list.Area) []string {
	var lines []string
	name := 0
	for _, p := range w.request.Prefilters {
		name = max(name, len(p.Name))
	}
	name = min(name, max(a.Width*2/5, 20))
	for _, p := range w.request.Prefilters {
		severity, token := style.SeverityNone, themes.Dim
		switch p.State {
		case nova.Applied:
			severity, token = style.SeverityOK, themes.Text
		case nova.Off:
			severity = style.SeverityInfo
		case nova.Skipped:
		}
		l := a.Line()
		l.Mark(severity).Space(1)
		l.Column(name, token, p.Name).Space(1)
		l.Column(8, token, string(p.State)).Space(1)
		for i, t := range p.Terms {
			if i > 0 {
				l.Space(1)
			}
			l.Add(themes.Added, t.String())
		}
		at := l.Pos()
		why := []string(nil)
		if len(p.Terms) == 0 {
			why = component.Wrap(a.Styles, p.Why, max(a.Width-at, 20))
			l.Add(themes.Dim, why[0])
			why = why[1:]
		}
		lines = append(lines, l.String())
		for _, part := range why {
			lines = append(lines, a.Line().To(at).Add(themes.Dim, part).String())
		}
	}
	return lines
}
