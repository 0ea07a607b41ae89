package nova

import "time"

// Action is something that Nova was asked to do with an instance. Nova keeps it with the
// instance, and its API returns it.
//
// Source: nova/objects/instance_action.py.
type Action struct {
	Name    string // as in the API: "resize", "live-migration"
	Request string // the id of the request, by which logs name it
	User    string // who asked
	At      time.Time
	Wrong   bool // something of it failed
}
