// Package objects holds Nova's versioned objects: what nova-compute, the
// scheduler and the conductor of different releases send each other, and what
// some columns of Nova's database hold.
//
// A constructor such as NewComputeNode returns an object with nothing set.
// Fields are read with Get and written with Set:
//
//	node := objects.NewComputeNode()
//	err := errors.Join(node.Host.Set("cmp1"), node.VCPUs.Set(64))
//	text, err := objects.Bare().EncodeJSON(node)
//
// A registry knows every class here in its newest version, reads envelopes of all older
// minor versions, and lowers objects for older readers. The History of each class says
// what each version added.
//
// Source: nova/objects.
package objects

import (
	"reflect"
	"sync"

	"github.com/placetop/placetop/model/versioned/object"
)

const (
	// Prefix is what the keys of Nova's envelopes begin with.
	Prefix = "nova_object"
	// Namespace is the project of Nova's classes.
	Namespace = "nova"
)

// Source looks up what older readers require and an object does not hold. A nil
// function finds nothing.
type Source struct {
	// ServiceID returns the id of the nova-compute service of a host.
	ServiceID func(host string) (int64, bool)
	// ComputeNode returns the first compute node of a host.
	ComputeNode func(host string) (*ComputeNode, bool)
}

// NewRegistry returns the registry of all classes.
func NewRegistry(source Source) *object.Registry {
	return object.NewRegistry(Prefix, classes(source)...)
}

// Bare returns the registry of all classes with an empty Source. It is made once.
func Bare() *object.Registry { return bare() }

//nolint:gochecknoglobals // a table that nothing writes
var bare = sync.OnceValue(func() *object.Registry { return NewRegistry(Source{}) })

func classes(source Source) []object.Class {
	var all []object.Class
	for _, group := range [][]object.Class{
		computeNodeClasses(source), serviceClasses(source), flavorClasses(), migrationClasses(),
		pciDevicePoolClasses(), pciDeviceClasses(), pciRequestClasses(), resourceClasses(),
		instanceClasses(), instancePartClasses(), numaClasses(), cpuModelClasses(), deviceMetadataClasses(),
		resourceProviderClasses(),
	} {
		all = append(all, group...)
	}
	return all
}

// class returns the class of the objects that a constructor makes.
func class[P object.Object](construct func() P, name string, major uint16, history ...object.Note) object.Class {
	return classOf(name, func() object.Object { return construct() }, major, history)
}

// plain returns the class of the objects that object.Make makes.
func plain[P object.Object](major uint16, history ...object.Note) object.Class {
	t := reflect.TypeFor[P]().Elem()
	return classOf(t.Name(), object.Maker(t), major, history)
}

// list returns the class of the lists that object.MakeList makes.
func list[P object.Object](major uint16, history ...object.Note) object.Class {
	t := reflect.TypeFor[P]().Elem()
	return classOf(t.Name(), object.ListMaker(t), major, history)
}

func classOf(name string, construct func() object.Object, major uint16, history []object.Note) object.Class {
	return object.Class{Name: name, Namespace: Namespace, Major: major, History: history, New: construct}
}

// The histories of the classes are package variables so that they are data, not code
// that makes them: the compiler works out what the functions below return.

// initial is the history of a class that still has its first version.
var initial = []object.Note{first()} //nolint:gochecknoglobals // a table that nothing writes

// first returns the note of a class's first version.
func first() object.Note { return object.Note{Why: "initial version"} }

// unicode returns the note of versions that allow any Unicode text.
func unicode() object.Note { return object.Note{Why: "text is Unicode"} }

// why returns a note of a version that changed no field.
func why(text string) object.Note { return object.Note{Why: text} }

// adds returns a note of a version that added fields.
func adds(fields ...string) object.Note { return object.Note{Why: "added fields", Adds: fields} }

// pins returns a note of a version that contains objects of a class in the given version.
func pins(class, version string) object.Note {
	return object.Note{Why: class + " " + version, Pins: []object.Pin{{Class: class, Version: version}}}
}
