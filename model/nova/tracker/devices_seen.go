package tracker

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// StillReportedError says that a host has reported its PCI devices in Placement, and is
// not to any more. Nova knows no way back, and nova-compute does not start. It matches
// placement.ErrState.
//
// Source: nova/compute/pci_placement_translator.py,
// ensure_tracking_was_not_enabled_before.
type StillReportedError struct {
	Host     string
	Provider string // of a device
}

// Error implements error.
func (e *StillReportedError) Error() string {
	return fmt.Sprintf("report_in_placement of %s cannot be taken back: %s has %s", e.Host, e.Provider, placement.ComputeManagedPCI)
}

// Is reports whether target is placement.ErrState.
func (e *StillReportedError) Is(target error) bool { return target == placement.ErrState }

// stillReported returns a *StillReportedError where the tree is of a host that has
// stopped to report its PCI devices, nil where it is not.
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

// devices makes the records of the node's PCI devices say what the driver sees: new
// ones can be had, and those that are gone, or not to be passed through any more, go
// unless an instance has them.
//
// Source: nova/pci/manager.py, PciDevTracker._set_hvdevs.
func (t *ticking) devices(driver Tree) error {
	if !driver.SeesPCI {
		return nil
	}
	var c nova.PutRecords
	seen := map[string]bool{}
	for _, d := range driver.Devices {
		row := d.Clone().(*nova.PciDevice)
		row.ComputeNode = t.node.Provider()
		seen[row.Address] = true
		if held, ok := t.Nova.Held(row).(*nova.PciDevice); ok && held != nil {
			row = held.Clone().(*nova.PciDevice)
			row.VendorID, row.ProductID, row.DevType, row.Parent = d.VendorID, d.ProductID, d.DevType, d.Parent
			row.NUMANode, row.Tags = d.NUMANode, d.Tags
			if ledger.Equal(held, row) {
				continue
			}
		}
		c.Put(t.Nova, row)
	}
	for row := range t.Nova.PciDevicesOf(t.node.Provider()) {
		at, err := pci.ParseAddress(row.Address)
		if _, doubtful := driver.doubt(at, PCI); seen[row.Address] || held(row) || err == nil && doubtful {
			continue
		}
		c.Delete(t.Nova, row)
	}
	return t.keep(c)
}

// assigned gives the node's PCI devices to those who are to have them.
func (t *ticking) assigned(driver Tree) error {
	row, err := t.node.Row()
	if err != nil || !driver.SeesPCI {
		return err
	}
	var c nova.PutRecords
	for _, d := range t.assign(row) {
		c.Put(t.Nova, d)
	}
	return t.keep(c)
}

// keep applies a change to the world of the steps to come, and keeps it.
func (t *ticking) keep(c nova.PutRecords) error {
	if c.Empty() {
		return nil
	}
	next, _, err := t.Nova.Apply(nova.Change{Ops: []nova.Op{c}})
	if err != nil {
		return err
	}
	t.Nova = next
	t.out.Nova.Records = append(slices.Clip(t.out.Nova.Records), c.Records...)
	return nil
}
