package nova

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// KindFlavor is the kind of Flavor.
const KindFlavor versioned.Kind = "flavor"

// Flavor is what an instance may ask for. It is never changed once written: an
// instance keeps what it was booted with. Editing one, such as its extra specs,
// writes the next revision under the same name, and deleting it marks the newest.
//
// Source: nova/objects/flavor.py; nova/objects/instance.py keeps a copy of the
// flavor with each instance, for the same reason.
type Flavor struct {
	Name        string            `json:"name" cbor:"1,keyasint"`
	Revision    int64             `json:"revision,omitempty" cbor:"2,keyasint,omitempty"` // 0 for the first
	FlavorID    string            `json:"flavorid" cbor:"3,keyasint"`                     // as the API names it
	VCPUs       int64             `json:"vcpus" cbor:"4,keyasint"`
	MemoryMB    int64             `json:"memory_mb" cbor:"5,keyasint"`
	RootGB      int64             `json:"root_gb" cbor:"6,keyasint"`
	EphemeralGB int64             `json:"ephemeral_gb,omitempty" cbor:"7,keyasint,omitempty"`
	SwapMB      int64             `json:"swap,omitempty" cbor:"8,keyasint,omitempty"` // MiB, unlike the other disks
	Disabled    bool              `json:"disabled,omitempty" cbor:"9,keyasint,omitempty"`
	Private     bool              `json:"private,omitempty" cbor:"10,keyasint,omitempty"`
	Deleted     bool              `json:"deleted,omitempty" cbor:"11,keyasint,omitempty"`
	Description string            `json:"description,omitempty" cbor:"12,keyasint,omitempty"`
	ExtraSpecs  map[string]string `json:"extra_specs,omitempty" cbor:"13,keyasint,omitempty"`
	Created     int64             `json:"created_at_ms,omitempty" cbor:"14,keyasint,omitempty"`
	Kept        ExtraFields       `json:"kept,omitempty" cbor:"30,keyasint,omitempty"` // of objects, beyond these columns
}

// NewFlavor returns a flavor with the defaults of the openstack client.
//
// Source: python-openstackclient, openstackclient/compute/v2/flavor.py, CreateFlavor.
func NewFlavor() Flavor { return Flavor{VCPUs: 1, MemoryMB: 256} }

// Amount is one of the numbers of a flavor.
type Amount struct {
	Column string
	Option string // as the openstack client calls it
	Name   string
	Unit   string // "" if it is a count
	Least  int64
	Of     *int64
}

// Amounts returns the numbers of f, which may be set through them.
func (f *Flavor) Amounts() []Amount {
	return []Amount{
		{"vcpus", "vcpus", "virtual processors", "", 1, &f.VCPUs},
		{"memory_mb", "ram", "memory", "MiB", 1, &f.MemoryMB},
		{"root_gb", "disk", "root disk", "GiB", 0, &f.RootGB},
		{"ephemeral_gb", "ephemeral", "ephemeral disk", "GiB", 0, &f.EphemeralGB},
		{"swap", "swap", "swap", "MiB", 0, &f.SwapMB},
	}
}

// DiskGB returns how much disk an instance of f has, and of which columns. Placement counts
// its swap in whole GiB rounded up, the columns of a compute node rounded down.
//
// Source: nova/scheduler/utils.py, ResourceRequest.from_request_spec;
// nova/compute/resource_tracker.py, _update_usage.
func (f *Flavor) DiskGB(bootFromVolume, roundUp bool) (gb int64, columns []string) {
	root, swap := f.RootGB, f.SwapMB/1024
	if bootFromVolume {
		root = 0
	}
	if roundUp {
		swap = (f.SwapMB + 1023) / 1024
	}
	for _, disk := range []struct {
		column string
		gb     int64
	}{{"root_gb", root}, {"ephemeral_gb", f.EphemeralGB}, {"swap", swap}} {
		if disk.gb > 0 {
			gb, columns = gb+disk.gb, append(columns, disk.column)
		}
	}
	return gb, columns
}

// Ref is how instances and migrations refer to a flavor: its name and, from the second
// revision on, that number, as in "m1.small#2".
func (f *Flavor) Ref() string {
	if f.Revision == 0 {
		return f.Name
	}
	return fmt.Sprintf("%s#%d", f.Name, f.Revision+1)
}

// UnknownRevision is the revision of a flavor that an instance was booted with where a live
// cloud does not tell what that asked for: the flavor of that name may be another by now. No
// flavor has it.
const UnknownRevision = 999_999_998

// HasUnknownRevision reports whether a ref is of UnknownRevision.
func HasUnknownRevision(ref string) bool {
	return ref == (&Flavor{Name: FlavorName(ref), Revision: UnknownRevision}).Ref()
}

// FlavorName returns the name of the flavor that a ref belongs to.
func FlavorName(ref string) string {
	name := strings.TrimRight(ref, "0123456789")
	if len(name) == len(ref) || !strings.HasSuffix(name, "#") {
		return ref
	}
	return name[:len(name)-1]
}

// FlavorNames returns the names of the flavors of two refs, or the refs if the names
// are equal.
func FlavorNames(from, to string) (string, string) {
	if a, b := FlavorName(from), FlavorName(to); a != b {
		return a, b
	}
	return from, to
}

// RecordKind implements versioned.Record.
func (*Flavor) RecordKind() versioned.Kind { return KindFlavor }

// RecordKey implements versioned.Record.
func (f *Flavor) RecordKey() []byte { return []byte(f.Ref()) }

// Validate implements ledger.Row: names, and amounts within their bounds.
//
// Source: nova/compute/flavors.py, create.
func (f *Flavor) Validate() error {
	if err := named("flavor name", f.Name); err != nil {
		return err
	}
	if FlavorName(f.Name) != f.Name {
		return placement.Invalid("flavor name", f.Name, "must not end in # and a number: that is how revisions are written")
	}
	if f.Revision < 0 {
		return placement.Invalid("flavor revision", fmt.Sprint(f.Revision), "must not be negative")
	}
	for _, a := range f.Amounts() {
		if *a.Of < a.Least || *a.Of > placement.MaxInt {
			return placement.Invalid(
				"flavor "+f.Name+" "+a.Column, fmt.Sprint(*a.Of),
				fmt.Sprintf("must be from %d to %d", a.Least, placement.MaxInt))
		}
	}
	return nil
}
