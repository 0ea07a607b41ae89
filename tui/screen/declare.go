package screen

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/tui/place"
)

// Declaration describes a screen before it is open. A package of screens declares its
// own in a function Screens; cmd/placetop gathers them in one list.
type Declaration struct {
	Of    place.Place // the type of place that it is the screen of: its zero value
	Keys  []string    // that lead to it from everywhere, its digit first; nil for none
	Names []string    // to type after ":", the first is shown; nil for none
	Title string      // what help calls it
	What  string      // what it is for, in one sentence; "" where only other screens lead to it
	Also  string      // other words by which people look for it, in lower case
	// Detail is set where other screens lead to it: it can be typed and is found, but no list
	// of screens has it.
	Detail bool
	// Answers are things that the screen shows at a place of its own, such as the rules.
	Answers []Named
	// Writes has an operation of each kind that a form writes: where the cloud cannot carry
	// one of them out, nothing leads to the form.
	Writes []intent.Op
	Open   Opener
}

// Opener makes the screen of a place. Its error is shown to the user.
type Opener func(Env, place.Place) (Screen, error)

// Declare returns the declaration of the screen for one type of place, which other
// screens lead to.
func Declare[P place.Place](open func(Env, P) (Screen, error)) Declaration {
	var of P
	return Declaration{Of: of, Open: func(env Env, at place.Place) (Screen, error) {
		return open(env, at.(P)) // it is the screen of such places
	}}
}

// List is Declare for a list with a filter.
func List[P place.Place](list func(env Env, snap *cloud.Snapshot, filter string) Screen) Declaration {
	return Declare(func(env Env, at P) (Screen, error) {
		return list(env, env.Cloud.Snapshot(), place.Filter(at)), nil
	})
}

// Called sets the names that users type; the first is also the title.
func (d Declaration) Called(names ...string) Declaration {
	d.Names, d.Title = names, names[0]
	return d
}

// Titled sets a title in help that differs from the name.
func (d Declaration) Titled(title string) Declaration {
	d.Title = title
	return d
}

// Writing lists what a form writes.
func (d Declaration) Writing(ops ...intent.Op) Declaration {
	d.Writes = ops
	return d
}

// AsDetail takes the screen off the lists of screens.
func (d Declaration) AsDetail() Declaration {
	d.Detail = true
	return d
}

// On sets the keys that lead to the screen from everywhere.
func (d Declaration) On(keys ...string) Declaration {
	d.Keys = keys
	return d
}

// Named is something that can be gone to by its name, or by other words for it.
type Named struct {
	Kind              string // such as "rule"
	Name, Title, What string
	Also              string // the other words, in lower case
	To                place.Place
}

// Means reports whether a word is the name, or one of the other words.
func (n Named) Means(word string) bool {
	return n.Name == word || slices.Contains(strings.Fields(n.Also), word)
}

// Words returns all by which people look for it, in lower case, as filter.Best takes it.
func (n Named) Words() string {
	return strings.ToLower(n.Name + " " + n.Title + " " + n.Also + "\n" + n.What)
}

// FoundBy sets other words by which people look for the screen.
func (d Declaration) FoundBy(words string) Declaration {
	d.Also = words
	return d
}

// Answering adds what the screen shows at places of its own.
func (d Declaration) Answering(answers ...Named) Declaration {
	d.Answers = answers
	return d
}

// For says what a screen is for, in one sentence.
func (d Declaration) For(what string) Declaration {
	d.What = what
	return d
}
