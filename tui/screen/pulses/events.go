package pulses

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/part/panel"
)

// line is an event in a few words.
type line struct {
	at     time.Time
	actor  string
	verb   string // alloc+, trait-, inv: ends in + for what is new, in - for what is gone
	what   string // the name of what it did something to
	where  string // the host, where that is not what
	detail string
}

// describe puts an event into words: what it did to the thing it is most about.
// A move is more than its claims, a claim is more than the generations that it
// raises, and so on.
func describe(s *cloud.Snapshot, ev cloud.Event) line {
	l := line{at: ev.At.UTC(), actor: ev.Actor, what: ev.Note}
	if ev.Omitted > 0 {
		l.verb, l.detail = "bulk", fmt.Sprintf("%d records", ev.Omitted)
		return l
	}
	by := map[versioned.Kind][]versioned.Change{}
	for _, c := range ev.Changes {
		if some(c) != nil {
			by[c.Kind()] = append(by[c.Kind()], c)
		}
	}
	for _, about := range []func(*cloud.Snapshot, map[versioned.Kind][]versioned.Change, *line) bool{
		aboutMigration, aboutConsumers, aboutProviders, aboutTraits, aboutInstance, aboutNames,
	} {
		if about(s, by, &l) {
			break
		}
	}
	if l.verb == "" {
		l.verb = "change"
	}
	if l.where == l.what {
		l.where = ""
	}
	return l
}

// sign is + for what is new, - for what is gone, ~ for what is another.
func sign(c versioned.Change) string {
	switch {
	case c.Before == nil:
		return "+"
	case c.After == nil:
		return "-"
	}
	return "~"
}

// some returns the record as it is, or as it was where it is gone.
func some(c versioned.Change) versioned.Record {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

func aboutMigration(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *line) bool {
	changes := by[nova.KindMigration]
	if len(changes) == 0 {
		return false
	}
	m, ok := some(changes[0]).(*nova.Migration)
	if !ok {
		return false
	}
	l.verb, l.what, l.where = "move", name(s, by, m.Instance), m.Source
	l.detail = string(m.Type) + " " + string(m.Status)
	if m.Dest != "" && m.Dest != m.Source {
		l.where += " > " + m.Dest
	}
	return true
}

// name returns what a consumer is called, as far as that is still known: of the
// others the start of the uuid.
func name(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, id placement.ConsumerID) string {
	for _, c := range by[nova.KindInstance] {
		if i, ok := some(c).(*nova.Instance); ok && i.UUID == id && i.Name != "" {
			return i.Name
		}
	}
	if n := panel.ConsumerName(s, id); n != id.String() {
		return n
	}
	return id.String()[:8] + "..."
}

func aboutConsumers(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *line) bool {
	changes := by[placement.KindConsumer]
	if len(changes) == 0 {
		return false
	}
	c := changes[0]
	r, ok := some(c).(*placement.ConsumerRecord)
	if !ok {
		return false
	}
	l.verb, l.what, l.where = "alloc"+sign(c), name(s, by, r.UUID), host1(s, r)
	l.detail = claimed(c)
	if n := len(changes); n > 1 {
		for _, c := range changes {
			if "alloc"+sign(c) != l.verb {
				l.verb = "alloc~"
			}
		}
		l.detail = fmt.Sprintf("%d consumers", n)
	}
	return true
}

// claimed says how much of the class that tells most a claim has, and had.
func claimed(c versioned.Change) string {
	before, after := sums(c.Before), sums(c.After)
	best := placement.ResourceClass("")
	for _, of := range []map[placement.ResourceClass]int64{after, before} {
		for class := range of {
			if rank := panel.Rank(class) - panel.Rank(best); best == "" || rank < 0 || rank == 0 && class < best {
				best = class
			}
		}
		if best != "" {
			break
		}
	}
	if was, is := before[best], after[best]; c.Before != nil && c.After != nil && was != is {
		return fmt.Sprintf("%s %d>%d", best, was, is)
	}
	return fmt.Sprintf("%s %d", best, max(before[best], after[best]))
}

// sums adds up what a consumer's record holds by class.
func sums(r versioned.Record) map[placement.ResourceClass]int64 {
	out := map[placement.ResourceClass]int64{}
	addUsed(out, r, 1)
	return out
}

// host1 returns the first host of a claim, by name; sharing pools are none.
func host1(s *cloud.Snapshot, r *placement.ConsumerRecord) string {
	first := ""
	for id := range r.Allocations {
		p, ok := s.Placement().Provider(id)
		if !ok || s.Placement().Shares(p) {
			continue
		}
		if root := s.Placement().Root(p).Name(); first == "" || root < first {
			first = root
		}
	}
	return first
}

func aboutProviders(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *line) bool {
	changes := by[placement.KindProvider]
	plain := -1 // a change of nothing but the generation
	for i, c := range changes {
		r, ok := some(c).(*placement.ProviderRecord)
		if !ok {
			continue
		}
		before, _ := c.Before.(*placement.ProviderRecord)
		after, _ := c.After.(*placement.ProviderRecord)
		verb, detail := changed(before, after)
		if verb == "gen" {
			plain = i
			continue
		}
		l.verb, l.detail = verb, detail
		l.what, l.where = whereabouts(s, r)
		if n := len(changes); n > 1 && (verb == "rp+" || verb == "rp-") {
			l.detail = fmt.Sprintf("%d providers", n)
			for _, c := range changes { // the root says most
				if r, ok := some(c).(*placement.ProviderRecord); ok && r.Parent == nil {
					l.what, l.where = r.Name, ""
				}
			}
		}
		return true
	}
	if plain >= 0 && len(by[placement.KindProviderTraits]) == 0 {
		r, _ := some(changes[plain]).(*placement.ProviderRecord)
		was, _ := changes[plain].Before.(*placement.ProviderRecord)
		l.verb, l.detail = "gen", fmt.Sprintf("%d>%d", was.Generation, r.Generation)
		l.what, l.where = whereabouts(s, r)
		return true
	}
	return false
}

// whereabouts returns the short name of a provider and its host.
func whereabouts(s *cloud.Snapshot, r *placement.ProviderRecord) (what, where string) {
	pl := s.Placement()
	if p, ok := pl.Provider(r.UUID); ok {
		return panel.ShortName(pl, p), pl.Root(p).Name()
	}
	return r.Name, ""
}

// changed says in what a provider differs from before, which is nil for a new
// one; after is nil for one that is gone.
func changed(before, after *placement.ProviderRecord) (verb, detail string) {
	switch {
	case before == nil:
		return "rp+", "provider"
	case after == nil:
		return "rp-", "provider"
	case before.Name != after.Name:
		return "name", "was " + before.Name
	case (before.Parent == nil) != (after.Parent == nil), before.Parent != nil && *before.Parent != *after.Parent:
		return "moved", "has another parent"
	}
	for _, class := range sorted.Keys(after.Inventories) {
		is := after.Inventories[class]
		switch was, had := before.Inventories[class]; {
		case !had:
			return "inv+", fmt.Sprintf("%s total %d", class, is.Total)
		case was.Total != is.Total:
			return "inv", fmt.Sprintf("%s total %d>%d", class, was.Total, is.Total)
		case was.Reserved != is.Reserved:
			return "inv", fmt.Sprintf("%s reserved %d>%d", class, was.Reserved, is.Reserved)
		case was != is:
			return "inv", string(class)
		}
	}
	for _, class := range sorted.Keys(before.Inventories) {
		if _, has := after.Inventories[class]; !has {
			return "inv-", string(class)
		}
	}
	if !slices.Equal(before.Aggregates, after.Aggregates) {
		return "aggs", fmt.Sprintf("%d>%d", len(before.Aggregates), len(after.Aggregates))
	}
	return "gen", ""
}

func aboutTraits(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *line) bool {
	changes := by[placement.KindProviderTraits]
	if len(changes) == 0 {
		return false
	}
	c := changes[0]
	r, ok := some(c).(*placement.ProviderTraitsRecord)
	if !ok {
		return false
	}
	if p, ok := s.Placement().Provider(r.Provider); ok {
		l.what, l.where = panel.ShortName(s.Placement(), p), s.Placement().Root(p).Name()
	}
	was, is := traitsOf(c.Before), traitsOf(c.After)
	plus := slices.DeleteFunc(slices.Clone(is), func(t placement.Trait) bool { return slices.Contains(was, t) })
	minus := slices.DeleteFunc(slices.Clone(was), func(t placement.Trait) bool { return slices.Contains(is, t) })
	switch {
	case len(changes) > 1:
		l.verb, l.detail = "traits", fmt.Sprintf("of %d providers", len(changes))
	case len(plus) == 1 && len(minus) == 0:
		l.verb, l.detail = "trait+", string(plus[0])
	case len(minus) == 1 && len(plus) == 0:
		l.verb, l.detail = "trait-", string(minus[0])
	default:
		l.verb, l.detail = "traits", fmt.Sprintf("+%d -%d", len(plus), len(minus))
	}
	return true
}

func traitsOf(r versioned.Record) []placement.Trait {
	if t, ok := r.(*placement.ProviderTraitsRecord); ok {
		return t.Traits
	}
	return nil
}

func aboutInstance(_ *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *line) bool {
	changes := by[nova.KindInstance]
	if len(changes) == 0 {
		return false
	}
	i, ok := some(changes[0]).(*nova.Instance)
	if !ok {
		return false
	}
	l.verb, l.what, l.where, l.detail = "vm"+strings.TrimSuffix(sign(changes[0]), "~"), i.Name, i.Host, string(i.VMState)
	if n := len(changes); n > 1 {
		l.detail = fmt.Sprintf("%d instances", n)
	}
	return true
}

// aboutNames is about the vocabulary: custom classes and traits.
func aboutNames(_ *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *line) bool {
	for _, c := range by[placement.KindClass] {
		if r, ok := some(c).(*placement.ClassRecord); ok {
			l.verb, l.what = "class"+strings.TrimSuffix(sign(c), "~"), string(r.Name)
			return true
		}
	}
	for _, c := range by[placement.KindTrait] {
		if r, ok := some(c).(*placement.TraitRecord); ok {
			l.verb, l.what = "trait"+strings.TrimSuffix(sign(c), "~"), string(r.Name)
			return true
		}
	}
	return false
}
