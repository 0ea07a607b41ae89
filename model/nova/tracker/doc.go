// Package tracker is Nova's resource tracker: what a compute node reports, claims,
// heals and audits.
//
//	what the driver sees     compute node, instances, migrations     Placement
//	       Tree --------------------- Tick ---------------------------- |
//	                                    |
//	              operations for Placement, records for Nova, findings
//
// A driver fills a Tree: package providertree from the machine it runs on,
// FromColumns from what the record of a compute node says. Report compares the
// tree with Placement; Claim and Release are what an instance does that lands and
// leaves; Tick does all of it at once, every minute; MigrateBatch moves what is
// kept in the old columns alone.
//
// Everything here is pure: Snapshots and the time come in, operations come out,
// and the same input always gives the same output. Operations are guarded by the
// generations that were seen: where somebody else wrote in between, all of them
// are refused, and the caller decides anew. What is as it should be is not
// written, so that a quiet tick is empty.
//
// Source: nova/compute/resource_tracker.py; nova/scheduler/client/report.py.
package tracker
