package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/ops"
)

// setDevice returns "placetop set device".
func (p *program) setDevice() *cobra.Command {
	var o struct {
		Disable bool `flag:"disable" help:"take it out of service"`
		Enable  bool `flag:"enable" not:"disable" help:"put it back into service"`
	}
	cmd := command(`device DEVICE
Take a device out of service, or put it back
Also called dev

Take a device out of service, or put it back. While it is out, all of its inventory
is reserved: nothing new lands on it, and what is there stays. DEVICE is HOST:ADDRESS,
such as compute1:0000:af:00.0, or its uuid.

Examples:
  placetop set device cmp-003:0000:81:00.0 --disable --dry-run`)
	needsOneOf(cmd, "disable", "enable")
	return p.changes(cmd, p.writeFlags(cmd, &o), func(f finder, args []string) (ops.Plan, error) {
		d, err := f.Device(args[0])
		if err != nil {
			return ops.Plan{}, err
		}
		return ops.PlanDeviceStatus(f.Snapshot, d.UUID, o.Disable)
	})
}
