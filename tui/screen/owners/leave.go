package owners

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// leave is how a holder leaves a card: it moves, it has moved, somebody must decide, or
// something is in its way.
type leave struct {
	task func() ops.Task // moves it, or confirms that it has moved; nil for what takes a decision
	to   place.Place     // where a person makes it leave
	text string          // the way in a few words, or what is in its way; "" if it moves to there

	there     *placement.ResourceProvider // the card that it moves to; nil if it does not move
	now, then component.Load              // of there
	class     placement.ResourceClass     // that it holds there

	confirms bool // the task confirms a move
	blocked  bool
	trouble  audit.Finding // with fixes for what is in its way; zero for none
}

// plan fills in how the holders leave, one after the other, once the card is reserved, and
// returns the cloud after all that can have left.
func plan(env screen.Env, s *cloud.Snapshot, h ops.Handover, steps []*step) *cloud.Snapshot {
	on := s
	if drain, err := h.PlanDrain(s); err == nil {
		on = drain.After
	}
	pass := env.Inspect(s)
	for _, st := range steps {
		if st.Kind == ops.HandoverLeave {
			st.leave, on = leaves(env, s, on, h, st.consumer())
			if f := pass.OfConsumer(st.consumer()); st.leave.blocked && st.leave.trouble.Rule == "" && len(f) > 0 {
				st.leave.trouble = slices.MaxFunc(f, func(a, b audit.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
			}
		}
	}
	return on
}

// leaves returns how a holder leaves a card that those before it in the cloud on have left,
// and the cloud when it has.
func leaves(env screen.Env, s, on *cloud.Snapshot, h ops.Handover, id placement.ConsumerID) (leave, *cloud.Snapshot) {
	release := place.Release{Consumer: id, From: h.Provider}
	switch failed, stuck := h.Failed(s, id); {
	case stuck:
		trouble := audit.Finding{Rule: audit.RuleStuckDevice, Subject: s.Placement().ProviderName(h.Provider)}
		return leave{to: place.Problems{Rule: trouble.Rule, Subject: trouble.Subject}, text: "its device is stuck: free it first", blocked: true, trouble: trouble}, on
	case failed:
		return leave{to: release, text: "its move failed: release what it left here"}, on
	}
	if m, ok := s.Nova().Migration(id); ok {
		out := leave{to: place.Resize{Instance: id}, text: string(m.Status) + " to " + m.Dest}
		if m.Status == nova.Finished {
			out.text = "moved to " + m.Dest + ": confirm it"
			out.confirms, out.task = true, func() ops.Task { return ops.Confirm{Migration: id} }
		}
		return out, on
	}
	i, ok := s.Nova().Instance(id)
	if !ok || !i.Live() {
		return leave{to: release, text: "no instance holds it: release it"}, on
	}
	if m, err := ops.WaitingMigration(s, id); err == nil {
		return leave{to: place.Resize{Instance: id}, text: "has come from " + m.Source + ": revert it"}, on
	}
	move := ops.Move{Instance: id, Indexer: env.Indexer()}
	if found, err := move.Places(on, env.Now()); err == nil {
		move.Pick = best(on, found, h)
	}
	out := leave{to: place.Migrate{Instance: id}, task: func() ops.Task {
		anew := move
		anew.Migration = placement.ConsumerID(uuid.New())
		return anew
	}}
	moved, err := ops.Rehearse(on, out.task(), env.Now())
	if err != nil {
		if failed, ok := errors.AsType[*ops.FailedError](err); ok {
			err = failed.Cause
		}
		out.task, out.blocked = nil, true
		out.text = strings.TrimPrefix(err.Error(), "no valid host was found: ")
		return out, on
	}
	c, _ := moved.Final.Placement().Consumer(id)
	out.text = "moves, and gets no card: its flavor asks for none"
	for a := range moved.Final.Placement().Allocations(c) {
		if class := on.Placement().ClassName(a.Class); class.IsAccelerator() {
			out.there, out.class, out.text = a.Provider, class, ""
			out.now, out.then = loadOf(on, a.Provider.ID(), a.Class), loadOf(moved.Final, a.Provider.ID(), a.Class)
		}
	}
	return out, moved.Final
}

// best returns the first place where a holder gets a device, with the owner of the card that
// it leaves if there is one; nil for none. Nova chooses without regard to either.
func best(s *cloud.Snapshot, found ops.Places, h ops.Handover) (first *ops.Place) {
	for _, p := range found.Places {
		if p.Phantom != "" || found.Unspawnable(s, p) != nil {
			continue
		}
		if first == nil {
			first = &p
		}
		stays := true
		for id := range p.Allocations {
			if card, ok := s.Placement().Provider(id); ok && !card.IsRoot() {
				owner := s.Placement().Owner(card)
				stays = stays && owner != h.To && owner != placement.OwnedByBoth && owner != placement.OwnedByNone
			}
		}
		if stays {
			return &p
		}
	}
	return first
}

// loadOf returns how full a class of a provider is.
func loadOf(s *cloud.Snapshot, id placement.ProviderID, class placement.ClassID) component.Load {
	p, ok := s.Placement().Provider(id)
	if !ok {
		return component.Load{}
	}
	iu, _ := p.Inventory(class)
	return panel.Load(s.Placement(), p, iu)
}
