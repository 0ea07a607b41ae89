package sshd

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// line is a link with a rate in bytes a second, and a delay.
type line struct {
	rate float64
	trip time.Duration
	dead bool // the client answers no query

	mu   sync.Mutex
	free time.Time // when everything sent so far has left
}

func (l *line) send(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
}

func (l *line) queue() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.free))
}

// ask returns a function that queries the client at the end of the line.
func (l *line) ask(over <-chan struct{}) func() error {
	return func() error {
		if l.dead {
			<-over
			return errors.New("ended")
		}
		time.Sleep(l.queue() + l.trip)
		return nil
	}
}

// TestPace holds a key down for ten seconds. Whatever the link, nothing is on its way when
// a frame is drawn, and a client that does not answer gets frames all the same.
func TestPace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line         *line
		frame        int
		fewest, most int // frames
	}{
		"64 kbit/s and 300 ms":   {&line{rate: 8000, trip: 300 * time.Millisecond}, 700, 20, 30},
		"a large terminal":       {&line{rate: 8000, trip: 300 * time.Millisecond}, 2100, 14, 20},
		"1 Mbit/s and 100 ms":    {&line{rate: 125000, trip: 100 * time.Millisecond}, 700, 70, 100},
		"in the same room":       {&line{rate: 1e8, trip: 200 * time.Microsecond}, 4000, 300, 303},
		"a client without signs": {&line{rate: 1e6, dead: true}, 700, 200, 303},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				l := test.line
				p := &pace{ask: l.ask(over)}
				began, frames, worst := time.Now(), 0, time.Duration(0)
				for time.Since(began) < 10*time.Second {
					p.wait(over, nil)
					worst = max(worst, l.queue())
					l.send(test.frame)
					p.wrote()
					frames++
					next := time.Since(began).Truncate(time.Second/30) + time.Second/30
					time.Sleep(time.Until(began.Add(next)))
				}
				if frames < test.fewest || frames > test.most || worst > 0 {
					t.Errorf("%d frames, behind %s of others; want from %d to %d, and none", frames, worst, test.fewest, test.most)
				}
				close(over)
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestPaceKeysOneByOne has a key answered at once, as nothing is on its way.
func TestPaceKeysOneByOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		l := &line{rate: 8000, trip: 300 * time.Millisecond}
		p := &pace{ask: l.ask(over)}
		for _, n := range []int{13000, 2100, 60, 700} {
			began := time.Now()
			p.wait(over, nil)
			if took := time.Since(began); took > 0 {
				t.Errorf("%d bytes wait for %s", n, took)
			}
			l.send(n)
			p.wrote()
			time.Sleep(3 * time.Second)
		}
		close(over)
		time.Sleep(time.Minute)
	})
}

// TestPaceOfTwoWrites waits for what was written after the query, too.
func TestPaceOfTwoWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		l := &line{rate: 8000, trip: 300 * time.Millisecond}
		p := &pace{ask: l.ask(over)}
		for range 2 {
			l.send(800)
			p.wrote()
			time.Sleep(50 * time.Millisecond)
		}
		p.wait(over, nil)
		if l.queue() > 0 {
			t.Error("a frame is on its way")
		}
		close(over)
		time.Sleep(time.Minute)
	})
}
