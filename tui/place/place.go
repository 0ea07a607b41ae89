// Package place names the places of the dashboard: a type for each screen, whose fields
// say what the screen is about. A screen opens another by its place, so that no screen
// imports another. Places are comparable values.
//
// Places that can be typed after ":" also have a text, see Parse.
package place

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Place is where one can be: one of the types of this package.
type Place interface {
	// kind names the type, for crash reports and the ids of keys
	kind() string
}

// Kind returns what sort of place p is, in one word; "" for nil.
func Kind(p Place) string {
	if p == nil {
		return ""
	}
	return p.kind()
}

// Overviews.
type (
	// Pulses is the overview of all.
	Pulses struct{}
	// Owners shows who owns the accelerators.
	Owners struct{}
	// Gate is how far the upgrade gate is.
	Gate struct{ Simulate Simulation }
	// Problems lists what is wrong, with the cursor on a Rule, or on what it found
	// about a Subject. Both may be empty.
	Problems struct {
		Rule    audit.RuleID
		Subject string
	}
	// Files copies the whole cloud to a File, or from it: Do is what of that, "" for any.
	Files struct{ Do, File string }
	// Hardware is this machine beside what Placement says of it.
	Hardware struct{}
	// Find goes to anything by a few letters, at first by Text.
	Find struct{ Text string }
	// Help is the page of all keys.
	Help struct{}
)

// Simulation is what the screen of the gate tries out at first.
type Simulation string

// Simulations.
const (
	NoSimulation    Simulation = ""
	SimulateOpen    Simulation = "open"    // the gate opens now
	SimulateUpgrade Simulation = "upgrade" // every nova-compute is upgraded first
)

// Lists. Filter, if not empty, narrows one.
type (
	// Providers lists resource providers.
	Providers struct{ Filter string }
	// Consumers lists who holds something.
	Consumers struct{ Filter string }
	// Flavors lists flavors.
	Flavors struct{ Filter string }
	// Instances lists instances.
	Instances struct{ Filter string }
	// Services lists Nova's services; the cursor is on those of Host, if there is one.
	Services struct{ Filter, Host string }
	// Devices lists Cyborg's devices.
	Devices struct{ Filter string }
	// ARQs lists accelerator requests.
	ARQs struct{ Filter string }
	// Migrations lists moves.
	Migrations struct{ Filter string }
	// Profiles lists device profiles.
	Profiles struct{ Filter string }
	// Classes lists resource classes.
	Classes struct{ Filter string }
	// Traits lists traits.
	Traits struct{ Filter string }
	// Aggregates lists aggregates.
	Aggregates struct{ Filter string }
	// Pools lists what hosts share.
	Pools struct{ Filter string }
	// Shares lists what each host has of the pools that serve it.
	Shares struct{ Filter string }
	// Projects lists projects.
	Projects struct{ Filter string }
	// Users lists users.
	Users struct{ Filter string }
	// Journal lists what happened, the newest first.
	Journal struct{ Filter string }
	// Unfinished lists what was interrupted.
	Unfinished struct{ Filter string }
)

// Pages about one thing.
type (
	// Provider shows one resource provider.
	Provider struct{ ID placement.ProviderID }
	// Consumer is one consumer.
	Consumer struct{ ID placement.ConsumerID }
	// Flavor is one flavor.
	Flavor struct{ Ref string }
	// Instance is one instance.
	Instance struct{ ID placement.ConsumerID }
	// Device is one device.
	Device struct{ ID uuid.UUID }
	// Event is one revision of the journal.
	Event struct{ Revision cloud.Revision }
)

// WhatIf asks for allocation candidates: by a query, or by what one thing gives, holds
// or needs. At most one of the first five is set, except that beside a Flavor, Provider is the
// one to explain in words. With none, it asks an example.
type WhatIf struct {
	Query    string // URL text
	Provider placement.ProviderID
	Consumer placement.ConsumerID
	Instance placement.ConsumerID
	Flavor   string // its ref
	Words    bool   // the explanation in words is shown first
}

// Actions on allocations and instances. Resize and Migrate also take the uuid of a
// migration, and lead to a move that waits to be confirmed or reverted, if there is one.
type (
	// Allocate starts from a provider, or from none.
	Allocate struct{ Provider placement.ProviderID }
	// Release releases all that a consumer holds, or what it holds of one provider. Others
	// are more consumers to release the same of, see IDs.
	Release struct {
		Consumer placement.ConsumerID
		From     placement.ProviderID
		Others   string
	}
	// Resize moves an instance to another flavor.
	Resize struct{ Instance placement.ConsumerID }
	// Migrate moves an instance to another host.
	Migrate struct{ Instance placement.ConsumerID }
	// Terminate ends an instance for good.
	Terminate struct{ Instance placement.ConsumerID }
	// Evacuate starts an instance elsewhere.
	Evacuate struct{ Instance placement.ConsumerID }
	// Heal corrects what an instance holds.
	Heal struct{ Instance placement.ConsumerID }
	// Boot starts with a flavor, or with none.
	Boot struct{ Flavor string }
)

// Things to create and change.
type (
	// EditFlavor makes a new flavor where Name is empty.
	EditFlavor struct{ Name string }
	// DelFlavor deletes a flavor.
	DelFlavor struct{ Name string }
	// NewProfile makes a device profile.
	NewProfile struct{}
	// DelProfile deletes a device profile.
	DelProfile struct{ Name string }
	// SetService changes a service.
	SetService struct {
		Do           ServiceVerb
		Binary, Host string
	}
	// SetDevice puts a device under maintenance, or ends that.
	SetDevice struct {
		ID      uuid.UUID
		Disable bool
	}
	// Pool changes the pool with an ID, or else a Name, that hosts share; with neither
	// it makes a new one.
	Pool struct {
		ID   placement.ProviderID
		Name string
	}
	// Handover hands a card to another owner: with OwnedByNone, to the one that does
	// not have it. For a host it lists the cards, and without a Provider those of all
	// hosts that pass Filter.
	Handover struct {
		Provider placement.ProviderID
		To       placement.Owner
		Filter   string
	}
)

// ServiceVerb is what can be done to a service.
type ServiceVerb string

// Verbs.
const (
	Disable ServiceVerb = "disable"
	Enable  ServiceVerb = "enable"
	Down    ServiceVerb = "down" // say that it is down, whatever it reports
	Up      ServiceVerb = "up"
	Upgrade ServiceVerb = "upgrade"
	Delete  ServiceVerb = "delete"
)

func (Pulses) kind() string     { return "pulses" }
func (Owners) kind() string     { return "owners" }
func (Gate) kind() string       { return "gate" }
func (Problems) kind() string   { return "problems" }
func (Files) kind() string      { return "files" }
func (Hardware) kind() string   { return "hardware" }
func (Find) kind() string       { return "find" }
func (Help) kind() string       { return "help" }
func (Providers) kind() string  { return "providers" }
func (Consumers) kind() string  { return "consumers" }
func (Flavors) kind() string    { return "flavors" }
func (Instances) kind() string  { return "instances" }
func (Services) kind() string   { return "services" }
func (Devices) kind() string    { return "devices" }
func (ARQs) kind() string       { return "arqs" }
func (Migrations) kind() string { return "migrations" }
func (Profiles) kind() string   { return "profiles" }
func (Unfinished) kind() string { return "unfinished" }
func (Classes) kind() string    { return "classes" }
func (Traits) kind() string     { return "traits" }
func (Aggregates) kind() string { return "aggregates" }
func (Pools) kind() string      { return "pools" }
func (Shares) kind() string     { return "shares" }
func (Projects) kind() string   { return "projects" }
func (Users) kind() string      { return "users" }
func (Journal) kind() string    { return "journal" }
func (Event) kind() string      { return "event" }
func (Provider) kind() string   { return "provider" }
func (Consumer) kind() string   { return "consumer" }
func (Flavor) kind() string     { return "flavor" }
func (Instance) kind() string   { return "instance" }
func (Device) kind() string     { return "device" }
func (WhatIf) kind() string     { return "whatif" }
func (Allocate) kind() string   { return "allocate" }
func (Release) kind() string    { return "release" }
func (Resize) kind() string     { return "resize" }
func (Migrate) kind() string    { return "migrate" }
func (Terminate) kind() string  { return "terminate" }
func (Evacuate) kind() string   { return "evacuate" }
func (Heal) kind() string       { return "heal" }
func (Boot) kind() string       { return "boot" }
func (EditFlavor) kind() string { return "setflavor" }
func (DelFlavor) kind() string  { return "delflavor" }
func (NewProfile) kind() string { return "newprofile" }
func (DelProfile) kind() string { return "delprofile" }
func (SetService) kind() string { return "setservice" }
func (SetDevice) kind() string  { return "setdevice" }
func (Pool) kind() string       { return "pool" }
func (Handover) kind() string   { return "handover" }
