package consumers

import (
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/component"
)

// fields answers what a filter asks about the consumers of a roll. Without a roll
// it can only tell whether a filter is sound.
type fields struct {
	*roll
	now time.Time
}

// Names implements component.Fields.
func (fields) Names() []string {
	return []string{"age", "class", "flavor", "gen", "name", "owner", "problem", "project", "type", "user", "uuid", "where"}
}

// Field implements component.Fields.
func (f fields) Field(name string) func(row int) component.Value {
	at := func(get func(*placement.Consumer) component.Value) func(int) component.Value {
		return func(row int) component.Value { return get(f.all[row]) }
	}
	text := func(get func(*placement.Consumer) string) func(int) component.Value {
		return at(func(c *placement.Consumer) component.Value { return component.Text(get(c)) })
	}
	var words []string // of the row that was asked for last
	list := func(get func(*placement.Consumer)) func(int) component.Value {
		return at(func(c *placement.Consumer) component.Value {
			words = words[:0]
			get(c)
			return component.List(words...)
		})
	}
	switch name {
	case "name":
		return func(row int) component.Value { return component.Text(f.names[row]) }
	case "uuid":
		return text(func(c *placement.Consumer) string { return c.ID().String() })
	case "project":
		return text((*placement.Consumer).Project)
	case "user":
		return text((*placement.Consumer).User)
	case "type":
		return text(func(c *placement.Consumer) string { return c.Type().String() })
	case "flavor":
		return text(func(c *placement.Consumer) string {
			if i, ok := f.snap.Nova().Instance(c.ID()); ok {
				return i.Flavor
			}
			return ""
		})
	case "owner":
		return text(func(c *placement.Consumer) string { return ownerOf(f.snap.Placement(), c).String() })
	case "where":
		return text(func(c *placement.Consumer) string { return home(f.snap.Placement(), c) })
	case "gen":
		return at(func(c *placement.Consumer) component.Value {
			return component.Number(float64(c.Generation()), component.UnitCount)
		})
	case "age":
		return at(func(c *placement.Consumer) component.Value {
			if c.Created().IsZero() {
				return component.Value{}
			}
			return component.Number(f.now.Sub(c.Created()).Seconds(), component.UnitSeconds)
		})
	case "class":
		return list(func(c *placement.Consumer) {
			pl := f.snap.Placement()
			for a := range pl.Allocations(c) {
				words = append(words, string(pl.ClassName(a.Class)))
			}
		})
	case "problem":
		return list(func(c *placement.Consumer) {
			for _, found := range f.found[c.ID()] {
				words = append(words, string(found.Rule))
			}
		})
	}
	return nil
}
