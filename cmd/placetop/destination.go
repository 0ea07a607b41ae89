package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
)

// destination are the flags that choose where an instance goes.
type destination struct {
	host string // "" for any, or if the request itself names one
	pick *pick
}

// pick is the flag that chooses a candidate by its number.
type pick struct {
	number int
	flag   *pflag.Flag
}

// pickFlag adds the flag that chooses a candidate to cmd.
func pickFlag(cmd *cobra.Command) *pick {
	const name = "candidate"
	k := &pick{}
	cmd.Flags().IntVar(&k.number, name, 0, `take candidate `+"`N`"+`, as "placetop candidates --flavor" numbers them; the first by default`)
	k.flag = cmd.Flags().Lookup(name)
	k.flag.Annotations = map[string][]string{numberRange: {"from 1"}}
	return k
}

// destinationFlags adds the flags of a move to cmd.
func destinationFlags(cmd *cobra.Command) *destination {
	d := &destination{pick: pickFlag(cmd)}
	cmd.Flags().StringVar(&d.host, "host", "", "to `HOST` and no other")
	return d
}

// of returns the chosen one of the places that among finds; nil means the first. A number
// counts all candidates for the request, including excluded ones, in the order in which
// the command line asks prints them; with a host only those on it, as with --host.
func (d *destination) of(f finder, asks string, among func() (ops.Places, error)) (*ops.Place, error) {
	if !d.pick.flag.Changed && d.host == "" {
		return nil, nil // no place is picked
	}
	if err := f.CheckPlace(d.host, ""); err != nil {
		return nil, err
	}
	found, err := among()
	var none *ops.NoValidHostError
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	elsewhere := func(p ops.Place) bool { return d.host != "" && p.Host != d.host }
	if !d.pick.flag.Changed {
		there := slices.DeleteFunc(slices.Clone(found.Places), elsewhere)
		if len(there) == 0 {
			return nil, f.noPlace(d.host, found)
		}
		return &there[0], nil
	}
	all := slices.DeleteFunc(slices.Concat(found.Places, found.Left), func(p ops.Place) bool { return p.Number == 0 || elsewhere(p) })
	slices.SortStableFunc(all, func(a, b ops.Place) int { return cmp.Compare(a.Number, b.Number) })
	switch {
	case len(all) > 0:
		return d.pick.of(all, asks)
	case d.host != "":
		return nil, f.noPlace(d.host, found)
	}
	return nil, err
}

// of returns the place with the given number.
func (k *pick) of(all []ops.Place, asks string) (*ops.Place, error) {
	hint := fmt.Sprintf("they are numbered from 1 to %d, see %q", len(all), asks)
	switch {
	case k.number < 1:
		return nil, usageErrorf(hint, "--candidate %d is not a candidate", k.number)
	case k.number > len(all):
		return nil, exitErrorf(exitNothingFits, hint, "no candidate %d", k.number)
	}
	at := all[k.number-1]
	if at.Why != "" {
		hint := "take another"
		if at.Stays {
			hint = sayStay(at)
		}
		return nil, exitErrorf(exitNothingFits, hint, "candidate %d is on %s, where it cannot go: %s", k.number, at.Host, at.Why)
	}
	return &at, nil
}

// sayStay returns how to let a resize stay on its host.
func sayStay(at ops.Place) string { return "--same-host lets it stay on " + at.Host }

// noPlace returns why a host is not among places.
func (f finder) noPlace(host string, places ops.Places) error {
	why := "it has no compute node"
	for e := range places.Excluded(f.Snapshot) {
		if e.Host == host {
			why = e.Why((*placement.ResourceProvider).Name)
			break
		}
	}
	hint := "no other host has one either"
	stay := slices.IndexFunc(places.Left, func(p ops.Place) bool { return p.Stays && p.Host == host })
	if stay >= 0 {
		hint = sayStay(places.Left[stay])
	} else if n := len(places.Places); n > 0 {
		hint = fmt.Sprintf("leave out --host: there are %d on other hosts", n)
	}
	return exitErrorf(exitNothingFits, hint, "no candidate is on %s: %s", host, why)
}

// asksFor returns the command line that lists the candidates for i with the named flavor,
// "" for its current one, on a host, "" for any.
func (f finder) asksFor(i *nova.Instance, flavor, host string) string {
	v, ok := f.Nova().FlavorNamed(cmp.Or(flavor, nova.FlavorName(i.Flavor)))
	if flavor == "" && (!ok || v.Ref() != i.Flavor) {
		v, ok = f.Nova().Flavor(i.Flavor) // a revision that is no longer the newest is named by its ref
		flavor = i.Flavor
	}
	if !ok {
		return ""
	}
	words := []string{"placetop", "candidates", "--flavor", cmp.Or(flavor, v.Name)}
	if i.Zone != "" {
		words = append(words, "--zone", i.Zone)
	}
	if host != "" {
		words = append(words, "--host", host)
	}
	if i.BootFromVolume {
		words = append(words, "--boot-from-volume")
	}
	r, err := f.Nova().Ask(i.RequestSpec(v), nova.AskOptions{Placement: f.Placement()})
	if err == nil && slices.ContainsFunc(r.Prefilters, func(p nova.Prefilter) bool { return p.Name == nova.FilterTenant && p.State == nova.Applied }) {
		words = append(words, "--project", i.Project)
	}
	for n, w := range words {
		words[n] = wire.Quote(w)
	}
	return strings.Join(words, " ")
}
