// Package remote shows a real OpenStack: what its Placement keeps, and which instances
// of its Nova hold it, as a Snapshot that is read again and again.
//
//	clouds.yaml, OS_*, a token
//	        | dial: Keystone, the catalogue, microversions
//	        v
//	     caller ----- limits requests in flight, retries what is safe
//	        |
//	     reader ----- which requests: lists of all first, then what changed
//	        v
//	     mirror ----- the answers, and the generations that they are of
//	        | diff against the Snapshot before
//	        v
//	     memory.Store: Snapshot, Event, watchers
//
// Link reports how many requests it takes. A whole cloud of P providers, of which I
// have inventories, with C consumers takes
//
//	3 + K + I + A + C + P
//
// requests to Placement. K queries for candidates of one unit, at most eight, tell the traits
// and the usage of all trees with room, so that unused providers are not asked for their
// allocations. Of the consumers that Nova knows, C is one for each user of a project, whose
// sum must agree, and A is one for each provider in use.
//
// After that a reading takes three for all generations and names, one for each project, and
// four for each provider that changed, because every write to a provider raises its
// generation. Only DELETE /allocations raises none: it shows in the usage of its project.
//
// The size of answers is limited, whoever sends them: each by its subject (mostOf), in
// rows, and in all pages of a list; long ones are read one at a time in a cloud, and
// lists row by row.
//
// A Change is decided on what was read, and sent as the calls of package api; the
// services have the last word. The result is read back. What happens to instances is
// not a Change: Nova is asked, and followed until it is done (ops.NovaTask).
//
// The tests run against package rest; with the tag openstack and OS_CLIENT_CONFIG_FILE
// some of them run against a real cloud. With OPENSTACK_CONTROL, "SCRIPT DIRECTORY", which
// is called as SCRIPT VERB SERVICE... --dir DIRECTORY, they stop and slow its services down.
package remote
