package object

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/versioned"
)

// Class is a kind of versioned object.
type Class struct {
	Name      string
	Namespace string // of the project, such as "nova"
	Major     uint16
	// History has a note for each minor version from 0, in order. The last one
	// is the version of the class.
	History []Note
	// New returns an object of the class with nothing set.
	New func() Object
}

// Note says what a minor version added, and how an object is lowered to the versions
// before it.
type Note struct {
	Why string
	// Adds names the fields that older versions lack.
	Adds []string
	// Pins says which versions the objects of other classes have inside an object of
	// this version or newer, for a reader that does not name the versions it knows.
	Pins []Pin
	// Lower rewrites data for a reader older than the note; nil if there is nothing to
	// do. The fields in Adds are deleted after it.
	Lower func(data map[string]any, to Lowering) error
}

// Pin is the version that the objects of a class have.
type Pin struct{ Class, Version string }

// Version returns the newest version of the class.
func (c Class) Version() versioned.Version {
	return versioned.Version{Major: c.Major, Minor: uint16(len(c.History) - 1)}
}

// Fingerprint returns the version of the class and a hash of its fields, sorted,
// with their types and rules. It changes when a field does; so must the version.
//
// Source: oslo_versionedobjects/fixture.py, ObjectVersionChecker.
func (c Class) Fingerprint() string {
	var lines []string
	for _, m := range c.New().ObjectHeader().members {
		lines = append(lines, m.describe())
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return c.Version().String() + "-" + hex.EncodeToString(sum[:8])
}

// contains returns the names of the classes that an object of c can hold, and
// the fields that hold them.
func (c Class) contains() (names, fields []string) {
	for _, m := range c.New().ObjectHeader().members {
		if held := m.classes(); len(held) > 0 {
			names, fields = append(names, held...), append(fields, m.name)
		}
	}
	return names, fields
}

// pin returns the version that objects of the named class have in an object of version v,
// according to the notes up to it.
func (c Class) pin(v versioned.Version, name string) (versioned.Version, bool) {
	for minor := int(v.Minor); minor >= 0; minor-- {
		for _, p := range c.History[minor].Pins {
			if p.Class == name {
				v, err := parseVersion(p.Version)
				return v, err == nil
			}
		}
	}
	return versioned.Version{}, false
}

// check reports a mistake in the definition of c.
func (c Class) check() error {
	if c.Name == "" || len(c.History) == 0 || c.New == nil {
		return fmt.Errorf("class %q has no name, history or constructor", c.Name)
	}
	h := c.New().ObjectHeader()
	if h.name != c.Name {
		return fmt.Errorf("class %s: its constructor makes objects of class %q", c.Name, h.name)
	}
	names := map[string]bool{}
	for _, m := range h.members {
		if names[m.name] {
			return fmt.Errorf("class %s has two fields %s", c.Name, m.name)
		}
		names[m.name] = true
	}
	for minor, note := range c.History {
		for _, added := range note.Adds {
			if !names[added] {
				return fmt.Errorf("class %s has no field %s, which its version %d.%d added", c.Name, added, c.Major, minor)
			}
		}
		for _, p := range note.Pins {
			if _, err := parseVersion(p.Version); err != nil {
				return fmt.Errorf("class %s pins %s: %w", c.Name, p.Class, err)
			}
		}
	}
	return nil
}
