package sshd

import (
	"strings"
	"unicode"
)

// Role is what a person may do. A greater one may do all that a smaller one may.
type Role int

// The roles.
const (
	Nobody   Role = iota
	Reader        // looks
	Operator      // writes
	Admin         // also mutes rules, changes settings of the cloud, and sees who is there
)

func roleNames() []string { return []string{"nobody", "reader", "operator", "admin"} }

// String returns the name of the role.
func (r Role) String() string { return roleNames()[r] }

// Person is a user who has proved to hold a key.
type Person struct {
	Name string // the comment of the key
	Key  string // its fingerprint, such as "SHA256:..."; "" where nothing was proved
	Role Role

	// Command is what a session runs whatever its client asks for; "" for what the client
	// asks for.
	Command string
	// NoTerminal is set if the key is only for commands.
	NoTerminal bool
}

// String returns the person and the key, as a journal keeps them.
func (p Person) String() string {
	switch p.Key {
	case "":
		return p.Name + " (ssh, no key)"
	case p.Name:
		return p.Name
	}
	return p.Name + " (" + p.Key + ")"
}

// mostName is the most letters of a person's name.
const mostName = 64

// plainName returns a name as one displayable line of at most mostName letters; "" if
// nothing is left of it.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if letters := []rune(s); len(letters) > mostName {
		s = string(letters[:mostName])
	}
	return s
}
