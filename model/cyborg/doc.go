// Package cyborg is Cyborg's side of a cloud: its ledger, and its rules.
//
// The ledger holds devices with their control paths, deployables with their
// attributes and attach handles, device profiles, and accelerator requests
// (ARQs). A deployable is one resource provider in Placement, and an attach
// handle one unit of what it has.
//
// The package is pure, like model/placement: a Snapshot is immutable and Apply
// makes the next one.
package cyborg
