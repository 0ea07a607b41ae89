package remote

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// order tells in which order Placement and Nova were read: they are read beside each other,
// so that one may know of what the other did not know yet, or no more. Its times count the
// beginnings and ends of readings.
type order struct {
	now     int64
	holders int64 // when the reading of Placement began that is shown
	began   time.Time
	servers int64 // when the last list of all servers and migrations was begun
	// first is when the consumers that are shown were first seen, and gone when Nova no
	// longer listed a server or migration.
	first, gone map[placement.ConsumerID]int64
	unknown     []placement.ConsumerID // consumers of which not all was read, or that were written or deleted meanwhile
}

// justNow is for how long before it was compared a server must not have changed. It allows
// for what the clocks of Nova's hosts, and service.noteClock, are off.
const justNow = time.Minute

// tick returns the next time.
func (o *order) tick() int64 {
	o.now++
	return o.now
}

// holds takes in the consumers of a reading of Placement that began at a time.
func (m *mirror) holds(began int64, at time.Time) {
	holders := m.holders()
	m.mu.Lock()
	defer m.mu.Unlock()
	o := &m.order
	now, first := o.tick(), make(map[placement.ConsumerID]int64, len(holders))
	o.unknown = m.halfShown()
	for id := range holders {
		first[id] = now
		if was, ok := o.first[id]; ok {
			first[id] = was
		}
		if c := m.consumers[id]; c == nil || !c.known || c.partly {
			o.unknown = append(o.unknown, id)
		}
	}
	o.first, o.holders, o.began = first, began, at
}

// halfShown returns the consumers of something that records leave out.
func (m *mirror) halfShown() []placement.ConsumerID {
	var out []placement.ConsumerID
	for _, p := range m.providers {
		for id, h := range p.held {
			for class := range h.Resources {
				if !m.shows(p, class) {
					out = append(out, id)
				}
			}
		}
	}
	return out
}

// lists takes in a list of servers and migrations that was begun at a time. The caller
// holds m.mu.
func (m *mirror) lists(began int64, n novaMirror) {
	o := &m.order
	now, is := o.tick(), n.known()
	gone := map[placement.ConsumerID]int64{}
	for id := range m.nova.known() {
		if !is[id] {
			gone[id] = now
		}
	}
	for id, at := range o.gone {
		if _, again := gone[id]; !again && !is[id] && at >= o.holders {
			gone[id] = at
		}
	}
	o.gone, o.servers, m.nova = gone, began, n
}

// known returns the servers and migrations that Nova lists.
func (n *novaMirror) known() map[placement.ConsumerID]bool {
	out := make(map[placement.ConsumerID]bool, len(n.servers)+len(n.migrations))
	for _, s := range n.servers {
		out[s.ID] = true
	}
	for _, g := range n.migrations {
		out[g.UUID] = true
	}
	return out
}

// moving returns the consumers about which Placement and Nova may not agree because they
// were read at different times: those that no list which was begun later could have shown,
// those that are no longer listed since Placement was read, servers that changed just before,
// and those that Nova lists on two hosts. Nova's clock is ahead of ours.
func (m *mirror) moving(ahead time.Duration) map[placement.ConsumerID]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, out := &m.order, map[placement.ConsumerID]bool{}
	since := o.began.Add(ahead - justNow)
	known := m.nova.known()
	for id, first := range o.first {
		if !known[id] && first > o.servers {
			out[id] = true
		}
	}
	for id, at := range o.gone {
		if at > o.holders {
			out[id] = true
		}
	}
	for _, id := range o.unknown {
		out[id] = true
	}
	on := make(map[placement.ConsumerID]string, len(m.nova.servers))
	for _, s := range m.nova.servers {
		if host, twice := on[s.ID]; twice && host != s.Host {
			out[s.ID] = true
		}
		on[s.ID] = s.Host
		if s.Updated > 0 && !o.began.IsZero() && time.UnixMilli(int64(s.Updated)).After(since) {
			out[s.ID] = true
		}
	}
	return out
}

// unsettled reports whether Placement has a consumer that Nova was not asked about since.
func (r *reader) unsettled() bool {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	known := r.m.nova.known()
	for id, first := range r.m.order.first {
		if !known[id] && first > r.m.order.servers {
			return r.reads.has(cloud.Instances) && !r.reads.failed(cloud.Instances)
		}
	}
	return false
}
