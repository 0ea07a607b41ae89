// Package places is the list of the hosts that an instance may go to, and of
// those that it may not, each with the reason.
package places
