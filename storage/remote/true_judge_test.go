package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// judge says what harm writes do, by what there really is when they arrive. Its rules are those
// of domain.md about who holds what when, and none of ours.
type judge struct {
	shown   *cloud.Snapshot // to the operator, who agreed
	wishes  map[placement.ConsumerID]bool
	named   bool // who knows whose a consumer is that Nova does not know
	owner   bool // wrote whose it is of what was shown as held
	insists bool // on what it is about, whatever that may be
	writes  int  // that changed something
	harm    []string
}

func (j *judge) say(format string, args ...any) {
	j.harm = append(j.harm, fmt.Sprintf(format, args...))
}

// late reports whether a server or a migration changed after we had asked about it, and before
// we wrote: nobody can help that.
func (c *trueCloud) late(one any, changed int) bool {
	asked, ok := c.tells.asked[one]
	return ok && asked > c.tells.began && changed > asked
}

func (c *trueCloud) lateServer(s *trueServer) bool { return c.late(s, s.changed) }

// sumOf returns what consumers hold together.
func sumOf(p *placement.Snapshot, ids []placement.ConsumerID) amounts {
	var all []amounts
	for _, id := range ids {
		all = append(all, heldIn(p, id))
	}
	return plus(all...)
}

// classes returns the sums of each class.
func classes(a amounts) map[placement.ResourceClass]int64 {
	out := map[placement.ResourceClass]int64{}
	for _, of := range a {
		for class, n := range of {
			out[class] += n
		}
	}
	return out
}

// wrote judges a write to Placement.
func (j *judge) wrote(c *trueCloud, r *http.Request, before, after *placement.Snapshot) {
	if before == after {
		return
	}
	j.writes++
	call := r.Method + " " + r.URL.Path
	if r.URL.Path == "/reshaper" { // whoever wants that moves claims along with what they are of
		for consumer := range before.Consumers() {
			was, is := classes(heldIn(before, consumer.ID())), classes(heldIn(after, consumer.ID()))
			if !maps.Equal(was, is) {
				j.say("%s: %s held %v, and holds %v", call, c.nameOf(consumer.ID()), was, is)
			}
		}
		return
	}
	lost := func(who placement.ConsumerID, name string, has, is, uses amounts) {
		for id, of := range uses {
			for class, n := range of {
				if was, now := min(has[id][class], n), min(is[id][class], n); now < was && !j.wishes[who] {
					j.say("%s: %s uses %d %s of %s, and of that %d were held before, and %d after", call, name, n, class, before.ProviderName(id), was, now)
				}
			}
		}
	}
	for _, s := range c.servers {
		if s.gone || c.lateServer(s) {
			continue
		}
		all := []amounts{s.uses}
		for _, m := range c.moves {
			if m.of == s && m.status.UnderWay() {
				all = append(all, m.uses)
				if !c.late(m, m.changed) {
					lost(m.id, c.nameOf(m.id), heldIn(before, m.id), heldIn(after, m.id), m.uses)
				}
			}
		}
		lost(s.id, c.nameOf(s.id), heldIn(before, s.id), heldIn(after, s.id), s.uses)
		if !slices.ContainsFunc(c.holders(s), func(id placement.ConsumerID) bool { return j.wishes[id] }) {
			lost(s.id, c.nameOf(s.id)+" with its migrations", sumOf(before, c.holders(s)), sumOf(after, c.holders(s)), plus(all...))
		}
		j.gained(c, call, s, before, after)
	}
	for id := range c.others {
		if !j.wishes[id] && !j.named && !c.late(id.String(), c.remade[id.String()]) && fmt.Sprint(heldIn(before, id)) != fmt.Sprint(heldIn(after, id)) {
			j.say("%s: %s, of another service, holds %s, and held %s", call, id, textOf(after, heldIn(after, id)), textOf(before, heldIn(before, id)))
		}
	}
	j.cards(c, call, before, after)
	j.providers(c, call, before, after)
}

// gained judges what a server gets: what it does not use others lack.
func (j *judge) gained(c *trueCloud, call string, s *trueServer, before, after *placement.Snapshot) {
	if j.insists || j.wishes[s.id] {
		return
	}
	for id, of := range heldIn(after, s.id) {
		for class, n := range of {
			if n > heldIn(before, s.id)[id][class] && n > s.uses[id][class] {
				j.say("%s: %s gets %d %s of %s, and uses %d", call, c.nameOf(s.id), n, class, after.ProviderName(id), s.uses[id][class])
			}
		}
	}
}

// cards judges the units of cards that Cyborg has attached: each is held by somebody.
func (j *judge) cards(c *trueCloud, call string, before, after *placement.Snapshot) {
	for _, h := range c.hosts {
		attached := map[placement.ConsumerID]int64{}
		for _, a := range c.arqs {
			if a.host == h && a.bound() {
				attached[a.of]++
			}
		}
		for id, n := range attached {
			ids := []placement.ConsumerID{id}
			if s := c.serverNamed(id.String()); s != nil {
				if ids = c.holders(s); c.lateServer(s) {
					continue
				}
			}
			if slices.ContainsFunc(ids, func(id placement.ConsumerID) bool { return j.wishes[id] }) {
				continue
			}
			was, is := sumOf(before, ids)[h.cyborg][c.device], sumOf(after, ids)[h.cyborg][c.device]
			if min(is, n) < min(was, n) {
				j.say("%s: Cyborg has attached %d units of %s to %s, of which %d were held before, and %d after", call, n, before.ProviderName(h.cyborg), c.nameOf(id), was, is)
			}
		}
	}
}

// users returns who uses something of a provider, or is on the host of which it is the root; if that
// is asked for only those who hold nothing of it.
func (c *trueCloud) users(id placement.ProviderID, holders *placement.Snapshot) (out []string) {
	for _, s := range c.servers {
		if s.gone || s.host == "" || c.lateServer(s) { // where one that is on no host is to go nobody knows
			continue
		}
		uses := len(s.uses[id]) > 0
		for _, m := range c.moves {
			uses = uses || m.of == s && m.status.UnderWay() && len(m.uses[id]) > 0
		}
		if uses && (holders == nil || len(sumOf(holders, c.holders(s))[id]) == 0) {
			out = append(out, c.nameOf(s.id))
		}
	}
	for _, a := range c.arqs {
		if a.host.cyborg == id && a.bound() && (holders == nil || len(heldIn(holders, a.of)[id]) == 0) {
			out = append(out, "a request of "+c.nameOf(a.of))
		}
	}
	return out
}

// providers judges what becomes of providers that are in use.
func (j *judge) providers(c *trueCloud, call string, before, after *placement.Snapshot) {
	if j.insists {
		return
	}
	for p := range before.Providers() {
		shown := before
		if !j.owner {
			shown = nil
		}
		users := c.users(p.ID(), shown)
		if len(users) == 0 {
			continue
		}
		is, ok := after.Provider(p.ID())
		if !ok {
			j.say("%s: %s is deleted, and %v uses it", call, p.Name(), users)
			continue
		}
		if was, now := before.Owner(p), after.Owner(is); was != now && was == c.trueOwner(p.ID()) && !p.IsRoot() { // no card is on it
			j.say("%s: %s is given from %s to %s, and %v uses it", call, p.Name(), was, now, users)
		}
		for _, iu := range p.Inventories() {
			var uses int64
			class := before.ClassName(iu.Class)
			for _, s := range c.servers {
				uses += s.uses[p.ID()][class]
			}
			if _, ok := is.Inventory(iu.Class); uses > 0 && !ok && (class.IsAccelerator() || class.IsCustom() || p.ID() == c.pool) { // less of it gives nothing out
				j.say("%s: %s has no %s, of which %d are used", call, p.Name(), class, uses)
			}
		}
	}
}

func (c *trueCloud) trueOwner(id placement.ProviderID) placement.Owner {
	for _, h := range c.hosts {
		if h.cyborg == id {
			return placement.OwnedByCyborg
		}
	}
	return placement.OwnedByNova
}

// arrives judges what Nova and Cyborg are asked to do.
func (j *judge) arrives(c *trueCloud, of api.Service, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.Method == http.MethodGet:
	case of == api.Accelerator && r.Method == http.MethodDelete:
		for _, a := range c.arqs {
			s := c.serverNamed(a.of.String())
			if s != nil && strings.Contains(r.URL.RawQuery, a.id.String()) && s.live() && a.bound() && !c.lateServer(s) {
				j.say("%s: the request of %s is bound", r.Method+" "+r.URL.Path, c.nameOf(a.of))
			}
		}
	case of == api.Compute && parts[0] == "servers":
		s := c.serverNamed(parts[1])
		if s == nil || s.gone || c.lateServer(s) || j.shown == nil {
			return
		}
		do := "delete"
		if r.Method == http.MethodPost {
			text, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(text)))
			var body map[string]json.RawMessage
			_ = json.Unmarshal(text, &body)
			for key := range body {
				do = key
			}
		}
		i, ok := j.shown.Nova().Instance(s.id)
		switch {
		case !ok:
			j.say("%s of %s, which was not shown", do, c.nameOf(s.id))
		case i.Host != c.serviceOf(s.host) || i.VMState != s.vm || i.TaskState != s.task || nova.FlavorName(i.Flavor) != c.flavors[s.flavor].name:
			j.say("%s of %s, which was shown as %s %s on %q of %s, and is of %s", do, c.nameOf(s.id), i.VMState, i.TaskState, i.Host, i.Flavor, s.flavor)
		case do == "confirmResize" || do == "revertResize":
			if m := c.waits(s); m != nil {
				if was, ok := j.shown.Nova().Migration(m.id); !ok || was.Status != m.status {
					j.say("%s of %s, which was not shown as waiting", do, c.nameOf(m.id))
				}
			}
		}
	}
}
