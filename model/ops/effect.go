package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// effectKind is what is done to a thing.
type effectKind uint8

const (
	creates     effectKind = iota // to: below which provider
	deletes                       // a provider
	moves                         // to: below which provider, "" for a root
	renames                       // to: its new name
	provides                      // what: a class, to: its inventory
	drops                         // what: a class of which it no longer has an inventory
	gets                          // what: a trait
	loses                         // what: a trait
	enters                        // what: an aggregate
	exits                         // what: an aggregate
	holds                         // what: a class, at: a provider, to: how much
	lets                          // as holds, no longer
	writes                        // to: what happens to a record as a whole
	sets                          // what: a field of a record, to: its value
	namesOrNots                   // what: a custom class or trait that comes or goes
)

// effect is one thing that a Change does, as data: two plans with the same effects do the
// same, and overwrite the same. Times are left out, as they differ when a plan is made
// again.
type effect struct {
	kind   effectKind
	of     string // uuid, or kind and key
	at     string // uuid
	what   string
	from   string // the name, parent, inventory or value that is overwritten, "" for none
	to     string
	amount int64
}

// outcome returns e without what it overwrites.
func (e effect) outcome() effect {
	e.from = ""
	return e
}

// shownEffect is an effect with the names of things instead of uuids.
type shownEffect struct {
	effect
	name, place string
}

// effects returns the effects of p.
func (p Preview) effects() []shownEffect {
	var out []shownEffect
	for _, n := range p.Names {
		out = append(out, shownEffect{effect: effect{kind: namesOrNots, what: n}})
	}
	for _, d := range p.Providers {
		out = append(out, d.effects()...)
	}
	for _, c := range p.Consumers {
		for _, f := range c.Changed {
			out = append(out, shownEffect{effect: effect{kind: sets, of: c.Consumer.String(), what: f.Name, from: f.Before, to: f.After}, name: consumerTitle(c)})
		}
		lost, got := c.delta()
		add := func(kind effectKind, hs []Holding) {
			for _, h := range hs {
				out = append(out, shownEffect{
					effect: effect{kind: kind, of: c.Consumer.String(), at: h.Provider.String(), what: string(h.Class), amount: h.Amount},
					name:   consumerTitle(c), place: h.Name,
				})
			}
		}
		add(holds, got)
		add(lets, lost)
	}
	for _, d := range p.Ledgers {
		of := string(d.Kind()) + "/" + string(d.Key())
		out = append(out, shownEffect{effect: effect{kind: writes, of: of, from: d.deleted(), to: d.title()}})
		for _, f := range d.Fields {
			if !f.Time {
				out = append(out, shownEffect{effect: effect{kind: sets, of: of, what: f.Name, from: f.Before, to: f.After}, name: d.title()})
			}
		}
	}
	return out
}

func (d ProviderDiff) effects() []shownEffect {
	var out []shownEffect
	change := func(kind effectKind, what, from, to string) {
		out = append(out, shownEffect{effect: effect{kind: kind, of: d.Provider.String(), what: what, from: from, to: to}, name: d.Name})
	}
	add := func(kind effectKind, what, to string) { change(kind, what, "", to) }
	switch {
	case d.Created():
		add(creates, "", d.Parent)
	case d.Deleted():
		add(deletes, "", "")
	case d.Moved:
		change(moves, "", d.OldParent, d.Parent)
	}
	if d.OldName != "" {
		change(renames, "", d.OldName, d.Name)
	}
	for _, c := range d.Classes {
		from := ""
		if c.Before != nil {
			from = InventoryText(*c.Before)
		}
		switch {
		case !c.InventoryChanged():
		case c.After == nil:
			change(drops, string(c.Class), from, "")
		default:
			change(provides, string(c.Class), from, InventoryText(*c.After))
		}
	}
	for _, t := range d.TraitsAdded {
		add(gets, string(t), "")
	}
	for _, t := range d.TraitsRemoved {
		add(loses, string(t), "")
	}
	for _, a := range d.AggregatesAdded {
		add(enters, a.String(), "")
	}
	for _, a := range d.AggregatesRemoved {
		add(exits, a.String(), "")
	}
	return out
}

// String says what e does, as "delete h".
func (e shownEffect) String() string {
	switch e.kind {
	case creates:
		if e.to == "" {
			return "create the root " + e.name
		}
		return fmt.Sprintf("create %s below %s", e.name, e.to)
	case deletes:
		return "delete " + e.name
	case moves:
		if e.to == "" {
			return "make " + e.name + " a root"
		}
		return fmt.Sprintf("move %s below %s", e.name, e.to)
	case renames:
		return fmt.Sprintf("rename %s to %s", e.from, e.to)
	case provides:
		return fmt.Sprintf("set %s of %s to %s", e.what, e.name, e.to)
	case drops:
		return fmt.Sprintf("remove the inventory of %s from %s", e.what, e.name)
	case gets:
		return fmt.Sprintf("add %s to %s", e.what, e.name)
	case loses:
		return fmt.Sprintf("remove %s from %s", e.what, e.name)
	case enters:
		return fmt.Sprintf("add %s to aggregate %s", e.name, e.what)
	case exits:
		return fmt.Sprintf("remove %s from aggregate %s", e.name, e.what)
	case holds:
		return fmt.Sprintf("claim %s %d of %s for %s", e.what, e.amount, e.place, e.name)
	case lets:
		return fmt.Sprintf("release %s %d of %s, which %s holds", e.what, e.amount, e.place, e.name)
	case sets:
		return fmt.Sprintf("set %s of %s to %s", e.what, e.name, orNone(e.to))
	case writes:
		if title, ok := strings.CutSuffix(e.to, "  deleted"); ok {
			return "delete " + title
		}
		if title, ok := strings.CutSuffix(e.to, "  new"); ok {
			return "create " + title
		}
		return "change " + e.to
	default:
		if name, ok := strings.CutPrefix(e.what, "- "); ok {
			return "delete " + name
		}
		return "create " + strings.TrimPrefix(e.what, "+ ")
	}
}

// overwritten says what e overwrites.
func (e shownEffect) overwritten() string {
	switch e.kind {
	case provides, drops:
		return fmt.Sprintf("%s of %s is now %s", e.what, e.name, cmp.Or(e.from, "none"))
	case moves:
		if e.from == "" {
			return e.name + " is now a root"
		}
		return fmt.Sprintf("%s is now below %s", e.name, e.from)
	case renames:
		return fmt.Sprintf("what is to be called %s is now called %s", e.to, e.from)
	case writes:
		return e.to + ", but it was changed meanwhile"
	default:
		return fmt.Sprintf("%s: %s is now %s", e.name, e.what, orNone(e.from))
	}
}

// Difference is something that one of two plans does and the other does not, or does to
// something else.
type Difference struct {
	effect shownEffect
	Gone   bool // the older plan does it
	over   bool // both do it, and the newer plan overwrites something else by it
}

// String says what is different, as "it would now delete h".
func (d Difference) String() string {
	if d.over {
		return d.effect.overwritten()
	}
	if d.Gone {
		return "it would no longer " + d.effect.String()
	}
	return "it would now " + d.effect.String()
}

// DifferenceLines renders differences, one per line.
func DifferenceLines(of []Difference) []string {
	out := make([]string, len(of))
	for i, d := range of {
		out[i] = d.String()
	}
	return out
}

// Differences returns in what two previews differ, none if they do the same and overwrite
// the same. Generations, names and the usage of others may differ.
func Differences(shown, now Preview) []Difference {
	was, is := shown.effects(), now.effects()
	before, after := effectSet(was), effectSet(is)
	var out []Difference
	for _, e := range is {
		if from, ok := before[e.outcome()]; !ok || from != e.from {
			out = append(out, Difference{effect: e, over: ok})
		}
	}
	for _, e := range was {
		if _, ok := after[e.outcome()]; !ok {
			out = append(out, Difference{effect: e, Gone: true})
		}
	}
	return out
}

// givesUpMore reports whether a plan gives up something that the one before does not: it
// releases, removes or overwrites it.
func givesUpMore(before, now Preview) bool {
	had := map[effect]bool{}
	for _, e := range before.effects() {
		for _, l := range e.losses() {
			had[l] = true
		}
	}
	return slices.ContainsFunc(now.effects(), func(e shownEffect) bool {
		return slices.ContainsFunc(e.losses(), func(l effect) bool { return !had[l] })
	})
}

// losses returns what e gives up, each as an effect of its own. Of a value it is each word
// that is not in the new value: who adds a host to a list, or sets one field of an
// inventory, gives up none of the others.
func (e effect) losses() []effect {
	value := func(r rune) bool { return strings.ContainsRune(" ,[]\"", r) }
	stays := strings.FieldsFunc(e.to, value)
	lost := e
	lost.to = ""
	var out []effect
	for _, word := range strings.FieldsFunc(e.from, value) {
		if !slices.Contains(stays, word) {
			lost.from = word
			out = append(out, lost)
		}
	}
	switch e.kind {
	case deletes, loses, exits, lets:
		out = append(out, lost)
	case namesOrNots:
		if !strings.HasPrefix(e.what, "+") {
			out = append(out, lost)
		}
	default: // what it overwrites alone
	}
	return out
}

// effectSet returns what each effect overwrites.
func effectSet(of []shownEffect) map[effect]string {
	out := make(map[effect]string, len(of))
	for _, e := range of {
		out[e.outcome()] = e.from
	}
	return out
}
