package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/ops"
)

// mostProfileBytes is the largest body of a device profile.
const mostProfileBytes = 1 << 20

// createProfile returns "placetop create profile".
func (p *program) createProfile() *cobra.Command {
	var o struct {
		Group       []string `flag:"group" each:"yes" not:"file" help:"ask for the resources and traits of <KEY=VALUE,...>; may be repeated"`
		Description string   `flag:"description" not:"file" help:"what it is for, in <WORDS>"`
		File        string   `flag:"file" help:"read it from <FILE>"`
	}
	cmd := command(`profile [NAME]
Create a device profile, and print its uuid
Also called dp

Create a device profile: what a flavor with accel:device_profile=NAME asks of
Cyborg. Each --group is served by one device: resources:CLASS=AMOUNT,
trait:TRAIT=required or forbidden, accel:KEY=VALUE, with commas between them. --file
reads it as in the body of the API: a list of one object with name, groups and
description; - is standard input.

Examples:
  placetop create profile dp-vgpu --group resources:VGPU=1,trait:OWNER_CYBORG=required
  placetop create profile --file profile.json --dry-run`)
	w := p.makingFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var wish *cyborg.DeviceProfile
		var err error
		switch {
		case o.File != "":
			wish, err = p.readProfile(cmd.Context(), o.File)
		case len(args) == 0:
			return usageErrorf("name it, or give --file", "%s needs a name", cmd.CommandPath())
		default:
			wish, err = profileOf(args[0], o.Description, o.Group)
		}
		if err != nil {
			return err
		}
		if len(args) > 0 && args[0] != wish.Name {
			return usageErrorf("leave out one of them", "the profile has two names: %s, and %s in %s", args[0], wish.Name, o.File)
		}
		wish = wish.New()
		plan := func(f finder) (ops.Plan, error) { return ops.PlanProfile(f.Snapshot, wish, p.now()) }
		return p.write(cmd.Context(), w, plan, func(outcome) any { return wish.UUID })
	}
	return cmd
}

// readProfile reads a device profile from a file.
func (p *program) readProfile(ctx context.Context, file string) (*cyborg.DeviceProfile, error) {
	in, name, err := p.input(ctx, file)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(io.LimitReader(in, mostProfileBytes))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	wish, err := cyborg.ParseDeviceProfile(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return wish, nil
}

// profileOf returns the device profile in the flags. CreateDeviceProfile checks its
// groups.
func profileOf(name, description string, groups []string) (*cyborg.DeviceProfile, error) {
	wish := &cyborg.DeviceProfile{Name: name, Description: description}
	for _, text := range groups {
		g, err := ops.ParseProperties(strings.Split(text, ","))
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", text, withPropertyHint(err, "write it as resources:CLASS=AMOUNT or trait:TRAIT=required"))
		}
		wish.Groups = append(wish.Groups, g)
	}
	return wish, nil
}
