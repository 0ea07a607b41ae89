package pulses

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Sizes of the layouts, in cells.
const (
	wideFromW   = 120 // panes are boxes side by side
	wideFromH   = 24
	normalFromW = 60 // panes are separated by rules
	normalFromH = 16
)

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	s.width, s.height = w, h
	st := s.env.Styles
	n := s.snap.Placement().ProviderCount()
	switch {
	case s.facts == nil:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelLoading, "adding up "+component.Count(n)+" providers")
	case s.facts.totals.Providers == 0 && s.facts.unread != "":
		return screen.State(st, w, h, style.SeverityNone, screen.LabelLoading, "no providers so far: "+s.facts.unread)
	case s.facts.totals.Providers == 0:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, screen.NoProviders()...)
	case w >= wideFromW && h >= wideFromH:
		return s.wide(w, h)
	case w >= normalFromW && h >= normalFromH:
		return s.normal(w, h)
	}
	return s.compact(w, h)
}

// compact is for small terminals: numbers first.
func (s *Screen) compact(w, h int) string {
	lines := s.capacityLines(w, max(h/2, 1))
	if s.pane == ownership {
		from, to := window(ownerCount, s.cursor[ownership], max(h/2, 1))
		lines = s.ownershipLines(w)[from:to]
	}
	if s.pane == standing {
		from, to := window(standCount, s.cursor[standing], max(h/2, 1))
		lines = s.standingLines(w)[from:to]
	}
	lines = append(lines, s.problemLines(w, h-len(lines))...)
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// normal is for 80x24: rules, no boxes.
func (s *Screen) normal(w, h int) string {
	st := s.env.Styles
	left := w / 2
	right := w - left - 1
	own := s.ownershipLines(left)
	// The classes leave six lines for problems and events.
	caps := min(max(h-3-len(own)-6, 3), len(s.facts.classes))
	lines := append(make([]string, 0, h), s.capacityRule(w, caps))
	lines = append(lines, s.capacityLines(w, caps)...)
	lines = append(lines, component.Rule(st, w, component.Label{Text: "ACCELERATOR OWNERSHIP"}, component.Label{Text: "GATE, INSTANCES, MOVES", At: left, Token: themes.Title}))
	lines = append(lines, component.Columns(1, left, right, own, s.standingLines(right))...)
	rest := max(h-len(lines)-1, 0)
	left = s.problemsLeft(w, rest)
	right = w - left - 1
	lines = append(lines, component.Rule(st, w, component.Label{Text: s.problemsTitle()}, component.Label{Text: "JOURNAL", At: left, Token: themes.Title}))
	lines = append(lines, component.Columns(1, left, right, s.problemLines(left, rest), s.journalLines(right, rest))...)
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// wide is for 160x48 and the like: boxes, and how many more fit.
func (s *Screen) wide(w, h int) string {
	st := s.env.Styles
	right := min(max(w/3, 44), 60)
	left := w - right - 1
	own := s.ownershipLines(right - 4)
	own = append(own, strings.Repeat(" ", right-4))
	own = append(own, s.standingLines(right-4)...)
	top := max(min(len(s.facts.classes)+1, h/3), len(own)) + 2
	caps := s.capacityLines(left-4, top-3)
	title := "CAPACITY"
	if n := len(s.facts.classes); n > len(caps) {
		title = fmt.Sprintf("CAPACITY  %d of %d", len(caps), n)
	}
	upper := panel.Lay(st, top,
		panel.Pane{Box: component.Box{Title: title, Footer: "enter the providers of a class", Focused: s.pane == capacity}, Width: left, Lines: append([]string{s.capacityHead(left - 4)}, caps...)},
		panel.Pane{Box: component.Box{Title: "ACCELERATOR OWNERSHIP", Footer: "enter owners, gate, instances, moves", Focused: s.pane == ownership || s.pane == standing}, Width: right, Lines: own})
	return component.Stack(upper, s.lower(w, h-top))
}

// lower draws h lines below the capacity. What the problems do not need, the journal can
// use.
func (s *Screen) lower(w, h int) string {
	fit := narrowFit
	switch {
	case w >= 2*wideFromW:
		fit = 2 * fitWidth
	case w >= fitFromW:
		fit = fitWidth
	}
	left := w - fit - 1
	least := max(min(leastJournal+2, h/2), h/3)
	middle := max(min(s.problemsHeight(left-4)+2, h-least), h/2)
	return component.Stack(panel.Lay(s.env.Styles, middle, s.problemsPane(left, middle), s.fitsPane(fit, middle)),
		panel.Lay(s.env.Styles, h-middle, s.journal(w, h-middle)))
}

// leastJournal is how many events are shown where there is room: as many as at 80x24.
const leastJournal = 6

// problemsPane is the pane of what is wrong.
func (s *Screen) problemsPane(w, h int) panel.Pane {
	return panel.Pane{Box: component.Box{Title: s.problemsTitle(), Footer: "enter show", Focused: s.pane == problems}, Width: w, Lines: s.problemLines(w-4, h-2)}
}

// fitsPane is the pane of how many more of each flavor fit.
func (s *Screen) fitsPane(w, h int) panel.Pane {
	return panel.Pane{Box: component.Box{Title: "HOW MANY MORE FIT", Footer: ":flavors says why"}, Width: w, Lines: s.fitLines(w-4, h-2)}
}

// journal is the pane of events.
func (s *Screen) journal(w, h int) panel.Pane {
	return panel.Pane{Box: component.Box{Title: "JOURNAL", Right: "newest first"}, Width: w, Lines: s.journalLines(w-4, h-2)}
}

// fitWidth is the width of the pane about how many more fit, in cells, on a screen of at
// least fitFromW cells, and narrowFit on others.
const fitWidth, narrowFit, fitFromW = 32, 24, 150

// problemsTitle counts all findings.
func (s *Screen) problemsTitle() string {
	if s.facts.unread != "" {
		return "PROBLEMS"
	}
	title := "PROBLEMS " + component.Count(s.facts.problemCount())
	return strings.TrimSpace(title + "  " + panel.Counted(s.env.Styles, s.facts.counts))
}

// window returns which of n rows to show in room lines so that the cursor is among them.
func window(n, cursor, room int) (from, to int) {
	from = max(min(cursor-room+1, n-room), 0)
	return from, min(from+max(room, 0), n)
}

// problemLines returns a line for each rule with findings, at most n.
func (s *Screen) problemLines(w, n int) []string {
	st := s.env.Styles
	all := s.facts.problems
	l := component.NewLine(st, w)
	if n <= 0 {
		return nil
	}
	if s.facts.unread != "" {
		l.Add(themes.Dim, "not judged yet: "+s.facts.unread)
		return []string{l.String()}
	}
	unjudged := s.facts.unjudged
	if len(all) == 0 && unjudged != "" {
		l.Mark(style.SeverityWarn).Space(1).Add(themes.Warn, unjudged)
		return []string{l.String()}
	}
	if len(all) == 0 {
		l.Mark(style.SeverityOK).Space(1).Add(themes.OK, fmt.Sprintf("%d rules, nothing wrong", len(audit.Rules())))
		return []string{l.String()}
	}
	var out []string
	from, to := window(len(all), s.cursor[problems], n)
	spare := n - (to - from) // lines for cut sentences, the worst first
	for i := from; i < to; i++ {
		l.Reset(w).Select(s.pane == problems && s.cursor[problems] == i)
		said := s.problemStart(l, all[i], from, to)
		if said == 0 {
			out = append(out, l.String())
			continue
		}
		for k, part := range s.sentence(all[i].Findings[0], said, spare+1) {
			if k > 0 {
				out = append(out, l.String())
				l.Reset(w).Select(s.pane == problems && s.cursor[problems] == i).Space(w - said)
				spare--
			}
			for j, seg := range part {
				l.Space(2*j).Column(min(component.Width(st, seg.Text), l.Left()), seg.Token, seg.Text)
			}
		}
		out = append(out, l.String())
	}
	return out
}

// problemStart draws the start of the line of a rule with findings, with the widths
// common to lines from to to, and returns how much room it leaves for the finding.
func (s *Screen) problemStart(l *component.Line, p audit.Problem, from, to int) int {
	w := l.Left()
	sev := panel.Severity(p.Rule.Severity)
	l.Mark(sev).Space(1).Add(sev.Token(), string(p.Rule.ID)).Space(1)
	counted := s.countWidth()
	title := l.Left() - counted
	if w >= saidFromW {
		title = min(s.titleWidth(from, to), title)
	}
	l.Column(title, themes.Text, p.Rule.Title)
	l.Number(counted, themes.Strong, component.Count(len(p.Findings)))
	if w < saidFromW {
		return 0
	}
	l.Space(2)
	return max(l.Left(), 0)
}

// saidFromW is from how many cells the line of a problem shows a finding.
const saidFromW = 60

// leastSentence is the least width of a sentence beside its subject.
const leastSentence = 14

// sentence breaks a finding into at most n lines of w cells: its subject, which is shown
// completely before anything else, and what is wrong with it, in short if there is no
// room for all of it.
func (s *Screen) sentence(f audit.Finding, w, n int) [][]component.Seg {
	name := s.subject(f, f.Text)
	if whole := s.broken(name, f.Text, w, n); whole != nil {
		return whole
	}
	name = s.subject(f, f.Short())
	head := component.Seg{Token: themes.Dim, Text: name}
	if name == "" {
		return [][]component.Seg{{{Token: themes.Faint, Text: f.Short()}}}
	}
	if room := w - component.Width(s.env.Styles, name) - 2; room < min(leastSentence, component.Width(s.env.Styles, f.Short())) {
		return [][]component.Seg{{head}}
	}
	return [][]component.Seg{{head, {Token: themes.Faint, Text: f.Short()}}}
}

// broken breaks a text with a name before it into at most n lines of w cells, nil where they
// do not do.
func (s *Screen) broken(name, text string, w, n int) [][]component.Seg {
	st, room := s.env.Styles, w
	var head []component.Seg
	if name != "" {
		head = []component.Seg{{Token: themes.Dim, Text: name}}
		room -= component.Width(st, name) + 2
	}
	var out [][]component.Seg
	line := func(text string) {
		out = append(out, append(head, component.Seg{Token: themes.Faint, Text: text}))
		head = nil
	}
	if component.Width(st, text) <= room {
		line(text)
		return out
	}
	if n == 1 || w < leastSentence {
		return nil
	}
	first := ""
	if room >= leastSentence {
		if first = component.Wrap(st, text, room)[0]; component.Width(st, first) > room {
			first = ""
		}
	}
	if first != "" {
		line(first)
		text = strings.TrimLeft(text[len(first):], " ")
	} else if head != nil {
		out, head = append(out, head), nil
	}
	for _, part := range component.Wrap(st, text, w) {
		line(part)
	}
	if len(out) > n {
		return nil
	}
	return out
}

// subject returns the subject of a finding, "" if text names it.
func (s *Screen) subject(f audit.Finding, text string) string {
	name := panel.FindingSubject(s.snap, f)
	if strings.Contains(text, name) {
		return ""
	}
	return name
}

// problemsHeight returns how many lines of w cells the problems take if nothing is cut.
func (s *Screen) problemsHeight(w int) int {
	if len(s.facts.problems) == 0 {
		return 0
	}
	n, l := 0, component.NewLine(s.env.Styles, w)
	for _, p := range s.facts.problems {
		said := s.problemStart(l.Reset(w), p, 0, len(s.facts.problems))
		n += len(s.sentence(p.Findings[0], said, mostSentence))
	}
	return n
}

// mostSentence is the most lines of a sentence.
const mostSentence = 4

// problemsLeft returns how wide n lines of problems without sentences are in the left half
// of a screen: what they do not need is the journal's.
func (s *Screen) problemsLeft(w, n int) int {
	half := w / 2
	if s.facts.unread != "" || len(s.facts.problems) == 0 {
		return half
	}
	from, to := window(len(s.facts.problems), s.cursor[problems], n)
	rule := 0
	for _, p := range s.facts.problems[from:to] {
		rule = max(rule, len(p.Rule.ID))
	}
	need := rule + 3 + s.titleWidth(from, to) + s.countWidth() // with the mark and the gaps
	return min(max(need, component.Width(s.env.Styles, s.problemsTitle())+4), half)
}

// countWidth is the width of the number of findings of a rule.
func (s *Screen) countWidth() int {
	w := 3
	for _, p := range s.facts.problems {
		w = max(w, component.Width(s.env.Styles, component.Count(len(p.Findings))))
	}
	return w
}

// titleWidth returns the width of the titles of some of the rules with findings.
func (s *Screen) titleWidth(from, to int) int {
	w := 0
	for _, p := range s.facts.problems[from:to] {
		w = max(w, component.Width(s.env.Styles, p.Rule.Title))
	}
	return w
}

// journalLines returns the newest events, at most n.
func (s *Screen) journalLines(w, n int) []string {
	st := s.env.Styles
	var out []string
	if s.read.Fault != nil {
		out = append(out, panel.Text(st, w, themes.Critical, s.read.Fault.Error()))
	} else if len(s.lines) == 0 {
		out = append(out, panel.Text(st, w, themes.Faint, "nothing has happened here yet"))
	}
	now := s.env.Now().UTC()
	lines := s.lines[:min(max(n-len(out), 0), len(s.lines))]
	if w < 80 {
		return append(out, s.shortJournal(w, now, lines)...)
	}
	var rows [][]component.Seg
	for _, ln := range lines {
		row := []component.Seg{
			{Token: themes.Faint, Text: panel.Clock(now, ln.at)},
			{Token: panel.VerbToken(ln.Verb), Text: ln.Verb},
			{Token: themes.Text, Text: headOf(ln.What)},
			{Token: themes.Dim, Text: ln.Detail},
		}
		if w >= 100 {
			row = append(row, component.Seg{Token: themes.Dim, Text: ln.Where})
		}
		rows = append(rows, append(row, component.Seg{Token: themes.Dim, Text: ln.actor}))
	}
	return append(out, component.Texts(st, w, rows)...)
}

// headOf returns the first part of a uuid, by which people know it, and any other name
// unchanged: a line of the overview has no room for the rest.
func headOf(name string) string {
	if id, err := uuid.Parse(name); err == nil {
		return id.String()[:8]
	}
	return name
}

// writerFromW is from how many cells a line of the short journal has room for who wrote it.
const writerFromW = 48

// shortJournal draws events if there is no room for all of them: without seconds if that
// makes each whole.
func (s *Screen) shortJournal(w int, now time.Time, lines []line) []string {
	st := s.env.Styles
	clocks, clock, most := make([]string, len(lines)), 0, 0
	for i, ln := range lines {
		clocks[i] = panel.Clock(now, ln.at)
		clock = max(clock, len(clocks[i]))
		need := component.Width(st, headOf(ln.What)) + 1 + component.Width(st, ln.Detail)
		if who := writer(ln.actor); w >= writerFromW && who != "" {
			need += 2 + component.Width(st, who)
		}
		most = max(most, need)
	}
	if clock+1+verbWidth+1+most > w {
		clock = 0
		for i := range clocks {
			clocks[i] = strings.TrimSuffix(clocks[i], secondsOf(clocks[i]))
			clock = max(clock, len(clocks[i]))
		}
	}
	var out []string
	l := component.NewLine(st, w)
	for i, ln := range lines {
		l.Reset(w).Column(clock, themes.Faint, clocks[i]).Space(1)
		l.Column(verbWidth, panel.VerbToken(ln.Verb), ln.Verb).Space(1)
		what := headOf(ln.What)
		widths := component.Share(l.Left()-1, component.Width(st, what), component.Width(st, ln.Detail))
		l.Column(widths[0], themes.Text, what).Space(1)
		l.Add(themes.Dim, ln.Detail)
		for _, who := range []string{ln.actor, writer(ln.actor)} {
			if n := component.Width(st, who); w >= writerFromW && n > 0 && l.Left() >= n+2 {
				l.To(w-n).Add(themes.Faint, who)
				break
			}
		}
		out = append(out, l.String())
	}
	return out
}

// verbWidth is the width of the verb of an event.
const verbWidth = 6

// writer returns who wrote an event, without the host.
func writer(actor string) string {
	who, _, _ := strings.Cut(actor, " ")
	return who
}

// secondsOf returns the seconds of a time of day, "" for a date.
func secondsOf(clock string) string {
	if len(clock) == len(time.TimeOnly) && clock[2] == ':' {
		return clock[5:]
	}
	return ""
}
