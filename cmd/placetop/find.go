package main

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
)

// finder finds things by what a user calls them.
type finder struct {
	kinds.Finder
}

func finderOf(s *cloud.Snapshot) finder { return finder{kinds.Finder{Snapshot: s}} }

// providerID returns the provider with a name, zero for "".
func (f finder) providerID(name string) (id placement.ProviderID, err error) {
	if name == "" {
		return id, nil
	}
	rp, err := f.Provider(name)
	if err != nil {
		return id, err
	}
	return rp.ID(), nil
}
