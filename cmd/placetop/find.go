package main

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
)

// finder finds things by what a user calls them.
type finder struct {
	kinds.Finder
}

func finderOf(s *cloud.Snapshot) finder { return finder{kinds.Finder{Snapshot: s}} }

// names returns a function that completes the name of a thing of a kind.
func names(n kinds.Name) func(finder) []string {
	return func(f finder) []string { return kinds.Of(n).Names(f.Finder) }
}

// More completions of flags.

func (f finder) usedTraits() []string { return f.UsedTraits() }
func (f finder) hosts() []string      { return f.Hosts() }
func (f finder) projects() []string   { return f.Projects() }
func (f finder) types() []string      { return f.Types() }
func (f finder) zones() []string      { return f.Zones() }
