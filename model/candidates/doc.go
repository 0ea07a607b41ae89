// Package candidates answers GET /allocation_candidates from a ledger, and says for
// every provider that is not in the answer why not.
//
//	URL, flavor, form --> Query --> Index.Search  --> Result      (who can)
//	                            --> Index.Explain --> Explanation (who cannot, and why)
//	                            --> Index.Fit     --> Fit         (how many more)
//	                                  ^
//	                  placement.Snapshot
//
// A Query is a value: it can be parsed from a URL and printed as a URL, as an openstack
// command and in words. An Index is a Snapshot laid out for the search, by tree and by
// resource class; it is immutable, safe for concurrent use, and the Index of the next
// Snapshot shares what did not change. An Indexer remembers the last one.
//
// The rules are those of Placement at microversion 1.39 and below. Where upstream's
// answer depends on the order in which it happens to work, this package gives the answer
// that the API reference promises:
//
//   - the same class in the un-suffixed and in a suffixed group is summed correctly
//     whatever group_policy is;
//   - every host that a sharing provider serves is found, also with suffixed groups;
//   - a sharing provider may have a parent.
//
// Everything here is pure: no I/O, no clock, no goroutine.
package candidates
