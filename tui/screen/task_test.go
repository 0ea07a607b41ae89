package screen_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/screen"
)

// work returns n after d, or at once if it is dropped.
func work(n int, d time.Duration) func(context.Context) int {
	return func(ctx context.Context) int {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return n
	}
}

// later runs a command in the background.
func later(cmd tea.Cmd) <-chan tea.Msg {
	out := make(chan tea.Msg, 1)
	go func() { out <- cmd() }()
	return out
}

func TestTaskStartDropsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var task screen.Task[int]
		first := later(task.Start(t.Context(), work(1, time.Hour)))
		second := task.Start(t.Context(), work(2, time.Second))
		if msg := <-first; msg != nil {
			t.Errorf("dropped work gives %v", msg)
		}
		if v, ok, cmd := task.Take(second()); v != 2 || !ok || cmd != nil || task.Busy() {
			t.Errorf("Take = %d, %v, busy %v", v, ok, task.Busy())
		}
	})
}

// TestTaskLateAnswer has work end before it is dropped, while its message is still under
// way.
func TestTaskLateAnswer(t *testing.T) {
	t.Parallel()
	var task, other screen.Task[int]
	late := task.Start(t.Context(), work(1, 0))()
	newest := task.Start(t.Context(), work(2, 0))
	if _, ok, _ := task.Take(late); ok || !task.Busy() {
		t.Error("an answer was taken that a newer one replaces")
	}
	msg := newest()
	if _, ok, _ := other.Take(msg); ok {
		t.Error("a task took the answer of another one")
	}
	task.Drop()
	if _, ok, _ := task.Take(msg); ok || task.Busy() {
		t.Error("an answer was taken after Drop")
	}
	if _, ok, cmd := task.Take(tea.KeyMsg{}); ok || cmd != nil {
		t.Error("a key is no answer")
	}
}

func TestTaskFollowersWaitAndTheLastCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var task screen.Task[int]
		task.Clock = time.Now
		msg := later(task.Follow(t.Context(), work(1, time.Second)))
		for n := 2; n <= 4; n++ {
			if task.Follow(t.Context(), work(n, time.Second)) != nil {
				t.Fatal("two pieces of work at a time")
			}
		}
		v, ok, rest := task.Take(<-msg)
		if v != 1 || !ok || rest == nil || !task.Busy() {
			t.Fatalf("Take = %d, %v", v, ok)
		}
		began := time.Now()
		_, ok, next := task.Take(rest())
		if waited := time.Since(began); ok || next == nil || waited != 3*time.Second {
			t.Fatalf("rested %v, want 3s", waited)
		}
		if v, ok, cmd := task.Take(next()); v != 4 || !ok || cmd != nil || task.Busy() {
			t.Errorf("Take = %d, %v", v, ok)
		}
	})
}

// TestTaskStartNeedsNoRest has the user start work while a follower waits.
func TestTaskStartNeedsNoRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var task screen.Task[int]
		task.Clock = time.Now
		task.Take(task.Start(t.Context(), work(1, time.Second))())
		waiting := later(task.Follow(t.Context(), work(2, 0)))
		began := time.Now()
		v, ok, cmd := task.Take(task.Start(t.Context(), work(3, 0))())
		if v != 3 || !ok || cmd != nil || time.Since(began) != 0 {
			t.Errorf("Take = %d, %v after %v", v, ok, time.Since(began))
		}
		if msg := <-waiting; msg != nil {
			t.Errorf("the follower that was dropped gives %v", msg)
		}
	})
}

func TestTaskEndsWithItsScreen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var task screen.Task[int]
		task.Clock = time.Now
		msg := later(task.Start(ctx, work(1, time.Hour)))
		cancel()
		if got := <-msg; got != nil {
			t.Errorf("gives %v after its screen was left", got)
		}
	})
}
