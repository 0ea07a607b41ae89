package main

import (
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
)

// things are the subjects of the pages that a test goes to.
type things struct {
	provider, card, pool placement.ProviderID
	instance             placement.ConsumerID
	flavor, profile      string
	service              place.SetService
	device               uuid.UUID
	revision             cloud.Revision
}

// places returns one or more pages of each kind that is about one thing.
func (a things) places() []place.Place {
	return []place.Place{
		place.Provider{ID: a.provider},
		place.Provider{ID: a.card},
		place.Handover{Provider: a.card},
		place.Allocate{Provider: a.provider},
		place.SetProvider{ID: a.card},
		place.SetProvider{ID: a.provider, Part: place.PartTraits},
		place.Reshape{From: a.card},
		place.NewProvider{Parent: a.provider},
		place.DelProvider{ID: a.card},
		place.Pool{ID: a.pool},
		place.Consumer{ID: a.instance},
		place.Release{Consumer: a.instance},
		place.Instance{ID: a.instance},
		place.Resize{Instance: a.instance},
		place.Migrate{Instance: a.instance},
		place.Terminate{Instance: a.instance},
		place.Evacuate{Instance: a.instance},
		place.Heal{Instance: a.instance},
		place.Flavor{Ref: a.flavor},
		place.Boot{Flavor: a.flavor},
		place.SetFlavor{Name: a.flavor},
		place.DelFlavor{Name: a.flavor},
		place.NewProfile{},
		place.DelProfile{Name: a.profile},
		a.service,
		place.Device{ID: a.device},
		place.SetDevice{ID: a.device, Disable: true},
		place.Event{Revision: a.revision},
		place.WhatIf{Flavor: a.flavor},
	}
}

// thingsOf returns the things of the demo cloud whose pages show most.
func thingsOf(t *testing.T, s *cloud.Snapshot) things {
	t.Helper()
	named := func(name string) placement.ProviderID {
		p, ok := s.Placement().ProviderByName(name)
		if !ok {
			t.Fatalf("the demo has no provider %s", name)
		}
		return p.ID()
	}
	a := things{
		provider: named("cmp-003"), card: named("cmp-003_0000:82:00.0"), flavor: "gpu.t4.1c", profile: "a100-whole",
		service: place.SetService{Do: place.Disable, Binary: nova.Compute, Host: "cmp-003"}, revision: s.Revision() - 1,
	}
	a.instance = modeltest.InstanceNamed(t, s, "infer-10").UUID
	for p := range s.Placement().Providers() {
		if s.Placement().Shares(p) {
			a.pool = p.ID()
		}
	}
	for d := range s.Cyborg().DevicesOn("cmp-003") {
		a.device = d.UUID
	}
	if a.instance.IsZero() || a.pool.IsZero() || a.device == uuid.Nil {
		t.Fatal("the demo lacks an instance, a pool or a device")
	}
	return a
}
