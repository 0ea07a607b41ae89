package ops

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// effect is one thing that a Change does, as data: two plans with the same effects do the
// same, and overwrite the same. What differs when a plan is made again is left out, such as
// times and generations.
//
// Among those of a change of 8 VCPU to 16, of which 1 is reserved, and of trait A to B are
//
//	field                          from     to
//	inventories.VCPU.total         8        16
//	inventories.VCPU.reserved               untouched   with 1 in stays
//	traits B                                present
//	traits A                       present
//
// and if h comes or goes as a whole, "" is present in to or in from beside all its fields.
type effect struct {
	outcome
	from  string  // what is overwritten or removed, "" for nothing
	stays string  // what is beside it, if that is shown with it
	of    outcome // the record as a whole, if it comes or goes
	words string  // "change h: VCPU total 8 > 16"
	over  string  // "h: VCPU total is now 8"
}

// outcome is what becomes of a record, or of a field of it.
type outcome struct {
	record string // kind and key
	field  string // with the element of a set; "" for the record itself
	to     string
}

// What stands for a value of what has none. No value begins with a NUL.
const (
	present   = "\x00present"   // a record, or an element of a set
	untouched = "\x00untouched" // a field that stays as it is
)

// effects returns the effects of p.
func (p Preview) effects() []effect {
	var out []effect
	for _, c := range p.Records {
		of, name := string(c.Kind())+"/"+string(c.Key()), subject(c, p.on.named(c.Name()))
		fields := delta.Of(c.Before, c.After)
		var whole outcome
		verb := "change "
		switch claim := c.Kind() == placement.KindConsumer; {
		case c.Before != nil && c.After != nil:
		case claim, c.Kind() == placement.KindProviderTraits: // a part of what it belongs to
			fields = slices.DeleteFunc(fields, func(f delta.Field) bool {
				return claim && f.Path[0] != "allocations" || f.Path[0] == "resource_provider_uuid"
			})
			if was, ok := c.Before.(*placement.ConsumerRecord); ok { // one that is made again may be another's
				whose := cmp.Or(string(was.Type), "a consumer") + " of project " + was.Project + " and user " + was.User
				is := outcome{of, "owner", untouched}
				out = append(out, effect{outcome: is, of: is, from: whose, stays: whose, over: name + " is now " + whose})
			}
		default:
			e := effect{outcome: outcome{of, "", present}}
			if verb = "create "; c.After == nil {
				e.from, e.to, verb = present, "", "delete "
			}
			if c.Kind() == placement.KindClass || c.Kind() == placement.KindTrait {
				e.record, fields = name, nil // numbers are anybody's
			}
			e.words, whole = verb+name, e.outcome
			out = append(out, e)
		}
		for _, f := range append(fields, inventoryRest(c, fields)...) {
			t := f.Text()
			if t.Time || slices.Contains([]string{"generation", "object_version", "report_count"}, t.Name) || strings.HasPrefix(t.Name, "kept.was.") {
				continue
			}
			label := name + ": " + p.on.named(f.Label())
			over := label + " is now " + p.on.named(cmp.Or(t.Before, "none"))
			added, removed, set := f.Elements()
			switch beside := (outcome{of, t.Name, untouched}); {
			case bytes.Equal(f.Before, f.After), set && t.Name != "traits" && t.Name != "aggregates":
				out = append(out, effect{outcome: beside, of: beside, stays: t.Before, over: over})
			case !set:
				out = append(out, effect{outcome: outcome{of, t.Name, t.After}, from: t.Before, of: whole, words: verb + name + ": " + p.on.named(f.Words()), over: over})
			}
			for _, x := range added {
				out = append(out, effect{outcome: outcome{of, t.Name + " " + x, present}, of: whole, words: verb + label + " +" + p.on.named(x)})
			}
			for _, x := range removed {
				out = append(out, effect{outcome: outcome{of, t.Name + " " + x, ""}, from: present, of: whole, words: verb + label + " -" + p.on.named(x)})
			}
		}
	}
	return out
}

// inventoryRest returns the fields that stay as they are of inventories that c changes: these
// are shown as a whole.
func inventoryRest(c versioned.Change, changed []delta.Field) (out []delta.Field) {
	if c.Kind() != placement.KindProvider || c.Before == nil {
		return nil
	}
	for _, f := range delta.Of(nil, c.After) {
		of := func(n int) bool {
			return slices.ContainsFunc(changed, func(g delta.Field) bool {
				return len(f.Path) > 2 && len(g.Path) > 2 && slices.Equal(f.Path[:n], g.Path[:n])
			})
		}
		if of(2) && !of(3) {
			f.Before = f.After
			out = append(out, f)
		}
	}
	return out
}

// Differences returns in what two previews differ, one line each: what one of them does and
// the other does not, or does to something else. There are none if they do the same and
// overwrite the same. Generations, names and the usage of others may differ.
func Differences(shown, now Preview) []string {
	was, is := shown.effects(), now.effects()
	var out []string
	add := func(of, other []effect, says string, over bool) {
		has := map[outcome]effect{}
		for _, e := range other {
			has[e.outcome] = e
		}
		for _, e := range of {
			o, ok := has[e.outcome]
			_, both := has[e.of]
			switch {
			case !ok && (both || e.of == outcome{}):
				out = append(out, says+e.words)
			case ok && over && (o.from != e.from || o.stays != e.stays):
				out = append(out, e.over)
			}
		}
	}
	add(is, was, "it would now ", true)
	add(was, is, "it would no longer ", false)
	return out
}

// givesUpMore reports whether a plan gives up something that the one before does not: it
// releases, removes or overwrites it. Who adds to a list, or sets one field of an inventory,
// gives up nothing else of it.
func givesUpMore(before, now Preview) bool {
	had := map[outcome]bool{}
	lost := func(e effect) outcome { return outcome{e.record, e.field, e.from} }
	for _, e := range before.effects() {
		had[lost(e)] = true
	}
	return slices.ContainsFunc(now.effects(), func(e effect) bool { return e.from != "" && !had[lost(e)] })
}
