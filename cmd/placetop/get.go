package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/themes"
)

// kind is a kind of things that "placetop get" lists.
type kind struct {
	name    string // plural
	aliases []string
	short   string
	what    string // what NAME is
	filters []string
	limit   int // how many are printed unless told otherwise; 0 for all
	// names gives what NAME may be, for the completion of words; nil where NAME
	// is seldom known by heart.
	names func(f finder) []string
	// print writes the things that q picks.
	print func(q query) error
}

// query is one run of "placetop get".
type query struct {
	finder
	by    filters
	ctx   context.Context //nolint:containedctx // lives as long as the one call that gets it
	store storage.Store
	now   time.Time
	name  string // "" for all
	out   *printer
	say   func(format string, args ...any)
}

// kinds lists what can be got.
func kinds() []kind {
	return []kind{
		providersKind(), inventoriesKind(), usagesKind(), allocationsKind(), consumersKind(),
		traitsKind(), aggregatesKind(), classesKind(), flavorsKind(), instancesKind(), migrationsKind(),
		servicesKind(), cellsKind(), computeNodesKind(), pciDevicesKind(), profilesKind(), devicesKind(), arqsKind(), configKind(), eventsKind(),
	}
}

// getCommand returns "placetop get" with a command below it for each kind.
func (p *program) getCommand() *cobra.Command {
	all := kinds()
	var names []string
	for _, k := range all {
		names = append(names, k.name)
	}
	cmd := &cobra.Command{
		Use:   "get KIND [NAME]",
		Short: "Print providers, allocations, flavors, instances, devices and more",
		Long: `Print what the cloud has of a kind, or the one thing with the given name: a name,
a uuid, or the beginning of a uuid that no other begins with.`,
		Example: `  placetop get providers --trait HW_GPU_API_VULKAN -o wide
  placetop get inventories cmp-001 -o json
  placetop get allocations --project demo -o csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageErrorf("name one of "+strings.Join(names, ", "), "%s needs a kind", cmd.CommandPath())
			}
			return usageErrorf("there are "+strings.Join(names, ", "), "there is no kind %q to get", args[0])
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	for _, k := range all {
		cmd.AddCommand(p.getKind(k))
	}
	return cmd
}

// getKind returns the command that gets one kind.
func (p *program) getKind(k kind) *cobra.Command {
	var f filters
	cmd := &cobra.Command{
		Use:     k.name + " [NAME]",
		Aliases: k.aliases,
		Short:   k.short,
		Long:    k.short + ". NAME is " + k.what + ".",
		Args:    takes(0, 1),
	}
	format := outputFlag(cmd, listFormats())
	p.filterFlags(cmd, &f, k.filters, k.limit)
	cmd.ValidArgsFunction = p.complete(func(f finder, args []string) []string {
		if len(args) > 0 || k.names == nil {
			return nil
		}
		return k.names(f)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.limit < 0 {
			return usageErrorf("leave it out for all", "--limit %d is below zero", f.limit)
		}
		out, err := p.printer(*format)
		if err != nil {
			return err
		}
		store, err := p.openToRead(cmd.Context())
		if err != nil {
			return err
		}
		q := query{
			finder: finder{store.Snapshot()}, by: f, ctx: cmd.Context(), store: store, now: p.now(), out: out, say: p.say,
		}
		if len(args) == 1 {
			q.name = args[0]
		}
		return k.print(q)
	}
	return cmd
}

// list prints rows and tells people where there are none.
func list[T any](q query, what string, columns []column[T], rows []T) error {
	all := len(rows)
	if q.by.limit > 0 {
		rows = rows[:min(q.by.limit, all)]
	}
	structured := q.out.format == formatJSON || q.out.format == formatYAML
	if len(rows) == 0 && !structured && q.out.format != formatCSV {
		q.say("no %s", what)
		return nil
	}
	if err := printList(q.out, columns, rows, q.name != ""); err != nil {
		return err
	}
	if len(rows) < all {
		q.say("%d of %d %s shown, because of --limit", len(rows), all, what)
	}
	return nil
}

// Columns that several kinds have.

func text[T any](name string, cell func(T) string) column[T] {
	return column[T]{name: name, cell: cell}
}

func wide[T any](c column[T]) column[T] {
	c.wide = true
	return c
}

func number[T any](name string, cell func(T) int64) column[T] {
	return column[T]{name: name, right: true, cell: func(row T) string { return fmt.Sprint(cell(row)) }}
}

func dim[T any](c column[T]) column[T] {
	c.token = func(T) themes.Token { return themes.Dim }
	return c
}

// ownerToken is the colour of an owner.
func ownerToken(o placement.Owner) themes.Token {
	switch o {
	case placement.OwnedByNova:
		return themes.OwnerNova
	case placement.OwnedByCyborg:
		return themes.OwnerCyborg
	case placement.OwnedByBoth:
		return themes.OwnerBoth
	default:
		return themes.OwnerNone
	}
}

// stamp writes a time for tables and CSV, "" where it is unknown.
func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// known returns t, nil where it is the zero time.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// moment returns the time that a record has as milliseconds since 1970, nil for 0.
func moment(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	t := time.UnixMilli(ms).UTC()
	return &t
}

// percent writes used as a share of capacity in whole percent, rounded down so
// that 100 % means full; "-" where there is no capacity.
func percent(used, capacity int64) string {
	if capacity <= 0 {
		return "-"
	}
	return fmt.Sprintf("%d%%", int64(float64(used)/float64(capacity)*100))
}

// amounts writes units by class, in the order of the classes' numbers.
func amounts(f finder, by map[placement.ResourceClass]int64) string {
	var parts []string
	for _, c := range f.Placement().Classes() {
		if n, ok := by[c]; ok {
			parts = append(parts, fmt.Sprintf("%s=%d", c, n))
		}
	}
	return strings.Join(parts, " ")
}
