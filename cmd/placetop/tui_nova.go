package main

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/arqs"
	"github.com/placetop/placetop/tui/screen/devices"
	"github.com/placetop/placetop/tui/screen/flavors"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/screen/migrations"
	"github.com/placetop/placetop/tui/screen/profiles"
	"github.com/placetop/placetop/tui/screen/services"
)

// novaScreens makes the screens of what Nova and Cyborg know.
func novaScreens() map[screen.Kind]tui.Factory {
	list := func(open func(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen) tui.Factory {
		return func(env screen.Env, filter string) (screen.Screen, error) {
			return open(env, env.Cloud.Snapshot(), filter), nil
		}
	}
	page := func(open func(env screen.Env, snap *cloud.Snapshot, which string) (screen.Screen, error)) tui.Factory {
		return func(env screen.Env, which string) (screen.Screen, error) {
			return open(env, env.Cloud.Snapshot(), which)
		}
	}
	return map[screen.Kind]tui.Factory{
		screen.Flavors:    list(flavors.New),
		screen.Flavor:     page(flavors.Open),
		screen.Instances:  list(instances.New),
		screen.Instance:   page(instances.Open),
		screen.Services:   list(services.New),
		screen.Devices:    list(devices.New),
		screen.Device:     page(devices.Open),
		screen.Profiles:   list(profiles.New),
		screen.ARQs:       list(arqs.New),
		screen.Migrations: list(migrations.New),
	}
}
