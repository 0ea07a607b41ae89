package nova

import (
	"fmt"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// ReportComputeNode is the report of the resource tracker about a compute node, new or
// existing: the columns of its record.
//
// Errors: placement.ErrConflict if the record is not the one that the tracker read;
// placement.ErrInvalid.
//
// Source: nova/compute/resource_tracker.py, _init_compute_node and _update;
// nova/objects/compute_node.py, create and save.
type ReportComputeNode struct {
	verb
	Node *ComputeNode
	Read *ComputeNode // the record that Node was counted from; nil for a new one
}

// ReportPciDevice is a PCI device that the driver sees on a compute node. It describes
// the device; who has an existing one does not change.
//
// Errors: placement.ErrInvalid.
//
// Source: nova/pci/manager.py, PciDevTracker._set_hvdevs; nova/objects/pci_device.py,
// update_device.
type ReportPciDevice struct {
	verb
	Device *PciDevice
}

// RemovePciDevice deletes the record of a PCI device that is no longer passed through.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while an instance has it.
//
// Source: nova/objects/pci_device.py, remove.
type RemovePciDevice struct {
	verb
	ComputeNode placement.ProviderID
	Address     string
}

// PassPciDevice changes who has a PCI device: it is claimed, allocated or freed, or
// becomes unavailable because of its parent or children.
//
// Errors: placement.ErrNotFound; placement.ErrConflict if it is not in the hand From.
//
// Source: nova/objects/pci_device.py, claim, allocate, free and _bulk_update_status.
type PassPciDevice struct {
	verb
	ComputeNode placement.ProviderID
	Address     string
	From, To    Hand
}

// Hand is whose a PCI device is.
type Hand struct {
	Status    string // available, claimed, allocated, ...
	Instance  placement.ConsumerID
	RequestID string // uuid of the PCIRequest that it serves
}

// Hand returns whose the device is.
func (d *PciDevice) Hand() Hand { return Hand{d.Status, d.Instance, d.RequestID} }

// Held reports whether an instance has the device, or is to get it. An instance named
// with any other status is a leftover.
//
// Source: nova/objects/pci_device.py, remove and free.
func (d *PciDevice) Held() bool { return d.Status == "allocated" || d.Status == "claimed" }

func (op ReportComputeNode) String() string { return "report compute node " + op.Node.Hostname }
func (op ReportPciDevice) String() string   { return "report PCI device " + op.Device.Address }
func (op RemovePciDevice) String() string   { return "remove PCI device " + op.Address }

func (op PassPciDevice) String() string {
	if op.To.Instance.IsZero() {
		return "PCI device " + op.Address + " is " + op.To.Status
	}
	return "PCI device " + op.Address + " is " + op.To.Status + " for " + op.To.Instance.String()
}

func (op ReportComputeNode) apply(e edit) error {
	read, ok := e.Now.ComputeNode(op.Node.UUID)
	if ok != (op.Read != nil) || ok && !ledger.Equal(read, op.Read) {
		return stale(op.Node)
	}
	return e.Put(op.Node)
}

func (op ReportPciDevice) apply(e edit) error {
	own := *op.Device
	if has, ok := e.Now.PciDevice(own.ComputeNode, own.Address); ok {
		own.Status, own.Instance, own.RequestID = has.Status, has.Instance, has.RequestID
	}
	return e.Put(&own)
}

func (op RemovePciDevice) apply(e edit) error {
	d, err := e.Now.pciDevice(op.ComputeNode, op.Address)
	if err != nil {
		return err
	}
	if d.Held() {
		return fmt.Errorf("PCI device %s is held by instance %s; delete or migrate it first: %w", op.Address, d.Instance, placement.ErrInUse)
	}
	return e.Delete(d)
}

func (op PassPciDevice) apply(e edit) error {
	d, err := e.Now.pciDevice(op.ComputeNode, op.Address)
	if err != nil {
		return err
	}
	if d.Hand() != op.From {
		return stale(d)
	}
	own := *d
	own.Status, own.Instance, own.RequestID = op.To.Status, op.To.Instance, op.To.RequestID
	return e.Put(&own)
}

// PciDevice returns the PCI device at an address of a compute node. It must not be
// changed.
func (s *Snapshot) PciDevice(node placement.ProviderID, address string) (*PciDevice, bool) {
	return ledger.Get[*PciDevice](s.rows, KindPciDevice, string(node[:])+address)
}

func (s *Snapshot) pciDevice(node placement.ProviderID, address string) (*PciDevice, error) {
	d, ok := s.PciDevice(node, address)
	if !ok {
		return nil, placement.NotFound("PCI device", address+" of compute node "+node.String())
	}
	return d, nil
}

// stale returns the error that the record under the key of r is not as its writer
// expected.
func stale(r versioned.Record) error {
	return &placement.StaleError{Change: versioned.Change{After: r}}
}
