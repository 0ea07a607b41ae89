package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// zoneProperty is the metadata of a host aggregate that makes it an availability
// zone.
//
// Source: nova/objects/aggregate.py, availability_zone.
const zoneProperty = "availability_zone"

// createAggregate returns "placetop create aggregate".
func (p *program) createAggregate() *cobra.Command {
	var zone string
	var hosts []string
	cmd := &cobra.Command{
		Use:     "aggregate NAME",
		Aliases: []string{"agg"},
		Short:   "Create a host aggregate, and print its uuid",
		Long: `Create a host aggregate. The providers of its hosts are put into the aggregate of
Placement with the same uuid, which is what requests are kept to.`,
		Example: `  placetop create aggregate az-1 --zone az-1 --host cmp-001 --host cmp-002
  placetop create aggregate gpus --property trait:CUSTOM_GPU=required`,
		Args: takes(1, 1),
	}
	zoneFlag(cmd, &zone)
	cmd.Flags().StringSliceVar(&hosts, "host", nil, "with `HOST` in it; may be repeated")
	p.completeFlag(cmd, "host", names(kinds.Services))
	properties := propertyFlags(cmd, "the metadata", false)
	w := writeFlags(cmd)
	w.makes = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a := &nova.HostAggregate{UUID: placement.AggregateID(p.newID()), Name: args[0], Hosts: hosts}
		var err error
		if a.Metadata, err = properties.on("host aggregate "+a.Name, nil); err != nil {
			return err
		}
		if zone != "" {
			a.Metadata[zoneProperty] = zone
		}
		plan := func(f finder) (ops.Plan, error) {
			c, err := f.Nova().CreateAggregate(a)
			if err != nil {
				return ops.Plan{}, err
			}
			var placed []placement.Op
			for _, host := range hosts {
				placed = append(placed, f.Nova().AggregateOps(f.Placement(), a.UUID, host, true)...)
			}
			return ops.PlanNova(f.Snapshot, "create host aggregate "+a.Name, c, placed)
		}
		return p.write(cmd.Context(), w, plan, func(out io.Writer) error {
			_, err := fmt.Fprintln(out, a.UUID)
			return err
		})
	}
	return cmd
}

func zoneFlag(cmd *cobra.Command, zone *string) {
	cmd.Flags().StringVar(zone, "zone", "", "it is the availability zone of this `NAME`")
}

// aggregateEdits are what is to change of a host aggregate.
type aggregateEdits struct {
	zone        string
	add, remove []string // hosts
	properties  *propertyEdits
}

// aggregateFlags gives cmd the flags that change a host aggregate.
func (p *program) aggregateFlags(cmd *cobra.Command) *aggregateEdits {
	e := &aggregateEdits{properties: propertyFlags(cmd, "the metadata", true)}
	zoneFlag(cmd, &e.zone)
	cmd.Flags().StringSliceVar(&e.add, "add-host", nil, "put `HOST` into it; may be repeated")
	cmd.Flags().StringSliceVar(&e.remove, "remove-host", nil, "take `HOST` out of it; may be repeated")
	p.completeFlag(cmd, "add-host", names(kinds.Services))
	p.completeFlag(cmd, "remove-host", names(kinds.Services))
	return e
}

func (e *aggregateEdits) empty() bool {
	return e.zone == "" && len(e.add)+len(e.remove) == 0 && e.properties.empty()
}

// write changes the host aggregate that name names.
func (e *aggregateEdits) write(ctx context.Context, p *program, w *writing, name string) error {
	for _, host := range e.add {
		if slices.Contains(e.remove, host) {
			return usageErrorf("name it once", "%s is to be put in and to be taken out", host)
		}
	}
	return p.write(ctx, w, func(f finder) (ops.Plan, error) {
		a, err := f.HostAggregate(name)
		if err != nil {
			return ops.Plan{}, err
		}
		steps, err := e.steps(a)
		if err != nil {
			return ops.Plan{}, err
		}
		c, err := f.Nova().Chain(steps...)
		if err != nil {
			return ops.Plan{}, err
		}
		var placed []placement.Op
		for _, host := range e.remove {
			placed = append(placed, f.Nova().AggregateOps(f.Placement(), a.UUID, host, false)...)
		}
		for _, host := range e.add {
			placed = append(placed, f.Nova().AggregateOps(f.Placement(), a.UUID, host, true)...)
		}
		return ops.PlanNova(f.Snapshot, "set host aggregate "+a.Name, c, placed)
	}, nil)
}

// steps returns what changes a, hosts that go first: they may be what keeps the
// zone from being changed.
func (e *aggregateEdits) steps(a *nova.HostAggregate) ([]novaStep, error) {
	var out []novaStep
	for _, host := range e.remove {
		out = append(out, func(s *nova.Snapshot) (nova.PutRecords, error) { return s.RemoveHost(a.UUID, host) })
	}
	if e.zone != "" || !e.properties.empty() {
		metadata, err := e.properties.on("host aggregate "+a.Name, a.Metadata)
		if err != nil {
			return nil, err
		}
		if e.zone != "" {
			metadata[zoneProperty] = e.zone
		}
		out = append(out, func(s *nova.Snapshot) (nova.PutRecords, error) { return s.SetMetadata(a.UUID, metadata) })
	}
	for _, host := range e.add {
		out = append(out, func(s *nova.Snapshot) (nova.PutRecords, error) { return s.AddHost(a.UUID, host) })
	}
	return out, nil
}

func hostAggregateNames(f finder) []string {
	var out []string
	for a := range f.Nova().Aggregates() {
		out = append(out, a.Name)
	}
	return out
}

// deleteAggregate returns "placetop delete aggregate".
func (p *program) deleteAggregate() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "aggregate NAME",
		Aliases:           []string{"agg"},
		Short:             "Delete a host aggregate without hosts",
		Args:              takes(1, 1),
		ValidArgsFunction: p.completeFirst(hostAggregateNames),
	}
	w := writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			a, err := f.HostAggregate(args[0])
			if err != nil {
				return ops.Plan{}, err
			}
			c, err := f.Nova().DeleteAggregate(a.UUID)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanNova(f.Snapshot, "delete host aggregate "+a.Name, c, nil)
		}, nil)
	}
	return cmd
}
