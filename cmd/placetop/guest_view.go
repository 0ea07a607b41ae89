package main

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/view"
	"github.com/placetop/placetop/tui/session/sshd"
)

// view returns the cloud as the guest may use it.
func (g *guest) view(readOnly bool) storage.Store {
	who := g.session.Person
	switch {
	case who.Role < sshd.Operator:
		return view.ReadOnly(g.of.served.store, who.Name+" is let in as a reader")
	case readOnly:
		return view.ReadOnly(g.of.served.store, "this run is read-only")
	}
	return view.Signed(g.of.served.store, who.String(), func(c cloud.Change) error {
		for _, op := range c.Ops {
			if what := forAdmins(op); what != "" && who.Role < sshd.Admin {
				return &cloud.UnsupportedError{Op: op, Why: what + " is for admins, and " + who.Name + " is let in as an " + who.Role.String()}
			}
		}
		return nil
	})
}

// forAdmins returns what an operation does that only admins may do, "" if it is open to
// all writers.
func forAdmins(op cloud.Op) string {
	switch op := op.(type) {
	case operator.MuteRule, operator.UnmuteRule:
		return ofAdmins(operator.KindMute)
	case nova.Configure, operator.LimitJournal:
		return ofAdmins(nova.KindConfig)
	case intent.PutRecords:
		for _, r := range op.Records {
			if what := ofAdmins(r.Kind()); what != "" {
				return what
			}
		}
	}
	return ""
}

// ofAdmins is forAdmins for operations that change records of a kind.
func ofAdmins(kind versioned.Kind) string {
	switch kind {
	case operator.KindMute:
		return "muting a rule"
	case nova.KindConfig, operator.KindJournalLimits:
		return "a setting of the whole cloud"
	}
	return ""
}
