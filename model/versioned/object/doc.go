// Package object is the machinery of versioned objects: typed records that
// services of different releases send to each other.
//
// An object is a Go struct that embeds Header and has a Field for each of its
// fields. A field knows whether it is unset, null or has a value, and whether it
// changed since the object was read. Tags give the fields their names and options:
//
//	type Bulb struct {
//		object.Header
//		Watts object.Field[int64]  `field:"watts"`
//		Label object.Field[string] `field:"label,null"`
//	}
//
//	func NewBulb() *Bulb { return object.Make[Bulb]() }
//
// A Class says how a kind of object came to its version: its History has one
// Note for every minor version, with the fields it added. A Registry holds classes
// and moves objects in and out of their envelope:
//
//	object --Encode--> {name, namespace, version, data, changes}
//	object --EncodeFor(target)--> the same, lowered to what the reader knows
//	envelope --Decode--> object, or IncompatibleObjectVersionError
//	envelope --Backport(manifest)--> envelope that an older reader can decode
//
// A reader takes its own major version and any minor up to its own; fields that
// an older writer did not know stay unset. Unknown keys of the data are ignored.
//
// Objects belong to one goroutine at a time and are never copied by value.
// A Registry is immutable and may be used by many.
//
// Source: oslo_versionedobjects/base.py and oslo_versionedobjects/fields.py.
package object
