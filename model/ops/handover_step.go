package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// HandoverKind is the kind of a step of a Handover.
type HandoverKind uint8

// The kinds, in their order.
const (
	HandoverDrain HandoverKind = iota // nothing new lands on the card
	HandoverLeave                     // a consumer that holds some of it leaves
	HandoverGive                      // it gets its owner
)

// String returns the word for k.
func (k HandoverKind) String() string { return [...]string{"drain", "leave", "give"}[k] }

// HandoverState is the state of a step of a Handover.
type HandoverState uint8

// The states.
const (
	HandoverDue      HandoverState = iota // it can be done now
	HandoverWaits                         // others come first
	HandoverDone                          // it is done
	HandoverNeedless                      // it is not needed
)

// String returns the words for s.
func (s HandoverState) String() string {
	return [...]string{"to do", "waits for the holders", "done", "nobody holds it"}[s]
}

// HandoverStep is one step of a Handover.
type HandoverStep struct {
	Kind     HandoverKind
	State    HandoverState
	Text     string              // such as "reserve all VGPU"
	Consumer *placement.Consumer // who is to leave; nil for the other steps
}

// Steps returns the steps of the handover in order, with their current state.
//
// Errors: as Stage.
func (h Handover) Steps(s *cloud.Snapshot) ([]HandoverStep, error) {
	stage, err := h.Stage(s)
	if err != nil {
		return nil, err
	}
	classes := make([]string, len(stage.Classes))
	for i, c := range stage.Classes {
		classes[i] = string(c)
	}
	first := HandoverStep{Kind: HandoverDrain, Text: "reserve all " + strings.Join(classes, ", ")}
	last := HandoverStep{Kind: HandoverGive, Text: fmt.Sprintf("set its owner: %s only", h.To)}
	if stage.Drained {
		first.State = HandoverDone
	}
	if stage.Opens() {
		last.Text += " and open it"
	}
	if stage.Given {
		if !stage.Opens() {
			first.State, last.State = HandoverNeedless, HandoverDone
		}
		return []HandoverStep{first, last}, nil
	}
	if len(stage.Holders) == 0 && !stage.Drained {
		first.State = HandoverNeedless
	}
	out := []HandoverStep{first}
	for _, c := range stage.Holders {
		out = append(out, HandoverStep{Kind: HandoverLeave, Text: ConsumerName(s, c.ID()) + " leaves", Consumer: c})
		last.State = HandoverWaits
	}
	slices.SortStableFunc(out[1:], func(a, b HandoverStep) int { return strings.Compare(a.Text, b.Text) })
	return append(out, last), nil
}

// Remarks returns what to consider when the card is handed over, and what stays
// reserved.
func (h Handover) Remarks(s *cloud.Snapshot) []string {
	out := []string{"the service that reports the card now must first stop doing so on its host, or its next report takes the card back; the other one must be configured to report it"}
	if _, ok := s.Cyborg().DeployableAt(h.Provider); ok && h.To == placement.OwnedByNova {
		out = append(out, "Cyborg keeps a deployable for it until its agent no longer reports it")
	}
	return out
}

// Words say what of a card is reserved once it is given.
func (r StaysReserved) Words() string {
	switch r {
	case StaysOneTime:
		return "it stays reserved: it is for one-time use, and whoever cleans it unreserves it"
	case StaysDisabled:
		return "it stays reserved: its device is disabled in Cyborg; enable it there to unreserve it"
	case StaysAsked:
		return "it stays reserved, as it was"
	default:
		return "nothing of it is reserved any more"
	}
}

// Next plans the step that can be done now without anybody leaving: drain the card while
// consumers hold it, hand it over when none does.
//
// Errors: as PlanGive; placement.ErrState if those who hold it must leave first.
func (h Handover) Next(s *cloud.Snapshot) (Plan, error) {
	stage, err := h.Stage(s)
	if err != nil {
		return Plan{}, err
	}
	if !stage.Drained && len(stage.Holders) > 0 && !stage.Given {
		return h.PlanDrain(s)
	}
	return h.PlanGive(s)
}
