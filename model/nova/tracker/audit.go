package tracker

import (
	"fmt"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Case is why a Remark was made: a row of the audit of allocations, or the result of
// healing an instance.
type Case string

// The cases. The audit keeps all but CaseDeleted.
const (
	CaseTracked    Case = "tracked"     // an instance that the tracker counts here
	CaseMigration  Case = "migration"   // of a move in progress, or its instance
	CaseUnknown    Case = "unknown"     // in no cell: it may be just being made, or another service's
	CaseDeleted    Case = "deleted"     // an instance that is gone: its allocations are removed
	CaseHidden     Case = "hidden"      // gone here, but live in another cell
	CaseScheduling Case = "scheduling"  // an instance that has no host yet
	CaseUntracked  Case = "not tracked" // an instance of this host that is not counted
	CaseElsewhere  Case = "elsewhere"   // an instance of another host

	CaseHealed  Case = "healed"  // an instance that lacked its claim, or part of it
	CaseBusy    Case = "busy"    // left alone: an operation is in progress
	CaseUnsaid  Case = "unsaid"  // left alone: nothing says which provider serves it
	CaseRefused Case = "refused" // its claim does not fit, or cannot be made
)

// Remark is what a tick found about one consumer, and did or left.
type Remark struct {
	Case     Case
	Consumer placement.ConsumerID
	Name     string // of the instance; its uuid if there is none
	Text     string // in words
	Warning  bool   // an operator should look at it
	Changed  bool   // the tick writes something because of it
}

// Audit decides on every consumer with an allocation in the tree of a compute node, each
// of which is in one row of the table; Tick acts on it. It finds nothing if the compute
// node has no provider.
//
// Source: nova/compute/resource_tracker.py,
// _remove_deleted_instances_allocations.
func (w World) Audit(node *Node) []Remark {
	root, err := w.root(node)
	if err != nil {
		return nil
	}
	host := node.Host
	var out []Remark
	seen := map[placement.ConsumerID]bool{}
	for _, p := range w.Placement.Tree(root) {
		for c := range w.Placement.ConsumersOf(p) {
			if seen[c.ID()] {
				continue
			}
			seen[c.ID()] = true
			out = append(out, w.auditOne(c.ID(), host))
		}
	}
	return out
}

// auditOne follows the table of the audit, row by row.
func (w World) auditOne(id placement.ConsumerID, host string) Remark {
	f := Remark{Consumer: id, Name: id.String()}
	say := func(r Case, warning bool, format string, args ...any) Remark {
		f.Case, f.Warning, f.Text = r, warning, fmt.Sprintf(format, args...)
		return f
	}
	if m, ok := w.Nova.Migration(id); ok {
		if m.Status.HoldsClaim() && (m.Source == host || m.Dest == host) {
			return say(CaseMigration, false, "%s from %s to %s is %s", m.Type, m.Source, m.Dest, m.Status)
		}
		return say(CaseUnknown, true, "%s from %s to %s is %s, but still holds allocations: kept", m.Type, m.Source, m.Dest, m.Status)
	}
	i, ok := w.Nova.Instance(id)
	if !ok {
		return say(CaseUnknown, true, "is no instance of any cell; it may still be being created, or belong to another service: kept")
	}
	f.Name = i.Name
	m := w.Nova.Moving(id)
	switch {
	case !i.Live() && i.Hidden:
		return say(CaseHidden, false, "was moved to another cell: kept")
	case !i.Live():
		f.Changed = true
		return say(CaseDeleted, false, "is deleted: its allocations are released")
	case m != nil && (m.Source == host || m.Dest == host):
		return say(CaseMigration, false, "%s from %s to %s is %s", m.Type, m.Source, m.Dest, m.Status)
	case i.Host == "":
		return say(CaseScheduling, false, "has no host yet: kept")
	case i.Host != host:
		return say(CaseElsewhere, true, "is on %s but also holds allocations on %s: kept; check both hosts", i.Host, host)
	case !tracks(i):
		return say(CaseUntracked, true, "is on %s but not tracked, as it is %s: kept", host, i.VMState)
	}
	return say(CaseTracked, false, "is %s here", i.VMState)
}

// busy says which operation on an instance is in progress, "" for none.
func (w World) busy(i *nova.Instance) string {
	switch m := w.Nova.Moving(i.UUID); {
	case m != nil:
		return fmt.Sprintf("%s is %s", m.Type, m.Status)
	case i.TaskState != "":
		return string(i.TaskState)
	case i.VMState == nova.Building:
		return string(nova.Building)
	}
	return ""
}
