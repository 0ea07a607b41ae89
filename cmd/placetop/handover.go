package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// handoverStep is a printed step of the handover of a card.
type handoverStep struct {
	Card     string                `json:"card"`
	Step     string                `json:"step"`
	What     string                `json:"what"`
	State    string                `json:"state"`
	Consumer *placement.ConsumerID `json:"consumer_uuid,omitempty"` // who is to leave
	Type     string                `json:"type,omitempty"`          // the command line that lets it leave
}

// handoverReport is what a handover did, or would do, and what is left to do.
type handoverReport struct {
	To     string         `json:"to"`
	DryRun bool           `json:"dry_run"`
	Plans  []planReport   `json:"plans"`
	Steps  []handoverStep `json:"steps"` // as the cloud is afterwards
}

// handoverCommand returns "placetop handover".
func (p *program) handoverCommand() *cobra.Command {
	var o struct {
		To           string `flag:"to" words:"nova,cyborg" help:"the <OWNER> that gets it, %s"`
		KeepReserved bool   `flag:"keep-reserved" help:"keep what is reserved: it is for maintenance, not for the handover"`
	}
	cmd := command(`handover CARD|HOST --to OWNER
Hand a card over to the other service, or all cards of a host

Hand a card over from Nova to Cyborg, or back; for a host, each of its cards. What
can be done at once is done: a card in use is drained, so that nothing new lands on
it; a card that nobody uses gets its new owner, and what was reserved of it is opened,
unless --keep-reserved says that it was reserved for maintenance. Devices disabled in
Cyborg, and those for one-time use, stay reserved in any case. In between, whoever
holds the card must leave it: the command for each is printed. Afterwards, run the
same command again to hand the card over. The key m of the owners screen does the
same, step by step. Progress is kept in the cloud itself.

Nova and Cyborg report what they are configured to report: stop the service that has
the card from reporting it first, or its next report takes the card back.

Examples:
  placetop handover cmp-001_pci_0000_41_00_0 --to cyborg --dry-run
  placetop handover cmp-004 --to nova`)
	w := p.writeFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.To == "" {
			return usageErrorf("give --to nova or --to cyborg", "%s needs an owner to hand the card to", cmd.CommandPath())
		}
		owner, _ := placement.ParseOwner(o.To) // the flag takes no other word
		return p.handOver(cmd.Context(), w, args[0], ops.Handover{To: owner, Keep: o.KeepReserved})
	}
	return cmd
}

// handOver does what can be done of the handover of the named card, or of all cards of
// the named host, while no consumer leaves.
func (p *program) handOver(ctx context.Context, w *writing, name string, of ops.Handover) error {
	store, err := p.openForWrite(ctx, w, nil)
	if err != nil {
		return err
	}
	all, err := finderOf(store.Snapshot()).handovers(name, of)
	if err != nil {
		return err
	}
	report := handoverReport{To: of.To.String(), DryRun: w.DryRun, Plans: []planReport{}, Steps: []handoverStep{}}
	var waits []error
	for _, h := range all {
		before, err := h.Stage(store.Snapshot())
		if err != nil {
			return err
		}
		u, err := planned(store.Snapshot(), func(f finder) (ops.Plan, error) { return h.Next(f.Snapshot) })
		did := outcome{failed: err}
		if err == nil {
			did = p.judged(p.carryOut(ctx, store, w.DryRun, u))
		}
		switch {
		case errors.Is(did.failed, placement.ErrState):
			waits = append(waits, did.failed)
		case did.failed != nil:
			return did.failed
		case !did.preview.Empty():
			p.tellHandover(did)
			report.Plans = append(report.Plans, newPlanReport(did))
			if rp, ok := store.Snapshot().Placement().Provider(h.Provider); ok && before.Opens() && len(before.Holders) == 0 {
				p.say("note: all of %s was reserved, and handing it over ends that; --keep-reserved keeps it", rp.Name())
			}
		}
	}
	for _, h := range all {
		steps, err := finderOf(store.Snapshot()).handoverSteps(h)
		if err != nil {
			return err
		}
		report.Steps = append(report.Steps, steps...)
	}
	p.printHandover(report, all, store)
	if len(waits) > 0 && len(report.Plans) == 0 {
		return failed(waits[0], "see the commands above")
	}
	return nil
}

// tellHandover prints what was written, or would be, for people.
func (p *program) tellHandover(did outcome) {
	out := p.printer()
	switch {
	case !out.People():
	case did.dryRun:
		out.Lines(append(did.lines(), "")...)
	default:
		p.sayDone(did)
	}
}

// printHandover prints the current steps of all cards.
func (p *program) printHandover(report handoverReport, all []ops.Handover, store storage.Store) {
	out := p.printer()
	if !out.People() {
		out.Value(report)
		return
	}
	list := print.Columns("card", "step", "what", "state", "type")
	for _, st := range report.Steps {
		list.Row(st.Card, st.Step, st.What, st.State, st.Type)
	}
	out.List(nil, list)
	said := map[string]bool{}
	for _, h := range all {
		for _, text := range h.Remarks(store.Snapshot()) {
			if !said[text] {
				p.say("note: %s", text)
			}
			said[text] = true
		}
	}
	if report.DryRun {
		p.say("dry run: nothing is written; the steps are for the cloud as it is now")
	}
}

// handovers returns handovers like h, of the named card, or of all cards of the named
// host.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for something that is not a card,
// and for a host that has none.
func (f finder) handovers(name string, h ops.Handover) ([]ops.Handover, error) {
	rp, err := f.Provider(name)
	if err != nil {
		return nil, err
	}
	if !rp.IsRoot() {
		h.Provider = rp.ID()
		_, err := h.Stage(f.Snapshot)
		return []ops.Handover{h}, err
	}
	var out []ops.Handover
	for _, q := range f.Placement().Tree(rp) {
		h.Provider = q.ID()
		if _, err := h.Stage(f.Snapshot); err == nil { // otherwise it is not a card
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		return nil, &placement.InvalidError{Field: "host", Value: rp.Name(), Why: "has no cards"}
	}
	return out, nil
}

// handoverSteps returns the current steps of a handover.
func (f finder) handoverSteps(h ops.Handover) ([]handoverStep, error) {
	steps, err := h.Steps(f.Snapshot)
	if err != nil {
		return nil, err
	}
	card := f.Placement().ProviderName(h.Provider)
	out := make([]handoverStep, len(steps))
	for i, st := range steps {
		out[i] = handoverStep{Card: card, Step: st.Kind.String(), What: st.Text, State: st.State.String()}
		if st.Consumer != nil {
			id := st.Consumer.ID()
			out[i].Consumer, out[i].Type = &id, f.leaves(h, id, card)
		}
	}
	return out, nil
}

// leaves returns the command line that makes a consumer leave a card.
func (f finder) leaves(h ops.Handover, id placement.ConsumerID, card string) string {
	of := id
	if m, ok := f.Nova().Migration(id); ok {
		of = m.Instance
	}
	i, ok := f.Nova().Instance(of)
	failed, stuck := h.Failed(f.Snapshot, id)
	switch {
	case stuck:
		return freedCommand("--subject", card)
	case failed, !ok, !i.Live():
		return fmt.Sprintf("placetop release %s --provider %s", id, card)
	}
	name := i.Name
	if strings.ContainsAny(name, " '\"") {
		name = i.UUID.String()
	}
	if m, err := ops.WaitingMigration(f.Snapshot, of); err == nil && m.Status == nova.Finished {
		return "placetop confirm " + name + ", or revert"
	}
	return "placetop migrate " + name
}
