package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// createAggregate returns "placetop create aggregate".
func (p *program) createAggregate() *cobra.Command {
	var o struct {
		Zone string   `flag:"zone" help:"make it the availability zone <NAME>"`
		Host []string `flag:"host" help:"with <HOST> in it; may be repeated"`
	}
	cmd := command(`aggregate NAME
Create a host aggregate, and print its uuid
Also called agg

Create a host aggregate. The providers of its hosts are put into the Placement
aggregate with the same uuid, so that requests can be limited to it.

Examples:
  placetop create aggregate rack-1 --zone az-1 --host cmp-001 --host cmp-002
  placetop create aggregate gpus --property trait:CUSTOM_GPU=required`)
	properties := propertyFlags(cmd, "the metadata", false)
	w := p.makingFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a := nova.CreateAggregate{UUID: placement.AggregateID(p.newID()), Name: args[0]}
		var err error
		if a.Metadata, err = properties.on("host aggregate "+a.Name, nil); err != nil {
			return err
		}
		if o.Zone != "" {
			a.Metadata[nova.ZoneMetadata] = o.Zone
		}
		verbs := []nova.Op{a}
		for _, host := range o.Host {
			verbs = append(verbs, nova.AddAggregateHost{Aggregate: a.UUID, Host: host})
		}
		plan := func(f finder) (ops.Plan, error) {
			return ops.PlanNova(f.Snapshot, "create host aggregate "+a.Name, p.now(), verbs...)
		}
		return p.write(cmd.Context(), w, plan, func(did outcome) any {
			if made, err := finderOf(did.now).HostAggregate(a.Name); err == nil {
				return made.UUID // Nova assigns it one
			}
			return a.UUID
		})
	}
	return cmd
}

// aggregateEdits are the changes to a host aggregate.
type aggregateEdits struct {
	Zone       string   `flag:"zone" help:"make it the availability zone <NAME>"`
	AddHost    []string `flag:"add-host" help:"put <HOST> into it; may be repeated"`
	RemoveHost []string `flag:"remove-host" help:"take <HOST> out of it; may be repeated"`
	properties *propertyEdits
}

// aggregateFlags adds the flags that change a host aggregate to cmd.
func aggregateFlags(cmd *cobra.Command) *aggregateEdits {
	e := &aggregateEdits{properties: propertyFlags(cmd, "the metadata", true)}
	bindFlags(cmd, e)
	return e
}

func (e *aggregateEdits) empty() bool {
	return e.Zone == "" && len(e.AddHost)+len(e.RemoveHost) == 0 && e.properties.empty()
}

// write changes the named host aggregate.
func (e *aggregateEdits) write(ctx context.Context, p *program, w *writing, name string) error {
	for _, host := range e.AddHost {
		if slices.Contains(e.RemoveHost, host) {
			return usageErrorf("give it once", "%s is both added and removed", host)
		}
	}
	return p.write(ctx, w, func(f finder) (ops.Plan, error) {
		a, err := f.HostAggregate(name)
		if err != nil {
			return ops.Plan{}, err
		}
		verbs, err := e.verbs(a)
		if err != nil {
			return ops.Plan{}, err
		}
		return ops.PlanNova(f.Snapshot, "set host aggregate "+a.Name, p.now(), verbs...)
	}, nil)
}

// verbs returns the operations that change a, removals of hosts first, since these hosts
// may be what prevents the zone from being changed.
func (e *aggregateEdits) verbs(a *nova.HostAggregate) ([]nova.Op, error) {
	var out []nova.Op
	for _, host := range e.RemoveHost {
		out = append(out, nova.RemoveAggregateHost{Aggregate: a.UUID, Host: host})
	}
	if e.Zone != "" || !e.properties.empty() {
		metadata, err := e.properties.on("host aggregate "+a.Name, a.Metadata)
		if err != nil {
			return nil, err
		}
		if e.Zone != "" {
			metadata[nova.ZoneMetadata] = e.Zone
		}
		out = append(out, nova.SetAggregateMetadata{Aggregate: a.UUID, Metadata: nova.EditsOf(a.Metadata, metadata)})
	}
	for _, host := range e.AddHost {
		out = append(out, nova.AddAggregateHost{Aggregate: a.UUID, Host: host})
	}
	return out, nil
}

func hostAggregateNames(f finder, _ []string) []string {
	var out []string
	for a := range f.Nova().Aggregates() {
		out = append(out, a.Name)
	}
	return out
}
