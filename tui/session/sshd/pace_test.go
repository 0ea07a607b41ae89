package sshd

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// line is a link that takes so many bytes a second, and a time to go over.
type line struct {
	rate float64
	trip time.Duration
	dead bool

	mu   sync.Mutex
	free time.Time // when all that was sent has left
}

func (l *line) send(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
}

func (l *line) queue() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.free))
}

func (l *line) ask() error {
	time.Sleep(l.queue() + l.trip)
	return nil
}

// TestPace holds a key down and counts what is drawn, and how much waits on the way when a
// frame is.
func TestPace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line          *line
		frame         int
		fewest, most  int // frames in ten seconds
		worst, settle time.Duration
	}{
		"64 kbit/s and 300 ms":   {&line{rate: 8000, trip: 300 * time.Millisecond}, 700, 70, 115, 500 * time.Millisecond, 150 * time.Millisecond},
		"1 Mbit/s and 100 ms":    {&line{rate: 125000, trip: 100 * time.Millisecond}, 700, 290, 301, 100 * time.Millisecond, 20 * time.Millisecond},
		"in the same room":       {&line{rate: 1e8, trip: 200 * time.Microsecond}, 4000, 300, 301, 5 * time.Millisecond, time.Millisecond},
		"a client without signs": {&line{rate: 1e6, dead: true}, 700, 270, 301, 10 * time.Millisecond, 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				ended := errors.New("ended")
				l := test.line
				p := newPace(func() error {
					if l.dead {
						<-over
						return ended
					}
					return l.ask()
				}, time.Now)
				var worst, last time.Duration
				frames := 0
				for began := time.Now(); time.Since(began) < 10*time.Second; {
					if l.queue() > worst {
						worst = l.queue()
					}
					last = l.queue()
					l.send(test.frame)
					p.wrote(test.frame, over)
					frames++
					time.Sleep(time.Second / 30)
				}
				t.Logf("%d frames, at worst %s waited, at last %s", frames, worst, last)
				if frames < test.fewest || frames > test.most {
					t.Errorf("%d frames, want from %d to %d", frames, test.fewest, test.most)
				}
				if worst > test.worst || last > test.settle {
					t.Errorf("at worst %s waited, at last %s, want %s and %s", worst, last, test.worst, test.settle)
				}
				close(over)
				time.Sleep(time.Minute)
			})
		})
	}
}
