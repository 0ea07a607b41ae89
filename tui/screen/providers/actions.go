package providers

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// Actions implements screen.Screen.
func (s *Screen) Actions() []action.Action {
	p, ok := s.current()
	nothing := ""
	if !ok {
		nothing = "no provider under the cursor"
	}
	open := func(kind screen.Kind) func() tea.Cmd {
		return func() tea.Cmd { return screen.Send(screen.Goto{Kind: kind, Arg: p.ID().String()}) }
	}
	// change alters the wish, and has the list made for it.
	change := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			return s.request()
		}
	}
	mode := "tree"
	if s.wish.tree {
		mode = "flat"
	}
	own := []action.Action{
		{ID: "providers.open", Keys: []string{"enter"}, Title: "open", Help: "open the provider", Priority: 90, Disabled: nothing, Run: open(screen.Provider)},
		{ID: "providers.filter", Keys: []string{"/"}, Title: "filter", Help: "filter: text, regex, !term, owner=both free>2 trait:VULKAN", Priority: 88, Run: s.openLine},
		{ID: "providers.owner", Keys: []string{"o"}, Title: "owner", Help: "owner filter: any, nova, cyborg, both, none", Priority: 80, Run: change(func() {
			s.wish.owner = (s.wish.owner + 1) % owners
			s.hidden = folds{}
		})},
		{ID: "providers.class", Keys: []string{">"}, Title: "class", Help: "show the bars of the next class", Priority: 75, Run: change(func() { s.nextClass(1) })},
		{ID: "providers.class.back", Keys: []string{"<"}, Title: "class back", Help: "show the bars of the class before", Run: change(func() { s.nextClass(-1) })},
		{ID: "providers.allocate", Keys: []string{"n"}, Title: "new allocation", Help: "allocate on this provider's tree", Priority: 70, Writes: true, Disabled: nothing, Run: open(screen.Allocate)},
		{ID: "providers.tree", Keys: []string{"`"}, Title: mode, Help: "tree or flat list", Priority: 60, Run: change(func() { s.wish.tree = !s.wish.tree })},
		{ID: "providers.sort", Keys: []string{"s"}, Title: "sort", Help: "sort by the next: name, used%, free, owner, gen", Priority: 55, Run: change(func() {
			s.wish.sort = (s.wish.sort + 1) % orders
			s.wish.desc = s.wish.sort.down()
			s.stayFirst()
		})},
		{ID: "providers.reverse", Keys: []string{"S"}, Title: "reverse", Help: "turn the order round", Run: change(func() { s.wish.desc = !s.wish.desc })},
		{ID: "providers.fold", Keys: []string{"x"}, Title: "fold all", Help: "fold or unfold all trees; h l one", Priority: 50, Disabled: s.noFolds(), Run: s.foldAll},
		{ID: "providers.wide", Keys: []string{"ctrl+w"}, Title: "wide", Help: "all columns, or those that fit", Run: func() tea.Cmd {
			s.full = !s.full
			s.setColumns()
			return nil
		}},
		{ID: "providers.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid", Disabled: nothing, Run: func() tea.Cmd {
			return screen.Send(screen.CopyMsg{What: "uuid of " + p.Name(), Text: p.ID().String()})
		}},
	}
	about := ""
	var id placement.ProviderID
	if nothing == "" {
		id = p.ID()
		about = "provider:" + id.String()
	}
	own = append(own, panel.FixingProvider("providers", s.env, s.snap, id, nothing), panel.EditingPool("providers", s.env, s.snap.Placement(), p, nothing))
	return slices.Concat(own, panel.Asking("providers", about, nothing), panel.GridMoves(), panel.ColumnMoves())
}

// noFolds is why nothing can be folded, "" where something can.
func (s *Screen) noFolds() string {
	if !s.wish.tree {
		return "the list is flat"
	}
	return ""
}

// nextClass shows the bars of the next or previous class in use.
func (s *Screen) nextClass(by int) {
	classes := panel.ClassesInUse(s.snap.Placement())
	n := len(classes)
	if n == 0 {
		return
	}
	i := slices.Index(classes, s.wish.class)
	if i < 0 && by < 0 {
		i = 0
	}
	s.wish.class, s.auto = classes[((i+by)%n+n)%n], false
}

// key handles the keys that move about; all others are actions.
func (s *Screen) key(key string) tea.Cmd {
	if s.src == nil {
		return nil
	}
	switch key {
	case "h", "left":
		if s.src.wish.tree {
			return s.fold()
		}
	case "l", "right":
		if s.src.wish.tree {
			return s.unfold()
		}
	}
	if s.grid.Key(key) == component.EffectSorted {
		return s.sortByColumn()
	}
	return nil
}

// stayFirst puts the cursor on the first row of the next list where it is on the
// first of this one: who has not moved wants to see what comes first.
func (s *Screen) stayFirst() {
	r, id := s.grid.Cursor()
	s.first = id != "" && r == 0
}

// sortByColumn sorts by what the grid was told to.
func (s *Screen) sortByColumn() tea.Cmd {
	col, desc := s.grid.Sort()
	for o := range orders {
		if col >= 0 && o.column() == s.grid.Columns()[col].Key {
			if s.wish.sort != o {
				desc = o.down()
			}
			s.wish.sort, s.wish.desc = o, desc
			return s.request()
		}
	}
	return nil
}

// fold hides what is below the cursor; where there is nothing to hide the cursor
// goes to the parent.
func (s *Screen) fold() tea.Cmd {
	r, id := s.grid.Cursor()
	if id == "" {
		return nil
	}
	p := s.src.provider(r)
	if s.src.rows[r].fold == component.FoldOpen {
		return s.setFold(r, p, true)
	}
	if up, ok := s.src.snap.Placement().Parent(p); ok {
		upID := up.ID()
		s.grid.MoveTo(string(upID[:]))
	}
	return nil
}

// unfold shows what is below the cursor; where that is shown the cursor goes
// there.
func (s *Screen) unfold() tea.Cmd {
	r, id := s.grid.Cursor()
	if id == "" {
		return nil
	}
	switch s.src.rows[r].fold {
	case component.FoldClosed:
		return s.setFold(r, s.src.provider(r), false)
	case component.FoldOpen:
		s.grid.Move(1)
	case component.FoldLeaf:
	}
	return nil
}

// setFold folds or unfolds one row. Where a new list is being made, it is begun
// again, since it knows nothing of this.
func (s *Screen) setFold(r int, p *placement.ResourceProvider, on bool) tea.Cmd {
	set := s.foldSet()
	if on {
		set[p.ID()] = true
	} else {
		delete(set, p.ID())
	}
	busy := s.lists.Busy()
	if s.src.wish != s.wish {
		return s.request()
	}
	l := s.src.refolded(r, set)
	s.version++
	s.src = newSource(l, s.src.snap, s.findings, s.version)
	s.grid.SetSource(s.src)
	if busy {
		return s.request()
	}
	return nil
}

// foldAll folds every tree, or unfolds all where all are folded. The cursor goes
// up to the root, which stays in sight.
func (s *Screen) foldAll() tea.Cmd {
	if s.src == nil || !s.src.wish.tree {
		return nil
	}
	open := slices.ContainsFunc(s.src.rows, func(r row) bool { return r.fold == component.FoldOpen })
	set := s.foldSet()
	clear(set)
	if open {
		pl := s.src.snap.Placement()
		for _, rw := range s.src.rows {
			if rw.depth == 0 && rw.fold != component.FoldLeaf {
				set[pl.ProviderAt(int(rw.number)).ID()] = true
			}
		}
		if p, ok := s.current(); ok {
			root := pl.Root(p).ID()
			s.grid.MoveTo(string(root[:]))
		}
	}
	return s.request()
}
