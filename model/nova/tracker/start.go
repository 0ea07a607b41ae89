package tracker

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// HeartbeatEvery is how often an agent says that its service is up. Upstream does it
// every ten seconds; here every write is a revision of the cloud's journal, and a
// host on which nothing happens should leave few.
const HeartbeatEvery = 5 * time.Minute

// Heartbeat returns what the nova-compute of a host writes of itself: its version when it
// starts, how often it reports, and that often that it is up: nothing if all exist
// already.
func (w World) Heartbeat(host string, version int, every time.Duration, at time.Time) []nova.Op {
	up := nova.ReportState{Host: host, Binary: nova.Compute, Every: every}
	svc, ok := w.Nova.Service(host, nova.Compute)
	switch {
	case !ok || svc.Version != version:
		return []nova.Op{nova.StartService{Host: host, Binary: nova.Compute, Version: version}, up}
	case svc.ReportInterval == every.Milliseconds() && at.Sub(svc.SeenAt()) < every:
		return nil
	default:
		return []nova.Op{up}
	}
}

// NodeOf returns the compute node that a driver sees on a host, with what it sees
// in the columns: the one of the ledger, or a new one.
//
// Errors: *IdentityError if the name, or the uuid, is that of another one.
//
// Source: nova/compute/resource_tracker.py, _init_compute_node.
func (w World) NodeOf(host string, t Tree, conf Conf) (*Node, error) {
	for row := range w.Nova.ComputeNodesOf(host) {
		if row.Hostname == t.Root.Name && row.UUID != t.Root.ID {
			return nil, &IdentityError{Name: t.Root.Name, ID: t.Root.ID, TwinName: row.Hostname, Twin: row.UUID}
		}
	}
	row, ok := w.Nova.ComputeNode(t.Root.ID)
	switch {
	case !ok:
		row = &nova.ComputeNode{UUID: t.Root.ID, Host: host, Hostname: t.Root.Name}
	case row.Hostname != t.Root.Name:
		return nil, &IdentityError{Name: t.Root.Name, ID: t.Root.ID, TwinName: row.Hostname, Twin: row.UUID}
	}
	n, err := ReadNode(row)
	if err != nil {
		return nil, err
	}
	return n, n.See(t, conf)
}

// Adopt returns what a driver sees on a host, under the uuid that Nova has on record
// for it: an upgraded nova-compute takes over the record that it wrote before it kept
// its own uuid, with its provider and what is allocated there. The tree stays as
// it is where there is no such record, or where the uuid of the machine has a record
// too: then NodeOf tells the two apart.
//
// Upstream stops if a compute_id on the machine says something else; here the record
// wins, and the tree notes it.
//
// Source: nova/compute/manager.py, _ensure_existing_node_identity.
func (w World) Adopt(host string, t Tree) Tree {
	if _, known := w.Nova.ComputeNode(t.Root.ID); known {
		return t
	}
	for row := range w.Nova.ComputeNodesOf(host) {
		if row.Hostname == t.Root.Name {
			return t.under(row.UUID)
		}
	}
	return t
}

// AdoptNamed is Adopt for a cloud whose own Nova may call the host of the compute node
// something else than the machine is called. It also returns the name of that host.
func (w World) AdoptNamed(t Tree) (string, Tree) {
	if row, ok := w.Nova.ComputeNode(t.Root.ID); ok && row.Hostname == t.Root.Name {
		return row.Host, t
	}
	for row := range w.Nova.ComputeNodes() {
		if row.Hostname == t.Root.Name {
			return row.Host, t.under(row.UUID)
		}
	}
	return t.Root.Name, t
}

// under returns the tree with another uuid for its root, that of Nova's record.
func (t Tree) under(id placement.ProviderID) Tree {
	if t.OwnID {
		t.Notes = slices.Clone(t.Notes)
		t.Note("%s says that the uuid of %s is %s, but Nova's record says %s, which is used: write that into the file, or delete the record",
			t.Root.IDSource, t.Root.Name, t.Root.ID, id)
	}
	t.Root.ID, t.Root.IDSource = id, "the record of the compute node"
	t.Children = slices.Clone(t.Children)
	for i := range t.Children {
		t.Children[i].ID, t.Children[i].IDSource = childOf(id, t.Children[i].Name)
	}
	return t
}

// node returns the compute node of a row.
func (w World) node(id placement.ProviderID) (*Node, error) {
	row, ok := w.Nova.ComputeNode(id)
	if !ok {
		return nil, placement.NotFound("compute node", id.String())
	}
	return ReadNode(row)
}
