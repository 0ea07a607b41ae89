package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage/metrics"
)

// metricsCommand returns "placetop metrics".
func (p *program) metricsCommand() *cobra.Command {
	var o struct {
		ProviderMetrics bool `flag:"provider-metrics" help:"also print metrics for each provider: tens of thousands in a large cloud"`
	}
	cmd := command(`metrics
Print the figures of the cloud for Prometheus

Print the metrics of the cloud once, as Prometheus reads them: for the textfile
collector of the node exporter, where "placetop serve" does not run. A cloud that
another process has open is read as it was a moment ago.

Capacity, usage and reserved by class, owner and zone; the gate; problems by rule; how
many more of each flavor fit. The same is given under the names of openstack-exporter
and os-capacity, whose dashboards work with it.

Examples:
  placetop metrics > placetop.prom.new && mv placetop.prom.new placetop.prom
  placetop metrics --provider-metrics | grep openstack_placement_resource_usage`)
	bindFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return p.metrics(cmd.Context(), o.ProviderMetrics) }
	return cmd
}

// metrics prints the figures of the cloud.
func (p *program) metrics(ctx context.Context, each bool) error {
	store, err := p.openOrCopy(ctx)
	if err != nil {
		return err
	}
	k := p.newKeeper(store, true, p.log)
	return metrics.Write(ctx, output{p}, metrics.Options{
		Cloud: store, Clock: p.now, Each: each,
		Inspect: func(s *cloud.Snapshot) *audit.Report { return &k.Inspect(s).Report },
	})
}
