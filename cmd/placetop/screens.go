package main

import (
	"slices"

	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/screen/devices"
	"github.com/placetop/placetop/tui/screen/edit"
	"github.com/placetop/placetop/tui/screen/find"
	"github.com/placetop/placetop/tui/screen/flavors"
	"github.com/placetop/placetop/tui/screen/hardware"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/screen/journal"
	"github.com/placetop/placetop/tui/screen/owners"
	"github.com/placetop/placetop/tui/screen/problems"
	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/screen/pulses"
	"github.com/placetop/placetop/tui/screen/services"
	"github.com/placetop/placetop/tui/screen/vocabulary"
	"github.com/placetop/placetop/tui/screen/whatif"
)

// screens returns the declarations of all screens, in the order of help.
func screens() []screen.Declaration {
	return slices.Concat(
		pulses.Screens(),
		providers.Screens(),
		edit.Screens(),
		consumers.Screens(),
		whatif.Screens(),
		owners.Screens(),
		problems.Screens(),
		journal.Screens(),
		hardware.Screens(),
		devices.Screens(),
		flavors.Screens(),
		instances.Screens(),
		services.Screens(),
		vocabulary.Screens(),
		find.Screens(),
	)
}
