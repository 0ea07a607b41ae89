package list

import (
	"reflect"
	"slices"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/tui/screen"
)

// recall shows the list as it was left. It returns the initial filter: the requested one
// or, if the user simply returns to the list, the one that it had.
func (s *Screen) recall(expr string) string {
	v, ok := s.env.Memory.View(s.env.Known, s.form.Name)
	if !ok {
		return expr
	}
	if i := slices.IndexFunc(s.form.orders, func(o order) bool { return o.Name == v.Sort }); i >= 0 {
		s.wish.order, s.wish.desc = i, v.Desc
	}
	if v.Share > 0 {
		v.Share = min(max(v.Share, leastShare), 100-leastShare)
	}
	s.split.share, s.split.room = max(v.Share, 0), max(v.Room, 0)
	s.full, s.wish.flat = v.Wide, v.Flat && s.form.Flat
	if v.Columns != nil {
		s.pick(v.Columns)
	}
	if !s.env.Returning || expr != "" {
		s.known = s.view()
		s.known.Narrowing = v.Narrowing
		return expr
	}
	if also := s.form.Also; also != nil && v.Also >= 0 && v.Also < len(also.Steps) {
		s.wish.also = v.Also
	}
	if _, err := filter.Compile(v.Filter, filterRows{s.form, nil, At{}, s.env.Memory}); err != nil {
		v.Filter = ""
	}
	s.wish.expr = v.Filter // for view
	s.known = s.view()
	return v.Filter
}

// view returns how the list is shown, as far as that differs from its initial state.
func (s *Screen) view() screen.View {
	v := screen.View{Columns: s.picked, Wide: s.full, Flat: s.wish.flat, Share: s.split.share, Room: s.split.room}
	v.Narrowing = screen.Narrowing{Filter: s.wish.expr, Also: s.wish.also}
	if o := s.form.orders; len(o) > 0 && (s.wish.order > 0 || s.wish.desc != o[0].Desc) {
		v.Sort, v.Desc = o[s.wish.order].Name, s.wish.desc
	}
	return v
}

// keep remembers how the list is shown, if that has changed. A filter that another screen
// asked for is not remembered.
func (s *Screen) keep() {
	v := s.view()
	if !s.env.Returning {
		v.Narrowing = s.known.Narrowing
	}
	if reflect.DeepEqual(v, s.known) {
		return
	}
	s.known = v
	s.env.Memory.KeepView(s.env.Known, s.form.Name, v)
}
