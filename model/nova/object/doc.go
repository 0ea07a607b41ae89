// Package object has the versioned objects in which Nova's services of different releases
// send each other their records: ComputeNode, Flavor, Instance, Migration, Service and
// PciDevicePool, and Placement's ResourceProvider, Inventory and Allocation from when it
// was a part of Nova.
//
//	row --Of--> Object --Encode--> text, also for a reader of an older version
//	row <--Row-- Object <--Decode-- text of any version up to the newest
//
// An Object has its fields by name, as JSON has them. classes.txt has, in one table, the fields
// of each class, their types and the version that added them; column.go is how a row's columns
// become fields and fields columns.
//
// What a row has but no object carries, such as which provider serves which request
// group, stays when an object is applied; so does what an older writer did not know. What
// an object carries but no column has is kept in addition to the columns and sent again
// unchanged: see nova.ExtraFields. So are objects of other classes inside an Instance, such as
// its key pairs.
//
// Source: nova/objects; oslo_versionedobjects/base.py; nova/conductor/manager.py,
// object_backport_versions.
package object
