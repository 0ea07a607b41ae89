package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// shop is a service: its Snapshot, its verb, its edit.
type shop struct{ rows *ledger.Ledger }

func (s shop) Card(key string) (*card, bool) { return ledger.Get[*card](s.rows, kindCard, key) }

type verb struct{ intent.Verb }

type edit = ledger.Draft[shop]

type doer interface{ apply(e edit) error }

// rename is a verb: it gives a card another name.
//
// Errors: placement.ErrNotFound.
type rename struct {
	verb
	Card, Name string
}

func (op rename) String() string { return "call card " + op.Card + " " + op.Name }

func (op rename) apply(e edit) error {
	was, ok := e.Now.Card(op.Card)
	if !ok {
		return &placement.NotFoundError{What: "card", Name: op.Card}
	}
	is := *was // others hold the old record, which must not change
	is.Name = op.Name
	return e.Put(&is)
}

// TestRecipe adds a verb to a service as the package comment says.
func TestRecipe(t *testing.T) {
	t.Parallel()
	rules := ledger.Rules[shop]{
		Wrap: func(rows *ledger.Ledger) shop { return shop{rows} },
		Do:   ledger.Verbs(doer.apply),
	}
	do := func(s shop, ops ...intent.Op) (shop, error) {
		next, _, err := rules.Apply(s, s.rows, intent.Change{At: time.Unix(1, 0), Ops: ops})
		return next, err
	}
	first := shop{cards.Empty()}
	var made intent.PutRecords
	modeltest.Put(&made, first.rows, &card{Key: "k", Name: "old", Count: 1})
	second := must.Get(do(first, made))(t)
	third := must.Get(do(second, rename{Card: "k", Name: "new"}, rename{Card: "k", Name: "newer"}))(t)
	for name, s := range map[string]shop{"old": second, "newer": third} {
		if c, ok := s.Card("k"); !ok || c.Name != name || c.Count != 1 {
			t.Errorf("%+v, want it to be called %s", c, name)
		}
	}
	if _, err := do(third, rename{Card: "k", Name: "other"}, rename{Card: "none"}); !errors.Is(err, placement.ErrNotFound) {
		t.Errorf("%v, want that there is no such card", err)
	}
	if c, _ := third.Card("k"); c.Name != "newer" {
		t.Errorf("half of what was refused is done: %+v", c)
	}
}
