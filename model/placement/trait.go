package placement

import (
	_ "embed"
	"strings"
	"sync"
)

// Trait is the name of a property that a provider has or lacks.
type Trait string

// TraitID is the number of a trait: its position in the standard list, or
// CustomID and above for a custom trait. Numbers are stable within a cloud.
type TraitID int32

// Traits that this program refers to by name. They are set by Nova (OWNER_NOVA,
// COMPUTE_*), by Cyborg (OWNER_CYBORG) and by operators (the rest).
const (
	OwnerNova             Trait = "OWNER_NOVA"
	OwnerCyborg           Trait = "OWNER_CYBORG"
	SharesViaAggregate    Trait = "MISC_SHARES_VIA_AGGREGATE"
	ComputeNode           Trait = "COMPUTE_NODE"
	ComputeStatusDisabled Trait = "COMPUTE_STATUS_DISABLED"
	ComputeAccelerators   Trait = "COMPUTE_ACCELERATORS"
	ComputeManagedPCI     Trait = "COMPUTE_MANAGED_PCI_DEVICE"
	HWPCIOneTimeUse       Trait = "HW_PCI_ONE_TIME_USE"
	HWPCILiveMigratable   Trait = "HW_PCI_LIVE_MIGRATABLE"
	HWNUMARoot            Trait = "HW_NUMA_ROOT"
)

// standardTraitsText is the snapshot of os-traits, one name a line. It is
// append-only: stored numbers depend on the order.
//
//go:embed standard-traits.txt
var standardTraitsText string

// standardTraitList splits the embedded list once; the result is never changed.
//
//nolint:gochecknoglobals // an immutable table, computed on first use
var standardTraitList = sync.OnceValue(func() []Trait {
	names := strings.Fields(standardTraitsText)
	out := make([]Trait, len(names))
	for i, n := range names {
		out[i] = Trait(n)
	}
	return out
})

// StandardTraits returns the standard traits; the index of each is its TraitID.
// The slice is shared and must not be changed.
//
// Source: os-traits, os_traits/.
func StandardTraits() []Trait { return standardTraitList() }

// IsCustom reports whether t is a custom trait.
func (t Trait) IsCustom() bool { return strings.HasPrefix(string(t), customPrefix) }

// IsOwner reports whether t says which service a provider belongs to.
func (t Trait) IsOwner() bool { return t == OwnerNova || t == OwnerCyborg }

// Validate returns an error that matches ErrInvalid unless t is made of the
// letters A to Z, digits and "_", 1 to 255 of them.
//
// Source: placement/schemas/trait.py.
func (t Trait) Validate() error { return validName("trait", string(t)) }
