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
	dead bool

	mu   sync.Mutex
	free time.Time // when everything sent so far has left
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
	queue := l.queue()
	l.mu.Lock()
	trip := l.trip
	l.mu.Unlock()
	time.Sleep(queue + trip)
	return nil
}

// TestPaceBegins draws the first frame at once.
func TestPaceBegins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPace(func() error { return nil }, time.Now)
		if rest, _ := p.rest(); rest > 0 {
			t.Errorf("it waits %s for a link on which there is nothing", rest)
		}
	})
}

// TestPace holds a key down for ten seconds and counts the drawn frames, and how long a
// frame waits behind others once the link is known.
func TestPace(t *testing.T) {
	t.Parallel()
	slow := func() *line { return &line{rate: 8000, trip: 300 * time.Millisecond} }
	for name, test := range map[string]struct {
		line         *line
		first, frame int
		then         func(*line) // after five seconds
		fewest, most int         // frames
		worst        time.Duration
	}{
		"64 kbit/s and 300 ms":        {line: slow(), first: 4000, frame: 700, fewest: 72, most: 95, worst: 60 * time.Millisecond},
		"a large terminal":            {line: slow(), first: 13000, frame: 2100, fewest: 26, most: 32, worst: 60 * time.Millisecond},
		"pages of a large terminal":   {line: slow(), first: 13000, frame: 5000, fewest: 12, most: 16, worst: 60 * time.Millisecond},
		"small frames, a large first": {line: slow(), first: 13000, frame: 90, fewest: 220, most: 290, worst: 60 * time.Millisecond},
		"no more than large frames":   {line: slow(), first: 2100, frame: 2100, fewest: 30, most: 40, worst: 60 * time.Millisecond},
		"a link that slows down": {
			line: &line{rate: 64000, trip: 100 * time.Millisecond}, first: 13000, frame: 2100, fewest: 130, most: 190, worst: 60 * time.Millisecond,
			then: func(l *line) { l.rate = 8000 },
		},
		"a link that speeds up": {
			line: slow(), first: 13000, frame: 2100, fewest: 45, most: 170, worst: 60 * time.Millisecond,
			then: func(l *line) { l.rate = 125000 },
		},
		"a link that becomes longer": {
			line: &line{rate: 125000, trip: 20 * time.Millisecond}, first: 13000, frame: 700, fewest: 150, most: 303, worst: 60 * time.Millisecond,
			then: func(l *line) { l.trip = 300 * time.Millisecond },
		},
		"1 Mbit/s and 100 ms":    {line: &line{rate: 125000, trip: 100 * time.Millisecond}, first: 4000, frame: 700, fewest: 290, most: 303, worst: 20 * time.Millisecond},
		"in the same room":       {line: &line{rate: 1e8, trip: 200 * time.Microsecond}, first: 13000, frame: 4000, fewest: 300, most: 303, worst: time.Millisecond},
		"a client without signs": {line: &line{rate: 1e6, dead: true}, first: 4000, frame: 700, fewest: 200, most: 303, worst: 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				l := test.line
				p := newPace(l.asked(over), time.Now)
				began, changed := time.Now(), false
				frames, worst := 0, time.Duration(0)
				draw := func(n int) {
					if since := time.Since(began); since > 4*time.Second && (since < 5*time.Second || since > 8*time.Second) {
						worst = max(worst, l.queue())
					}
					l.send(n)
					p.wrote(n)
					p.wait(over, nil)
					frames++
				}
				draw(60) // as the terminal takes it
				draw(test.first)
				for time.Since(began) < 10*time.Second {
					if test.then != nil && !changed && time.Since(began) > 5*time.Second {
						changed = true
						l.mu.Lock()
						test.then(l)
						l.mu.Unlock()
					}
					draw(test.frame)
					next := time.Since(began).Truncate(time.Second/30) + time.Second/30
					time.Sleep(time.Until(began.Add(next)))
				}
				t.Logf("%d frames, at worst %s waited", frames, worst)
				if frames < test.fewest || frames > test.most {
					t.Errorf("%d frames, want from %d to %d", frames, test.fewest, test.most)
				}
				if worst > test.worst {
					t.Errorf("at worst %s waited, want %s", worst, test.worst)
				}
				close(over)
				time.Sleep(time.Minute)
			})
		})
	}
}

// asked returns a function that queries the client at the end of the line.
func (l *line) asked(over <-chan struct{}) func() error {
	return func() error {
		if l.dead {
			<-over
			return errors.New("ended")
		}
		return l.ask()
	}
}

// TestPaceKeysOneByOne has a key answered at once, as nothing is on its way, whatever
// came before.
func TestPaceKeysOneByOne(t *testing.T) {
	t.Parallel()
	for _, first := range []int{60, 13000} {
		synctest.Test(t, func(t *testing.T) {
			over := make(chan struct{})
			l := &line{rate: 8000, trip: 300 * time.Millisecond}
			p := newPace(l.asked(over), time.Now)
			l.send(first)
			p.wrote(first)
			for range 10 {
				time.Sleep(3 * time.Second)
				began := time.Now()
				l.send(2100)
				p.wrote(2100)
				p.wait(over, nil)
				if took := time.Since(began); took > 300*time.Millisecond {
					t.Errorf("after %d bytes 2100 hold up the next frame for %s", first, took)
				}
			}
			if _, least := p.trip(); least < 300*time.Millisecond || least > 320*time.Millisecond {
				t.Errorf("after %d bytes there and back is %s, want 300 ms", first, least)
			}
			if room := p.room(); room < 700 || room > 900 {
				t.Errorf("after %d bytes there is room for %d in 110 ms, want 780", first, room)
			}
			close(over)
			time.Sleep(time.Minute)
		})
	}
}
