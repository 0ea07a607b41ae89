package main

import (
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
	var off, on []string
	var sameHost, inPlacement, tenants, noFallback, adopt bool
	var aliases, gone []string
	var revisions, days int64
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Change settings of the whole cloud: the owner filter, pre-filters, PCI aliases, the journal",
		Long: `Change what the operator sets for all of Nova. The owner filter keeps Nova's requests
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
overdue reverted, and no agent reports to it. --adopt makes it a cloud like any other.`,
		Example: `  placetop set config --owner-filter root --dry-run
  placetop set config --prefilter-off compute_status_filter
  placetop set config --pci-alias '{"name": "qat", "vendor_id": "8086", "product_id": "37c8"}'
  placetop set config --journal-days 30`,
	}
	ownerFormFlag(cmd, &owner, "owner-filter", "the form of the owner filter", nova.OwnerOff.Word())
	flags := cmd.Flags()
	flags.StringSliceVar(&off, "prefilter-off", nil, "switch the pre-filter `NAME` off; may be repeated")
	flags.StringSliceVar(&on, "prefilter-on", nil, "switch the pre-filter `NAME` on; may be repeated")
	flags.BoolVar(&sameHost, "resize-to-same-host", false, "a resize may stay on its host; =false forbids it")
	flags.StringArrayVar(&aliases, "pci-alias", nil, "add or replace a PCI alias, as `JSON`; may be repeated")
	flags.StringArrayVar(&gone, "no-pci-alias", nil, "remove the PCI alias `NAME`; may be repeated")
	flags.BoolVar(&inPlacement, "pci-in-placement", false, "request PCI devices from Placement; =false for not")
	flags.BoolVar(&tenants, "placement-aggregate-required-for-tenants", false, "a project without a host aggregate of its own gets no host; =false for any")
	flags.BoolVar(&noFallback, "disable-fallback-pcpu-query", false, "pinned CPUs are only ever PCPU; =false for VCPU where a host has none")
	flags.BoolVar(&adopt, "adopt", false, "make a copy of a live cloud a cloud like any other, which recovery and agents write to")
	flags.Int64Var(&revisions, "journal-revisions", 0, "keep `N` revisions in the journal; 0 for the default")
	flags.Int64Var(&days, "journal-days", 0, "keep a revision in the journal for `N` days; 0 for the default")
	w := p.makingFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		changed := cmd.Flags().Changed
		var settings []cloud.Op
		if changed("journal-revisions") || changed("journal-days") {
			limit := operator.LimitJournal{}
			if changed("journal-revisions") {
				limit.Revisions = &revisions
			}
			if changed("journal-days") {
				limit.Days = &days
			}
			settings = append(settings, limit)
		}
		ofNova := len(off)+len(on) > 0 || adopt || slices.ContainsFunc([]string{"owner-filter", "resize-to-same-host", "pci-alias", "no-pci-alias", "pci-in-placement", "placement-aggregate-required-for-tenants", "disable-fallback-pcpu-query"}, changed)
		if !ofNova && len(settings) == 0 {
			return usageErrorf("give a setting, such as --owner-filter or --prefilter-on", "%s has nothing to change", cmd.CommandPath())
		}
		for _, name := range off {
			if slices.Contains(on, name) {
				return usageErrorf("give it once", "pre-filter %s cannot be both off and on", name)
			}
		}
		verb := nova.Configure{PrefiltersOn: on, PrefiltersOff: off, PCIAliases: aliases, NoPCIAliases: gone, Adopt: adopt}
		if changed("owner-filter") {
			form := ownerForm(owner)
			verb.OwnerFilter = &form
		}
		if changed("resize-to-same-host") {
			verb.ResizeToSameHost = &sameHost
		}
		if changed("pci-in-placement") {
			verb.PCIInPlacement = &inPlacement
		}
		if changed("placement-aggregate-required-for-tenants") {
			verb.TenantNeedsAggregate = &tenants
		}
		if changed("disable-fallback-pcpu-query") {
			verb.NoVCPUFallback = &noFallback
		}
		if ofNova {
			settings = append(settings, verb)
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) { return ops.PlanSettings(f.Snapshot, p.now(), settings...) }, nil)
	}
	return cmd
}
