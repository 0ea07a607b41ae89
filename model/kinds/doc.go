// Package kinds describes each kind of things once: providers, flavors, services and
// so on. What it says of a kind, all that shows, sorts or picks its things reads:
// "placetop get" in every format, its --where and --sort, completion, the lists of the
// dashboard with their filters, and the rules of users. What only one of these needs is
// not here: the dashboard adds widths and colours, the command its flags.
//
// A Kind has Fields. A field gets a Value from a row, which is what the ledgers keep: a
// *nova.Service is its own row. The same Value is a member of JSON, a cell of CSV and of
// tables, what rows are sorted by, and what a filter compares. So a column and the filter
// on it count alike. Fields differ between the three only where they say so: a list may
// be long in JSON and a number in a column (counted), a time is compared by how long ago
// it was, and the short name of a field is what people type.
//
// To add a column: add one field to the kind, in the place that it has in JSON, and its
// name to Columns. The word of nova-compute about its own start, say, is
//
//	moment("started_at", func(s *service) int64 { return s.Started }).short("up"),
//
// and from then on "placetop get services" has the column, -o json the member,
// --where 'up>2d' and --sort up work, and so does the filter of the dashboard's list. The
// list shows and sorts it once its screen gives it a width:
//
//	shows("up", "UP", 4, 0, 0, 5),
//
// To add a kind: write a function that returns its Kind and name it in all. Name,
// Short, What, Fields, Columns, Rows and Find must be there. The golden files of the
// package are then written with -update.
//
// Nothing here is generic over the rows for who uses it: a Row is an interface, and the
// functions that make fields are compiled in this package alone.
package kinds
