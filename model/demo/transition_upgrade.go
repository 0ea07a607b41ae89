package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// upgradeActs show how the gate opens, and what that changes.
func (t *transition) upgradeActs() []Step {
	return []Step{
		{
			Name: "upgrade", Title: "the last compute is upgraded",
			will: func(s *cloud.Snapshot) string {
				text := "%s is started with version %d. Its first report puts OWNER_NOVA on what it has."
				if len(holders(s)) > 1 {
					text = "%s are started with version %d. Their first reports put OWNER_NOVA on what they have."
				}
				text = fmt.Sprintf(text, holderNames(s), nova.ServiceVersion)
				if gone := goneHolders(s); len(gone) > 0 {
					text += fmt.Sprintf(" The host %s is gone: its service is forced down first, or it would hold the gate for ever.", listed(gone))
				}
				return text
			},
			do: func(*cloud.Snapshot) (Deed, error) { return Deed{Tasks: []ops.Task{upgrade{}}}, nil },
			did: func(p Played) string {
				owned, all := ownedRoots(p.After)
				return fmt.Sprintf("minimum version %d > %d; OWNER_NOVA on %d of %d compute nodes", p.Before.Nova().Gate().Minimum, p.After.Nova().Gate().Minimum, owned, all)
			},
			where: func(s *cloud.Snapshot) Where { return Where{View: ViewServices, Host: lastHeard(s)} },
			done: func(s *cloud.Snapshot) bool {
				_, more, err := upgrade{}.Next(s, time.Time{})
				return !more && err == nil
			},
		},
		{
			Name: "open", Title: "the gate is open, by itself",
			will: func(*cloud.Snapshot) string {
				return "Nobody has switched anything on: the minimum is asked anew for each request. The same flavor, the same question."
			},
			did: func(p Played) string { return "gate " + p.After.Nova().Gate().Words() },
			facts: func(p Played) []string {
				return append(gateFacts(p.After), t.askFacts(p.After)...)
			},
			where: always(Where{View: ViewOwners}),
		},
		{
			Name: "gone", Title: "the wrong candidates are gone",
			will: func(*cloud.Snapshot) string { return "Whoever answered before and does not now: who, and why not?" },
			did: func(p Played) string {
				was, now, err := t.compare(p.After)
				if err != nil {
					return err.Error()
				}
				return fmt.Sprintf("candidates on cards of Cyborg's: %d > %d; in all %d > %d%s",
					len(was.of(placement.OwnedByCyborg)), len(now.of(placement.OwnedByCyborg)), was.places, now.places, t.filledWords(p.After, was))
			},
			facts: func(p Played) []string { return t.goneFacts(p.After) },
			where: func(s *cloud.Snapshot) Where { return Where{View: ViewWhy, Flavor: novaFlavor(), Provider: t.gone(s)} },
		},
	}
}

// gone returns a card that matched while the gate was closed but no longer does; the zero
// id if there is none.
func (t *transition) gone(s *cloud.Snapshot) placement.ProviderID {
	was, now, err := t.compare(s)
	for _, q := range was.cards {
		if err == nil && !slices.Contains(now.cards, q) {
			return q.ID()
		}
	}
	return placement.ProviderID{}
}

// holders returns the hosts whose nova-compute holds the gate until it is upgraded.
func holders(s *cloud.Snapshot) []string {
	var hosts []string
	gone := goneHolders(s)
	for _, h := range s.Nova().Gate().Holds {
		if !slices.Contains(gone, h.Service.Host) {
			hosts = append(hosts, h.Service.Host)
		}
	}
	return hosts
}

// goneHolders returns the hosts that hold the gate, but of which only the record of the
// service is left.
func goneHolders(s *cloud.Snapshot) []string {
	var hosts []string
	for _, f := range audit.FindBy(s, audit.RuleDeadService) {
		hosts = append(hosts, f.Service)
	}
	return hosts
}

// holderNames names the services of holders.
func holderNames(s *cloud.Snapshot) string {
	hosts := holders(s)
	if len(hosts) == 0 {
		return "nova-compute on the last host"
	}
	for i, host := range hosts {
		hosts[i] = "nova-compute on " + host
	}
	return listed(hosts)
}

// lastHeard returns the host of the compute node that reported last.
func lastHeard(s *cloud.Snapshot) (host string) {
	at := int64(0)
	for n := range s.Nova().ComputeNodes() {
		if v, ok := s.Nova().Service(n.Host, nova.Compute); ok && v.LastSeenUp > at {
			host, at = n.Host, v.LastSeenUp
		}
	}
	return host
}

// ownedRoots counts the compute nodes that carry OWNER_NOVA, and all of them.
func ownedRoots(s *cloud.Snapshot) (owned, all int) {
	for row := range s.Nova().ComputeNodes() {
		all++
		if root, ok := s.Placement().Provider(row.UUID); ok && s.Placement().Owner(root) == placement.OwnedByNova {
			owned++
		}
	}
	return owned, all
}

// upgrade is the Course that restarts each nova-compute which holds the gate with the
// current version, and lets its resource tracker report. What is left of a host that is
// gone, it forces down.
//
// Source: nova/service.py, Service.start; nova/compute/manager.py, pre_start_hook.
type upgrade struct{}

var _ ops.Task = upgrade{}

func (upgrade) About() ops.About { return ops.About{Name: "upgrade"} }

func (upgrade) Next(s *cloud.Snapshot, at time.Time) (ops.Step, bool, error) {
	for _, host := range goneHolders(s) {
		return ops.Step{
			Name:   "down",
			Title:  fmt.Sprintf("force nova-compute on %s down, as the host is gone", host),
			Change: cloud.Change{Ops: []cloud.Op{nova.ForceDownService{Host: host, Binary: nova.Compute, Down: true}}},
		}, true, nil
	}
	for _, h := range s.Nova().Gate().Holds {
		return ops.Step{
			Name:   "start",
			Title:  fmt.Sprintf("start nova-compute on %s, version %d > %d", h.Service.Host, h.Service.Version, nova.ServiceVersion),
			Change: cloud.Change{Ops: []cloud.Op{nova.UpgradeService{Host: h.Service.Host, Binary: nova.Compute, Version: nova.ServiceVersion}}},
		}, true, nil
	}
	for row := range s.Nova().ComputeNodes() {
		root, ok := s.Placement().Provider(row.UUID)
		if !ok || s.Placement().Owner(root) == placement.OwnedByNova || s.Placement().Owner(root) == placement.OwnedByBoth {
			continue
		}
		c, err := report(s, row, at)
		if err != nil {
			return ops.Step{}, false, err
		}
		if len(c.Ops) == 0 {
			continue
		}
		return ops.Step{Name: "report", Title: "nova-compute on " + row.Host + " reports", Change: c}, true, nil
	}
	return ops.Step{}, false, nil
}

// Failed implements ops.Task: what was started stays.
func (upgrade) Failed(*cloud.Snapshot, time.Time, ops.Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}

// report returns what the resource tracker of a compute node writes at its next tick.
func report(s *cloud.Snapshot, row *nova.ComputeNode, at time.Time) (cloud.Change, error) {
	node, err := tracker.ReadNode(row)
	if err != nil {
		return cloud.Change{}, err
	}
	tree, err := tracker.FromColumns(node)
	if err != nil {
		return cloud.Change{}, err
	}
	out, err := tracker.World{Placement: s.Placement(), Nova: s.Nova()}.Tick(node, tree, at)
	return cloud.Change{Ops: append(out.Ops, out.Nova...)}, err
}

// compare asks as if the gate were closed, and with the gate as it is.
func (t *transition) compare(s *cloud.Snapshot) (was, now asked, err error) {
	if was, err = t.ask(s, nova.GateHeldClosed); err != nil {
		return was, now, err
	}
	now, err = t.ask(s)
	return was, now, err
}

// filledWords says which card is no longer a candidate, regardless of the gate, as the
// instance that landed wrongly has filled it; "" if there is none.
func (t *transition) filledWords(s *cloud.Snapshot, was asked) string {
	for q := range cardsOf(s, landed()) {
		if !slices.Contains(was.cards, q) {
			return fmt.Sprintf(" (%s has filled %s, which answered before it landed)", landedName, q.Name())
		}
	}
	return ""
}

// goneFacts says why each card that is no longer a candidate is not, and which cards with
// two owners still are.
func (t *transition) goneFacts(s *cloud.Snapshot) []string {
	was, now, err := t.compare(s)
	if err != nil {
		return []string{err.Error()}
	}
	why := now.asks.Verdicts(ops.QueryNames(s))
	var out []string
	gone := 0
	for _, q := range was.cards {
		if slices.Contains(now.cards, q) {
			continue
		}
		if gone++; gone > mostListed {
			continue
		}
		reason, ok := why.Provider(q).First()
		if ok {
			out = append(out, fmt.Sprintf("%s (%s): %s", q.Name(), s.Placement().Owner(q), reason.Words()))
		}
	}
	if more := gone - mostListed; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	for _, name := range now.of(placement.OwnedByBoth) {
		out = append(out, name+" carries both owners, so that it still answers: check finds it ("+string(audit.RuleBothOwners)+")")
	}
	return out
}
