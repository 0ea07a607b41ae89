package tui

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/muesli/termenv"
)

// Room is where the dashboards of one cloud know of each other. It may be used from any
// goroutine.
type Room struct {
	mu      sync.Mutex
	members []*Member // in the order in which they came
}

// Member is a dashboard in a Room.
type Member struct {
	// News holds one token when the member was told something, or whoever it follows
	// shows another frame.
	News chan struct{}

	room  *Room
	name  string // unique in the room
	at    string // the title of what it shows
	inbox []string
	gone  bool

	asks    []*Member // who want to follow
	follows *Member   // whom it follows; nil for nobody
	shown   Frame
}

// Frame is what a dashboard shows.
type Frame struct {
	Text          string
	Width, Height int
	Profile       termenv.Profile // how much colour it has
	ASCII         bool
}

// Enter adds a member to the room. A name that another member has gets a number:
// "name#2".
func (r *Room) Enter(name string) *Member {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := &Member{News: make(chan struct{}, 1), room: r, name: name}
	for n := 2; slices.ContainsFunc(r.members, func(o *Member) bool { return o.name == m.name }); n++ {
		m.name = fmt.Sprintf("%s#%d", name, n)
	}
	r.members = append(r.members, m)
	return m
}

// Name returns what the member is called in the room.
func (m *Member) Name() string { return m.name }

// At returns the title of what the member shows.
func (m *Member) At() string {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	return m.at
}

// Tell tells a member something.
func (m *Member) Tell(text string) {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	m.tell(text)
}

// tell is Tell where the room is locked.
func (m *Member) tell(text string) {
	m.inbox = append(m.inbox, text)
	m.wake()
}

func (m *Member) wake() {
	select {
	case m.News <- struct{}{}:
	default:
	}
}

// Leave takes a member out of the room. Those who followed it are told.
func (m *Member) Leave() {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	m.gone = true
	m.room.members = slices.DeleteFunc(m.room.members, func(o *Member) bool { return o == m })
	for _, o := range m.room.members {
		o.asks = slices.DeleteFunc(o.asks, func(who *Member) bool { return who == m })
		if o.follows == m {
			o.follows = nil
			o.tell(m.name + " has gone")
		}
		if m.follows == o {
			o.wake()
		}
	}
	m.follows = nil
}

// others returns the names of who else is in the room.
func (m *Member) others() []string {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	var out []string
	for _, o := range m.room.members {
		if o != m {
			out = append(out, o.name)
		}
	}
	return out
}

// find returns the other member whose name is so, or alone begins so. The room is locked.
func (m *Member) find(name string) (*Member, error) {
	var begin []*Member
	for _, o := range m.room.members {
		switch {
		case o == m && m.name == name:
			return nil, fmt.Errorf("%s is you", name)
		case o == m:
		case o.name == name:
			return o, nil
		case strings.HasPrefix(o.name, name):
			begin = append(begin, o)
		}
	}
	switch {
	case len(begin) == 1 && name != "":
		return begin[0], nil
	case len(begin) > 1:
		return nil, fmt.Errorf("say who: %s or %s", begin[0].name, begin[1].name)
	}
	return nil, fmt.Errorf("nobody named %q is connected", name)
}

// ask asks another to be followed, who then lets it, or does not.
func (m *Member) ask(name string) (of string, err error) {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	o, err := m.find(name)
	if err != nil {
		return "", err
	}
	if o.follows != nil {
		return "", fmt.Errorf("%s follows %s", o.name, o.follows.name)
	}
	if !slices.Contains(o.asks, m) {
		o.asks = append(o.asks, m)
	}
	o.tell(m.name + " asks to follow you: :let " + m.name + ", or :let stop")
	return o.name, nil
}

// let lets who asked follow: the one of a name, or "all" of them.
func (m *Member) let(name string) error {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	var in []*Member
	if name == letAll {
		in = m.asks
	} else {
		o, err := m.find(name)
		if err != nil {
			return err
		}
		if slices.Contains(m.asks, o) {
			in = []*Member{o}
		}
	}
	if len(in) == 0 {
		return fmt.Errorf("%s has not asked to follow you", name)
	}
	for _, o := range in {
		o.follows = m
		o.wake()
	}
	m.asks = slices.DeleteFunc(slices.Clone(m.asks), func(o *Member) bool { return slices.Contains(in, o) })
	return nil
}

// stop ends that others follow, and forgets who asked.
func (m *Member) stop() {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	m.asks = nil
	for _, o := range m.room.members {
		if o.follows == m {
			o.follows = nil
			o.tell(m.name + " is no longer followed")
		}
	}
}

// leaveOff stops m following another member.
func (m *Member) leaveOff() {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	if m.follows != nil {
		m.follows.wake()
		m.follows = nil
	}
}

// show says what a member shows, and returns by how many it is followed.
func (m *Member) show(at string, f Frame) (followers int) {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	changed := m.shown != f
	m.at, m.shown = at, f
	for _, o := range m.room.members {
		if o.follows == m {
			followers++
			if changed {
				o.wake()
			}
		}
	}
	return followers
}

// followed returns whom m follows, "" for nobody, what that shows, and by how many m is
// followed itself.
func (m *Member) followed() (name string, f Frame, followers int) {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	for _, o := range m.room.members {
		if o.follows == m {
			followers++
		}
	}
	if m.follows == nil {
		return "", Frame{}, followers
	}
	return m.follows.name, m.follows.shown, followers
}

// told takes what was told since it was asked last.
func (m *Member) told() []string {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	out := m.inbox
	m.inbox = nil
	return out
}

// Present is a user who is there, as ":who" lists them.
type Present struct {
	Name, Role, Address, At string
	Since, Heard            time.Time // Heard is zero where that is not known
}
