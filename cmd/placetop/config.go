package main

import (
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
)

// ownerForm returns the form of the owner filter that a word means.
func ownerForm(word string) nova.OwnerFilter {
	if word == nova.OwnerOnGroups.Word() {
		return nova.OwnerOnGroups
	}
	return nova.OwnerFilter(word)
}

// ownerFormFlag adds a flag that takes the word of such a form, or another one, to cmd. The
// word of upstream, and that of the default, are accepted too.
func ownerFormFlag(cmd *cobra.Command, word *string, name, usage, other string) {
	groups, root := nova.OwnerOnGroups.Word(), nova.OwnerOnRoot.Word()
	v := config.Choose(word, groups, root, other)
	v.Aliases = map[string]string{"default": groups, "upstream": root}
	cmd.Flags().Var(v, name, usage+": "+v.List())
}

// setConfig returns "placetop set config".
func (p *program) setConfig() *cobra.Command {
	var owner string
	var o struct {
		PrefilterOff         []string `flag:"prefilter-off" help:"switch the pre-filter <NAME> off; may be repeated"`
		PrefilterOn          []string `flag:"prefilter-on" help:"switch the pre-filter <NAME> on; may be repeated"`
		ResizeToSameHost     bool     `flag:"resize-to-same-host" help:"a resize may stay on its host; =false forbids it"`
		PCIAlias             []string `flag:"pci-alias" each:"yes" help:"add or replace a PCI alias, as <JSON>; may be repeated"`
		NoPCIAlias           []string `flag:"no-pci-alias" each:"yes" help:"remove the PCI alias <NAME>; may be repeated"`
		PCIInPlacement       bool     `flag:"pci-in-placement" help:"request PCI devices from Placement; =false for not"`
		TenantNeedsAggregate bool     `flag:"placement-aggregate-required-for-tenants" help:"a project without a host aggregate of its own gets no host; =false for any"`
		NoVCPUFallback       bool     `flag:"disable-fallback-pcpu-query" help:"pinned CPUs are only ever PCPU; =false for VCPU where a host has none"`
		Adopt                bool     `flag:"adopt" help:"make a copy of a live cloud a cloud like any other, which recovery and agents write to"`
		JournalRevisions     int64    `flag:"journal-revisions" help:"keep <N> revisions in the journal; 0 for the default"`
		JournalDays          int64    `flag:"journal-days" help:"keep a revision in the journal for <N> days; 0 for the default"`
	}
	cmd := command(`config
Change settings of the whole cloud: the owner filter, pre-filters, PCI aliases, the journal

Change what the operator sets for all of Nova. The owner filter keeps Nova's requests
on Nova's providers: groups, the default, requires the owner in every request group;
root in the root and PCI groups only, as merged upstream; off in none. "upstream" for
root and "default" for groups are accepted too. A pre-filter that nova.conf has an
option for is off by default, as upstream. What nova.conf of a live cloud has is said in
[nova.CLOUD] of the configuration file.

--pci-alias says which devices a flavor asks for by pci_passthrough:alias, as [pci]alias
does in nova.conf; it replaces aliases of the same name. With --pci-in-placement they
are requested from Placement, so that only hosts that report theirs (placetop agent
--report-pci) get such instances; without it the records of each host decide.

--journal-revisions and --journal-days say how much the journal keeps, and 0 means the
default again; "placetop get config -o yaml" tells both. What exceeds them is dropped by
the writes that follow, and can neither be undone nor looked at any more.

A copy of a live cloud is left as it was: nothing interrupted is finished in it, nothing
overdue reverted, and no agent reports to it. --adopt makes it a cloud like any other.

Examples:
  placetop set config --owner-filter root --dry-run
  placetop set config --prefilter-off compute_status_filter
  placetop set config --pci-alias '{"name": "qat", "vendor_id": "8086", "product_id": "37c8"}'
  placetop set config --journal-days 30`)
	ownerFormFlag(cmd, &owner, "owner-filter", "the form of the owner filter", nova.OwnerOff.Word())
	w := p.makingFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, name := range o.PrefilterOff {
			if slices.Contains(o.PrefilterOn, name) {
				return usageErrorf("give it once", "pre-filter %s cannot be both off and on", name)
			}
		}
		limit := operator.LimitJournal{Revisions: given(cmd, "journal-revisions", o.JournalRevisions), Days: given(cmd, "journal-days", o.JournalDays)}
		verb := nova.Configure{
			PrefiltersOn: o.PrefilterOn, PrefiltersOff: o.PrefilterOff, PCIAliases: o.PCIAlias, NoPCIAliases: o.NoPCIAlias, Adopt: o.Adopt,
			OwnerFilter: given(cmd, "owner-filter", ownerForm(owner)), ResizeToSameHost: given(cmd, "resize-to-same-host", o.ResizeToSameHost),
			PCIInPlacement:       given(cmd, "pci-in-placement", o.PCIInPlacement),
			TenantNeedsAggregate: given(cmd, "placement-aggregate-required-for-tenants", o.TenantNeedsAggregate),
			NoVCPUFallback:       given(cmd, "disable-fallback-pcpu-query", o.NoVCPUFallback),
		}
		var settings []cloud.Op
		if !reflect.ValueOf(limit).IsZero() {
			settings = append(settings, limit)
		}
		if !reflect.ValueOf(verb).IsZero() {
			settings = append(settings, verb)
		}
		if len(settings) == 0 {
			return usageErrorf("give a setting, such as --owner-filter or --prefilter-on", "%s has nothing to change", cmd.CommandPath())
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) { return ops.PlanSettings(f.Snapshot, p.now(), settings...) }, nil)
	}
	return cmd
}
