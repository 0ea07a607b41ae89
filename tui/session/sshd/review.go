package sshd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// reviewEvery is the time between reviews of who may stay. It is longer than the interval
// at which files are looked at, so that each review looks at them again.
const reviewEvery = time.Second + time.Second/10

// reviewAll reviews again and again who may stay, until ctx ends.
func (s *Server) reviewAll(ctx context.Context) {
	tick := time.NewTicker(reviewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.review()
		}
	}
}

// review ends the connections of clients that would no longer be let in with the same
// rights.
func (s *Server) review() {
	s.reviewing.Lock()
	defer s.reviewing.Unlock()
	s.mu.Lock()
	open := slices.Clone(s.open)
	s.mu.Unlock()
	for _, c := range open {
		c.review()
	}
}

// review ends a connection once two reviews in a row find that its key has lost rights: a
// file of keys may be read while it is being written. If the key has gained rights its
// sessions are told, and continue unchanged. The server holds its mutex of reviews.
func (c *connection) review() {
	is, err := c.server.o.Gate.Known(c.key, c.from)
	same := is.Command == c.who.Command && (c.who.NoTerminal || !is.NoTerminal)
	switch {
	case err == nil && same && is.Role >= c.who.Role:
		c.doubted = false
		if is.Role > max(c.who.Role, c.raised) {
			c.raised = is.Role
			c.tell(fmt.Sprintf("you may now log in as %s: reconnect for that", is.Role))
		}
		return
	case !c.doubted:
		c.doubted = true
		return
	case err != nil:
		err = fmt.Errorf("you may no longer log in: %w", err)
	case is.Role < c.who.Role:
		err = fmt.Errorf("you may now only log in as %s: reconnect", is.Role)
	default:
		err = errors.New("what your key allows has changed: reconnect")
	}
	c.log.Warn("no longer allowed to log in", slog.String("why", err.Error()))
	c.stop(&EndError{err.Error()})
}

// tell shows a message in all sessions of a connection.
func (c *connection) tell(text string) {
	c.server.mu.Lock()
	all := slices.Clone(c.server.sessions)
	c.server.mu.Unlock()
	for _, s := range all {
		if s.of == c {
			s.tell(text)
		}
	}
}
