package onset

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

// Asker finds out from the journal since when some findings exist, piece by piece with
// pauses in between, for a screen that shows them. It belongs to the event loop; what is
// Known may be read elsewhere. The zero value is ready.
type Asker struct {
	Known

	asks   screen.Task[*Answers]
	told   Answers // the last ones
	search Searcher
	of     *cloud.Snapshot // that they are about
	done   *cloud.Snapshot // everything that can be known about it is known
}

// Fault returns why the journal could not be read, nil if it could.
func (a *Asker) Fault() error { return a.told.Fault }

// Take stores what the journal said about existing findings, and reports whether msg
// brought that.
func (a *Asker) Take(msg tea.Msg, standing []audit.Finding) (bool, tea.Cmd) {
	got, ok, next := a.asks.Take(msg)
	if ok {
		a.told = *got
		a.Learn(got.Begun, standing)
	}
	return ok, next
}

// Ask asks the journal about the findings on a Snapshot whose onset is unknown.
func (a *Asker) Ask(env screen.Env, of *cloud.Snapshot, found []audit.Finding) tea.Cmd {
	if of == a.done || a.asks.Busy() {
		return nil
	}
	unknown := a.Unknown(found)
	if len(unknown) == 0 || of == a.of && a.told.Fault != nil {
		a.done = of
		return nil
	}
	a.asks.Clock, a.of = env.Clock, of
	q := Inquiry{Of: of, Found: unknown, Read: a.told.Recent, By: &a.search}
	return a.asks.Follow(env.Context, func(ctx context.Context) *Answers { return new(q.Ask(ctx, env)) })
}

// Age returns the age of a finding, for its cell: an ellipsis while it is being found
// out, "-" if the journal cannot be read.
func (a *Asker) Age(f audit.Finding, now time.Time, ellipsis string) string {
	o, ok := a.Of(f)
	switch {
	case ok:
		return o.Age(now)
	case a.told.Fault != nil:
		return "-"
	}
	return ellipsis
}
