package shared_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/shared"
)

// memoryLog is a log in memory, which several processes could have.
type memoryLog struct {
	mu      sync.Mutex
	entries []*shared.Entry
	end     shared.End
	grew    chan struct{} // closed, and replaced, when the log grows
	point   shared.Checkpoint
	whole   []byte // of the checkpoint; nil if there is none
	duty    chan struct{}
	waiting []shared.Turn
	dead    map[string]bool // processes
	points  int
	lost    int // appends that others were faster than
}

func newLog() *memoryLog { return &memoryLog{grew: make(chan struct{}), duty: make(chan struct{}, 1)} }

// at returns the revisions of the checkpoint and of the end.
func (l *memoryLog) at() (point, end cloud.Revision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.point.Revision, l.end.Revision
}

// append adds an entry, if the log ends at on.
func (l *memoryLog) append(on shared.End, e *shared.Entry) (shared.End, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end.Mark != on.Mark || l.end.ID != on.ID {
		if l.has(e) {
			return l.end, nil
		}
		l.lost++
		l.wait(e.By)
		return l.end, shared.ErrMoved
	}
	kept := *e
	l.end = shared.End{Revision: e.Last, Total: e.Total, Mark: l.end.Mark + 1, ID: e.ID}
	kept.Mark = l.end.Mark
	l.entries = append(l.entries, &kept)
	close(l.grew)
	l.grew = make(chan struct{})
	end := l.end
	if l.leave(e.By.Of); e.Turn.Of != "" {
		l.leave(e.Turn.Of)
		l.wait(e.By)
	} else if len(l.waiting) > 0 {
		end.Next = l.waiting[0]
	}
	return end, nil
}

// wait has a process wait for its turn, and leave has it wait no longer.
func (l *memoryLog) wait(is shared.Turn) {
	if !slices.ContainsFunc(l.waiting, func(t shared.Turn) bool { return t.Of == is.Of }) {
		l.waiting = append(l.waiting, is)
	}
}

func (l *memoryLog) leave(process string) {
	l.waiting = slices.DeleteFunc(l.waiting, func(t shared.Turn) bool { return t.Of == process })
}

func (l *memoryLog) has(e *shared.Entry) bool {
	for _, one := range l.entries {
		if one.ID == e.ID {
			return true
		}
	}
	return false
}

// client is what one process has of a memoryLog: the line to it loses, delays and doubles
// what is said, as often as bad says, of 100.
type client struct {
	*memoryLog
	bad int

	cut  atomic.Bool   // nothing gets through
	slow time.Duration // that an append takes to arrive
}

var errLost = fmt.Errorf("the answer was lost: %w", placement.ErrUnavailable)

type unknown struct{}

func (unknown) Error() string { return "the answer was lost" }
func (unknown) Is(target error) bool {
	return target == shared.ErrUnknown || target == placement.ErrUnavailable
}

func (c *client) chance() bool { return rand.IntN(100) < c.bad }

// delay waits for a moment.
func (c *client) delay() {
	if c.chance() {
		time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
	}
}

func (c *client) Append(_ context.Context, on shared.End, e *shared.Entry) (shared.End, error) {
	c.delay()
	time.Sleep(c.slow)
	switch {
	case c.cut.Load(), c.chance(): // lost on the way there
		return shared.End{}, unknown{}
	case c.chance(): // it arrives later
		kept := *e
		go func() {
			time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
			_, _ = c.append(on, &kept)
		}()
		return shared.End{}, unknown{}
	}
	end, err := c.append(on, e)
	if c.chance() { // twice
		end, err = c.append(on, e)
	}
	if c.chance() { // lost on the way back
		return shared.End{}, unknown{}
	}
	return end, err
}

func (c *client) Settle(_ context.Context, on shared.End, e *shared.Entry) (bool, error) {
	if c.cut.Load() || c.chance() {
		return false, errLost
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end.Mark == on.Mark {
		c.end.Mark++
		return false, nil
	}
	return c.has(e), nil
}

func (c *client) End(context.Context) (shared.End, error) {
	if c.cut.Load() || c.chance() {
		return shared.End{}, errLost
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end, nil
}

func (c *client) Read(_ context.Context, from cloud.Revision, take func(*shared.Entry) error) (shared.End, error) {
	if c.cut.Load() || c.chance() {
		return shared.End{}, errLost
	}
	c.mu.Lock()
	entries, end := c.entries, c.end
	c.mu.Unlock()
	for _, e := range entries {
		if e.First < from {
			continue
		}
		if err := take(e); err != nil {
			return shared.End{}, err
		}
	}
	return end, nil
}

func (c *client) Watch(ctx context.Context, after shared.End, take func(*shared.Entry) error) error {
	said := after.Mark
	for {
		c.mu.Lock()
		entries, grew := c.entries, c.grew
		c.mu.Unlock()
		for _, e := range entries {
			if e.Mark <= said {
				continue
			}
			said = e.Mark
			if c.cut.Load() || c.chance() { // lost
				continue
			}
			c.delay()
			for range 1 + rand.IntN(1+c.bad/10) { // doubled
				if err := take(e); err != nil {
					return err
				}
			}
			if c.chance() {
				return errLost
			}
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *client) Back(ctx context.Context, until cloud.Revision, limit int) ([]*shared.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*shared.Entry
	for i := len(c.entries) - 1; i >= 0 && len(out) < limit; i-- {
		if c.entries[i].First <= until {
			out = append(out, c.entries[i])
		}
	}
	return out, nil
}

func (c *client) Body(_ context.Context, e *shared.Entry) ([]byte, error) { return e.Body, nil }

func (c *client) Checkpoint(_ context.Context, read func(shared.Checkpoint, io.Reader) error) error {
	c.mu.Lock()
	point, whole := c.point, c.whole
	c.mu.Unlock()
	if whole == nil {
		return shared.ErrForgotten
	}
	return read(point, bytes.NewReader(whole))
}

func (c *client) Duty(ctx context.Context, do func(context.Context, shared.Duty) error) error {
	select {
	case c.duty <- struct{}{}:
		defer func() { <-c.duty }()
		return do(ctx, onDuty{c.memoryLog})
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *client) Lives(_ context.Context, process string) (bool, error) {
	if c.cut.Load() || c.chance() {
		return false, errLost
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.dead[process], nil
}

func (c *client) Close() error { return nil }

type onDuty struct{ *memoryLog }

func (d onDuty) Checkpoint(_ context.Context, at shared.Checkpoint, write func(io.Writer) error) error {
	var whole bytes.Buffer
	if err := write(&whole); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.whole, d.point = whole.Bytes(), at
	d.point.Size = int64(whole.Len())
	d.points++
	return nil
}

func (d onDuty) Trim(_ context.Context, drop func(*shared.Entry) bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.entries) > 0 && drop(d.entries[0]) {
		d.entries = d.entries[1:]
	}
	return nil
}
