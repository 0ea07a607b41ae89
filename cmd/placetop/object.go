package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/exchange"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

// objectCommand returns "placetop object" with its subcommands.
func (p *program) objectCommand() *cobra.Command {
	return parentOf(&cobra.Command{
		Use:   "object WHAT",
		Short: "Export and import the versioned objects that Nova's services send each other",
		Long: `Print Nova's records as the versioned objects that its services of different releases
send each other, and import such objects. Classes are ` + strings.Join(exchange.Classes(), ", ") + `;
and, as Nova had them while Placement was a part of it, ` + strings.Join(exchange.PlacementClasses(), ", ") + `.`,
	}, p.objectGet(), p.objectPut())
}

// objectGet returns "placetop object get".
func (p *program) objectGet() *cobra.Command {
	var backport string
	cmd := &cobra.Command{
		Use:   "get [CLASS [NAME]]",
		Short: "Print records in the envelope of their class, one a line",
		Long: `Print records in the envelope of their class, one a line: all of the class, or the one
named NAME. A compute node is in the version that its nova-compute wrote, all others
in the newest. For inventories NAME is their provider, for allocations their consumer;
a list holds all that one of them has. With --backport they are converted for a
service that knows no newer version: newer fields are dropped, and those that it
requires are filled in.

Without CLASS they are of ` + strings.Join(exchange.Order(), ", ") + `:
in this order "placetop object put" can import them into an empty cloud, as each
refers to earlier ones. Services come oldest version first, as a fleet never goes
back. No class covers provider trees, traits, aggregates or anything of Cyborg's:
"placetop export" covers everything.`,
		Example: `  placetop object get ComputeNode cmp-001 --backport 1.10
  placetop object get Flavor --db one.db | placetop object put - --db two.db`,
		Args: takes(0, 2),
	}
	cmd.Flags().StringVar(&backport, "backport", "", "for a reader of `VERSION` of the class, such as 1.10")
	cmd.ValidArgsFunction = p.complete(func(f finder, args []string) []string {
		if len(args) == 0 {
			return exchange.AllClasses()
		}
		return nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		classes, name := exchange.Order(), ""
		if len(args) > 0 {
			classes = args[:1]
		}
		if len(args) == 2 {
			name = args[1]
		}
		var knows *versioned.Version
		if backport != "" {
			v, err := versioned.ParseVersion(backport)
			if err != nil {
				return usageErrorf("write it as 1.10", "--backport %s: %v", backport, err)
			}
			knows = &v
			if len(args) == 0 {
				return usageErrorf("name the CLASS that has it", "--backport needs one class")
			}
		}
		store, err := p.openToRead(cmd.Context())
		if err != nil {
			return err
		}
		f := finderOf(store.Snapshot())
		registry := exchange.Registry(f.Nova())
		for _, class := range classes {
			for o, err := range f.objectsOf(class, name) {
				if err != nil {
					return err
				}
				line, err := envelopeOf(registry, o, knows)
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintln(p.stdout, string(versioned.EscapeUnseen([]byte(line)))); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return cmd
}

// objectsOf yields the objects of a class, or those with a name.
func (f finder) objectsOf(class, name string) iter.Seq2[object.Object, error] {
	return func(yield func(object.Object, error) bool) {
		if all, ok := f.placementObjects(class, name); ok {
			all(yield)
			return
		}
		rows, err := f.rowsOf(class, name)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, row := range rows {
			if !yield(exchange.Object(f.Nova(), row)) {
				return
			}
		}
	}
}

// rowsOf returns the rows of a class, or the one with a name.
func (f finder) rowsOf(class, name string) ([]ledger.Row, error) {
	switch strings.ToLower(class) {
	case "computenode":
		return rows(f.Nova().ComputeNodes(), name, f.ComputeNode)
	case "flavor":
		return rows(f.Nova().CurrentFlavors(), name, f.Flavor)
	case "instance":
		return rows(f.Nova().Instances(), name, f.Instance)
	case "migration":
		return rows(f.Nova().Migrations(), name, f.Migration)
	case "service":
		services, err := slices.Collect(f.Nova().Services()), error(nil)
		if name != "" {
			services, err = f.Services(name)
		}
		slices.SortStableFunc(services, func(a, b *nova.Service) int { return cmp.Compare(a.Version, b.Version) })
		var out []ledger.Row
		for _, s := range services {
			out = append(out, s)
		}
		return out, err
	default:
		return nil, usageErrorf("use one of "+strings.Join(exchange.AllClasses(), ", "), "no object class %q", class)
	}
}

// rows returns all rows, or the one with a name.
func rows[R ledger.Row](all func(func(R) bool), name string, find func(string) (R, error)) ([]ledger.Row, error) {
	if name != "" {
		row, err := find(name)
		return []ledger.Row{row}, err
	}
	var out []ledger.Row
	for row := range all {
		out = append(out, row)
	}
	return out, nil
}

// envelopeOf returns an object in its envelope as JSON, for a reader that knows its class
// up to version knows; nil means as far as this program knows it.
func envelopeOf(registry *object.Registry, o object.Object, knows *versioned.Version) (string, error) {
	envelope, err := registry.Encode(o)
	if knows != nil {
		envelope, err = registry.EncodeUpToVersion(o, *knows)
	}
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(envelope)
	return string(text), err
}

// objectPut returns "placetop object put".
func (p *program) objectPut() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "put FILE",
		Short: "Import objects, as a conductor accepts them from older services",
		Long: `Import the objects in FILE, one envelope after the other, in one step; FILE - is
standard input. Each has the version of its class that this placetop knows, or an
older one; fields that an object does not set stay as they are. A newer version is
refused: have its writer backport it. So is an object with fields that its class does
not have. Inventories and allocations carry the generation at which their writer saw
the provider, and are refused at any other; one FILE may carry several for the same
generation. A new provider keeps the generation in FILE. Either all are written or none.`,
		Example: `  placetop object get ComputeNode cmp-001 --backport 1.10 > node.json
  placetop object put node.json --dry-run
  placetop object get --db one.db | placetop object put - --db empty.db`,
		Args: takes(1, 1),
	}
	w := writeFlags(cmd)
	w.makes = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, name, err := p.input(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer in.Close() //nolint:errcheck // it was only read
		envelopes, err := readEnvelopes(in)
		if err != nil {
			return failed(fmt.Errorf("%s: %w", name, err), "nothing is written")
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			registry := exchange.Registry(f.Nova()).Strict()
			var sent []object.Object
			for n, e := range envelopes {
				o, err := registry.Decode(e)
				if err != nil {
					return ops.Plan{}, failed(fmt.Errorf("%s: object %d: %w", name, n+1, err), "nothing is written")
				}
				sent = append(sent, o)
			}
			plan, err := ops.PlanObjects(f.Snapshot, sent)
			var stale *placement.ConflictError
			switch {
			case errors.As(err, &stale):
				return plan, fmt.Errorf("%s: %w", name, err)
			case err != nil:
				return plan, failed(fmt.Errorf("%s: %w", name, err), "nothing is written")
			}
			return plan, nil
		}, nil)
	}
	return cmd
}

// readEnvelopes reads JSON values until the end of input.
func readEnvelopes(in io.Reader) ([]any, error) {
	var out []any
	dec := json.NewDecoder(in)
	for {
		var text json.RawMessage
		err := dec.Decode(&text)
		switch {
		case errors.Is(err, io.EOF) && len(out) == 0:
			return nil, fmt.Errorf("no object in it: %w", versioned.ErrMalformed)
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("object %d: %w: %w", len(out)+1, versioned.ErrMalformed, err)
		}
		v, err := object.ParseJSON(text)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", len(out)+1, err)
		}
		out = append(out, v)
	}
}
