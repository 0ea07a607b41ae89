package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// getCommand returns "placetop get" with a subcommand for each kind.
func (p *program) getCommand() *cobra.Command {
	all := kinds.All()
	var names []string
	for _, k := range all {
		names = append(names, string(k.Name))
	}
	cmd := command(`get KIND [NAME]
Print providers, allocations, flavors, instances, devices and more

Print the records of a kind, or the one with the given name: a name, a uuid, or the
start of a uuid that no other shares. --where selects some, in the language of the
dashboard's filters.

Examples:
  placetop get providers --trait HW_GPU_API_VULKAN -o wide
  placetop get inventories --where 'free>2 & owner=both' --sort -free
  placetop get allocations --project demo -o csv`)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageErrorf("use one of "+strings.Join(names, ", "), "%s needs a kind", cmd.CommandPath())
		}
		return unknownOf(cmd, "kind", args[0], "use one of "+strings.Join(names, ", "))
	}
	cmd.RunE = func(*cobra.Command, []string) error { return nil }
	for _, k := range all {
		cmd.AddCommand(p.getKind(k))
	}
	return cmd
}

// getKind returns the command for one kind.
func (p *program) getKind(k *kinds.Kind) *cobra.Command {
	var pick pickFlags
	rows := rowFlags{Limit: k.Limit}
	cmd := &cobra.Command{
		Use:     string(k.Name) + " [NAME]",
		Aliases: k.Aliases,
		Short:   k.Short,
		Long:    k.Short + ". NAME is " + k.What + ".",
	}
	if !k.Only {
		cmd.Long += "\n\n" + fieldHelp(k)
	}
	p.outputFlag(cmd, print.Lists())
	p.atFlag(cmd)
	p.addPickFlags(cmd, k, &pick, &rows)
	cmd.ValidArgsFunction = p.complete(func(f finder, args []string) []string {
		if len(args) > 0 || k.Names == nil {
			return nil
		}
		return k.Names(f.Finder)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if rows.Limit < 0 {
			return usageErrorf("leave it out for all", "--limit %d is below zero", rows.Limit)
		}
		q := kinds.Query{Name: strings.Join(args, ""), Pick: kinds.Pick(pick), Where: rows.Where, Sort: rows.Sort, Limit: rows.Limit}
		p.kind, p.needs = k, k.Needs(q)
		if strings.Contains(q.Where, "@") {
			q.Filter = p.namedFilter()
		}
		store, err := p.openToRead(cmd.Context())
		if err != nil {
			return err
		}
		q.At = kinds.At{Snap: store.Snapshot(), Now: p.now()}
		a, err := answer(cmd.Context(), store, k, q)
		if err != nil {
			return ofFlag(err)
		}
		p.addQuotas(cmd.Context(), store, a)
		p.printAnswer(k, a)
		if k.Name == kinds.Providers && q.Where != "" && a.At.Class == "" && len(a.Rows) == 0 {
			p.say("figures such as ratio or free are those of one class: --class names it, and inventories has all")
		}
		return checkRead(store, a)
	}
	return cmd
}

// checkRead returns an error if an answer is empty because a part of a live cloud could not
// be read: there may be some.
func checkRead(store storage.Store, a kinds.Answer) error {
	far, is := engine.Far(store)
	if !is || len(a.Rows) > 0 {
		return nil
	}
	return checkReadings(far.Link().Parts, a.Kind)
}

// checkReadings is checkRead for the parts that were read.
func checkReadings(parts []cloud.Reading, k *kinds.Kind) error {
	for _, of := range parts {
		if of.Why != "" && slices.Contains(k.Told, of.Part) {
			return failed(fmt.Errorf("%s could not be read", of.Part), "there may be "+k.Plural()+" all the same")
		}
	}
	return nil
}

// answer gets the rows of a kind, from the store if they are there.
func answer(ctx context.Context, store storage.Store, k *kinds.Kind, q kinds.Query) (kinds.Answer, error) {
	if k.Rows != nil {
		return k.Get(q)
	}
	rows, err := eventRows(ctx, store, q)
	if err != nil {
		return kinds.Answer{}, err
	}
	return k.Choose(q, rows)
}

// addQuotas asks Nova for the quotas of a project that was named, and says so if they
// cannot be had.
func (p *program) addQuotas(ctx context.Context, store storage.Store, a kinds.Answer) {
	if a.Kind.Name != kinds.Projects || !a.One || len(a.Rows) != 1 {
		return
	}
	t := a.Rows[0].(*kinds.Tenant) // a row of this kind
	quotas := store.Capabilities().Quotas
	switch {
	case p.at != "":
		p.say("quotas are not known: Nova only reports current ones, without --at")
		return
	case quotas == nil:
		p.say("quotas are not known: only a live Nova reports them")
		return
	}
	var err error
	if t.Quotas, err = quotas(ctx, t.Project); err != nil {
		p.say("quotas are not known: %v", err)
	}
}

// ofFlag adds the name of the flag that an error is about.
func ofFlag(err error) error {
	var where *kinds.WhereError
	var sort *kinds.SortError
	switch {
	case errors.As(err, &where):
		return fmt.Errorf("--where: %w", err)
	case errors.As(err, &sort):
		return fmt.Errorf("--sort: %w", err)
	}
	return err
}

// eventRows returns the events that may match q, newest first.
func eventRows(ctx context.Context, store storage.Store, q kinds.Query) ([]kinds.Row, error) {
	ask := cloud.EventQuery{Limit: q.Limit}
	if ask.Limit == 0 || q.Where != "" || q.Sort != "" {
		ask.Limit = math.MaxInt
	}
	if q.Name != "" {
		n, err := strconv.ParseUint(q.Name, 10, 64)
		if err != nil || n == 0 {
			return nil, usageErrorf(`list them with "placetop get events"`, "revision %q is not a number from 1", q.Name)
		}
		ask = cloud.EventQuery{Until: cloud.Revision(n), Limit: 1}
	}
	events, err := store.Events(ctx, ask)
	if err != nil {
		return nil, err
	}
	if q.Name != "" && (len(events) == 0 || events[0].Revision != ask.Until) {
		if ask.Until <= store.Snapshot().Revision() {
			return nil, &cloud.ForgottenError{Revision: ask.Until}
		}
		return nil, &placement.NotFoundError{What: "revision", Name: q.Name + " of the journal"}
	}
	rows := make([]kinds.Row, len(events))
	for i := range events {
		rows[i] = &events[i]
	}
	return rows, nil
}

// printAnswer prints rows, or a message if there are none.
func (p *program) printAnswer(k *kinds.Kind, a kinds.Answer) {
	for _, row := range a.Rows {
		if k.Check == nil {
			break
		}
		if err := k.Check(row); err != nil {
			p.say("%v", err)
		}
	}
	out := p.printer()
	if len(a.Rows) == 0 && out.People() {
		p.say("no %s", k.Plural())
		return
	}
	out.Answer(a)
	if len(a.Rows) < a.All {
		p.say("%d of %d %s shown, because of --limit", len(a.Rows), a.All, k.Plural())
	}
	if !out.People() || !a.One || len(a.Rows) != 1 {
		return
	}
	for _, part := range k.Parts {
		if rows := part.Of(a.At, a.Rows[0]); len(rows) > 0 {
			out.Lines("")
			out.Answer(kinds.Answer{Kind: part.Kind, At: a.At, Rows: rows})
		}
	}
}

// fieldHelp returns what --where and --sort accept.
func fieldHelp(k *kinds.Kind) string {
	text := strings.Join(folded(strings.Fields("--where and --sort know the fields "+strings.Join(k.Asked(), ", ")+"."), helpWidth), "\n")
	for _, f := range k.Fields {
		if f.Help != "" {
			text += "\n  " + f.Asked() + ": " + f.Help
		}
	}
	return text
}

// pickFlags are the conditions of kinds.Pick as flags, of which each kind has some.
type pickFlags struct {
	Class      []string `flag:"class" help:"only those with this resource <CLASS>; if repeated, those with all of them"`
	Trait      []string `flag:"trait" help:"only those with this <TRAIT>; if repeated, those with all of them"`
	Owner      string   `flag:"owner" help:"only those of <OWNER>: nova, cyborg, both or none"`
	Aggregate  string   `flag:"aggregate" help:"only those in the aggregate <UUID>"`
	InTree     string   `flag:"in-tree" help:"only those in the tree of <PROVIDER>"`
	Provider   string   `flag:"provider" help:"only those on <PROVIDER>"`
	Project    string   `flag:"project" help:"only those of the project <ID>"`
	Type       string   `flag:"type" help:"only those of consumers of <TYPE>; unknown for those without one"`
	Host       string   `flag:"host" help:"only those of <HOST>"`
	Associated bool     `flag:"associated" help:"only those that a provider has"`
	All        bool     `flag:"all" help:"include those that were deleted or replaced"`
}

// rowFlags are the flags that choose rows of any kind.
type rowFlags struct {
	Limit int    `flag:"limit" help:"at most <N>; 0 for all"`
	Where string `flag:"where" help:"only those that match <FILTER>, in the language of the dashboard's /"`
	Sort  string `flag:"sort" help:"sort by <FIELD>; -FIELD for the largest first"`
}

// addPickFlags adds the flags that select rows of a kind to cmd.
func (p *program) addPickFlags(cmd *cobra.Command, k *kinds.Kind, pick *pickFlags, rows *rowFlags) {
	var all cobra.Command
	bindFlags(&all, pick)
	for _, name := range k.Flags {
		cmd.Flags().AddFlag(all.Flags().Lookup(name))
	}
	if k.Only {
		return
	}
	bindFlags(cmd, rows)
	p.completeWith(cmd, "sort", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return k.Asked(), cobra.ShellCompDirectiveNoFileComp
	})
	p.completeWith(cmd, "where", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return completeWhere(k, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// completeWhere returns completions of a partial filter: the fields that begin with its
// last word.
func completeWhere(k *kinds.Kind, typed string) []string {
	at := strings.LastIndexAny(typed, " !(") + 1
	var out []string
	for _, name := range k.Asked() {
		if strings.HasPrefix(name, typed[at:]) && filter.Nameable(name) {
			out = append(out, typed[:at]+name)
		}
	}
	return out
}
