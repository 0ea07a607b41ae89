package ops

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// NovaTask is a Task about an instance that the cloud's own Nova carries out: one call asks
// for it, and the steps are up to Nova. The result is a forecast made by the steps of
// Task; Nova chooses the place itself and names the migration.
type NovaTask struct {
	Task Task
	Of   cloud.Servers
}

var _ Checker = NovaTask{}

// TaskFor returns t as a cloud with these Capabilities carries it out: as a NovaTask if it has
// a Nova with its own instances and t is about one, and of an Each each of its Tasks.
func TaskFor(can cloud.Capabilities, t Task) Task {
	if onlyNova(t) && can.Servers == nil {
		return novaOnlyTask{t}
	}
	if can.Servers == nil {
		return t
	}
	switch t := t.(type) {
	case Boot, Move, Confirm, Revert, Evacuate, Vacate, Terminate:
		return NovaTask{Task: t, Of: *can.Servers}
	case Each:
		out := make(Each, len(t))
		for i, one := range t {
			out[i] = TaskFor(can, one)
		}
		return out
	}
	return t
}

// onlyNova reports whether only a real Nova can carry t out: that takes hypervisors.
func onlyNova(t Task) bool {
	switch t := t.(type) {
	case Evacuate:
		return true
	case Move:
		return t.Live
	}
	return false
}

// errOnlyNova is why this program itself does not carry out a Task.
const errOnlyNova = notAskedError("that needs a running Nova, and this cloud is embedded")

// OnlyNova returns why a cloud that can do what its Capabilities say carries out no
// evacuation and no live migration, "" if it does.
func OnlyNova(can cloud.Capabilities) string {
	if can.Servers != nil {
		return ""
	}
	return errOnlyNova.Error()
}

// novaOnlyTask is a Task that only a real Nova carries out, in a cloud without one.
type novaOnlyTask struct{ Task }

// Checks implements Checker.
func (novaOnlyTask) Checks(*cloud.Snapshot, time.Time) []Check {
	return []Check{{Name: "nova", Refusal: errOnlyNova}}
}

// Next implements Task.
func (novaOnlyTask) Next(*cloud.Snapshot, time.Time) (Step, bool, error) {
	return Step{}, false, errOnlyNova
}

// IsNovaTask reports whether the cloud's own Nova carries out a Task, or each Task of an
// Each.
func IsNovaTask(t Task) bool {
	switch t := t.(type) {
	case NovaTask:
		return true
	case Each:
		return len(t) > 0 && !slices.ContainsFunc(t, func(one Task) bool { return !IsNovaTask(one) })
	}
	return false
}

// About implements Task.
func (a NovaTask) About() Description { return a.Task.About() }

// Failed implements Task: what Nova does, it undoes itself.
func (NovaTask) Failed(*cloud.Snapshot, time.Time, Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}

// Checks implements Checker: what Nova would refuse is refused before it is asked, and
// what only the steps of Task would refuse is a warning, as Nova does not check it.
func (a NovaTask) Checks(s *cloud.Snapshot, at time.Time) []Check {
	asks, err := a.Action(s, at)
	if err != nil {
		return []Check{{Name: "nova", Refusal: err}}
	}
	call := asks.Call()
	checks := []Check{{Name: "nova", Text: fmt.Sprintf("asked of Nova: %s, %s", asks.Do, call.Version())}}
	warn := func(name, text string) { checks = append(checks, Check{Name: name, Warning: true, Text: text}) }
	switch asks.Do {
	case api.ResizeServer, api.MigrateServer, api.LiveMigrate, api.EvacuateServer:
		if asks.Host == "" {
			warn("place", "Nova chooses the host: the place that is shown is a forecast")
		}
	case api.ConfirmServer, api.RevertServer, api.DeleteServer:
	}
	if m, ok := a.Task.(Move); ok && asks.Do == api.ResizeServer {
		i, _ := s.Nova().Instance(m.Instance)
		from, _ := s.Nova().Flavor(i.Flavor)
		if to, ok := s.Nova().FlavorNamed(m.Flavor); ok && to.RootGB < from.RootGB && !i.BootFromVolume {
			warn("disk", fmt.Sprintf("its root disk shrinks from %d to %d GB: Nova refuses that if the image, or the hypervisor, needs more", from.RootGB, to.RootGB))
		}
	}
	if asks.Do == api.LiveMigrate {
		i, _ := s.Nova().Instance(asks.Server)
		for _, text := range liveWarnings(s, i) {
			warn("live", text)
		}
	}
	var own []Check
	if of, ok := a.Task.(Checker); ok {
		own = of.Checks(s, at)
	}
	for _, c := range own {
		switch {
		case c.Refusal != nil:
			warn(c.Name, c.Refusal.Error())
		case c.Warning:
			checks = append(checks, c)
		}
	}
	if _, err := Rehearse(s, a.Task, at); err != nil && !errors.Is(err, errOnlyNova) && refusal(own) == nil {
		warn("forecast", "what comes of it cannot be foretold: "+err.Error())
	}
	return checks
}

// Next implements Task: one step, of which the Change is the forecast.
func (a NovaTask) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	asks, err := a.Action(s, at)
	if err != nil {
		return Step{}, false, err
	}
	p := Plan{Name: a.About().Name, On: s, After: s, Change: cloud.Change{Note: "ask Nova to " + a.Title(s, asks)}}
	if r, err := Rehearse(s, a.Task, at); err == nil && len(r.Steps) > 0 {
		p.Preview, p.After = r.Outcome(), r.Final
		p.Change = cloud.PutRecords("", p.Change.Note, p.Preview.Records)
	}
	p.Preview.calls = callsOf(asks)
	return Step{Name: p.Name, Title: p.Change.Note, Change: p.Change, plan: &p, Asked: true}, true, nil
}

// liveWarnings says what prevents hypervisors from migrating a guest live, which Nova
// only finds out once it has started.
//
// Source: nova/conductor/tasks/live_migrate.py, _check_can_migrate_pci and
// _check_can_migrate_specific_resources; nova/virt/libvirt/driver.py,
// check_can_live_migrate_destination.
func liveWarnings(s *cloud.Snapshot, i *nova.Instance) []string {
	var out []string
	if f, ok := s.Nova().Flavor(i.Flavor); ok && f.ByAlias() {
		out = append(out, "flavor "+f.Name+" asks for PCI devices by alias, which Nova live-migrates only if the alias says live_migratable")
	}
	has, _ := held(s, i.UUID)
	if has.Sum()[placement.VGPU] > 0 {
		out = append(out, "its VGPU can be live-migrated from Nova 2024.1 and libvirt 8.6 on, if the driver can: others refuse")
	}
	return out
}

// Title says what is asked for, as "resize web-1 to m1.large".
func (a NovaTask) Title(s *cloud.Snapshot, asks api.ServerAction) string {
	text := fmt.Sprintf("%s %s", asks.Do, ConsumerName(s, asks.Server))
	to := asks.Host
	if m, ok := a.Task.(Move); ok && m.Flavor != "" {
		to = m.Flavor
	}
	if to != "" {
		text += " to " + to
	}
	return text
}

// notAskedError is why Nova is not asked for something. It matches placement.ErrUnsupported.
type notAskedError string

func (e notAskedError) Error() string { return string(e) }

// Is reports whether target is placement.ErrUnsupported.
func (notAskedError) Is(target error) bool { return target == placement.ErrUnsupported }

// callsOf returns the calls in a Preview for what Nova is asked.
func callsOf(a api.ServerAction) *calls {
	return &calls{of: []callGroup{{requests: []api.Call{a.Call()}, commands: []string{a.Command()}}}}
}

// Action returns what to ask of Nova.
//
// Errors: why it would refuse, as far as that can be told; placement.ErrUnsupported for
// what it cannot be asked.
//
// Source: nova/compute/api.py and its decorators.
func (a NovaTask) Action(s *cloud.Snapshot, at time.Time) (api.ServerAction, error) {
	asks, err := a.action(s, at)
	if err != nil {
		return asks, err
	}
	if a.Of.Cannot != nil {
		if why := a.Of.Cannot(string(asks.Do)); why != "" {
			return asks, notAskedError(why)
		}
	}
	if need := asks.Call().Minor; need > a.Of.Minor {
		return asks, notAskedError(fmt.Sprintf("it needs Nova's microversion 2.%d, and this cloud is used at 2.%d", need, a.Of.Minor))
	}
	return asks, nil
}

func (a NovaTask) action(s *cloud.Snapshot, at time.Time) (api.ServerAction, error) {
	switch t := a.Task.(type) {
	case Move:
		return t.asked(s, at)
	case Confirm:
		return asksToEnd(s, api.ConfirmServer, t.Migration, at)
	case Revert:
		return asksToEnd(s, api.RevertServer, t.Migration, at)
	case Evacuate:
		if err := t.check(s, at); err != nil {
			return api.ServerAction{}, err
		}
		return api.ServerAction{Do: api.EvacuateServer, Server: t.Instance, Host: hostOf(t.Host, t.Pick)}, nil
	case Terminate:
		if i, ok := s.Nova().Instance(t.Instance); !ok || !i.Live() {
			return api.ServerAction{}, noInstance(s, t.Instance)
		}
		return api.ServerAction{Do: api.DeleteServer, Server: t.Instance}, nil
	case Boot:
		return api.ServerAction{}, notAskedError("use \"openstack server create\": to boot, Nova needs an image and networks, which are not known here")
	}
	return api.ServerAction{}, notAskedError("this cloud's Nova does that itself")
}

// hostOf returns the host that was asked for, or picked.
func hostOf(host string, pick *Place) string {
	if pick != nil {
		return pick.Host
	}
	return host
}

// asked returns what Nova is asked for to move an instance.
func (m Move) asked(s *cloud.Snapshot, at time.Time) (api.ServerAction, error) {
	asks := api.ServerAction{Do: api.MigrateServer, Server: m.Instance, Host: hostOf(m.Host, m.Pick)}
	i, ok := s.Nova().Instance(m.Instance)
	if !ok || !i.Live() {
		return asks, noInstance(s, m.Instance)
	}
	if _, begun := s.Nova().Migration(m.Migration); begun {
		return asks, placement.StateErrorf("Nova takes the move of %s on by itself", i.Name)
	}
	to, flavor := m.checkFlavor(s, i)
	if err := refusal(append([]Check{m.checkState(s, i), flavor}, checkUp(s, "host", i.Host, "where "+i.Name+" runs", at)...)); err != nil {
		return asks, err
	}
	from, _ := s.Nova().Flavor(i.Flavor)
	switch {
	case from.DeviceProfile() != "" || to.DeviceProfile() != "":
		return asks, placement.StateErrorf("Nova refuses to resize or migrate with a device profile (%s)", cmp.Or(from.DeviceProfile(), to.DeviceProfile()))
	case m.Live && m.Flavor != "":
		return asks, notAskedError("a live migration keeps the flavor")
	case m.Live:
		asks.Do = api.LiveMigrate
		return asks, nil
	case m.RevertAfter > 0:
		return asks, notAskedError("Nova never reverts a move by itself")
	case m.SameHost:
		return asks, notAskedError("allow_resize_to_same_host in nova.conf decides whether a resize may stay on its host")
	case m.Flavor == "":
		return asks, nil
	case asks.Host != "":
		return asks, notAskedError("a resize goes where Nova's scheduler sends it: name no host")
	}
	asks.Do, asks.Flavor = api.ResizeServer, to.FlavorID
	return asks, nil
}

// asksToEnd returns what Nova is asked for to end a move that waits.
func asksToEnd(s *cloud.Snapshot, do api.ServerVerb, migration placement.ConsumerID, at time.Time) (api.ServerAction, error) {
	u, err := moveOf(s, migration, at)
	if err != nil {
		return api.ServerAction{}, err
	}
	if u.m.Status != nova.Finished || u.i.VMState != nova.Resized {
		return api.ServerAction{}, u.notNow(do.String())
	}
	return api.ServerAction{Do: do, Server: u.i.UUID}, nil
}

// noInstance is the error about an instance that s does not have.
func noInstance(s *cloud.Snapshot, id placement.ConsumerID) error {
	return s.Missing(placement.NotFound("instance", id.String()), cloud.Instances)
}

// noFlavor is the error about a ref of a flavor that s does not have.
func noFlavor(s *cloud.Snapshot, ref string) error {
	if nova.HasUnknownRevision(ref) {
		return fmt.Errorf("what the flavor %s asked for when it was used is %w: Nova does not say, and the flavor of this name may have changed since", nova.FlavorName(ref), placement.ErrUnavailable)
	}
	return s.Missing(placement.NotFound("flavor", ref), cloud.PartsOf(nova.KindFlavor)...)
}

// noProfile is the error about a device profile that s does not have.
func noProfile(s *cloud.Snapshot, name string) error {
	return s.Missing(placement.NotFound("device profile", name), cloud.Profiles)
}
