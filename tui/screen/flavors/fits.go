package flavors

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/list"
)

// fit is how many more instances with a query fit into a cloud, and the obstacle if none
// does.
type fit struct {
	of      *placement.Snapshot // of this state
	round   int                 // number of the round that found it
	copies  int
	more    bool   // copies or more
	blocker string // the stage that removes the last tree, "" if some fit
	cause   string // why the trees before it were lost there
	nobody  bool   // no provider of the whole cloud can pass that stage
	err     error
}

// fitCache is what is known so far, by request. The map is immutable, so that rows can be
// sorted by it off the event loop.
type fitCache struct{ atomic.Pointer[map[string]fit] }

// of returns the fit of a row; false before there is one.
func (k *fitCache) of(f *flavor) (fit, bool) {
	all := k.Load()
	if all == nil || f.wanted.url == "" {
		return fit{}, false
	}
	got, ok := (*all)[f.wanted.key()]
	return got, ok
}

// mostKnown is how many fits are kept: if there are more, all are dropped, including
// those of flavors that no longer exist.
const mostKnown = 2000

// learn adds the results of a round.
func (k *fitCache) learn(found map[string]fit, round int) {
	all := map[string]fit{}
	if old := k.Load(); old != nil && len(*old) < mostKnown {
		maps.Copy(all, *old)
	}
	for key, f := range found {
		f.round = round
		all[key] = f
	}
	k.Store(&all)
}

// near is how many rows around the cursor are computed: more than a screen has.
const near = 100

// pieceTime and pieceRows are how long, and for how many flavors, a piece of work lasts.
// Its results are then shown, and the next piece begins.
const (
	pieceTime = 50 * time.Millisecond
	pieceRows = 16
)

// seek computes how many fit for visible rows whose number is unknown, or of an older
// Snapshot: at once if a number is missing, later if one is old. The oldest come first,
// so that each row has its turn on a busy cloud.
func (s *Screen) seek() tea.Cmd {
	if s.seeks.Busy() {
		return nil
	}
	at, rows := list.Near[*flavor](&s.Screen, near)
	ledger := at.Snap.Placement()
	asked, rounds := map[string]*nova.Flavor{}, map[string]int{}
	var order []string
	for _, row := range rows {
		key := row.wanted.key()
		if _, twice := asked[key]; twice || row.wanted.url == "" {
			continue
		}
		got, ok := s.known.of(row)
		if ok && got.of == ledger {
			continue
		}
		asked[key], rounds[key], order = row.Flavor, got.round, append(order, key)
	}
	if len(order) == 0 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b string) int { return rounds[a] - rounds[b] })
	clock, indexer := s.env.Clock, s.indexer
	names := ops.QueryNames(at.Snap)
	work := func(ctx context.Context) map[string]fit {
		began, found, asker := clock(), map[string]fit{}, ops.NewAsker(at.Snap, indexer.Index(ledger))
		for _, key := range order[:min(len(order), pieceRows)] {
			if len(found) > 0 && (ctx.Err() != nil || clock().Sub(began) > pieceTime) {
				break
			}
			found[key] = fits(ledger, asker, asked[key], names)
		}
		return found
	}
	if rounds[order[0]] == 0 {
		return s.seeks.Start(s.env.Context, work)
	}
	return s.seeks.Follow(s.env.Context, work)
}

// fits packs instances of a flavor, and finds the reason if none fits; names is as in
// candidates.ExplainOptions.
func fits(ledger *placement.Snapshot, asker *ops.Asker, of *nova.Flavor, names func(string) string) fit {
	f := fit{of: ledger}
	asked, err := asker.Flavor(of, nova.AskOptions{})
	if err != nil {
		f.err = err
		return f
	}
	packed := candidates.FitOf(asked...)
	f.copies, f.more = packed.Copies, packed.More
	if f.copies > 0 {
		return f
	}
	why := asked[0].Explain(candidates.ExplainOptions{Misses: -1, Ways: -1, Name: names})
	f.blocker = "nothing is left"
	if stage, lost := why.First(); lost {
		f.blocker, f.nobody = stage.Condition.Words(), stage.Ends || stage.Alone == 0
		if len(stage.Causes) > 0 {
			f.cause = stage.Causes[0].Words()
		}
	}
	return f
}

// blocked returns in a few words why a flavor does not fit, "" if it fits or that is not
// known yet.
func (s *Screen) blocked(f *flavor, _ list.At) string {
	if trouble := f.wanted.trouble(); trouble != "" {
		return trouble
	}
	got, ok := s.known.of(f)
	switch {
	case !ok:
		return ""
	case got.err != nil:
		return got.err.Error()
	case got.nobody:
		return got.blocker + ": nobody"
	}
	return got.blocker
}
