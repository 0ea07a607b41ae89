// Package rest is the OpenStack Placement API, microversions 1.0 to 1.39, as an
// http.Handler over any store, so that what talks to the real service works with a
// cloud kept here.
//
//	request -> who asks -> which version -> which route -> may they -> body, query
//	                                                                       |
//	     GET: an immutable Snapshot, appended as JSON                      |
//	     write: placement verbs decided on a Snapshot -> Store.Apply <-----+
//	                      ^                                  |
//	                      +---- a conflict: a newer one -----+
//
// What can be read at a glance are tables: the routes with the version that brought
// each and who may use it (routes.go), what the bodies and queries may hold by version
// (schemas.go), and how refusals are said (fault.go, words.go). Statuses and codes of
// refused writes are those of package wire.
//
// Where the service and this package differ, the differences are listed with their
// reasons beside the test that compares the two, in storage/storagetest/upstream.
//
// # Around it
//
// New returns a Handler that serves and nothing else: it does not listen, it does not
// log, and it does not know how people prove who they are. Whoever runs it puts
// around it what does, by this contract:
//
//   - Who asks: a handler around this one finds out and passes a Caller in the
//     context, with WithCaller. A request without a Caller is answered with 401, in
//     the words of the service; only the version document, at "/", needs none. What a
//     Caller may do is decided here, by the policy of each route: 403 otherwise.
//   - Request ids: every answer carries x-openstack-request-id. The Handler makes one,
//     unless the context brings one, with WithRequestID.
//   - What is going on: Options.Observe is told of every request once it is answered,
//     with the path of its route, its status, whether it was a conflict, and how long
//     it took.
//   - Limits of headers, slow clients and connections are the server's. Of bodies this
//     package reads no more than Options.MostBody, and answers 413 above; so it does
//     where a http.MaxBytesReader put around the body ends it.
//   - A store that cannot be written says so by its Capabilities; writes are then
//     answered with 403 and its reason.
//
// Every write is one cloud.Change with the name of the Caller as its Actor.
//
// # To add
//
//	a route           a line in routes.go, its version in microversion.go, what its body
//	                  may hold in schemas.go, a function beside those of its noun
//	a difference      a line in api_departures_test.go of storage/storagetest/upstream
//	a line of story   in testdata/story.txt with "--- ?" for the answer, which Placement
//	                  fills in: go test -tags placement -run Story ./storage/storagetest/upstream -update
package rest
