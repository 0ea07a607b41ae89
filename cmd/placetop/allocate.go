package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// mostMisses is how many providers that do not fit are listed with their reasons.
const mostMisses = 5

// allocateOptions are the flags of "placetop allocate".
type allocateOptions struct {
	On       string `flag:"on" help:"the <PROVIDER> to take from"`
	Required string `flag:"required" help:"the <TRAITS> that the providers must have, such as HW_GPU,!OWNER_CYBORG or in:A,B"`
	MemberOf string `flag:"member-of" help:"the <AGGREGATES> that the hosts must be in, by uuid or name, such as !az-2 or in:az-1,az-2"`
	Project  string `flag:"project" help:"the <ID> of its project (default your name; needed on a live cloud)"`
	User     string `flag:"user" help:"the <ID> of its user (default your name; needed on a live cloud)"`
	Type     string `flag:"type" help:"the <TYPE> of the consumer; unknown for none, as before Placement 1.38"`
}

// allocateCommand returns "placetop allocate".
func (p *program) allocateCommand() *cobra.Command {
	o := allocateOptions{Type: string(placement.InstanceConsumer)}
	cmd := command(`allocate [CONSUMER] CLASS=AMOUNT...
Allocate resources to a consumer, and print its uuid

Allocate resources to a consumer that holds nothing yet. Classes that the provider
has an inventory of come from it, the rest from its tree and from pools shared with
that tree; without --on, all come from the first tree that has them. Traits and
aggregates are requested as in the un-suffixed group of a query. CONSUMER is a uuid,
random by default. If nothing fits, the reasons are printed, and the exit code is 5.

Examples:
  placetop allocate VCPU=2 MEMORY_MB=4096 --on cmp-001
  placetop allocate VCPU=2 --required OWNER_NOVA,!COMPUTE_STATUS_DISABLED --member-of az-1
  placetop allocate 9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee1 VGPU=1 --on cmp-001_pci_0000_41_00_0 --dry-run`)
	cmd.ValidArgsFunction = p.complete(func(f finder, _ []string) []string {
		var out []string
		for _, class := range namesOf(kinds.Classes)(f, nil) {
			out = append(out, class+"=")
		}
		return out
	})
	w := p.writeFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		wish := ops.Wish{Consumer: placement.ConsumerID(p.newID()), Project: o.Project, User: o.User}
		if o.Type != wish.Type.String() {
			wish.Type = placement.ConsumerType(o.Type)
		}
		if p.settings.Cloud+p.settings.Endpoint == "" {
			wish.Project, wish.User = cmp.Or(wish.Project, p.actor()), cmp.Or(wish.User, p.actor())
		} else if wish.Project == "" || wish.User == "" {
			return usageErrorf("their uuids, as Keystone knows them; the claims of instances are Nova's to make", "an allocation on a live cloud needs --project and --user")
		}
		var err error
		if !strings.ContainsAny(args[0], "=:") {
			if wish.Consumer, err = placement.ParseConsumerID(args[0]); err != nil {
				return err
			}
			args = args[1:]
		}
		if wish.Resources, err = ops.ParseResources(strings.Join(args, " ")); err != nil {
			return err
		}
		plan := func(f finder) (ops.Plan, error) { return planAllocation(f, wish, o) }
		return p.write(cmd.Context(), w, plan, func(outcome) any { return wish.Consumer })
	}
	return cmd
}

// planAllocation plans an allocation on the named provider, or on the first tree that
// fits.
func planAllocation(f finder, wish ops.Wish, o allocateOptions) (ops.Plan, error) {
	var err error
	if wish.Terms, err = ops.ParseTerms(f.Snapshot, o.Required, o.MemberOf); err != nil {
		return ops.Plan{}, err
	}
	if wish.Provider, err = f.providerID(o.On); err != nil {
		return ops.Plan{}, err
	}
	options, err := ops.Fits(f.Snapshot, candidates.NewIndex(f.Placement()), wish)
	if err != nil {
		return ops.Plan{}, err
	}
	if len(options) == 0 || !options[0].Fits() {
		return ops.Plan{}, nothingFits(wish, options)
	}
	return ops.PlanClaim(f.Snapshot, wish, options[0])
}

// nothingFits returns why none of options fits, nearest misses first.
func nothingFits(wish ops.Wish, options []ops.Option) error {
	if len(options) == 0 {
		return exitErrorf(exitNothingFits, "", "nothing fits %s: the cloud has no providers", api.Resources(wish.Resources))
	}
	var why []string
	for _, o := range options[:min(mostMisses, len(options))] {
		why = append(why, o.Anchor.Name()+": "+o.Why())
	}
	if more := len(options) - len(why); more > 0 {
		why = append(why, fmt.Sprintf("%d more", more))
	}
	return exitErrorf(exitNothingFits, "ask for less, or take from another provider", "nothing fits %s: %s", api.Resources(wish.Resources), strings.Join(why, " | "))
}

// releaseCommand returns "placetop release".
func (p *program) releaseCommand() *cobra.Command {
	var o struct {
		Provider string `flag:"provider" help:"only what it holds on <PROVIDER>"`
		Host     string `flag:"host" not:"provider" help:"only what it holds in the tree of <PROVIDER>"`
		Force    bool   `flag:"force" help:"on a live cloud, release it though its owner still exists or cannot be asked"`
	}
	cmd := command(`release CONSUMER
Release what a consumer holds

Release all that a consumer holds, or what it holds on one provider, or in the tree
of one host: an evacuated instance may hold two. CONSUMER is its uuid, the start of
that, or the name of the instance.

A live cloud asks Nova first whether the server or migration still exists, and Cyborg
for its accelerator requests, and refuses if one does or that cannot be known. If you
know better, such as of what an evacuated server left behind, add --force.

Examples:
  placetop release 9f2c41d0 --dry-run
  placetop release train-42 --provider cmp-003
  placetop release train-42 --host cmp-003 --dry-run`)
	w := p.writeFlags(cmd, &o)
	return p.changes(cmd, w, func(f finder, args []string) (ops.Plan, error) {
		w.force = o.Force
		c, err := f.Consumer(args[0])
		if err != nil {
			return ops.Plan{}, err
		}
		only, err := f.providerID(o.Provider + o.Host)
		if err != nil {
			return ops.Plan{}, err
		}
		if o.Host != "" {
			return ops.PlanDropHost(f.Snapshot, c.ID(), only)
		}
		return ops.PlanRelease(f.Snapshot, c.ID(), only)
	})
}
