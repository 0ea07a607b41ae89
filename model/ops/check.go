package ops

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// Check is one thing that is checked before a Task begins.
type Check struct {
	Name    string // one word or two: "state", "flavor", "claim"
	Text    string // what was found
	Refusal error  // why the course may not begin; nil if it may
	Warning bool   // the operator should know, and may go on
}

// Checker is a Task with Checks to make before it begins.
type Checker interface {
	Task
	// Checks returns what is asked on s at the given time, in order, each with what
	// was found.
	Checks(s *cloud.Snapshot, at time.Time) []Check
}

// refusal returns the first refusal of checks, nil if there is none.
func refusal(checks []Check) error {
	for _, c := range checks {
		if c.Refusal != nil {
			return c.Refusal
		}
	}
	return nil
}

var (
	_ Checker = Boot{}
	_ Checker = Move{}
	_ Checker = Evacuate{}
	_ Checker = Confirm{}
	_ Checker = Revert{}
	_ Checker = Terminate{}
)

// Checks implements Checker. The wish itself is judged by Next.
func (b Boot) Checks(s *cloud.Snapshot, _ time.Time) []Check {
	if i, ok := s.Nova().Instance(b.Instance); ok {
		return checkGate(s, i, flavorOf(s, i))
	}
	f, _ := s.Nova().FlavorNamed(b.Wish.Flavor)
	return checkGate(s, &nova.Instance{}, f)
}

// Checks implements Checker. Next checks that the host is down.
func (e Evacuate) Checks(s *cloud.Snapshot, _ time.Time) []Check {
	i, ok := s.Nova().Instance(e.Instance)
	if !ok || i.Host == "" {
		return nil // Next says so
	}
	return append([]Check{{
		Name: "old host", Warning: true,
		Text: "what it holds on " + i.Host + " stays until that host is up again: it may still run there",
	}}, checkGate(s, i, flavorOf(s, i))...)
}

// Checks implements Checker.
func (t Terminate) Checks(s *cloud.Snapshot, _ time.Time) []Check {
	checks := []Check{{
		Name: "disks", Warning: true,
		Text: "the instance and its local disks are gone for good: this cannot be undone",
	}}
	if m, err := WaitingMigration(s, t.Instance); err == nil {
		checks = append(checks, Check{
			Name: "move", Warning: true,
			Text: fmt.Sprintf("its %s to %s is %s: both places are released", m.Type, m.Dest, m.Status),
		})
	}
	return checks
}

// flavorOf returns the flavor of an instance, nil if that is gone.
func flavorOf(s *cloud.Snapshot, i *nova.Instance) *nova.Flavor {
	f, _ := s.Nova().Flavor(i.Flavor)
	return f
}

// checkGate checks whether owners are kept apart if an instance with flavor f is to get
// accelerators. For any other flavor there is no check.
func checkGate(s *cloud.Snapshot, i *nova.Instance, f *nova.Flavor) []Check {
	if f == nil || !asksForAccelerators(s, i, f) {
		return nil
	}
	c := Check{Name: "gate"}
	g := s.Nova().Gate()
	const mixed = "Nova may land on a Cyborg card"
	form, _ := s.Nova().Config().OwnerInForce()
	basis := s.Nova().Config().Basis(nova.OptionOwnerFilter)
	if basis != "" {
		basis = " (" + basis + ")"
	}
	switch {
	case form == nova.OwnerOff:
		c.Warning, c.Text = true, "the owner filter is off"+basis+": "+mixed
	case g.Inferred():
		c.Warning, c.Text = true, fmt.Sprintf("the gate is %s: unless it is open, %s", g.Words(), mixed)
	case !g.Open && (g.Judged || g.Minimum == 0): // no service said which version it has
		c.Warning, c.Text = true, fmt.Sprintf("owner filter inactive (the gate is %s): %s", g.Words(), mixed)
	case !g.Open:
		c.Warning = true
		c.Text = fmt.Sprintf("owner filter inactive (oldest compute %d, needs %d): %s", g.Minimum, g.Need, mixed)
	case form == nova.OwnerOnRoot:
		c.Warning, c.Text = true, "the owner filter asks only roots and PCI groups for their owner"+basis+": on a host with cards of both, "+mixed
	default:
		c.Text = fmt.Sprintf("all computes have version %d or later: owners are kept apart", g.Need)
	}
	return []Check{c}
}

// asksForAccelerators reports whether an instance with flavor f is to get accelerators
// from Nova or Cyborg. Any device profile asks for some, even one that is not valid.
func asksForAccelerators(s *cloud.Snapshot, i *nova.Instance, f *nova.Flavor) bool {
	if f.DeviceProfile() != "" {
		return true
	}
	spec, err := RequestSpecOf(s, i, f)
	if err != nil {
		return false
	}
	groups, err := nova.Amounts(spec)
	if err != nil {
		return false
	}
	for class := range nova.Total(groups) {
		if class.IsAccelerator() {
			return true
		}
	}
	return false
}
