package screen

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Task is work that a screen has done off the event loop, such as making the rows of a
// list: one piece at a time, and only the newest counts. It is used from the event
// loop, and must not be copied after first use.
//
// What the user asks for is given to Start, which drops what is under way. What
// new data asks for is given to Follow, which lets that end, so that something
// is shown even on a busy cloud.
type Task[T any] struct {
	// Clock measures how long work takes. Followers then leave it idle for three
	// times as long, so that a cloud that never rests keeps only a quarter of a
	// core busy. Without a clock they do not wait.
	Clock func() time.Time

	seq    Sequence
	busy   bool      // work is under way, or waiting
	rested time.Time // when followers may begin
	next   func(context.Context) T
	parent context.Context //nolint:containedctx // of next
}

// restFactor is how much longer a task rests than it worked.
const restFactor = 3

type (
	// taskMsg brings the result of work.
	taskMsg[T any] struct {
		task  *Task[T]
		seq   uint64
		value T
		ended time.Time
		took  time.Duration
	}
	// taskDueMsg says that the waiting work may begin.
	taskDueMsg[T any] struct {
		task *Task[T]
		seq  uint64
	}
)

// Busy reports whether an answer is still to come.
func (t *Task[T]) Busy() bool { return t.busy }

// Start begins work now. What is under way or waits is dropped: its context ends and
// its answer is ignored.
func (t *Task[T]) Start(parent context.Context, work func(context.Context) T) tea.Cmd {
	ctx, seq := t.seq.Next(parent)
	t.busy, t.next = true, nil
	return func() tea.Msg {
		began := t.now()
		value := work(ctx)
		if ctx.Err() != nil {
			return nil
		}
		ended := t.now()
		return taskMsg[T]{task: t, seq: seq, value: value, ended: ended, took: ended.Sub(began)}
	}
}

// Follow begins work when what is under way has ended and the task has rested. Of
// several that wait only the last is done.
func (t *Task[T]) Follow(parent context.Context, work func(context.Context) T) tea.Cmd {
	t.next, t.parent = work, parent
	if t.busy {
		return nil
	}
	return t.begin() //nolint:contextcheck // it runs under the context that the work came with
}

// begin starts what waits, now or when the task has rested.
func (t *Task[T]) begin() tea.Cmd {
	wait := t.rested.Sub(t.now())
	if wait <= 0 {
		return t.Start(t.parent, t.next)
	}
	ctx, seq := t.seq.Next(t.parent)
	t.busy = true
	return func() tea.Msg {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			return taskDueMsg[T]{task: t, seq: seq}
		case <-ctx.Done():
			return nil
		}
	}
}

// Take handles a message. If it brings the answer to the newest work, that is returned
// and ok is true. Update must return the command in any case: it is what the task does
// next.
func (t *Task[T]) Take(msg tea.Msg) (value T, ok bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case taskMsg[T]:
		if msg.task != t || !t.seq.Current(msg.seq) {
			break
		}
		t.busy = false
		t.rested = msg.ended.Add(restFactor * msg.took)
		if t.next != nil {
			cmd = t.begin()
		}
		return msg.value, true, cmd
	case taskDueMsg[T]:
		if msg.task == t && t.seq.Current(msg.seq) {
			cmd = t.Start(t.parent, t.next)
		}
	}
	return value, false, cmd
}

// Drop forgets what is under way and what waits.
func (t *Task[T]) Drop() {
	t.seq.Stop()
	t.seq.n++
	t.busy, t.next = false, nil
}

func (t *Task[T]) now() time.Time {
	if t.Clock == nil {
		return time.Time{}
	}
	return t.Clock()
}
