// Package list makes the screen of a list from a declaration: what its rows are, how they
// are drawn, sorted and filtered, and what can be done about one.
//
// Everything that lists share is here: the filter line with its history and faults, the
// order and its keys, the cursor that stays on its row while the cloud changes, marks,
// what esc closes, the states without rows, and the lines about the row under the cursor,
// below the list or to its right. Rows are made off the event loop; until newer ones are
// ready, the old ones stay.
//
//	keys, snapshots -> request -> build -> rows -> source -> grid
//
// A screen is a Spec. The Kind of its rows provides fields, filters, orders and what is told
// about a row; the screen says which fields are columns, and adds its own ways of drawing.
// That of all accelerator requests, as short as possible:
//
//	list.New(list.Spec[*cyborg.ARQ]{
//		Name: "arqs", Thing: "accelerator request", Kind: kinds.ARQs,
//		ID:      func(a *cyborg.ARQ) string { return string(a.UUID[:]) },
//		Columns: list.Show[*cyborg.ARQ]("instance:10-40+1 state:12 age:4", "age", nil),
//		Orders:  list.By[*cyborg.ARQ]("instance age"),
//	}, env, snap, filter)
//
// What no kind has, such as how many more of a flavor fit, is a Field of the list's own:
// columns, orders and filters read it as they read those of a kind.
//
// Functions about a row take the row first and then At, so that methods of a row type can
// be named: list.TextCell(themes.Text, row.where).
//
// Rows may be nested, at any depth: if a Spec has Place they are a tree with
// folds, which a filter narrows to the matches and their ancestors.
//
// A Menu is a page of lines to choose one of, or to switch several on: columns, themes,
// formats, things to copy. Its lines are fetched again after each key, so that they show its effect.
package list
