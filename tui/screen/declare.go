package screen

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/tui/place"
)

// Declaration describes a screen before it is open. A package of screens declares its
// own in a function Screens; cmd/placetop gathers them in one list.
type Declaration struct {
	Of    place.Place // the sort of place that it is the screen of: its zero value
	Keys  []string    // that lead to it from everywhere, its digit first; nil for none
	Names []string    // to type after ":", the first is shown; nil for none
	Title string      // what help calls it
	What  string      // what it is for, in one sentence; "" where other screens lead to it
	// Writes is an operation of each kind that it comes to, for a form: where the cloud cannot
	// carry one of them out, nothing leads to it.
	Writes []intent.Op
	Open   Opener
}

// Opener makes the screen of a place. Its error is shown to the person who asked.
type Opener func(Env, place.Place) (Screen, error)

// Declare returns the declaration of the screen for one type of place, which other
// screens lead to.
func Declare[P place.Place](open func(Env, P) (Screen, error)) Declaration {
	var of P
	return Declaration{Of: of, Open: func(env Env, at place.Place) (Screen, error) {
		return open(env, at.(P)) //nolint:forcetypeassert // it is asked for the places of P alone
	}}
}

// List is Declare for a list with a filter.
func List[P interface {
	~struct{ Filter string }
	place.Place
}](list func(env Env, snap *cloud.Snapshot, filter string) Screen) Declaration {
	return Declare(func(env Env, at P) (Screen, error) {
		return list(env, env.Cloud.Snapshot(), struct{ Filter string }(at).Filter), nil
	})
}

// Called gives a screen the names that people type; the first is also its title.
func (d Declaration) Called(names ...string) Declaration {
	d.Names, d.Title = names, names[0]
	return d
}

// Titled is for a screen whose title in help differs from its name.
func (d Declaration) Titled(title string) Declaration {
	d.Title = title
	return d
}

// Writing lists what a form writes.
func (d Declaration) Writing(ops ...intent.Op) Declaration {
	d.Writes = ops
	return d
}

// On gives a screen keys that lead to it from everywhere.
func (d Declaration) On(keys ...string) Declaration {
	d.Keys = keys
	return d
}

// Named is a screen with a name to go to it by.
type Named struct {
	Name, Title, What string
	To                place.Place
}

// For says what a screen is for, in one sentence.
func (d Declaration) For(what string) Declaration {
	d.What = what
	return d
}
