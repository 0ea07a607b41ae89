package main

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/session/sshd"
)

// TestWho lists those who work on a cloud for that cloud alone, and tells guests no account and
// no process of the server.
func TestWho(t *testing.T) {
	t.Parallel()
	file, other := memory.New(memory.Options{Clock: time.Now}), memory.New(memory.Options{Clock: time.Now})
	peers := new(follow.Peers)
	peers.Join(engine.Peer{As: "root", PID: 17})
	peers.Join(engine.Peer{As: "operator\x1b", PID: 18, Looks: true})
	p := &program{now: time.Now, shared: file, peers: peers}
	if p.who(other) != nil {
		t.Error("another cloud has the people of the file")
	}
	leave := peers.Join(engine.Peer{As: "ann", Role: "operator", From: "10.0.0.7"})
	if all := p.who(file)(); len(all) != 3 || all[2].Role != "operator" || all[2].Address != "10.0.0.7" {
		t.Errorf("a guest of the process is %+v", all)
	}
	if guests := (hosting{peers: peers, sessions: func() []sshd.Listing { return nil }}).who(); len(guests) != 1 {
		t.Errorf("guests, who are sessions as well, are told %+v", guests)
	}
	leave()
	all := p.who(file)()
	if len(all) != 2 || all[0].Address != "pid 17" || all[1].Role != sshd.Reader.String() || strings.Contains(all[1].Name, "\x1b") {
		t.Errorf("%+v", all)
	}
	of := hosting{peers: peers, sessions: func() []sshd.Listing { return []sshd.Listing{{Person: sshd.Person{Name: "ann"}}} }}
	guests := of.who()
	must.Be(t, len(guests), 2)
	if guests[1].Name != "somebody" || guests[1].Address != onServer {
		t.Errorf("a guest is told %+v", guests[1])
	}
	far := attendedStore{file}
	if all := p.who(far)(); len(all) != 2 || all[1].Name != "ben" || all[1].Address != "b, pid 1" { // who works on it elsewhere, too
		t.Errorf("%+v", all)
	}
	must.Succeed(t, file.Close())
	must.Succeed(t, other.Close())
}

// attendedStore is a store that knows who works on it: this process, and another one.
type attendedStore struct{ storage.Store }

func (attendedStore) Peers() []engine.Peer {
	return []engine.Peer{{As: "root", PID: 17}, {As: "ben", PID: 1, From: "b, pid 1"}}
}
