package memory

import (
	"context"
	"fmt"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// Engine opens "mem:": an empty cloud, which is gone when its store is closed.
type Engine struct{}

var _ engine.Opener = Engine{}

// Scheme implements engine.Opener.
func (Engine) Scheme() string { return "mem" }

// Has implements engine.Opener: an empty cloud may always be read.
func (Engine) Has(place string) (bool, error) { return true, unnamed(place) }

// Open implements engine.Opener.
func (Engine) Open(_ context.Context, place string, o engine.Options) (storage.Store, error) {
	if err := unnamed(place); err != nil {
		return nil, err
	}
	return New(Options{Clock: o.Clock}), nil
}

// unnamed refuses a name: no cloud in memory has one.
func unnamed(place string) error {
	if place != "mem:" {
		return fmt.Errorf("mem:%s: a cloud in memory has no name, write mem: alone: %w", place, placement.ErrInvalid)
	}
	return nil
}
