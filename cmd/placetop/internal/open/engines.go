// Package open says which engine keeps the cloud at a place.
package open

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/etcd"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/remote"
)

// Engines returns the engines: the scheme of --db chooses one, and a plain path means the
// first. A new engine is added here, and nowhere else.
func Engines(elsewhere remote.Settings) engine.Set {
	elsewhere.Looks = "live clouds are read-only unless --write is given, or write = true is in config.toml"
	return engine.Set{
		bolt.Engine{},
		memory.Engine{},
		etcd.Engine{},
		remote.Cloud{Settings: elsewhere},
		remote.Endpoint{Settings: elsewhere},
		remote.Endpoint{Settings: elsewhere, TLS: true},
	}
}

// PlaceOf returns the place for a name in --cloud or :ctx: a cloud of clouds.yaml, or if
// it has a / or a colon, a place as in --db.
func PlaceOf(name string) string {
	if strings.ContainsAny(name, "/:") && !slices.Contains(remote.Names(), name) {
		return name
	}
	return remote.Cloud{}.Scheme() + ":" + name
}

// SamePlace reports whether two places, each of an engine, are the same one: a file is the
// same by any path.
func SamePlace(a engine.Opener, at string, b engine.Opener, there string) bool {
	if a.Scheme() != b.Scheme() {
		return false
	}
	if _, files := a.(engine.FileKeeper); !files {
		return at == there
	}
	return diskfile.Same(at, there) || filepath.Clean(at) == filepath.Clean(there) // which may not exist yet
}
