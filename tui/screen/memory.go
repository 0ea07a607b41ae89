package screen

import (
	"maps"
	"slices"
	"strings"
)

// Memory is what the user has arranged and wants to find again: the look of lists,
// named filters, the theme. It belongs to one session and is used from its
// event loop; whoever made it may keep it for the next session. A nil Memory forgets.
type Memory struct {
	// Views are how lists are shown, by the name of the list.
	Views map[string]View `json:"views,omitempty"`
	// Narrowed is what lists were narrowed down to, by list and cloud, such as
	// "providers@/srv/prod.db": a filter for one cloud may find nothing in another. The cloud
	// is known by the path of its file, or by its name if it has none. The next session
	// begins with whole lists: what a forgotten filter hides looks as if it did not exist.
	Narrowed map[string]Narrowing `json:"-"`
	// Filters are the named filters: @name stands for one.
	Filters map[string]string `json:"filters,omitempty"`
	// Given are named filters from the configuration: the session cannot change them.
	Given map[string]string `json:"-"`
	// Commands are the lines typed after ":", the oldest first.
	Commands []string `json:"commands,omitempty"`
	// Theme is the theme that was picked, "" for none.
	Theme string `json:"theme,omitempty"`
	// Mouse is whether the mouse is on, nil if the user has not said.
	Mouse *bool `json:"mouse,omitempty"`
}

// View is the look of a list. The zero value is its initial look.
type View struct {
	Sort      string   `json:"sort,omitempty"` // what it is sorted by; "" for the initial order
	Desc      bool     `json:"desc,omitempty"`
	Columns   []string `json:"columns,omitempty"` // those that are shown, in order; none for the list's own
	Wide      bool     `json:"wide,omitempty"`
	Flat      bool     `json:"flat,omitempty"`
	Narrowing `json:"-"`
	// Share is the list's part of the width, in percent, Room how many lines are below
	// it; 0 for the initial ones.
	Share int `json:"share,omitempty"`
	Room  int `json:"room,omitempty"`
}

// Narrowing is what a list is narrowed down to.
type Narrowing struct {
	Filter string
	Also   int // which of the filters that a key cycles through
}

func (v View) empty() bool {
	return v.Sort == "" && !v.Desc && len(v.Columns) == 0 && !v.Wide && !v.Flat && v.Share == 0 && v.Room == 0
}

// View returns the last look of a list of a cloud, false if there is none.
func (m *Memory) View(cloud, name string) (View, bool) {
	if m == nil {
		return View{}, false
	}
	v, ok := m.Views[name]
	narrowed, too := m.Narrowed[narrowedKey(cloud, name)]
	v.Columns, v.Narrowing = slices.Clone(v.Columns), narrowed
	return v, ok || too
}

// KeepView remembers the look of a list of a cloud.
func (m *Memory) KeepView(cloud, name string, v View) {
	if m == nil {
		return
	}
	m.Views = keepOrForget(m.Views, name, v, v.empty())
	m.Narrowed = keepOrForget(m.Narrowed, narrowedKey(cloud, name), v.Narrowing, v.Narrowing == Narrowing{})
}

// Widen forgets what the lists of a cloud were narrowed down to.
func (m *Memory) Widen(cloud string) {
	if m != nil {
		maps.DeleteFunc(m.Narrowed, func(key string, _ Narrowing) bool {
			_, of, _ := strings.Cut(key, "@")
			return of == cloud
		})
	}
}

// narrowedKey returns the key in Narrowed for a list of a cloud.
func narrowedKey(cloud, name string) string { return name + "@" + cloud }

// keepOrForget returns m with v under a name, or without that name.
func keepOrForget[V any](m map[string]V, name string, v V, forget bool) map[string]V {
	switch {
	case forget:
		delete(m, name)
		return m
	case m == nil:
		m = map[string]V{}
	}
	m[name] = v
	return m
}

// Filter returns the filter that @name stands for, and false if there is none.
func (m *Memory) Filter(name string) (string, bool) {
	if m == nil {
		return "", false
	}
	expr, ok := m.Filters[name]
	if !ok {
		expr, ok = m.Given[name]
	}
	return expr, ok
}

// Copy returns a memory with the same filters, for work off the event loop.
func (m *Memory) Copy() *Memory {
	if m == nil || len(m.Filters)+len(m.Given) == 0 {
		return nil
	}
	return &Memory{Filters: maps.Clone(m.Filters), Given: m.Given}
}

// FilterNames returns the names of filters, sorted.
func (m *Memory) FilterNames() []string {
	if m == nil {
		return nil
	}
	names := slices.Collect(maps.Keys(m.Filters))
	for name := range m.Given {
		if _, ok := m.Filters[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
