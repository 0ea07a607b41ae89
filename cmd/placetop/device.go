package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/ops"
)

// setDevice returns "placetop set device".
func (p *program) setDevice() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "device DEVICE",
		Aliases: []string{"dev"},
		Short:   "Take a device out of service, or put it back",
		Long: `Take a device out of service, or put it back. While it is out, all of its inventory
is reserved: nothing new lands on it, and what is there stays. DEVICE is HOST:ADDRESS,
such as compute1:0000:af:00.0, or its uuid.`,
		Example: `  placetop set device cmp-003:0000:81:00.0 --disable --dry-run`,
	}
	disable, _ := switchFlags(cmd, "disable", "take it out of service", "enable", "put it back into service")
	needsOneOf(cmd, "disable", "enable")
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		d, err := f.Device(args[0])
		if err != nil {
			return ops.Plan{}, err
		}
		return ops.PlanDeviceStatus(f.Snapshot, d.UUID, *disable)
	})
}
