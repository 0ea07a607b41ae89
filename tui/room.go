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
	members []*Member // in order of arrival
}

// Member is a dashboard in a Room.
type Member struct {
	// News holds one token when the member was told something, or whoever it follows
	// shows another frame.
	News chan struct{}

	room  *Room
	name  string // unique in the room
	at    string // title of its screen
	inbox []string
	gone  bool

	asks    []*Member // members who want to follow
	follows *Member   // the member that it follows; nil for none
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

// Tell shows a message to a member.
func (m *Member) Tell(text string) {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	m.tell(text)
}

// tell is Tell with the room locked.
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

// Leave takes a member out of the room. Those who followed it get a message.
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

// others returns the names of the other members.
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

// find returns the other member with a name, or the only one whose name begins so. The
// room is locked.
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

// ask asks another member for permission to follow, which that member can grant with let.
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

// let grants a request to follow: that of the named member, or "all".
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

// stop ends following by others, and drops their requests.
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

// leaveOff makes m stop following.
func (m *Member) leaveOff() {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	if m.follows != nil {
		m.follows.wake()
		m.follows = nil
	}
}

// show sets what m shows, and returns how many members follow it.
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

// followed returns whom m follows, "" for nobody, what that member shows, and how many
// follow m itself.
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

// told returns what m was told since the last call.
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
