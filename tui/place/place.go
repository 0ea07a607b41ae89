// Package place names the places of the dashboard: a type for each screen, whose fields
// say what the screen is about. A screen opens another by its place, so that no screen
// imports another. Places are comparable values.
//
// Places that can be typed after ":" also have a text, see Parse.
package place

import (
	"reflect"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Place is where one can be: one of the types of this package.
type Place interface{ isPlace() }

// place makes a type a Place.
type place struct{}

func (place) isPlace() {}

// Kind returns what sort of place p is, in one word; "" for nil.
func Kind(p Place) string {
	if p == nil {
		return ""
	}
	return strings.ToLower(reflect.TypeOf(p).Name())
}

// Overviews.
type (
	// Pulses is the overview of all.
	Pulses struct{ place }
	// Owners shows who owns the accelerators, and how far the upgrade gate is.
	Owners struct {
		place
		Simulate Simulation
		Gate     bool // the cursor is on what holds the gate
	}
	// Problems lists what is wrong, with the cursor on a Rule, or on what it found
	// about a Subject. Both may be empty.
	Problems struct {
		place
		Rule    audit.RuleID
		Subject string
	}
	// Files copies the whole cloud to a File, or from it: Do is what of that, "" for any.
	Files struct {
		place
		Do, File string
	}
	// Hardware is this machine beside what Placement says of it.
	Hardware struct{ place }
	// Find goes to anything by a few letters, at first by Text.
	Find struct {
		place
		Text string
	}
	// Command is what is typed after ":", by its name: a page to choose from, or the line
	// itself where it takes more.
	Command struct {
		place
		Name string
	}
	// Help is the page of all keys.
	Help struct{ place }
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
	Providers struct {
		place
		Filter string
	}
	// Consumers lists who holds something.
	Consumers struct {
		place
		Filter string
	}
	// Flavors lists flavors.
	Flavors struct {
		place
		Filter string
	}
	// Instances lists instances.
	Instances struct {
		place
		Filter string
	}
	// Services lists Nova's services; the cursor is on those of Host, if there is one.
	Services struct {
		place
		Filter, Host string
	}
	// Devices lists Cyborg's devices.
	Devices struct {
		place
		Filter string
	}
	// ARQs lists accelerator requests.
	ARQs struct {
		place
		Filter string
	}
	// Migrations lists moves.
	Migrations struct {
		place
		Filter string
	}
	// Profiles lists device profiles.
	Profiles struct {
		place
		Filter string
	}
	// Classes lists resource classes.
	Classes struct {
		place
		Filter string
	}
	// Traits lists traits.
	Traits struct {
		place
		Filter string
	}
	// Aggregates lists aggregates.
	Aggregates struct {
		place
		Filter string
	}
	// Pools lists what hosts share.
	Pools struct {
		place
		Filter string
	}
	// Shares lists what each host has of the pools that serve it.
	Shares struct {
		place
		Filter string
	}
	// Projects lists projects.
	Projects struct {
		place
		Filter string
	}
	// Users lists users.
	Users struct {
		place
		Filter string
	}
	// Journal lists what happened, the newest first.
	Journal struct {
		place
		Filter string
	}
	// Unfinished lists what was interrupted.
	Unfinished struct {
		place
		Filter string
	}
)

// Pages about one thing.
type (
	// Provider shows one resource provider.
	Provider struct {
		place
		ID placement.ProviderID
	}
	// Consumer is one consumer.
	Consumer struct {
		place
		ID placement.ConsumerID
	}
	// Flavor is one flavor.
	Flavor struct {
		place
		Ref string
	}
	// Instance is one instance.
	Instance struct {
		place
		ID placement.ConsumerID
	}
	// Device is one device.
	Device struct {
		place
		ID uuid.UUID
	}
	// Event is one revision of the journal.
	Event struct {
		place
		Revision cloud.Revision
	}
)

// WhatIf asks for allocation candidates: by a query, or by what one thing gives, holds
// or needs. At most one of the first five is set, except that beside a Flavor, Provider is the
// one to explain in words. With none, it asks an example.
type WhatIf struct {
	place
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
	Allocate struct {
		place
		Provider placement.ProviderID
	}
	// Release releases all that a consumer holds, or what it holds of one provider. Others
	// are more consumers to release the same of, see IDs.
	Release struct {
		place
		Consumer placement.ConsumerID
		From     placement.ProviderID
		Others   string
	}
	// Resize moves an instance to another flavor.
	Resize struct {
		place
		Instance placement.ConsumerID
	}
	// Migrate moves an instance to another host.
	Migrate struct {
		place
		Instance placement.ConsumerID
	}
	// Terminate ends an instance for good.
	Terminate struct {
		place
		Instance placement.ConsumerID
	}
	// Evacuate starts an instance elsewhere.
	Evacuate struct {
		place
		Instance placement.ConsumerID
	}
	// Heal corrects what an instance holds.
	Heal struct {
		place
		Instance placement.ConsumerID
	}
	// Boot starts with a flavor, or with none.
	Boot struct {
		place
		Flavor string
	}
)

// Things to create and change.
type (
	// SetFlavor makes a new flavor where Name is empty.
	SetFlavor struct {
		place
		Name string
	}
	// DelFlavor deletes a flavor.
	DelFlavor struct {
		place
		Name string
	}
	// NewProfile makes a device profile.
	NewProfile struct{ place }
	// DelProfile deletes a device profile.
	DelProfile struct {
		place
		Name string
	}
	// SetService changes a service.
	SetService struct {
		place
		Do           ServiceVerb
		Binary, Host string
	}
	// SetDevice puts a device under maintenance, or ends that.
	SetDevice struct {
		place
		ID      uuid.UUID
		Disable bool
	}
	// Pool changes the pool with an ID, or else a Name, that hosts share; with neither
	// it makes a new one.
	Pool struct {
		place
		ID   placement.ProviderID
		Name string
	}
	// Handover hands a card to another owner: with OwnedByNone, to the one that does
	// not have it. For a host it lists the cards, and without a Provider those of all
	// hosts that pass Filter.
	Handover struct {
		place
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
