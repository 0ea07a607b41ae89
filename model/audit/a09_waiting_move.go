package audit

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// RuleWaitingMove is "move waiting too long".
const RuleWaitingMove RuleID = "a09"

// waitingMove finds moves that have not been confirmed or reverted for long. Each holds
// both claims.
func waitingMove() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleWaitingMove, Title: "move waiting too long", Severity: Info,
			Also:   "pending stuck resized verify_resize confirm revert waits resize_confirm_window",
			Why:    "Both the old and the new allocations are held until somebody decides.",
			Advice: "Confirm the move if the guest works in its new place; if not, revert it: :migrations does both.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		migration: func(a *auditor, m *nova.Migration) {
			i, ok := a.Cloud.Nova().Instance(m.Instance)
			if !ok || !i.Live() || i.VMState != nova.Resized || m.Status != nova.Finished || m.Deadline != 0 {
				return
			}
			last := max(m.Created, m.Updated)
			if last == 0 || a.age(last) < longWait {
				return
			}
			since := time.UnixMilli(last)
			if broken, _ := a.brokenState(i, m); broken != "" {
				return
			}
			f := Finding{
				Consumer: i.UUID, Subject: i.Name, Seen: a.witness,
				Text:  fmt.Sprintf("its %s has waited to be confirmed or reverted since %s", m.Type, since.UTC().Format(time.DateTime)),
				Brief: fmt.Sprintf("%s of %s", m.Type, since.UTC().Format("Jan 2 15:04")),
			}
			if c, ok := a.Ledger.Consumer(m.UUID); ok {
				_, f.Provider = a.holds(c)
			}
			a.found(f)
		},
		people: "only people know whether the guest works: `:migrations`",
	}
}
