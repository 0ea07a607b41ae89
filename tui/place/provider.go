package place

import "github.com/placetop/placetop/model/placement"

// Actions on providers.
type (
	// SetProvider changes a provider, or several alike: Others are more of them, see IDs.
	// Part is where the form opens, and Class the first value of the class where there are
	// several providers.
	SetProvider struct {
		place
		ID     placement.ProviderID
		Others string
		Part   ProviderPart
		Class  placement.ResourceClass
	}
	// EditText changes a thing of a Kind as YAML in an editor: the one that Name names.
	EditText struct {
		place
		Kind, Name string
	}
	// Reshape moves inventories From a provider to another one of its tree.
	Reshape struct {
		place
		From placement.ProviderID
	}
	// NewProvider makes a provider, below a Parent or as a root.
	NewProvider struct {
		place
		Parent placement.ProviderID
	}
	// DelProvider deletes providers with all below them; Others are more of them, see IDs.
	DelProvider struct {
		place
		ID     placement.ProviderID
		Others string
	}
)

// ProviderPart is a part of a provider that people edit.
type ProviderPart string

// Parts.
const (
	PartInventory  ProviderPart = ""
	PartName       ProviderPart = "name" // and the parent
	PartTraits     ProviderPart = "traits"
	PartAggregates ProviderPart = "aggregates"
)
