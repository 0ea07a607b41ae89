package panel

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// FixingProvider returns the key that leads to the worst of what is wrong with a
// provider, or with the tree below it. Nothing is why there is no provider, "" where
// there is one.
func FixingProvider(scope string, env screen.Env, snap *cloud.Snapshot, id placement.ProviderID, nothing string) action.Action {
	return fixing(scope, snap, nothing, func() tea.Msg {
		pl := snap.Placement()
		p, ok := pl.Provider(id)
		if !ok {
			return screen.Warning("the provider is gone")
		}
		return toProblem(env, snap,
			func(f audit.Finding) bool { return f.Provider == id || slices.Contains(f.Others, id) },
			func(f audit.Finding) bool {
				q, ok := pl.Provider(f.Provider)
				for up := p; ok; q, ok = pl.Parent(q) {
					if q == up {
						return true
					}
				}
				return false
			})
	})
}

// FixingConsumer is FixingProvider for a consumer, such as an instance: what is wrong
// with it, or with the card that does not let go of it.
func FixingConsumer(scope string, env screen.Env, snap *cloud.Snapshot, id placement.ConsumerID, nothing string) action.Action {
	return fixing(scope, snap, nothing, func() tea.Msg {
		found := toProblem(env, snap,
			func(f audit.Finding) bool { return f.Consumer == id },
			func(f audit.Finding) bool { return stuck(snap, f, id) })
		if _, fine := found.(screen.ToastMsg); fine && canHeal(snap, id) {
			return screen.Goto{To: place.Heal{Instance: id}}
		}
		return found
	})
}

// FixingMigration is FixingProvider for a migration: what is wrong with what it keeps, or
// with its instance. It is nil if nothing says why there is none.
func FixingMigration(scope string, env screen.Env, snap *cloud.Snapshot, m *nova.Migration, nothing string) action.Action {
	return fixing(scope, snap, nothing, func() tea.Msg {
		return toProblem(env, snap,
			func(f audit.Finding) bool { return f.Consumer == m.UUID },
			func(f audit.Finding) bool { return stuck(snap, f, m.UUID) || stuck(snap, f, m.Instance) },
			func(f audit.Finding) bool { return f.Consumer == m.Instance })
	})
}

// stuck reports whether a finding is of a card that does not let go of what a consumer has.
func stuck(snap *cloud.Snapshot, f audit.Finding, id placement.ConsumerID) bool {
	if f.Rule != audit.RuleStuckDevice {
		return false
	}
	for a := range snap.Cyborg().ARQsAt(f.Provider) {
		if a.Instance == id {
			return true
		}
	}
	return false
}

// canHeal reports whether an instance does not hold what its flavor requires.
func canHeal(snap *cloud.Snapshot, id placement.ConsumerID) bool {
	if _, ok := snap.Nova().Instance(id); !ok {
		return false
	}
	heals, err := ops.PlanHeal(snap, ops.HealOptions{Instance: id, Force: true})
	return err == nil && len(heals) > 0 && heals[0].Why == "" && !heals[0].Plan.Empty()
}

// FixingService is FixingProvider for the services of a host.
func FixingService(scope string, env screen.Env, snap *cloud.Snapshot, host, nothing string) action.Action {
	return fixing(scope, snap, nothing, func() tea.Msg {
		return toProblem(env, snap, func(f audit.Finding) bool { return f.Service == host && host != "" })
	})
}

func fixing(scope string, snap *cloud.Snapshot, nothing string, find func() tea.Msg) action.Action {
	return screen.Finding(action.Action{
		ID: action.ID(scope + ".problem"), Keys: "F", Title: "fix plan", Help: "see what is wrong with it, and how to fix it", Priority: 22,
		One: true, Disabled: nothing,
	}, snap, find)
}

// toProblem goes to the first finding that one of picks accepts, trying one pick after
// another.
func toProblem(env screen.Env, snap *cloud.Snapshot, picks ...func(audit.Finding) bool) tea.Msg {
	found := env.Inspect(snap).Open()
	for _, pick := range picks {
		if i := slices.IndexFunc(found, pick); i >= 0 {
			return screen.Goto{To: place.Problems{Rule: found[i].Rule, Subject: found[i].Key()}}
		}
	}
	return screen.ToastMsg{Severity: style.SeverityOK, Text: "nothing is wrong with it"}
}
