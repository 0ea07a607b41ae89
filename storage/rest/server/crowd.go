package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// crowd holds the open connections. If there are too many, the one without a request for
// the longest time is closed: idle ones cost memory, and may belong to a client that
// forgot to close them, or an attacker. One with a request in progress is never closed;
// if all have one, the new connection is closed.
type crowd struct {
	most int

	mu     sync.Mutex
	open   map[net.Conn]*list.Element // nil for those with a request under way
	silent *list.List                 // of net.Conn, the longest idle first
}

func newCrowd(most int) *crowd {
	return &crowd{most: most, open: map[net.Conn]*list.Element{}, silent: list.New()}
}

func (c *crowd) changed(conn net.Conn, to http.ConnState) {
	if goes := c.note(conn, to); goes != nil {
		_ = goes.Close() // closed whether or not that succeeds
	}
}

// note notes the state of a connection, and returns one to close.
func (c *crowd) note(conn net.Conn, to http.ConnState) (goes net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if was := c.open[conn]; was != nil {
		c.silent.Remove(was)
	}
	switch to {
	case http.StateActive:
		c.open[conn] = nil
	case http.StateNew, http.StateIdle:
		c.open[conn] = c.silent.PushBack(conn)
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
	if to != http.StateNew || len(c.open) <= c.most {
		return nil
	}
	longest := c.silent.Front()
	goes = longest.Value.(net.Conn)
	c.silent.Remove(longest)
	delete(c.open, goes)
	return goes
}

// disperse closes the connections without a request: net/http would wait five seconds for
// those that have sent nothing yet.
func (c *crowd) disperse() {
	c.mu.Lock()
	var goes []net.Conn
	for at := c.silent.Front(); at != nil; at = at.Next() {
		goes = append(goes, at.Value.(net.Conn))
	}
	c.mu.Unlock()
	for _, conn := range goes {
		_ = conn.Close() // closed whether or not that succeeds
	}
}
