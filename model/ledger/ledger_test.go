package ledger_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

const kindCard versioned.Kind = "card"

// card is a row with a key, an indexed name, and a number.
type card struct {
	Key, Name string
	Count     int
}

func (*card) RecordKind() versioned.Kind { return kindCard }
func (c *card) RecordKey() []byte        { return []byte(c.Key) }
func (c *card) Validate() error {
	if c.Key == "" {
		return &placement.InvalidError{Field: "card", Why: "needs a key"}
	}
	return nil
}

var cards = ledger.NewLayout("Test", ledger.Table{
	Schema: versioned.Schema{Kind: kindCard, Version: versioned.Version{Major: 1}, New: func() versioned.Record { return new(card) }},
	Indexes: []ledger.Index{
		{Name: "name", Keys: func(r ledger.Row) []string { return []string{r.(*card).Name} }},
		{Name: "letter", Keys: func(r ledger.Row) []string { return strings.Split(r.(*card).Name, "") }},
	},
})

// plain are the rules of a ledger that is its own Snapshot.
func plain() ledger.Rules[*ledger.Ledger] {
	return ledger.Rules[*ledger.Ledger]{Layout: cards, Wrap: func(l *ledger.Ledger) *ledger.Ledger { return l }}
}

// apply puts records.
func apply(l *ledger.Ledger, op intent.PutRecords) (*ledger.Ledger, []versioned.Change, error) {
	return plain().Apply(l, l, intent.Change{Ops: []intent.Op{op}})
}

// Whatever is written, a ledger holds what a plain map would, its index finds what a scan
// would, the old ledger stays as it was, and loading the records makes the same ledger.
func TestLedgerIsAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, want := cards.Empty(), map[string]card{}
		for range rapid.IntRange(1, 30).Draw(t, "writes") {
			before, was := slices.Collect(l.Records()), maps.Clone(want)
			var c intent.PutRecords
			for range rapid.IntRange(0, 4).Draw(t, "records") {
				r := &card{
					Key:  rapid.SampledFrom([]string{"a", "b", "c", "aa"}).Draw(t, "key"),
					Name: rapid.SampledFrom([]string{"", "x", "xy", "y", "xyx", "yx"}).Draw(t, "name"), Count: rapid.IntRange(0, 2).Draw(t, "count"),
				}
				if rapid.Bool().Draw(t, "delete") {
					modeltest.Delete(&c, l, r)
					delete(want, r.Key)
				} else {
					modeltest.Put(&c, l, r)
					want[r.Key] = *r
				}
			}
			next, done, err := apply(l, c)
			must.Succeed(t, err)
			if d := cmp.Diff(before, slices.Collect(l.Records())); d != "" {
				t.Fatalf("the ledger before is another (-want +got):\n%s", d)
			}
			if maps.Equal(was, want) != (len(done) == 0) || (len(done) == 0) != (next == l) {
				t.Fatalf("%d records changed, from %v to %v", len(done), was, want)
			}
			again, _, err := apply(l, intent.PutRecords{Records: done})
			if err != nil || cmp.Diff(slices.Collect(next.Records()), slices.Collect(again.Records())) != "" {
				t.Fatalf("what was done does not replay: %v", err)
			}
			l = next
			holds(t, l, want)
		}
		records := slices.Collect(l.Records())
		slices.Reverse(records)
		loaded := must.Get(plain().Load(records))(t)
		holds(t, loaded, want)
	})
}

// holds fails unless l holds want, by key, by name and by letter.
func holds(t *rapid.T, l *ledger.Ledger, want map[string]card) {
	if l.Len(kindCard) != len(want) {
		t.Fatalf("%d rows, want %d", l.Len(kindCard), len(want))
	}
	for _, text := range []string{"", "x", "xy", "y", "xyx", "yx", "z"} {
		finds(t, l, want, "name", text, func(c card) bool { return c.Name == text })
		finds(t, l, want, "letter", text, func(c card) bool { return len(text) == 1 && strings.Contains(c.Name, text) })
	}
	for key, c := range want {
		if got, ok := ledger.Get[*card](l, kindCard, key); !ok || *got != c {
			t.Fatalf("%s is %v, want %v", key, got, c)
		}
	}
}

// finds fails unless an index finds by text those cards of want that pass.
func finds(t *rapid.T, l *ledger.Ledger, want map[string]card, index, text string, pass func(card) bool) {
	var found, passed []card
	for c := range ledger.By[*card](l, kindCard, index, text) {
		found = append(found, *c)
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if pass(want[key]) {
			passed = append(passed, want[key])
		}
	}
	if !slices.Equal(found, passed) {
		t.Fatalf("%s %q finds %v, want %v", index, text, found, passed)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	base, _, err := apply(cards.Empty(), intent.PutRecords{Records: []versioned.Change{{After: &card{Key: "a"}}}})
	must.Succeed(t, err)
	for name, tt := range map[string]struct {
		change versioned.Change
		want   error
	}{
		"nothing":        {want: placement.ErrInvalid},
		"there already":  {change: versioned.Change{After: &card{Key: "a"}}, want: placement.ErrConflict},
		"not there":      {change: versioned.Change{Before: &card{Key: "b"}}, want: placement.ErrConflict},
		"changed since":  {change: versioned.Change{Before: &card{Key: "a", Count: 1}}, want: placement.ErrConflict},
		"not valid":      {change: versioned.Change{After: &card{}}, want: placement.ErrInvalid},
		"not UTF-8":      {change: versioned.Change{After: &card{Key: "b", Name: "\xff"}}, want: placement.ErrInvalid},
		"another's kind": {change: versioned.Change{After: &placement.TraitRecord{ID: 10000, Name: "CUSTOM_A"}}, want: placement.ErrInvalid},
	} {
		if next, _, err := apply(base, intent.PutRecords{Records: []versioned.Change{tt.change}}); !errors.Is(err, tt.want) || next != nil {
			t.Errorf("%s: error %v, want %v", name, err, tt.want)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	records := make([]versioned.Record, 100_000)
	for i := range records {
		records[i] = &card{Key: fmt.Sprintf("%08d", i), Name: fmt.Sprintf("host-%d", i/10)}
	}
	l, err := plain().Load(records)
	must.Succeed(b, err)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		var c intent.PutRecords
		modeltest.Put(&c, l, &card{Key: fmt.Sprintf("%08d", n%len(records)), Name: "host", Count: n})
		if l, _, err = apply(l, c); err != nil {
			b.Fatal(err)
		}
	}
}
