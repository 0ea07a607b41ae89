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
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// objectCommand returns "placetop object" with its subcommands.
func (p *program) objectCommand() *cobra.Command {
	return parentOf(&cobra.Command{
		Use:   "object WHAT",
		Short: "Export and import the versioned objects that Nova's services send each other",
		Long: `Print Nova's records as the versioned objects that its services of different releases
send each other, and import such objects. Classes are ` + strings.Join(object.Classes(), ", ") + `:
those of Placement as Nova had them while Placement was a part of it.`,
	}, p.objectGet(), p.objectPut())
}

// objectGet returns "placetop object get".
func (p *program) objectGet() *cobra.Command {
	var o struct {
		Backport string `flag:"backport" help:"for a reader of <VERSION> of the class, such as 1.10"`
	}
	cmd := &cobra.Command{
		Use:   "get [CLASS [NAME]]",
		Short: "Print records in the envelope of their class, one a line",
		Long: `Print records in the envelope of their class, one a line: all of the class, or the one
named NAME. A compute node is in the version that its nova-compute wrote, all others
in the newest. For inventories NAME is their provider, for allocations their consumer.
With --backport they are converted for a
service that knows no newer version: newer fields are dropped, and those that it
requires are filled in. Objects of other classes inside an instance, such as its key
pairs, stay as their writer sent them.

Without CLASS they are of ` + strings.Join(object.Order(), ", ") + `:
in this order "placetop object put" can import them into an empty cloud, as each
refers to earlier ones. Services come oldest version first, as a fleet never goes
back. No class covers provider trees, traits, aggregates or anything of Cyborg's:
"placetop export" covers everything.`,
		Example: `  placetop object get ComputeNode cmp-001 --backport 1.10
  placetop object get Flavor --db one.db | placetop object put - --db two.db`,
	}
	bindFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		classes, name := object.Order(), ""
		if len(args) > 0 {
			classes = args[:1]
		}
		if len(args) == 2 {
			name = args[1]
		}
		var knows *versioned.Version
		if o.Backport != "" {
			v, err := versioned.ParseVersion(o.Backport)
			if err != nil {
				return usageErrorf("write it as 1.10", "--backport %s: %v", o.Backport, err)
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
		for _, class := range classes {
			holders, err := f.holdersOf(class, name)
			if err != nil {
				return err
			}
			for _, of := range holders {
				objects, err := f.objectsOf(class, of)
				if err != nil {
					return err
				}
				for _, o := range objects {
					line, err := object.Encode(f.Nova(), o, knows)
					if err != nil {
						return err
					}
					_, _ = fmt.Fprintln(output{p}, string(versioned.EscapeUnseen([]byte(line))))
				}
			}
		}
		return nil
	}
	return cmd
}

// holdersOf returns what the objects of a class are made of: all, or what has a name.
func (f finder) holdersOf(class, name string) ([]any, error) {
	p, n := f.Placement(), f.Nova()
	switch strings.ToLower(class) {
	case "resourceprovider", "inventory":
		return allOrOne(p.Providers(), name, f.Provider)
	case "allocation":
		return allOrOne(p.Consumers(), name, f.Consumer)
	case "computenode":
		return allOrOne(n.ComputeNodes(), name, f.ComputeNode)
	case "flavor":
		return allOrOne(n.CurrentFlavors(), name, f.Flavor)
	case "instance":
		return allOrOne(n.Instances(), name, f.Instance)
	case "migration":
		return allOrOne(n.Migrations(), name, f.Migration)
	case "service":
		services, err := slices.Collect(n.Services()), error(nil)
		if name != "" {
			services, err = f.Services(name)
		}
		slices.SortStableFunc(services, func(a, b *nova.Service) int { return cmp.Compare(a.Version, b.Version) })
		all, _ := allOrOne(slices.Values(services), "", nil)
		return all, err
	}
	return nil, usageErrorf("use one of "+strings.Join(object.Classes(), ", "), "no object class %q", class)
}

// allOrOne returns all, or the one with a name.
func allOrOne[T any](all iter.Seq[T], name string, find func(string) (T, error)) (out []any, err error) {
	if name != "" {
		one, err := find(name)
		return []any{one}, err
	}
	for one := range all {
		out = append(out, one)
	}
	return out, nil
}

// objectsOf returns the objects of a class that are made of a record.
func (f finder) objectsOf(class string, of any) ([]*object.Object, error) {
	switch of := of.(type) {
	case *placement.ResourceProvider:
		if strings.EqualFold(class, "Inventory") {
			return object.Inventories(f.Placement(), of), nil
		}
		return []*object.Object{object.Provider(of)}, nil
	case *placement.Consumer:
		return object.Allocations(f.Placement(), of), nil
	}
	o, err := object.Of(f.Nova(), of.(ledger.Row)) // all others are rows of Nova's
	return []*object.Object{o}, err
}

// objectPut returns "placetop object put".
func (p *program) objectPut() *cobra.Command {
	cmd := command(`put FILE
Import objects, as a conductor accepts them from older services

Import the objects in FILE, one envelope after the other, in one step; FILE - is
standard input. Each has the version of its class that this placetop knows, or an
older one; fields that an object does not set stay as they are. A newer version is
refused: have its writer backport it. So is an object with fields that its class does
not have. Inventories and allocations carry the generation at which their writer saw
the provider, and are refused at any other; one FILE may carry several for the same
generation. A new provider keeps the generation in FILE. Either all are written or none.

Examples:
  placetop object get ComputeNode cmp-001 --backport 1.10 > node.json
  placetop object put node.json --dry-run
  placetop object get --db one.db | placetop object put - --db empty.db`)
	w := p.makingFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, name, err := p.input(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer in.Close() //nolint:errcheck // it was only read
		sent, err := readObjects(in)
		if err != nil {
			return failed(fmt.Errorf("%s: %w", name, err), "nothing is written")
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
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

// readObjects reads objects until the end of input.
func readObjects(in io.Reader) ([]*object.Object, error) {
	var out []*object.Object
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
		o, err := object.Decode(text)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", len(out)+1, err)
		}
		out = append(out, o)
	}
}
