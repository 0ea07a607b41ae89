package demo

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/placement"
)

//go:embed cloud.toml
var cloudTOML string

//go:embed story.toml
var storyTOML string

// data is what the cloud is made of, as cloud.toml and story.toml say it.
type data struct {
	Plain        []string
	Flavors      []flavor
	Alias        string
	Aggregates   []string
	Classes      []placement.ResourceClass
	Traits       []placement.Trait
	Capabilities []placement.Trait
	Newer        []placement.Trait
	Tenants      struct{ CPU, Devices, Pinned []tenant }
	Models       map[string]model
	Kinds        map[string]kind
	Showcase     []struct {
		Kind      string
		Fill      float64
		Bandwidth bool
	}
	WithoutCards []string `toml:"without_cards"`
	WithCards    []string `toml:"with_cards"`

	Stage, Troubles []act
}

// read returns the data.
func read() data {
	var d data
	for _, text := range []string{cloudTOML, storyTOML} {
		of, err := toml.Decode(text, &d)
		if unknown := of.Undecoded(); err == nil && len(unknown) > 0 {
			err = fmt.Errorf("unknown keys %v", unknown)
		}
		if err != nil {
			panic("demo: " + err.Error())
		}
	}
	return d
}

// flavor is what an instance asks for.
type flavor struct {
	Name             string
	VCPUs, GiB, Disk int64
	Devices          []device
	Profile          string // for Cyborg's devices
	Pinned           bool   // the CPUs are dedicated
	Alias            string // of PCI devices that are counted together, with their number; "" if none
}

// device is a device that a flavor asks for.
type device struct {
	Class placement.ResourceClass
	Owner placement.Trait
	N     int64
	Trait placement.Trait // that the device profile requires; "" if none
}

// tenant is a project with its users and the services that it runs.
type tenant struct {
	Project  string
	Users    []string
	Services []string
}

// kind is what a compute node is made for.
type kind struct {
	VCPUs, PCPUs, GiB, Disk int64
	Pool                    bool // its disk is in the sharing pool
	Version                 int  // of its nova-compute; 0 for the current one
	Cards                   []struct {
		Model   string
		Bus     uint8
		NUMA    int  // its NUMA node, from 1; 0 if not known
		Unowned bool // nobody says who owns it, and instances are kept off it
	}
}

// model is a sort of device.
type model struct {
	Owner  placement.Trait
	Class  placement.ResourceClass // "" if only Nova's records know it
	Units  int64
	Mdev   string            // the type into which Nova divides it; "" if it does not
	Traits []placement.Trait // that Nova reports beside its usual ones
	Marks  []placement.Trait // that an operator adds
	Card   cyborg.Card
}

// act is a row of the story; see story.toml.
type act struct {
	Needs      int // how many hosts
	Do         string
	Ago, After span
	Close      bool // afterwards no instance starts on the device, or on the host if the row has none

	Host, Other           int    // numbers, from 1; 0 for none
	Device, Runs          string // ends of the names of devices: what is held, and what the guest really has
	Name, Flavor, Project string // of an instance
	Idle                  bool   // only if the device is not in use

	Class           placement.ResourceClass
	Trait           placement.Trait
	Aggregate       string
	Total, Reserved int64
	Ratio           float64

	Actor, Note string
}

// span is a length of time: 5d3h.
type span time.Duration

// UnmarshalText reads what time.ParseDuration does, with days before it.
func (s *span) UnmarshalText(text []byte) error {
	days, rest, found := strings.Cut(string(text), "d")
	if !found {
		days, rest = "0", days
	}
	n, err := strconv.Atoi(days)
	d, invalid := time.ParseDuration(cmp.Or(rest, "0"))
	*s = span(time.Duration(n)*day + d)
	return errors.Join(err, invalid)
}
