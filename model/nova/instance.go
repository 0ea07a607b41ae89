package nova

import (
	"slices"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// KindInstance is the kind of Instance.
const KindInstance versioned.Kind = "instance"

// Instance is a server that Nova runs. Its uuid is that of the consumer that
// holds its allocations.
//
// Source: nova/objects/instance.py.
type Instance struct {
	UUID    placement.ConsumerID `json:"uuid" cbor:"1,keyasint"`
	Name    string               `json:"display_name" cbor:"2,keyasint"`
	Project string               `json:"project_id" cbor:"3,keyasint"`
	User    string               `json:"user_id" cbor:"4,keyasint"`
	Host    string               `json:"host,omitempty" cbor:"5,keyasint,omitempty"` // empty while being scheduled
	Flavor  string               `json:"flavor" cbor:"6,keyasint"`                   // ref of the flavor
	VMState VMState              `json:"vm_state" cbor:"7,keyasint"`
	Created int64                `json:"created_at_ms,omitempty" cbor:"8,keyasint,omitempty"`

	TaskState      TaskState         `json:"task_state,omitempty" cbor:"9,keyasint,omitempty"`
	OldFlavor      string            `json:"old_flavor,omitempty" cbor:"10,keyasint,omitempty"` // ref, during a resize
	NewFlavor      string            `json:"new_flavor,omitempty" cbor:"11,keyasint,omitempty"` // ref, during a resize
	BootFromVolume bool              `json:"boot_from_volume,omitempty" cbor:"12,keyasint,omitempty"`
	ImageTraits    []placement.Trait `json:"image_traits,omitempty" cbor:"13,keyasint,omitempty"` // trait:X=required of the image
	Zone           string            `json:"availability_zone,omitempty" cbor:"14,keyasint,omitempty"`
	Deleted        int64             `json:"deleted_at_ms,omitempty" cbor:"15,keyasint,omitempty"`
	Hidden         bool              `json:"hidden,omitempty" cbor:"16,keyasint,omitempty"` // the other copy of a move between cells
	Fault          string            `json:"fault,omitempty" cbor:"17,keyasint,omitempty"`  // why its last operation failed
	// Mappings say which provider serves which request group, by the group's
	// suffix: what a scheduler hands to the compute and to Cyborg.
	Mappings map[string][]placement.ProviderID `json:"mappings,omitempty" cbor:"18,keyasint,omitempty"`
	Updated  int64                             `json:"updated_at_ms,omitempty" cbor:"19,keyasint,omitempty"`
	// ForcedHost is the host that the operator booted it on, bypassing the scheduler;
	// empty if the scheduler chooses.
	ForcedHost string `json:"force_host,omitempty" cbor:"20,keyasint,omitempty"`
	// Requested is where its boot was asked to go until it has landed; nil for the
	// first candidate.
	Requested *Destination `json:"requested_destination,omitempty" cbor:"21,keyasint,omitempty"`
	// Tried are the hosts that could not build it: its boot passes them over. Upstream
	// they are the retry of the request spec.
	Tried []string `json:"retry_hosts,omitempty" cbor:"23,keyasint,omitempty"`
	// Image are the properties of its image as it was booted, and its DiskFormat; nil
	// if nothing was said of it.
	//
	// Source: nova/utils.py, get_system_metadata_from_image.
	Image map[string]string `json:"image_properties,omitempty" cbor:"22,keyasint,omitempty"`
	// PCIRequests are what it was booted or resized with: later changes of an alias do
	// not apply to it. During a resize it has those of both flavors.
	PCIRequests []PCIRequest `json:"pci_requests,omitempty" cbor:"24,keyasint,omitempty"`
	// HostZone is the availability zone that Nova's API reports: that of its host. Which
	// one was requested, Zone, is not known then.
	HostZone string `json:"host_availability_zone,omitempty" cbor:"25,keyasint,omitempty"`
	// Node is the hypervisor_hostname of its compute node, which a host of bare metal has
	// several of; empty for the only one. See Snapshot.NodesOf.
	Node string      `json:"node,omitempty" cbor:"26,keyasint,omitempty"`
	Kept ExtraFields `json:"kept,omitempty" cbor:"30,keyasint,omitempty"` // of objects, beyond these columns
}

// VMState is what an instance is, apart from what is being done to it.
//
// Source: nova/compute/vm_states.py.
type VMState string

// The states.
const (
	Active           VMState = "active"
	Building         VMState = "building"
	Paused           VMState = "paused"
	Suspended        VMState = "suspended"
	Stopped          VMState = "stopped"
	Rescued          VMState = "rescued"
	Resized          VMState = "resized" // waits for confirm or revert
	SoftDeleted      VMState = "soft-delete"
	Deleted          VMState = "deleted"
	Broken           VMState = "error"
	Shelved          VMState = "shelved"
	ShelvedOffloaded VMState = "shelved_offloaded"
)

// Placed reports whether an instance in this state is on a host, so that one of which no
// host is told has one that is not known.
func (s VMState) Placed() bool {
	return slices.Contains([]VMState{Active, Stopped, Paused, Suspended, Rescued, Resized, Shelved}, s)
}

// TaskState is what is being done to an instance, "" for nothing.
//
// Source: nova/compute/task_states.py.
type TaskState string

// LiveMigrating is the task state of a live migration, which only Nova itself sets.
const LiveMigrating TaskState = "migrating"

// The task states that this program sets.
const (
	Scheduling      TaskState = "scheduling"
	BlockDevice     TaskState = "block_device_mapping"
	Spawning        TaskState = "spawning"
	ResizePrep      TaskState = "resize_prep"
	ResizeMigrating TaskState = "resize_migrating"
	ResizeMigrated  TaskState = "resize_migrated"
	ResizeFinish    TaskState = "resize_finish"
	ResizeReverting TaskState = "resize_reverting"
	Deleting        TaskState = "deleting"
)

// Moves reports whether an instance in this state is being resized or migrated, so that it has
// a migration. One in ResizePrep may not have it yet.
func (t TaskState) Moves() bool {
	return slices.Contains([]TaskState{LiveMigrating, ResizeMigrating, ResizeMigrated, ResizeFinish, ResizeReverting}, t)
}

// RecordKind implements versioned.Record.
func (*Instance) RecordKind() versioned.Kind { return KindInstance }

// RecordKey implements versioned.Record.
func (i *Instance) RecordKey() []byte { return slices.Clone(i.UUID[:]) }

// RecordName implements versioned.Named.
func (i *Instance) RecordName() string { return i.Name }

// Validate implements ledger.Row: an instance has a uuid and a name, and asks for no
// more devices than there can be.
func (i *Instance) Validate() error {
	if i.UUID.IsZero() || i.Name == "" {
		return placement.Invalid("instance", i.Name, "needs a uuid and a display_name")
	}
	for _, r := range i.PCIRequests {
		if err := r.validate(); err != nil {
			return err
		}
	}
	return nil
}

// Edit returns a copy of i as edit leaves it.
func (i *Instance) Edit(edit func(*Instance)) *Instance { return versioned.Edited(i, edit) }

// Offloaded reports whether the instance is shelved and was taken off its host, so that it
// holds nothing until it is unshelved.
func (i *Instance) Offloaded() bool {
	return i.VMState == ShelvedOffloaded && i.TaskState == "" && i.Host == ""
}

// Failed reports whether the instance is in error and on no host, as one that could not be
// built: nothing of it runs anywhere.
func (i *Instance) Failed() bool { return i.VMState == Broken && i.TaskState == "" && i.Host == "" }

// Live reports whether the instance is not deleted.
func (i *Instance) Live() bool { return i.VMState != Deleted && i.Deleted == 0 }
