// Package kinds describes each kind of thing once: providers, flavors, services and so
// on. Everything that shows, sorts or filters them reads it here: "placetop get" in every
// format, its --where and --sort, completion, the lists of the dashboard with their
// filters. What only one of these needs is not here: the dashboard
// adds widths and colours, the command its flags.
//
// A Kind has Fields. A field gets a Value from a row, which is a record of a ledger, such
// as a *nova.Service. The same Value is the member of JSON, the cell of a table, what
// rows are sorted by and what a filter compares, so these always agree. They differ only
// where a field says so: a list may be shown as its length (counted), a time is compared
// by how long ago it was, and people type the short name of a field.
//
// To add a column, add one field to the kind, in its place in JSON, and its name to
// Columns. When a service was started, say, which its record has as started_at_ms, is
//
//	record("started_at:up"),
//
// with record := recorded[nova.Service](): what a record has itself is called as there.
// Then "placetop get services" has the column, -o json the member, --where 'up>2d' and
// --sort up work, and so does the filter of the dashboard's list. The list shows and
// sorts it once its screen gives it a width:
//
//	shows("up", "UP", 4, 0, 0, 5),
//
// To add a kind, write a function that returns its Kind, with Name, Short, What, Fields,
// Columns, Rows and Find, and add it to all. Run the tests with -update to write its
// golden file.
//
// A Row is an interface, and generic functions stay inside this package, so that no
// other package compiles them again.
package kinds
