// Package cyborg is Cyborg's side of a cloud: its ledger, and its rules.
//
// The ledger holds devices with their control paths, deployables with their
// attributes and attach handles, device profiles, and accelerator requests
// (ARQs). A deployable is one resource provider in Placement, and an attach
// handle is one unit of its inventory.
//
// What is done is a verb, an operation of a Change: most are Cyborg's API calls, some
// what its agent reports. Nothing is random: uuids follow from what they name, so that
// a step can be planned and done again.
//
//	cards of a host ──Discover──► devices, deployables, attach handles; providers
//	body of a POST ──ParseDeviceProfile, CreateDeviceProfile──► device profile
//	device profile ──RequestGroups──► groups of a candidates query
//	               ──CreateARQs──► ARQs, Initial
//	ARQs and the mappings of a claim ──StartBind──► BindStarted ──FinishBind──► Bound
//	                                 ──Unbind──► Unbound ──DeleteARQs──► gone
//
// There are always as many attach handles in use as ARQs that hold one; Check finds where
// that does not hold.
//
// The package is pure, like model/placement: a Snapshot is immutable and Apply
// makes the next one.
package cyborg
