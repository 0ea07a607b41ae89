package tracker

import (
	"fmt"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// StillReportedError reports a host that has reported its PCI devices in Placement, but
// is now configured not to. Nova does not allow that, and nova-compute does not start. It
// matches placement.ErrState.
//
// Source: nova/compute/pci_placement_translator.py,
// ensure_tracking_was_not_enabled_before.
type StillReportedError struct {
	Host     string
	Provider string // of a device
}

func (e *StillReportedError) Error() string {
	return fmt.Sprintf("report_in_placement of %s cannot be switched off again: %s has %s", e.Host, e.Provider, placement.ComputeManagedPCI)
}

// Is reports whether target is placement.ErrState.
func (e *StillReportedError) Is(target error) bool { return target == placement.ErrState }

// stillReported returns a *StillReportedError if the tree is that of a host that has
// stopped reporting its PCI devices.
func (p *planner) stillReported() error {
	id, known := p.s.TraitID(placement.ComputeManagedPCI)
	if p.root == nil || !known || !p.tree.SeesPCI || p.tree.ReportsPCI {
		return nil
	}
	for _, child := range p.s.Children(p.root) {
		if child.HasTrait(id) {
			return &StillReportedError{Host: p.root.Name(), Provider: child.Name()}
		}
	}
	return nil
}

// devices updates the records of the node's PCI devices to what the driver sees: new ones
// are available; those that are gone, or no longer to be passed through, are removed
// unless an instance has them.
//
// Source: nova/pci/manager.py, PciDevTracker._set_hvdevs.
func (t *tickRun) devices(driver Tree) error {
	if !driver.SeesPCI {
		return nil
	}
	var verbs []nova.Op
	seen := map[string]bool{}
	for _, d := range driver.Devices {
		row := versioned.Clone(&d)
		row.ComputeNode = t.node.Provider()
		seen[row.Address] = true
		verbs = append(verbs, nova.ReportPciDevice{Device: row})
	}
	for row := range t.Nova.PciDevicesOf(t.node.Provider()) {
		at, err := pci.ParseAddress(row.Address)
		if _, doubtful := driver.doubt(at, PCI); seen[row.Address] || row.Held() || err == nil && doubtful {
			continue
		}
		verbs = append(verbs, nova.RemovePciDevice{ComputeNode: row.ComputeNode, Address: row.Address})
	}
	return t.keep(verbs)
}

// assigned assigns the node's PCI devices to the instances that are to get them.
func (t *tickRun) assigned(driver Tree) error {
	row, err := t.node.Row()
	if err != nil || !driver.SeesPCI {
		return err
	}
	return t.keep(t.assign(row))
}

// keep applies verbs of Nova's for the steps that follow, and keeps those that change
// something.
func (t *tickRun) keep(verbs []nova.Op) error {
	for _, op := range verbs {
		next, done, err := t.Nova.Apply(nova.Change{Ops: []nova.Op{op}})
		if err != nil {
			return err
		}
		if t.Nova = next; len(done) > 0 {
			t.out.Nova = append(t.out.Nova, op)
		}
	}
	return nil
}
