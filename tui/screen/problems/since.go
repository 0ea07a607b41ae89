package problems

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/onset"
	"github.com/placetop/placetop/tui/screen"
)

// nearRows is how many rows around the cursor are asked about first: as many as a screen
// has.
const nearRows = 50

// nextRows is how many rows around the cursor are read ahead, so that a step of the
// cursor shows everything at once, and not first that it is being read.
const nextRows = 3

// inquiry is a question to the journal.
type inquiry struct {
	onset.Inquiry
	pass  *keeper.Pass
	at    audit.Noted // under the cursor, or beside it
	about *dossier    // about at; nil if unknown
}

// answers is the journal's answer.
type answers struct {
	onset.Answers
	pass  *keeper.Pass // that they are about; nil before the first
	about dossier      // of the finding under the cursor, or beside it
}

// ask continues reading the journal, and finds out what is unknown: the onsets of
// findings, and the dossier of the one under the cursor.
func (q inquiry) ask(ctx context.Context, env screen.Env) answers {
	out := answers{pass: q.pass, Answers: q.Ask(ctx, env)}
	if q.about != nil {
		out.about = *q.about
		return out
	}
	out.about = newDossier(q.pass.Of, q.at, out.Events, env.Now())
	out.about.fault = out.Fault
	return out
}

// beginning returns the onset of a row; false if it is not known yet.
func (s *Screen) beginning(r *row) (onset.Onset, bool) {
	if r.one {
		return s.known.Of(r.first().Finding)
	}
	return s.known.OfRule(r.rule.ID)
}

// sinceOf returns the age of a row, for its cell: an ellipsis while that is being found
// out.
func (s *Screen) sinceOf(r *row, at list.At) string {
	b, ok := s.beginning(r)
	if !ok {
		return s.env.Styles.Glyphs.Ellipsis
	}
	return b.Age(at.Now)
}

// inquire asks the journal about what is unknown: at once about what is visible, then
// about everything, piece by piece with rests in between.
func (s *Screen) inquire() tea.Cmd {
	_, r, ok := list.Current[*row](&s.Screen)
	if !ok || s.asks.Busy() && !s.resting {
		return nil
	}
	q := inquiry{pass: r.pass, at: r.first()}
	q.Of, q.Read, q.By = r.pass.Of, s.told.Recent, &s.search
	if d, ok := s.dossierOf(r); ok && s.told.pass == q.pass {
		about := *d // the next answer replaces it while the question is being answered
		q.about = &about
	}
	_, near := list.Near[*row](&s.Screen, nearRows)
	seen := []audit.Finding{q.at.Finding}
	for _, r := range near {
		seen = append(seen, r.first().Finding)
	}
	faulty := s.told.pass == q.pass && s.told.Fault != nil
	q.Found = s.known.Unknown(seen)
	if q.about == nil || len(q.Found) > 0 && !faulty {
		s.resting = false
		return s.asks.Start(s.env.Context, s.job(q))
	}
	if s.asks.Busy() || faulty {
		return nil
	}
	_, next := list.Near[*row](&s.Screen, nextRows)
	for _, r := range next {
		if _, ok := s.dossierOf(r); !ok {
			q.at, q.about, s.resting = r.first(), nil, true
			return s.asks.Follow(s.env.Context, s.job(q))
		}
	}
	if s.complete == q.pass {
		return nil
	}
	if q.Found = s.known.Unknown(standing(q.pass)); len(q.Found) == 0 {
		s.complete = q.pass
		return nil
	}
	s.resting = true
	return s.asks.Follow(s.env.Context, s.job(q))
}

// job returns the function that asks the journal.
func (s *Screen) job(q inquiry) func(context.Context) *answers {
	return func(ctx context.Context) *answers { return new(q.ask(ctx, s.env)) }
}

// standing returns all findings of a pass.
func standing(pass *keeper.Pass) []audit.Finding {
	var out []audit.Finding
	for _, some := range [][]audit.Noted{pass.Report.Open, pass.Report.Acknowledged, pass.Report.Muted} {
		out = append(out, audit.Findings(some)...)
	}
	return out
}
