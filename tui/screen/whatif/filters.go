package whatif

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// filterRow is something that can be switched in Nova's request: a pre-filter, the form
// of the owner filter, or the gate.
type filterRow struct {
	name  string
	state string
	mark  style.Severity
	what  string // what it does, in words
	note  string // why it is in that state
	terms []nova.RequestTerm
	to    nova.AskOptions // the options after switching it

	query candidates.Query // the query then
	url   string           // of query; "" if there is no request
}

// token is the colour of the state.
func (r filterRow) token() themes.Token {
	if r.mark == style.SeverityNone {
		return themes.Dim
	}
	return r.mark.Token()
}

// filterRows returns what can be switched.
func (s *Screen) filterRows() []filterRow {
	if s.nova == nil {
		return nil
	}
	return s.nova.rows
}

// rowsOf returns what can be switched: the pre-filters in the order in which they run,
// the gate of the last one, and its form.
func (k *asker) rowsOf(s *cloud.Snapshot) []filterRow {
	var rows []filterRow
	for _, p := range k.request.Prefilters {
		row := filterRow{name: p.Name, state: string(p.State), what: p.Title, note: p.Why, terms: p.Terms, to: k.otherSwitch(p)}
		switch p.State {
		case nova.Applied:
			row.mark = style.SeverityOK
		case nova.Off:
			row.mark = style.SeverityInfo
		case nova.Skipped:
		}
		rows = append(rows, row)
	}
	rows = append(rows, k.gateRow(s), k.formRow(s))
	for i := range rows {
		if r, _, err := k.ask(s, rows[i].to); err == nil {
			rows[i].query, rows[i].url = r.Query, r.Query.URL()
		}
	}
	return rows
}

// gateRow is the gate of the owner filter.
func (k *asker) gateRow(s *cloud.Snapshot) filterRow {
	gate := s.Nova().Gate()
	row := filterRow{
		name: "gate of the owner filter", state: "closed", mark: style.SeverityWarn,
		what: "the owner is required once all nova-compute services are upgraded",
		note: gate.Words(), to: k.otherGate(s),
	}
	switch {
	case gate.Open:
		row.state, row.mark = "open", style.SeverityOK
	case gate.Inferred():
		row.state = "inferred"
	}
	if k.how.Gate != nova.GateAsked {
		row.state, row.mark, row.note = string(k.how.Gate), style.SeverityInfo, "assumed; it is "+gate.Words()
	}
	return row
}

// formRow is the form of the owner filter.
func (k *asker) formRow(s *cloud.Snapshot) filterRow {
	row := filterRow{
		name: "form of the owner filter", state: "groups", to: k.otherForm(s),
		what: "OWNER_NOVA in every group of Nova's own, never OWNER_CYBORG in the un-suffixed one",
		note: "the other form is as merged upstream: root and PCI groups only",
	}
	switch k.form(s) {
	case nova.OwnerOnRoot:
		row.state, row.note = "root", "the other form requires it in every group of Nova's own"
		row.what = "OWNER_NOVA on the root and in PCI groups only, as merged upstream: a card of Cyborg's below may still serve Nova's VGPU request"
	case nova.OwnerOff:
		row.state, row.what, row.note = "off", "no owner is required", "the other form requires it in every group of Nova's own"
	case nova.OwnerOnGroups:
	}
	if basis := s.Nova().Config().Basis(nova.OptionOwnerFilter); basis != "" && k.how.OwnerFilter == nil {
		row.note = basis + "; " + row.note
	}
	return row
}

func filterColumns() []component.Column {
	return []component.Column{
		{Key: "name", Title: "PRE-FILTER", Min: 18, Max: 30, Flex: 6},
		{Key: "state", Title: "STATE", Min: 8},
		{Key: "switched", Title: "IF SWITCHED", Min: 12, Align: component.AlignRight},
		{Key: "terms", Title: "ADDS", Min: 16, Flex: 1, Priority: 1},
	}
}

// filterSource is what can be switched: its state, how many candidates there would be
// after switching, and what it adds or why it does not.
func (s *Screen) filterSource() component.Rows {
	list := s.filterRows()
	return component.Rows{
		N: len(list), Name: func(row int) string { return list[row].name }, Grade: func(row int) style.Severity { return list[row].mark },
		Draw: func(l *component.Line, row, col int) {
			switch col {
			case 0:
				l.Add(themes.Strong, list[row].name)
			case 1:
				l.Add(list[row].token(), list[row].state)
			case 2:
				s.drawEffect(l, list[row])
			default:
				s.drawTerms(l, list[row])
			}
		},
	}
}

// drawEffect draws how many candidates there would be after switching a row, and the
// difference.
func (s *Screen) drawEffect(l *component.Line, row filterRow) {
	switch gives, ok := s.nova.gives[row.url]; {
	case row.url == "":
		l.Add(themes.Faint, "cannot")
	case row.url == s.url:
		l.Add(themes.Faint, "the same")
	case !ok:
		l.Add(themes.Faint, l.Styles().Glyphs.Ellipsis)
	default:
		l.Add(themes.Text, counted(gives, gives >= candidates.MostCounted))
		if s.ans != nil && s.ans.url == s.url && gives < candidates.MostCounted {
			token := themes.Added
			if gives < s.ans.why.Candidates {
				token = themes.Warn
			}
			l.Add(token, fmt.Sprintf(" %+d", gives-s.ans.why.Candidates))
		}
	}
}

// drawTerms draws what a row adds to the query, or why it adds nothing.
func (s *Screen) drawTerms(l *component.Line, row filterRow) {
	for i, t := range row.terms {
		if i > 0 {
			l.Space(1)
		}
		l.Add(themes.Added, t.String())
	}
	if len(row.terms) == 0 {
		l.Add(themes.Dim, row.note)
	}
}

// filterDetail says what the row under the cursor does, and what Nova warns of.
func (s *Screen) filterDetail(w int) []string {
	st := s.env.Styles
	rows := s.filterRows()
	var out []string
	say := func(sev style.Severity, text string) {
		out = append(out, component.Marked(st, w, 0, sev, themes.Text, text)...)
	}
	if s.nova.err != nil {
		say(style.SeverityCritical, "Nova can no longer ask for it: "+s.nova.err.Error())
	}
	if i := s.row(sectionFilters); i >= 0 {
		say(style.SeverityNone, rows[i].what)
		say(style.SeverityNone, rows[i].state+": "+rows[i].note)
		if len(rows[i].terms) > 0 {
			words := make([]string, len(rows[i].terms))
			for n, t := range rows[i].terms {
				words[n] = t.String()
			}
			say(style.SeverityNone, "adds "+strings.Join(words, " "))
		}
	}
	for _, warning := range s.nova.request.Warnings {
		say(style.SeverityWarn, warning.String())
	}
	if !s.asNova() {
		say(style.SeverityInfo, "the query was edited: switching restores what Nova would ask")
	}
	return out
}
