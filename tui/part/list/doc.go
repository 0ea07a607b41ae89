// Package list makes the screen of a list out of a declaration: what its rows are,
// how they are drawn, sorted and filtered, and what can be done about one.
//
// What all lists have in common is here: the filter line with its history and
// faults, the order and its keys, the cursor that stays on its row while the
// cloud changes, marks, what esc closes, the states without rows, and the lines
// about the row under the cursor, below the list or right of it. Rows are made
// off the event loop; until newer ones are there, those before them stay.
//
//	keys, snapshots -> request -> build -> rows -> source -> grid
//
// A screen is a Spec. That of all instances, as short as it can be:
//
//	list.New(list.Spec[*nova.Instance]{
//		Name: "instances", Thing: "instance",
//		Rows:      func(_ context.Context, s *cloud.Snapshot) []*nova.Instance { return slices.Collect(s.Nova().Instances()) },
//		Unchanged: func(old, now *cloud.Snapshot) bool { return old.Nova() == now.Nova() },
//		ID:        func(i *nova.Instance) string { return i.UUID.String() },
//		Text:      func(i *nova.Instance) string { return i.Name },
//		Columns: []list.Column[*nova.Instance]{
//			{Column: component.Column{Key: "name", Title: "NAME", Min: 14, Flex: 1}, Cell: list.TextCell(themes.Strong, name)},
//		},
//		Orders: []list.Order[*nova.Instance]{
//			{Name: "name", Column: "name", Key: func(i *nova.Instance, _ list.At) list.Key { return list.Key{Text: i.Name} }},
//		},
//		Fields: []list.Field[*nova.Instance]{list.TextField("name", name)},
//		Actions: func(h list.Here[*nova.Instance]) []action.Action {
//			return []action.Action{
//				h.About(action.Action{ID: "instances.open", Keys: []string{"enter"}, Title: "holds", Priority: 90},
//					func(i *nova.Instance) tea.Msg { return screen.Goto{Kind: screen.Consumers, Arg: "uuid=" + i.UUID.String()} }),
//			}
//		},
//	}, env, snap, filter)
//
// All that is told of a row takes the row first and then At, so that methods of a
// row type can be named: list.TextCell(themes.Text, row.where).
//
// A screen whose rows are no plain list, such as a tree, is made of the parts:
// FilterLine, Split, Nothing, ShowOrder.
package list
