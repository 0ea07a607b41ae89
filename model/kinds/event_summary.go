package kinds

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// EventSummary is an event in a few words.
type EventSummary struct {
	Verb   string // alloc+, trait-, inv: ends in + for what is new, in - for what is gone
	What   string // the name of what it did something to
	Where  string // the host, if that is not What
	Detail string
	Gen    string // from which to which generation that came: 39>40, "" if it did not
}

// Summarize puts an event into words: what it did to its main subject. A move outranks its
// claims, a claim outranks the generations that it raises, and so on. Names are those
// of s, which may be a later state.
func Summarize(s *cloud.Snapshot, ev *cloud.Event) EventSummary {
	l := EventSummary{What: ev.Note}
	if ev.Omitted > 0 {
		l.Verb, l.Detail = "bulk", fmt.Sprintf("%d records", ev.Omitted)
		if ev.Omitted == 1 {
			l.Detail = "1 record"
		}
		return l
	}
	by := map[versioned.Kind][]versioned.Change{}
	for _, c := range ev.Changes {
		if c.Record() != nil {
			by[c.Kind()] = append(by[c.Kind()], c)
		}
	}
	for _, about := range []func(*cloud.Snapshot, map[versioned.Kind][]versioned.Change, *EventSummary) bool{
		aboutMigration, aboutConsumers, aboutProviders, aboutTraits, aboutInstance, aboutNames, aboutOthers,
	} {
		if about(s, by, &l) {
			break
		}
	}
	if l.Verb == "" {
		l.Verb = "change"
	}
	if l.Where == l.What {
		l.Where = ""
	}
	return l
}

// generationChange says from which generation to which a change raised a provider or a
// consumer; "" if it raised none.
func generationChange(c versioned.Change) string {
	of := func(r versioned.Record) int64 {
		switch r := r.(type) {
		case *placement.ProviderRecord:
			return r.Generation
		case *placement.ConsumerRecord:
			return r.Generation
		}
		return -1
	}
	if from, to := of(c.Before), of(c.After); from >= 0 && to >= 0 && from != to {
		return fmt.Sprintf("%d>%d", from, to)
	}
	return ""
}

// sign returns + for a new record, - for a removed one, ~ for a changed one.
func sign(c versioned.Change) string {
	switch {
	case c.Before == nil:
		return "+"
	case c.After == nil:
		return "-"
	}
	return "~"
}

// newOrGone is sign, but "" for a changed record.
func newOrGone(c versioned.Change) string { return strings.TrimSuffix(sign(c), "~") }

// first returns the first of some changes, and the record that it is of; false where there is
// none, or one of another type.
func first[R versioned.Record](changes []versioned.Change) (c versioned.Change, r R, ok bool) {
	if len(changes) > 0 {
		c = changes[0]
		r, ok = c.Record().(R)
	}
	return c, r, ok
}

func aboutMigration(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *EventSummary) bool {
	_, m, ok := first[*nova.Migration](by[nova.KindMigration])
	if !ok {
		return false
	}
	l.Verb, l.What, l.Where = "move", consumerLabel(s, by, m.Instance), m.Source
	l.Detail = string(m.Type) + " " + string(m.Status)
	if m.Dest != "" && m.Dest != m.Source {
		l.Where += " > " + m.Dest
	}
	return true
}

// consumerLabel returns the name of a consumer if that is still known, and otherwise the start
// of its uuid.
func consumerLabel(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, id placement.ConsumerID) string {
	for _, c := range by[nova.KindInstance] {
		if i, ok := c.Record().(*nova.Instance); ok && i.UUID == id && i.Name != "" {
			return i.Name
		}
	}
	if n := ops.ConsumerName(s, id); n != id.String() {
		return n
	}
	return id.String()[:8] + "..."
}

func aboutConsumers(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *EventSummary) bool {
	changes := by[placement.KindConsumer]
	c, r, ok := first[*placement.ConsumerRecord](changes)
	if !ok {
		return false
	}
	l.Verb, l.What, l.Where = "alloc"+sign(c), consumerLabel(s, by, r.UUID), firstHost(s, r)
	l.Detail, l.Gen = claimText(c), generationChange(c)
	if n := len(changes); n > 1 {
		l.Gen = ""
		for _, c := range changes {
			if "alloc"+sign(c) != l.Verb {
				l.Verb = "alloc~"
			}
		}
		l.Detail = fmt.Sprintf("%d consumers", n)
	}
	return true
}

// claimText says how much a claim has, and had, of its most significant class.
func claimText(c versioned.Change) string {
	sums := func(r versioned.Record) map[placement.ResourceClass]int64 {
		if c, ok := r.(*placement.ConsumerRecord); ok {
			return c.Allocations.Sum()
		}
		return nil
	}
	before, after := sums(c.Before), sums(c.After)
	of := after
	if len(of) == 0 {
		of = before
	}
	classes := slices.SortedFunc(maps.Keys(of), CompareClasses)
	if len(classes) == 0 {
		return ""
	}
	best := classes[0]
	if was, is := before[best], after[best]; c.Before != nil && c.After != nil && was != is {
		return fmt.Sprintf("%s %d>%d", best, was, is)
	}
	return fmt.Sprintf("%s %d", best, max(before[best], after[best]))
}

// firstHost returns the first host of a claim, by name, ignoring sharing pools.
func firstHost(s *cloud.Snapshot, r *placement.ConsumerRecord) string {
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

func aboutProviders(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *EventSummary) bool {
	changes := by[placement.KindProvider]
	plain := -1 // a change of nothing but the generation
	for i, c := range changes {
		r, ok := c.Record().(*placement.ProviderRecord)
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
		l.Verb, l.Detail, l.Gen = verb, detail, generationChange(c)
		l.What, l.Where = whereabouts(s, r)
		if n := len(changes); n > 1 && (verb == "rp+" || verb == "rp-") {
			l.Detail = fmt.Sprintf("%d providers", n)
			for _, c := range changes { // the root is the most significant
				if r, ok := c.Record().(*placement.ProviderRecord); ok && r.Parent == nil {
					l.What, l.Where = r.Name, ""
				}
			}
		}
		return true
	}
	if plain >= 0 && len(by[placement.KindProviderTraits]) == 0 {
		r, _ := changes[plain].Record().(*placement.ProviderRecord)
		l.Verb, l.Detail = "gen", generationChange(changes[plain])
		l.What, l.Where = whereabouts(s, r)
		return true
	}
	return false
}

// whereabouts returns the short name of a provider and its host.
func whereabouts(s *cloud.Snapshot, r *placement.ProviderRecord) (what, where string) {
	pl := s.Placement()
	if p, ok := pl.Provider(r.UUID); ok {
		return ShortName(pl, p), pl.Root(p).Name()
	}
	return r.Name, ""
}

// changed says what changed in a provider: before is nil for a new one, and after for a
// removed one.
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
	for _, class := range slices.Sorted(maps.Keys(after.Inventories)) {
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
	for _, class := range slices.Sorted(maps.Keys(before.Inventories)) {
		if _, has := after.Inventories[class]; !has {
			return "inv-", string(class)
		}
	}
	if !slices.Equal(before.Aggregates, after.Aggregates) {
		return "aggs", fmt.Sprintf("%d>%d", len(before.Aggregates), len(after.Aggregates))
	}
	return "gen", ""
}

func aboutTraits(s *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *EventSummary) bool {
	changes := by[placement.KindProviderTraits]
	c, r, ok := first[*placement.ProviderTraitsRecord](changes)
	if !ok {
		return false
	}
	if p, ok := s.Placement().Provider(r.Provider); ok {
		l.What, l.Where = ShortName(s.Placement(), p), s.Placement().Root(p).Name()
	}
	was, is := traitsOf(c.Before), traitsOf(c.After)
	plus := slices.DeleteFunc(slices.Clone(is), func(t placement.Trait) bool { return slices.Contains(was, t) })
	minus := slices.DeleteFunc(slices.Clone(was), func(t placement.Trait) bool { return slices.Contains(is, t) })
	switch {
	case len(changes) > 1:
		l.Verb, l.Detail = "traits", fmt.Sprintf("of %d providers", len(changes))
	case len(plus) == 1 && len(minus) == 0:
		l.Verb, l.Detail = "trait+", string(plus[0])
	case len(minus) == 1 && len(plus) == 0:
		l.Verb, l.Detail = "trait-", string(minus[0])
	default:
		l.Verb, l.Detail = "traits", fmt.Sprintf("+%d -%d", len(plus), len(minus))
	}
	return true
}

func traitsOf(r versioned.Record) []placement.Trait {
	if t, ok := r.(*placement.ProviderTraitsRecord); ok {
		return t.Traits
	}
	return nil
}

func aboutInstance(_ *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *EventSummary) bool {
	changes := by[nova.KindInstance]
	c, i, ok := first[*nova.Instance](changes)
	if !ok {
		return false
	}
	l.Verb, l.What, l.Where, l.Detail = "vm"+newOrGone(c), i.Name, i.Host, string(i.VMState)
	if n := len(changes); n > 1 {
		l.Detail = fmt.Sprintf("%d instances", n)
	}
	return true
}

// aboutNames is about the vocabulary: custom classes and traits.
func aboutNames(_ *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *EventSummary) bool {
	if c, r, ok := first[*placement.ClassRecord](by[placement.KindClass]); ok {
		l.Verb, l.What = "class"+newOrGone(c), string(r.Name)
		return true
	}
	c, r, ok := first[*placement.TraitRecord](by[placement.KindTrait])
	if ok {
		l.Verb, l.What = "trait"+newOrGone(c), string(r.Name)
	}
	return ok
}

// aboutOthers is about all other records: the one that changed, or the kind of most of
// them.
func aboutOthers(_ *cloud.Snapshot, by map[versioned.Kind][]versioned.Change, l *EventSummary) bool {
	var most versioned.Kind
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		if len(by[kind]) > len(by[most]) {
			most = kind
		}
	}
	if most == "" {
		return false
	}
	l.Verb = shortKind(most) + newOrGone(by[most][0])
	if len(by[most]) == 1 {
		l.What, l.Detail = by[most][0].Name(), l.What
	}
	return true
}

// shortKind returns a kind of records as a word as short as other verbs.
func shortKind(k versioned.Kind) string {
	switch k {
	case nova.KindService:
		return "svc"
	case nova.KindComputeNode:
		return "node"
	case nova.KindAggregate:
		return "agg"
	case nova.KindPciDevice:
		return "pci"
	case cyborg.KindDeviceProfile:
		return "dp"
	}
	word, _, _ := strings.Cut(string(k), "_")
	return word
}

// ShortName returns the name of a provider without the name of its parent or host in
// front, which is shown next to it.
func ShortName(s *placement.Snapshot, p *placement.ResourceProvider) string {
	up, ok := s.Parent(p)
	if !ok {
		return p.Name()
	}
	for _, above := range []*placement.ResourceProvider{up, s.Root(p)} {
		rest, ok := strings.CutPrefix(p.Name(), above.Name())
		if ok && len(rest) > 1 && strings.ContainsRune("_:", rune(rest[0])) {
			return rest[1:]
		}
	}
	return p.Name()
}

// CompareClasses compares classes by their rank, then by name.
func CompareClasses(a, b placement.ResourceClass) int {
	return cmp.Or(Rank(a)-Rank(b), cmp.Compare(a, b))
}

// Rank orders classes by how much they tell about a consumer: scarce ones,
// accelerators and custom classes, before common ones, bandwidth last.
func Rank(c placement.ResourceClass) int {
	if strings.HasPrefix(string(c), "NET_") {
		return 4
	}
	switch c {
	case placement.VCPU:
		return 1
	case placement.MemoryMB:
		return 2
	case placement.DiskGB:
		return 3
	default:
		return 0
	}
}
