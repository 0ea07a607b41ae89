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

// nearRows is how many rows around the cursor are asked about first: as many as a
// screen has.
const nearRows = 50

// nextRows is how many rows around the cursor are read up on before it comes to them, so
// that a step draws what there is to tell at once, and not first that it is being read.
const nextRows = 3

// inquiry is what the journal is asked.
type inquiry struct {
	onset.Inquiry
	pass  *keeper.Pass
	at    audit.Noted // under the cursor, or beside it
	about *dossier    // of that; nil where it is not known
}

// answers is what it said.
type answers struct {
	onset.Answers
	pass  *keeper.Pass // that they are about; nil before the first
	about dossier      // of the finding under the cursor, or beside it
}

// ask reads on in the journal, and finds out what is not known: since when findings
// stand, and what there is to tell about the one under the cursor.
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

// beginning returns since when a row stands, and false where that is not known yet.
func (s *Screen) beginning(r row) (onset.Onset, bool) {
	if r.one {
		return s.known.Of(r.first().Finding)
	}
	return s.known.OfRule(r.rule.ID)
}

// sinceOf returns since when a row stands, for its cell: an ellipsis while that is
// being found out.
func (s *Screen) sinceOf(r row, at list.At) string {
	b, ok := s.beginning(r)
	if !ok {
		return s.env.Styles.Glyphs.Ellipsis
	}
	return b.Age(at.Now)
}

// inquire has the journal asked about what is not known: at once about what is seen,
// then, about everything, one piece after the other with rests between.
func (s *Screen) inquire() tea.Cmd {
	_, r, ok := list.Current[row](s.Screen)
	if !ok || s.asks.Busy() && !s.resting {
		return nil
	}
	q := inquiry{pass: r.pass, at: r.first()}
	q.Of, q.Read, q.By = r.pass.Of, s.told.Recent, &s.search
	if d, ok := s.dossierOf(r); ok && s.told.pass == q.pass {
		about := *d // the next answer takes its place while the question runs
		q.about = &about
	}
	_, near := list.Near[row](s.Screen, nearRows)
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
	_, next := list.Near[row](s.Screen, nextRows)
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

// job returns the work that asks the journal.
func (s *Screen) job(q inquiry) func(context.Context) answers {
	return func(ctx context.Context) answers { return q.ask(ctx, s.env) }
}

// standing returns all findings of a pass.
func standing(pass *keeper.Pass) []audit.Finding {
	var out []audit.Finding
	for _, some := range [][]audit.Noted{pass.Report.Open, pass.Report.Acknowledged, pass.Report.Muted} {
		out = append(out, audit.Findings(some)...)
	}
	return out
}
