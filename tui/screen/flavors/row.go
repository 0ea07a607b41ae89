package flavors

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
)

// flavor is a row: a flavor, and the request that Nova makes of it.
type flavor struct {
	*nova.Flavor
	vms    int64 // live instances with any revision of it
	wanted novaRequest
}

// novaRequest is Nova's request to Placement for a flavor, and what is wrong with it.
type novaRequest struct {
	request nova.Request
	url     string          // the query as a URL; "" if there is none
	asks    string          // a summary, without what pre-filters add
	brief   [2]string       // the same without traits, and also without the profile
	of      placement.Owner // the owner of the requested devices
	faults  []fault
	notes   []string // what to know about all requests of such flavors
	cannot  string   // why there is no request, if the reason is in no extra spec
}

// key distinguishes requests that may fit a different number of times: the query, whether
// Nova asks again with VCPU, and what hosts add.
func (w novaRequest) key() string {
	key := w.url
	if w.request.Pinned {
		key += "\npinned"
	}
	for _, d := range w.request.PCI {
		key += "\n" + d.String()
	}
	return key
}

// fault is what is wrong with an extra spec.
type fault struct {
	key, word, why string
	fatal          bool // it makes the request impossible
}

// flavors returns the flavors for new instances, by name.
func flavors(ctx context.Context, snap *cloud.Snapshot) []*flavor {
	vms := map[string]int64{}
	for i := range snap.Nova().Instances() {
		if i.Live() && !i.Hidden {
			vms[i.Flavor]++
		}
	}
	byName := map[string]int64{}
	for ref, n := range vms {
		name := ref
		if f, ok := snap.Nova().Flavor(ref); ok {
			name = f.Name
		}
		byName[name] += n
	}
	var all []*flavor
	for f := range snap.Nova().CurrentFlavors() {
		if ctx.Err() != nil {
			return all
		}
		all = append(all, &flavor{Flavor: f, vms: byName[f.Name], wanted: ask(snap, f)})
	}
	return all
}

// ask returns Nova's request for a new instance with a flavor.
func ask(snap *cloud.Snapshot, f *nova.Flavor) novaRequest {
	var w novaRequest
	var err error
	w.request, err = ops.RequestFor(snap, f)
	var wrong *nova.ExtraSpecError
	switch {
	case err == nil:
		w.url = w.request.Query.URL()
	case errors.As(err, &wrong):
		w.faults = append(w.faults, fault{wrong.Key, wrong.Word, wrong.Why, true})
	default:
		w.cannot = strings.TrimPrefix(err.Error(), "flavor "+f.Name+": ")
	}
	for _, warn := range w.request.Warnings {
		if warn.Key == "" {
			w.notes = append(w.notes, warn.Text)
			continue
		}
		w.faults = append(w.faults, fault{warn.Key, warn.Word, warn.Text, false})
	}
	// What Nova accepts silently may still have no effect.
	known := func(key string) bool {
		return slices.ContainsFunc(w.faults, func(f fault) bool { return f.key == key })
	}
	if err := f.CheckExtraSpecs(snap.Placement()); errors.As(err, &wrong) && !known(wrong.Key) {
		w.faults = append(w.faults, fault{wrong.Key, wrong.Word, wrong.Why, false})
	}
	if err == nil {
		w.sum(w.request, f.DeviceProfile())
		return w
	}
	// Names that Placement and Cyborg do not know are still what it asks for.
	spec, unread := ops.RequestSpecOf(snap, &nova.Instance{}, f)
	if unread != nil {
		spec.Flavor = f.WithoutProfile()
	}
	asks, _ := snap.Nova().Ask(spec, nova.AskOptions{})
	if w.sum(asks, f.DeviceProfile()); unread != nil {
		w.asks, w.brief[0] = f.DeviceProfile()+"  "+w.asks, f.DeviceProfile()+"  "+w.brief[0]
	}
	return w
}

// sum summarises a request, scarce things first, and sets the owner. It uses the name
// of the device profile for its groups.
func (w *novaRequest) sum(r nova.Request, profile string) {
	w.asks = words(r, profile, panel.Asked)
	w.brief[0] = words(r, profile, panel.AskedAmounts)
	w.brief[1] = words(r, "", panel.AskedAmounts)
	var ofNova, ofCyborg bool
	for _, g := range r.Query.Groups {
		of := askedOf(g, sourceOf(r, g.Suffix))
		ofNova = ofNova || of == placement.OwnedByNova
		ofCyborg = ofCyborg || of == placement.OwnedByCyborg
	}
	w.of = panel.AskedOf(ofNova, ofCyborg)
}

// words returns what each group of a request asks for, with the name of a device profile,
// unless that is "".
func words(r nova.Request, profile string, asked func(candidates.Group) string) string {
	var words, plain []string
	for _, g := range r.Query.Groups {
		source := sourceOf(r, g.Suffix)
		text := asked(withoutOwner(g))
		switch {
		case text == "":
		case g.Suffix == "":
			plain = append(plain, text)
		case source == nova.FromDeviceProfile:
			if profile != "" {
				text = profile + " > " + text
			}
			words = append(words, text)
		default:
			words = append(words, text)
		}
	}
	return strings.Join(append(words, plain...), "  ")
}

// askedOf returns the owner from which a group requests devices.
func askedOf(g candidates.Group, source nova.GroupSource) placement.Owner {
	if slices.ContainsFunc(g.Resources, func(r candidates.Resource) bool { return r.Class.IsAccelerator() }) {
		return source.Owner()
	}
	return placement.OwnedByNone
}

// withoutOwner returns a group without the traits of owners, which are shown separately.
func withoutOwner(g candidates.Group) candidates.Group {
	g.Required = slices.DeleteFunc(slices.Clone(g.Required), func(t candidates.AnyTrait) bool {
		return len(t.Names) == 1 && t.Names[0].IsOwner()
	})
	return g
}

// sourceOf returns the origin of the group of a request with a suffix.
func sourceOf(r nova.Request, suffix string) nova.GroupSource {
	for _, g := range r.Groups {
		if g.Suffix == suffix {
			return g.Source
		}
	}
	return ""
}

// trouble returns in a few words why a flavor has no request, "" if it has one.
func (w *novaRequest) trouble() string {
	switch {
	case w.cannot != "":
		return w.cannot
	case w.url == "" && len(w.faults) > 0:
		return w.faults[0].why
	}
	return ""
}

func (f *flavor) asks(list.At) string  { return f.wanted.asks }
func (f *flavor) owner(list.At) string { return f.wanted.of.String() }
