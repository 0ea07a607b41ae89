// Package cyborg is Cyborg's side of a cloud: its ledger, and its rules.
//
// The ledger holds devices with their control paths, deployables with their
// attributes and attach handles, device profiles, and accelerator requests
// (ARQs). A deployable is one resource provider in Placement, and an attach
// handle one unit of what it has.
//
// The rules are functions of a Snapshot, and where they concern Placement of its
// Snapshot too. Each returns what is to be written, as a PutRecords of this ledger and
// as operations of Placement's, and decides nothing at random: uuids follow from
// what they are of, so that a step may be planned and done again.
//
//	cards of a host ──Discover──► devices, deployables, attach handles; providers
//	body of a POST ──ParseDeviceProfile, CreateDeviceProfile──► device profile
//	device profile ──RequestGroups──► groups of a candidates query
//	               ──CreateARQs──► ARQs, Initial
//	ARQs and the mappings of a claim ──StartBind──► BindStarted ──FinishBind──► Bound
//	                                 ──Unbind──► Unbound ──DeleteARQs──► gone
//
// Attach handles in use are always as many as the ARQs that hold one; Check finds
// where they are not.
//
// The package is pure, like model/placement: a Snapshot is immutable and Apply
// makes the next one.
package cyborg
