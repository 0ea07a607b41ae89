package ops

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Checks implements Checker, for the instance and the flavor. Whether there is room is
// left to the candidates.
//
// Source: nova/compute/api.py, resize and its decorators.
func (m Move) Checks(s *cloud.Snapshot, at time.Time) []Check {
	i, ok := s.Nova().Instance(m.Instance)
	if !ok || !i.Live() {
		return []Check{{Name: "instance", Refusal: noInstance(s, m.Instance)}}
	}
	checks := append([]Check{m.checkState(s, i)}, checkUp(s, "host", i.Host, "where "+i.Name+" runs", at)...)
	to, flavor := m.checkFlavor(s, i)
	checks = append(checks, flavor, checkHeld(s, i))
	if to == nil {
		return checks
	}
	checks = append(checks, checkProfile(s, "profile", to))
	if from, ok := s.Nova().Flavor(i.Flavor); ok {
		if c := checkProfile(s, "old profile", from); c.Refusal != nil {
			checks = append(checks, c)
		}
		if from.DeviceProfile() != "" || to.DeviceProfile() != "" {
			checks = append(checks, Check{
				Name: "upstream", Warning: true,
				Text: "Nova refuses to resize or migrate with a device profile: there it is a snapshot, a delete and a new server from the image, with another uuid and a new root disk; ephemeral disks and swap are lost",
			})
		}
	}
	if err := CheckRequestable(s, i, to, m.Ask); err != nil && refusal(checks) == nil {
		checks = append(checks, Check{Name: "request", Refusal: err})
	}
	return append(checks, checkGate(s, i, to)...)
}

// check returns the flavor to move to, or the first refusal of Checks.
func (m Move) check(s *cloud.Snapshot, at time.Time) (*nova.Flavor, error) {
	if err := refusal(m.Checks(s, at)); err != nil {
		return nil, err
	}
	i, _ := s.Nova().Instance(m.Instance)
	to, _ := m.checkFlavor(s, i)
	return to, nil
}

// checkState requires an instance at rest on a host.
func (m Move) checkState(s *cloud.Snapshot, i *nova.Instance) Check {
	c := Check{Name: "state", Text: fmt.Sprintf("%s is %s on %s", i.Name, i.VMState, i.Host)}
	may, other := nova.Active, nova.Stopped
	if m.Live {
		other = nova.Paused
	}
	switch {
	case i.VMState != may && i.VMState != other:
		c.Refusal = placement.StateErrorf("%s is %s, and must be %s or %s", i.Name, i.VMState, may, other)
	case i.TaskState != "":
		c.Refusal = placement.StateErrorf("%s is busy (%s)", i.Name, i.TaskState)
	case i.Host == "":
		why, _ := noHost(s, i)
		c.Refusal = placement.StateErrorf("%s: %s", i.Name, why)
	}
	for other := range s.Nova().MigrationsOf(i.UUID) {
		if !other.Status.UnderWay() {
			continue
		}
		end := "finish or undo it"
		if other.Status == nova.Finished {
			end = "confirm or revert it"
		}
		c.Refusal = placement.StateErrorf("%s has a %s from %s that is %s: %s first", i.Name, other.Type, other.Source, other.Status, end)
	}
	return c
}

// noHost says why the host of an instance without one is not there, and whether that is
// known: Nova does not tell everybody.
func noHost(s *cloud.Snapshot, i *nova.Instance) (why string, known bool) {
	if gap := s.Gap(cloud.Instances); gap != "" && i.VMState.Placed() {
		return "its host is not known: " + string(cloud.Instances) + ": " + gap, false
	}
	return "it is on no host", true
}

// checkFlavor requires a flavor to which the instance may be resized, and returns it.
// Without a name it is the instance's own.
func (m Move) checkFlavor(s *cloud.Snapshot, i *nova.Instance) (*nova.Flavor, Check) {
	c := Check{Name: "flavor"}
	from, ok := s.Nova().Flavor(i.Flavor)
	if !ok {
		c.Refusal = fmt.Errorf("%s: %w", i.Name, noFlavor(s, i.Flavor))
		return nil, c
	}
	if m.Flavor == "" {
		c.Text = "keeps flavor " + from.Name
		return from, c
	}
	to, ok := s.Nova().FlavorNamed(m.Flavor)
	switch {
	case !ok:
		c.Refusal = s.Missing(placement.NotFound("flavor", m.Flavor), cloud.Flavors)
		return nil, c
	case to.Disabled:
		c.Refusal = placement.Invalid("flavor", to.Name, "is disabled")
	case to.Ref() == from.Ref():
		c.Refusal = placement.Invalid("flavor", to.Name, "is the one that "+i.Name+" has")
	case to.RootGB == 0 && from.RootGB > 0 && !i.BootFromVolume:
		c.Refusal = placement.Invalid("flavor", to.Name, fmt.Sprintf("has no root disk, and %s has one of %d GB", i.Name, from.RootGB))
	}
	was, is := nova.FlavorNames(from.Ref(), to.Ref())
	c.Text = fmt.Sprintf("from %s to %s", was, is)
	return to, c
}

// checkHeld requires that the instance holds what its flavor says, and nothing on another
// host: a move would carry a wrong claim along.
func checkHeld(s *cloud.Snapshot, i *nova.Instance) Check {
	c := Check{Name: "claim"}
	now, _ := held(s, i.UUID)
	if now == nil {
		c.Refusal = placement.StateErrorf("%s holds nothing in Placement: heal it first", i.Name)
		return c
	}
	want, err := wantedBy(s, i)
	if err != nil {
		c.Refusal = err
		return c
	}
	has := now.Sum()
	if f, ok := s.Nova().Flavor(i.Flavor); ok && f.ByAlias() {
		// The flavor does not say which devices its alias means.
		maps.DeleteFunc(has, func(c placement.ResourceClass, _ int64) bool {
			return want[c] == 0 && (c == placement.PCIDevice || c.IsAccelerator())
		})
	}
	homes := HomesOf(s, i)
	off := offHomes(s, now, homes)
	switch {
	case !maps.Equal(has, want):
		c.Refusal = placement.StateErrorf("%s holds %s, and its flavor asks for %s: heal it first",
			i.Name, api.Resources(has), api.Resources(want))
	case i.Host != "" && len(homes) == 0:
		c.Refusal = placement.StateErrorf("%s runs on %s, which has no compute node in Placement: put its object with the right host first", i.Name, i.Host)
	case i.Host != "" && len(off) > 0:
		c.Refusal = placement.StateErrorf("%s runs on %s, and has allocations elsewhere: %s; heal it first", i.Name, i.Host, words.First(off, mostHostsTold))
	}
	c.Text = "holds what its flavor asks for: " + api.Resources(has)
	return c
}

// wantedBy returns what the flavor of an instance asks for, by class.
func wantedBy(s *cloud.Snapshot, i *nova.Instance) (map[placement.ResourceClass]int64, error) {
	f, ok := s.Nova().Flavor(i.Flavor)
	if !ok {
		return nil, fmt.Errorf("%s: %w", i.Name, noFlavor(s, i.Flavor))
	}
	spec, err := RequestSpecOf(s, i, f)
	if err != nil {
		return nil, err
	}
	spec.PCI = i.PCIGroups(f)
	for _, home := range HomesOf(s, i) {
		spec.Unpinned = spec.Unpinned || s.Nova().FallsBack(s.Placement(), home)
	}
	groups, err := nova.Amounts(spec)
	if err != nil {
		return nil, err
	}
	return nova.Total(groups), nil
}

func checkProfile(s *cloud.Snapshot, name string, f *nova.Flavor) Check {
	c := Check{Name: name, Text: "flavor " + f.Name + " asks nothing of Cyborg"}
	profile := f.DeviceProfile()
	if profile == "" {
		return c
	}
	c.Text = "device profile " + profile + " exists"
	if _, ok := s.Cyborg().DeviceProfile(profile); !ok {
		c.Refusal = fmt.Errorf("flavor %s: %w", f.Name, noProfile(s, profile))
	}
	return c
}

// Places returns where the move may go, in order of preference, and the places that
// its rules leave out at the given time.
//
// Errors: those of Checks about flavor and profiles, and of nova.Snapshot.Ask. That
// there is no place is a *NoValidHostError, with the Places nevertheless.
func (m Move) Places(s *cloud.Snapshot, at time.Time) (Places, error) {
	i, ok := s.Nova().Instance(m.Instance)
	if !ok {
		return Places{}, noInstance(s, m.Instance)
	}
	to, c := m.checkFlavor(s, i)
	if to == nil {
		return Places{}, c.Refusal
	}
	places, err := m.places(s, i, to, m.requested(), at)
	return tried(s, m.requested(), places, err)
}

// errNotWaiting is matched if a confirm or revert finds nothing that waits.
var errNotWaiting = errors.New("nothing is waiting to be confirmed or reverted")

// WaitingMigration returns the migration of an instance that is waiting to be confirmed or
// reverted. The error matches placement.ErrNotFound if there is none.
func WaitingMigration(s *cloud.Snapshot, instance placement.ConsumerID) (*nova.Migration, error) {
	if m := s.Nova().Moving(instance); m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("%s: %w: %w", ConsumerName(s, instance), errNotWaiting, placement.ErrNotFound)
}
