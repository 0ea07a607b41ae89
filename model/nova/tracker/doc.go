// Package tracker is Nova's resource tracker: what a compute node reports, claims,
// heals and audits.
//
//	what the driver sees     compute node, instances, migrations     Placement
//	       Tree --------------------- Tick ---------------------------- |
//	                                    |
//	              operations for Placement, records for Nova, findings
//
// A driver fills a Tree: package providertree from the machine it runs on, FromColumns
// from the record of a compute node. Report compares the tree with Placement; Claim and
// Release are for an instance that arrives or leaves; Tick does all of it every minute;
// MigrateBatch moves what is only in the old columns.
//
// Everything here is pure: Snapshots and the time come in, operations come out, and the
// same input always gives the same output. Operations are guarded by the generations that
// were seen: if another writer wrote in between, all are refused, and the caller decides
// again. What is already right is not written, so a quiet tick is empty.
//
// Source: nova/compute/resource_tracker.py; nova/scheduler/client/report.py.
package tracker
