package find

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// entry is a place to go to.
type entry struct {
	what string // "provider"
	name string
	low  string    // the name in lower case
	id   uuid.UUID // zero if it has none
	note string
	also string // other words for it, in lower case
	to   place.Place
}

// index is all places to go to.
type index []entry

// indexOf returns the index of a cloud, with the named screens. It stops early when ctx
// ends.
func indexOf(ctx context.Context, snap *cloud.Snapshot, views []screen.Named) index {
	var out index
	add := func(what, name string, id uuid.UUID, note string, to place.Place) {
		if name != "" {
			out = append(out, entry{what: what, name: name, low: strings.ToLower(name), id: id, note: note, to: to})
		}
	}
	for _, v := range views {
		add(v.Kind, v.Name, uuid.UUID{}, cmp.Or(v.What, v.Title), v.To)
		out[len(out)-1].also = v.Words()
	}
	pl := snap.Placement()
	for p := range pl.Providers() {
		if ctx.Err() != nil {
			return out
		}
		note := ""
		if root := pl.Root(p); root != p {
			note = "of " + root.Name()
		}
		add("provider", p.Name(), uuid.UUID(p.ID()), note, place.Provider{ID: p.ID()})
	}
	for i := range snap.Nova().Instances() {
		if ctx.Err() != nil {
			return out
		}
		if i.Live() && !i.Hidden {
			add("instance", i.Name, uuid.UUID(i.UUID), i.Host, place.Instance{ID: i.UUID})
		}
	}
	for c := range pl.Consumers() {
		if _, ok := snap.Nova().Instance(c.ID()); !ok {
			add("consumer", panel.ConsumerName(snap, c.ID()), uuid.UUID(c.ID()), c.Type().String(), place.Consumer{ID: c.ID()})
		}
	}
	for f := range snap.Nova().CurrentFlavors() {
		add("flavor", f.Name, uuid.UUID{}, "", place.Flavor{Ref: f.Ref()})
	}
	find := kinds.Finder{Snapshot: snap}
	for d := range snap.Cyborg().Devices() {
		add("device", find.DeviceName(d), d.UUID, d.Model, place.Device{ID: d.UUID})
	}
	for p := range snap.Cyborg().DeviceProfiles() {
		add("profile", p.Name, p.UUID, "", place.Profiles{Filter: filter.Is("name", p.Name)})
	}
	for _, id := range find.Aggregates() {
		name := cmp.Or(find.AggregateName(id), id.String())
		add("aggregate", name, uuid.UUID(id), "", place.Aggregates{Filter: id.String()})
	}
	for s := range snap.Nova().Services() {
		add("service", s.Host, uuid.UUID{}, s.Binary, place.Services{Filter: filter.Is("host", s.Host)})
	}
	for _, name := range find.Projects() {
		add("project", name, uuid.UUID{}, "", place.Projects{Filter: filter.Is("project", name)})
	}
	for id, t := range pl.Traits() {
		note := ""
		if n := pl.WithTrait(id).Len(); n > 0 {
			note = component.Plural(n, "provider")
		}
		add("trait", string(t), uuid.UUID{}, note, place.Traits{Filter: "name=" + string(t)})
	}
	for id, c := range pl.Classes() {
		add("class", string(c), uuid.UUID{}, component.Plural(pl.WithClass(id).Len(), "provider"), place.Classes{Filter: "name=" + string(c)})
	}
	return out
}

// most is how many results are shown.
const most = 100

// rank is how well an entry matches: less is better.
type rank struct{ how, length int }

// The ways in which a name matches, best first.
const (
	exact = iota
	begins
	known  // by another word for it
	within // at the beginning of a word of the name
	called // at the beginning of another word for it
	inside
	byID
	scattered // its letters occur in that order
	none
)

// found is a matching entry.
type found struct {
	at int
	rank
}

// search returns the best matching entries for a text, best first, and how many match in
// all. Of several words, the name must contain all; a question that no name and no screen
// answers as a whole is answered by the screens that know most of its words.
func (x index) search(text string) (best []int, all int) {
	text = strings.ToLower(strings.TrimSpace(text))
	words := filter.Asked(text)
	if len(words) == 0 {
		for i := range min(len(x), most) {
			best = append(best, i)
		}
		return best, len(x)
	}
	prefix := hexDigits(text)
	var top []found
	put := func(i int, r rank) {
		if all++; len(top) == most && compare(r, top[most-1].rank) >= 0 {
			return
		}
		at, _ := slices.BinarySearchFunc(top, found{i, r}, func(a, b found) int {
			return cmp.Or(compare(a.rank, b.rank), cmp.Compare(a.at, b.at))
		})
		if top = slices.Insert(top, at, found{i, r}); len(top) > most {
			top = top[:most]
		}
	}
	for i := range x {
		if r := x[i].match(text, words, prefix); r.how != none {
			put(i, r)
		}
	}
	if len(top) == 0 && len(words) > 1 {
		for n, i := range filter.Best(x.called(), func(i int) string { return x[i].also }, words) {
			put(i, rank{called, n})
		}
	}
	if len(top) == 0 { // then the letters may be apart
		for i := range x {
			if subsequence(x[i].low, text) {
				put(i, rank{scattered, len(x[i].low)})
			}
		}
	}
	for _, f := range top {
		best = append(best, f.at)
	}
	return best, all
}

func compare(a, b rank) int {
	return cmp.Or(cmp.Compare(a.how, b.how), cmp.Compare(a.length, b.length))
}

// match returns how well an entry matches.
func (e *entry) match(text string, words []string, prefix string) rank {
	r := rank{none, len(e.low)}
	switch at := strings.Index(e.low, words[0]); {
	case e.low == text:
		r.how = exact
	case at == 0 && e.hasAll(words):
		r.how = begins
	case e.isCalled(words, 0):
		r.how = known
	case at > 0 && e.hasAll(words) && !letter(e.low[at-1]):
		r.how = within
	case e.isCalled(words, 1):
		r.how = called
	case at > 0 && e.hasAll(words):
		r.how = inside
	case prefix != "" && e.id != (uuid.UUID{}) && strings.HasPrefix(plain(e.id), prefix):
		r.how = byID
	}
	return r
}

func (e *entry) hasAll(words []string) bool {
	return !slices.ContainsFunc(words[1:], func(w string) bool { return !strings.Contains(e.low, w) })
}

// leastCalled is how many letters of a word are enough to look for what it may begin.
const leastCalled = 4

// isCalled reports whether all words are words by which people look for it, or where worst is 1
// begin some.
func (e *entry) isCalled(words []string, worst int) bool {
	return e.also != "" && !slices.ContainsFunc(words, func(w string) bool {
		r := filter.WordRank(e.also, w)
		return r > worst || r == 1 && len(w) < leastCalled
	})
}

// called returns the numbers of the entries that people look for by other words.
func (x index) called() []int {
	var out []int
	for i := range x {
		if x[i].also != "" {
			out = append(out, i)
		}
	}
	return out
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// leastID is how many digits identify a uuid.
const leastID = 4

// hexDigits returns the digits of a text that may begin a uuid, "" for another text.
func hexDigits(text string) string {
	digits := strings.ReplaceAll(text, "-", "")
	if len(digits) < leastID || strings.Trim(digits, "0123456789abcdef") != "" {
		return ""
	}
	return digits
}

// plain returns a uuid without dashes.
func plain(id uuid.UUID) string { return strings.ReplaceAll(id.String(), "-", "") }

// subsequence reports whether the letters of text occur in name in that order; spaces are
// ignored.
func subsequence(name, text string) bool {
	at := 0
	for i := range len(text) {
		if text[i] == ' ' {
			continue
		}
		n := strings.IndexByte(name[at:], text[i])
		if n < 0 {
			return false
		}
		at += n + 1
	}
	return true
}
