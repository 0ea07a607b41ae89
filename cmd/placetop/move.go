package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// migrateCommand returns "placetop migrate".
func (p *program) migrateCommand() *cobra.Command {
	var o struct {
		destination
		Live bool `flag:"live" help:"while it runs; needs a real Nova"`
	}
	cmd := command(`migrate INSTANCE
Migrate an instance, to be confirmed or reverted, and print the migration

Move an instance to another host with the same flavor. The migration holds its old
place until "placetop confirm" or "placetop revert". With --live a real Nova migrates
it while it runs, and there is nothing to confirm.

Examples:
  placetop migrate shop-web-1 --dry-run
  placetop migrate shop-web-1 --live --cloud prod --write
  placetop migrate shop-web-1 --host cmp-003 && placetop confirm shop-web-1`)
	w := p.writeFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m := ops.Move{Live: o.Live}
		return p.move(cmd, w, o.destination, args[0], m.About().Name+" "+args[0], m)
	}
	return cmd
}

// resizeCommand returns "placetop resize".
func (p *program) resizeCommand() *cobra.Command {
	var o struct {
		destination
		SameHost    bool          `flag:"same-host" help:"it may stay on its host"`
		RevertAfter time.Duration `flag:"revert-after" help:"revert it unless it is confirmed within <TIME>, such as 24h"`
	}
	cmd := command(`resize INSTANCE FLAVOR
Resize an instance, to be confirmed or reverted, and print the migration

Give an instance another flavor, on another host unless it may stay. A VGPU can move
from Nova's cards to Cyborg's and back. The migration holds the old place until
"placetop confirm" or "placetop revert".

Examples:
  placetop resize infer-9 gpu.t4.1c --dry-run
  placetop resize infer-9 gpu.t4.1c && placetop confirm infer-9`)
	w := p.writeFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.RevertAfter < 0 {
			return usageErrorf("leave it out for never", "--revert-after %s is below zero", o.RevertAfter)
		}
		return p.move(cmd, w, o.destination, args[0], "resize "+args[0]+" to "+args[1], ops.Move{Flavor: args[1], SameHost: o.SameHost, RevertAfter: o.RevertAfter})
	}
	return cmd
}

// move moves the named instance to where m says.
func (p *program) move(cmd *cobra.Command, w *writing, to destination, name, note string, m ops.Move) error {
	m.Migration = placement.ConsumerID(p.newID())
	plan := func(f finder) (operation, error) {
		i, err := f.LiveInstance(name)
		if err != nil {
			return operation{}, err
		}
		m.Instance = i.UUID
		if m.Flavor != "" {
			v, err := f.Flavor(m.Flavor)
			if err != nil {
				return operation{}, err
			}
			m.Flavor = v.Name
		}
		u := operation{note: note, instance: i.UUID, migration: m.Migration, asks: f.asksFor(i, m.Flavor, to.Host)}
		m.Host = to.Host
		m.Pick, err = to.of(cmd, f, u.asks, func() (ops.Places, error) { return m.Places(f.Snapshot, p.now()) })
		u.task = m
		return u, err
	}
	return p.operate(cmd.Context(), w, plan, migrationOf)
}

// migrationOf returns the migration that a move has made, to be printed: nil for none.
func migrationOf(did outcome) any {
	if did.migration.IsZero() {
		return nil
	}
	return did.migration
}

// endCommand returns a command that ends a move: that of INSTANCE with a migration in one
// of some statuses.
func (p *program) endCommand(cmd *cobra.Command, course func(placement.ConsumerID) ops.Checker, from ...nova.MigrationStatus) *cobra.Command {
	cmd.ValidArgsFunction = p.complete(func(f finder, _ []string) []string {
		var out []string
		for m := range f.Nova().Migrations() {
			if slices.Contains(from, m.Status) {
				out = append(out, f.ConsumerName(m.Instance))
			}
		}
		return out
	})
	w := p.writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.operate(cmd.Context(), w, func(f finder) (operation, error) {
			m, err := f.moveOf(args[0], from)
			if err != nil {
				var u operation
				if i, lives := f.LiveInstance(args[0]); lives == nil {
					u.instance = i.UUID
				}
				return u, err
			}
			return operation{
				note: fmt.Sprintf("%s the %s of %s", cmd.Name(), m.Type, f.ConsumerName(m.Instance)), task: course(m.UUID),
				instance: m.Instance, migration: m.UUID,
			}, nil
		}, nil)
	}
	return cmd
}

// moveOf returns the named migration, or that of the named instance in one of some
// statuses.
func (f finder) moveOf(text string, from []nova.MigrationStatus) (*nova.Migration, error) {
	i, err := f.LiveInstance(text)
	if _, several := errors.AsType[*kinds.NameError](err); err != nil && !several {
		if m, err := f.Migration(text); err == nil && f.isMove(m) {
			return m, nil
		}
	}
	if err != nil {
		return nil, err
	}
	var last *nova.Migration
	for m := range f.Nova().MigrationsOf(i.UUID) {
		switch {
		case !f.isMove(m):
		case slices.Contains(from, m.Status):
			return m, nil
		case last == nil || last.Created < m.Created:
			last = m
		}
	}
	if gap := f.Reading(cloud.Migrations).GapOfHolders(); gap != "" && last == nil {
		return nil, fmt.Errorf("whether %s was resized or migrated is not known: %s: %s", i.Name, cloud.Migrations, gap)
	}
	if last == nil {
		return nil, failed(fmt.Errorf("%s was neither resized nor migrated", i.Name), `begin with "placetop resize" or "placetop migrate"`)
	}
	already := " already"
	if last.Status.UnderWay() {
		already = ", not finished"
	}
	return nil, failed(fmt.Errorf("the %s of %s is %s%s", last.Type, i.Name, last.Status, already), `see "placetop get migrations"`)
}

// isMove reports whether a migration is of a kind that is confirmed or reverted.
func (finder) isMove(m *nova.Migration) bool {
	return m.Type == nova.Resize || m.Type == nova.ColdMigration
}

// confirmCommand returns "placetop confirm".
func (p *program) confirmCommand() *cobra.Command {
	return p.endCommand(command(`confirm INSTANCE
Confirm a resize or a migration: its old place is released`), func(id placement.ConsumerID) ops.Checker { return ops.Confirm{Migration: id} }, nova.Finished, nova.Confirming)
}

// revertCommand returns "placetop revert".
func (p *program) revertCommand() *cobra.Command {
	return p.endCommand(command(`revert INSTANCE
Revert a resize or a migration: the instance returns to its old place`), func(id placement.ConsumerID) ops.Checker { return ops.Revert{Migration: id} },
		nova.Finished, nova.PreMigrating, nova.Migrating, nova.PostMigrating, nova.Reverting)
}

// evacuateCommand returns "placetop evacuate".
func (p *program) evacuateCommand() *cobra.Command {
	cmd := command(`evacuate INSTANCE
Rebuild an instance elsewhere after its host went down, and print the migration

Rebuild an instance elsewhere after its host went down; needs a real Nova. What it
held there stays claimed, as the host may still run it. A host that is not known to be
down is refused; mark it as down with "placetop set service HOST --down".`)
	var to destination
	w := p.writeFlags(cmd, &to)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		plan := func(f finder) (operation, error) {
			i, err := f.LiveInstance(args[0])
			if err != nil {
				return operation{}, err
			}
			e := ops.Evacuate{Instance: i.UUID, Host: to.Host}
			u := operation{note: "evacuate " + i.Name, instance: i.UUID, asks: f.asksFor(i, "", to.Host)}
			e.Pick, err = to.of(cmd, f, u.asks, func() (ops.Places, error) { return e.Places(f.Snapshot, p.now()) })
			u.task = e
			return u, err
		}
		return p.operate(cmd.Context(), w, plan, migrationOf)
	}
	return cmd
}

// destination are the flags that choose where an instance goes.
type destination struct {
	Host string `flag:"host" help:"to <HOST> and no other"` // "" for any, or if the request itself names one
	pick
}

// pick is the flag that chooses a candidate by its number.
type pick struct {
	Candidate int `flag:"candidate" range:"from 1" help:"take candidate <N>, as \"placetop candidates --flavor\" numbers them; the first by default"`
}

// of returns the chosen one of the places that among finds; nil means the first. A number
// counts all candidates for the request, including excluded ones, in the order in which
// the command line asks prints them; with a host only those on it, as with --host.
func (d destination) of(cmd *cobra.Command, f finder, asks string, among func() (ops.Places, error)) (*ops.Place, error) {
	picked := cmd.Flags().Changed("candidate")
	if !picked && d.Host == "" {
		return nil, nil // no place is picked
	}
	if err := f.CheckPlace(d.Host, ""); err != nil {
		return nil, err
	}
	found, err := among()
	var none *ops.NoValidHostError
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	elsewhere := func(p ops.Place) bool { return d.Host != "" && p.Host != d.Host }
	if !picked {
		there := slices.DeleteFunc(slices.Clone(found.Places), elsewhere)
		if len(there) == 0 {
			return nil, f.noPlace(d.Host, found)
		}
		return &there[0], nil
	}
	all := slices.DeleteFunc(slices.Concat(found.Places, found.Left), func(p ops.Place) bool { return p.Number == 0 || elsewhere(p) })
	slices.SortStableFunc(all, func(a, b ops.Place) int { return cmp.Compare(a.Number, b.Number) })
	switch {
	case len(all) > 0:
		return d.pick.of(all, asks)
	case d.Host != "":
		return nil, f.noPlace(d.Host, found)
	}
	return nil, err
}

// of returns the place with the given number.
func (k pick) of(all []ops.Place, asks string) (*ops.Place, error) {
	hint := fmt.Sprintf("they are numbered from 1 to %d, see %q", len(all), asks)
	switch {
	case k.Candidate < 1:
		return nil, usageErrorf(hint, "--candidate %d is not a candidate", k.Candidate)
	case k.Candidate > len(all):
		return nil, exitErrorf(exitNothingFits, hint, "no candidate %d", k.Candidate)
	}
	at := all[k.Candidate-1]
	if at.Why != "" {
		hint := "take another"
		if at.Stays {
			hint = sameHostHint(at)
		}
		return nil, exitErrorf(exitNothingFits, hint, "candidate %d is on %s, where it cannot go: %s", k.Candidate, at.Host, at.Why)
	}
	return &at, nil
}

// sameHostHint returns how to let a resize stay on its host.
func sameHostHint(at ops.Place) string { return "--same-host lets it stay on " + at.Host }

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
		hint = sameHostHint(places.Left[stay])
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
		words[n] = api.Quote(w)
	}
	return strings.Join(words, " ")
}
