package ops

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// Checks implements Checker: while the old host is down its guest, and what that has of
// its devices, cannot be cleaned up, and a confirm that has begun has no way back. A
// move whose time to be confirmed is over may be confirmed as long as it was not
// reverted: somebody wants it.
//
// Source: nova/compute/api.py, confirm_resize.
func (c Confirm) Checks(s *cloud.Snapshot, at time.Time) []Check {
	m, ok := s.Nova().Migration(c.Migration)
	if !ok || m.Status != nova.Finished {
		return nil
	}
	checks := checkUp(s, "old host", m.Source, "which is to be cleaned", at)
	if m.Overdue(at) {
		checks = append(checks, Check{
			Name: "deadline", Warning: true,
			Text: fmt.Sprintf("it was to be confirmed by %s, and is due to be reverted: confirming keeps it for good", m.RevertAt().UTC().Format(time.DateTime)),
		})
	}
	return checks
}

// Checks implements Checker: the guest is stopped where it is, and runs at its old host
// again. Before it was stopped there, neither host has a part in it.
//
// Source: nova/compute/api.py, revert_resize; nova/compute/manager.py,
// finish_revert_resize.
func (r Revert) Checks(s *cloud.Snapshot, at time.Time) []Check {
	m, ok := s.Nova().Migration(r.Migration)
	if !ok {
		return nil
	}
	var checks []Check
	switch m.Status {
	case nova.Migrating, nova.PostMigrating, nova.Finished:
		checks = checkUp(s, "old host", m.Source, "where it is to run again", at)
		if m.Status == nova.Finished && m.Dest != m.Source {
			checks = append(checks, checkUp(s, "host", m.Dest, "where it may still run", at)...)
		}
	default:
	}
	return checks
}
