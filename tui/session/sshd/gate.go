package sshd

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/storage/diskfile"
)

// GateOptions say who may come in.
type GateOptions struct {
	Keys  []KeyFile
	Clock func() time.Time
	// Changed is called when a file was read again, with what is refused in it; may be
	// nil.
	Changed func(err error)
}

// Gate says who a key belongs to. Its files are read again once they have changed. A file
// or line that is bad then lets nobody in, so that a removed key is refused whatever else
// the file holds; nor does anybody it names get more rights from another file meanwhile.
type Gate struct {
	o    GateOptions
	keys []*diskfile.Watched[[]entry]
}

// OpenGate reads the files. Errors are of the type *diskfile.LineError, joined, or of the
// system.
func OpenGate(o GateOptions) (*Gate, error) {
	g := &Gate{o: o}
	var errs []error
	for _, f := range o.Keys {
		w, err := watch(o, f)
		g.keys, errs = append(g.keys, w), append(errs, err)
	}
	return g, errors.Join(errs...)
}

// watch watches a file. Bad lines are reported, and do not affect the others.
func watch(o GateOptions, f KeyFile) (*diskfile.Watched[[]entry], error) {
	began, read := false, rereadKeys(f)
	return diskfile.Watch(diskfile.WatchOptions{Paths: []string{f.Path}, Clock: o.Clock}, func() ([]entry, error) {
		v, err := read()
		if !began {
			began = true
			return v, err
		}
		if o.Changed != nil {
			o.Changed(err)
		}
		return v, nil
	})
}

// Count returns how many keys are let in by each role.
func (g *Gate) Count() map[Role]int {
	n := map[Role]int{}
	for _, w := range g.keys {
		for _, e := range w.Current() {
			if !e.terms.unread {
				n[e.person.Role]++
			}
		}
	}
	return n
}

// Known returns who holds a key, or why it lets nobody in. For a key in several files,
// the one that allows least counts: a reader in one of them only reads, and one whose
// line there has expired, for example, is not let in.
func (g *Gate) Known(key ssh.PublicKey, from netip.Addr) (Person, error) {
	now, blob := g.o.Clock(), string(key.Marshal())
	var found Person
	least, last := Nobody, errUnknown
	for _, w := range g.keys {
		for _, e := range w.Current() {
			if e.blob != blob || least != Nobody && e.person.Role > least {
				continue
			}
			if e.person.Role != least {
				least, found = e.person.Role, Person{}
			}
			if err := e.terms.allow(from, now); err != nil {
				last = fmt.Errorf("%s: %w", e.person.Name, err)
			} else if found.Role == Nobody {
				found = e.person
			}
		}
	}
	if found.Role == Nobody {
		return Person{}, last
	}
	return found, nil
}

var errUnknown = errors.New("no user here has that key")
