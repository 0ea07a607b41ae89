package audit

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Remark is an operator's note about findings.
type Remark struct {
	Note  string // why; needed to acknowledge
	By    string // who says it
	At    time.Time
	Until time.Time // when it ends; the zero time if it does not
}

// PlanAcknowledge plans to note that findings are known, which keeps them quiet until
// r ends, until they get worse, or until PlanUnacknowledge. An earlier acknowledgement
// is replaced.
//
// Errors: placement.ErrInvalid without findings, note or operator, or where r ends
// before it begins; *FixedError if one of the findings no longer stands.
func PlanAcknowledge(s *cloud.Snapshot, findings []Finding, r Remark) (ops.Plan, error) {
	if len(findings) == 0 {
		return ops.Plan{}, &placement.InvalidError{Field: "findings", Why: "none is given"}
	}
	return ops.Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c := cloud.Change{Note: "acknowledge " + words.Count(len(findings), "finding") + ": " + r.Note}
		if len(findings) == 1 {
			c.Note = fmt.Sprintf("acknowledge %s of %s: %s", findings[0].Rule, findings[0].Subject, r.Note)
		}
		for _, was := range findings {
			f, stands := was.StandsOn(s)
			if !stands {
				return cloud.Change{}, was.Gone(s)
			}
			op := operator.Acknowledge{Acknowledgement: operator.Acknowledgement{
				Rule: string(f.Rule), Subject: f.Key(), Note: r.Note, By: r.By, At: versioned.Millis(r.At), Until: versioned.Millis(r.Until),
				Name: f.Subject, Severity: f.Severity.String(), Size: f.Size, Text: f.Text,
			}}
			if err := op.Acknowledgement.Validate(); err != nil {
				return cloud.Change{}, err
			}
			c.Ops = append(c.Ops, op)
		}
		return c, nil
	}).Plan(s)
}

// PlanUnacknowledge plans to withdraw acknowledgements, including those that have
// ended.
//
// Errors: placement.ErrInvalid if none is named; placement.ErrNotFound if one
// is no longer there.
func PlanUnacknowledge(s *cloud.Snapshot, acknowledgements []*operator.Acknowledgement) (ops.Plan, error) {
	if len(acknowledgements) == 0 {
		return ops.Plan{}, &placement.InvalidError{Field: "acknowledgements", Why: "none is given"}
	}
	return ops.Decider(func(*cloud.Snapshot) (cloud.Change, error) {
		c := cloud.Change{Note: "withdraw " + words.Count(len(acknowledgements), "acknowledgement")}
		if len(acknowledgements) == 1 {
			c.Note = fmt.Sprintf("withdraw the acknowledgement of %s of %s", acknowledgements[0].Rule, acknowledgements[0].Name)
		}
		for _, a := range acknowledgements {
			c.Ops = append(c.Ops, operator.Unacknowledge{Rule: a.Rule, Subject: a.Subject, Name: a.Name})
		}
		return c, nil
	}).Plan(s)
}

// PlanMute plans to silence all findings of a rule until r ends, or until PlanUnmute.
// The note may be empty.
//
// Errors: placement.ErrInvalid without operator, or where r ends before it begins.
func PlanMute(s *cloud.Snapshot, rule Rule, r Remark) (ops.Plan, error) {
	return ops.Decider(func(*cloud.Snapshot) (cloud.Change, error) {
		c := cloud.Change{Note: fmt.Sprintf("mute %s, %s", rule.ID, rule.Title)}
		op := operator.MuteRule{Mute: operator.Mute{Rule: string(rule.ID), Note: r.Note, By: r.By, At: versioned.Millis(r.At), Until: versioned.Millis(r.Until)}}
		c.Ops = append(c.Ops, op)
		return c, op.Mute.Validate()
	}).Plan(s)
}

// PlanUnmute plans to stop muting a rule.
//
// Errors: placement.ErrNotFound if it is not muted.
func PlanUnmute(s *cloud.Snapshot, rule RuleID) (ops.Plan, error) {
	return ops.Decider(func(*cloud.Snapshot) (cloud.Change, error) {
		op := operator.UnmuteRule{Rule: string(rule)}
		return cloud.Change{Note: op.String(), Ops: []cloud.Op{op}}, nil
	}).Plan(s)
}
