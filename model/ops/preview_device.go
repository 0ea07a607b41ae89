package ops

import (
	"fmt"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// unattached warns if d claims devices for an instance that is at rest, and no course
// attaches them: a claim alone attaches nothing. Nova creates the mediated device of a
// claim when it spawns the guest, and a restarted guest has those in its domain; Cyborg
// attaches that of the accelerator request.
//
// Source: nova/virt/libvirt/driver.py, spawn with _allocate_mdevs, and _hard_reboot with
// _get_all_assigned_mediated_devices.
func (b both) unattached(d ConsumerDiff, got []Holding) []string {
	i, ok := b.after.Nova().Instance(d.Consumer)
	if !ok || !i.Live() || i.Host == "" || i.VMState == nova.Building || i.VMState == nova.Broken {
		return nil
	}
	was, ok := b.before.Nova().Instance(d.Consumer)
	if !ok || was.TaskState != "" || i.TaskState != "" || was.Host != i.Host || was.Flavor != i.Flavor || was.VMState != i.VMState {
		return nil // a course is in progress, which attaches the device too
	}
	var out []string
	for _, h := range got {
		if !h.Class.IsAccelerator() || b.unitsOn(d.Before, h) >= h.Amount {
			continue
		}
		out = append(out, fmt.Sprintf("%s %d of %s is allocated to %s, and that attaches no device: its guest keeps what it runs with, until it is rebuilt, resized or migrated",
			h.Class, h.Amount, h.Name, i.Name))
	}
	return out
}

// unitsOn returns how many units of holdings have the provider and the class of h.
func (both) unitsOn(of []Holding, h Holding) int64 {
	for _, had := range of {
		if had.Provider == h.Provider && had.Class == h.Class {
			return had.Amount
		}
	}
	return 0
}

// tagsLater warns that an upgraded nova-compute has not set its owner traits yet, as
// these come with its report; "" if it has.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree.
func tagsLater(nodes *nova.Snapshot, s *placement.Snapshot, was, is *nova.Service) string {
	if is.Binary != nova.Compute || is.Version < nova.VersionOwnerNova || was != nil && was.Version >= nova.VersionOwnerNova {
		return ""
	}
	bare := 0
	for node := range nodes.ComputeNodesOf(is.Host) {
		root, ok := s.Provider(node.UUID)
		if !ok {
			continue
		}
		for _, p := range s.Tree(root) {
			if s.Owner(p) == placement.OwnedByNone {
				bare++
			}
		}
	}
	if bare == 0 {
		return ""
	}
	return fmt.Sprintf("the version tags nothing: %s comes with the next report of nova-compute on %s, for what Nova has of %d providers there without an owner; once the gate is open, nothing lands on them before",
		placement.OwnerNova, is.Host, bare)
}
