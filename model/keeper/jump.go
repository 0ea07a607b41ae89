package keeper

import "time"

// How far the clock goes ahead at once before it is said to jump, and for how long nobody's
// move is reverted then: if the clock is wrong, or the machine slept, people can still confirm it.
const (
	leastJump = time.Minute
	jumpGrace = 10 * time.Minute
)

// Jumps notices that the clock was set ahead, or the machine slept: then more time has passed by
// it than this process ran. Times of running cannot be set.
type Jumps struct {
	Ran func() time.Duration // returns how long the process has run

	at    time.Time     // when it was looked at last
	ran   time.Duration // how long the process had run then
	until time.Duration // of running: until then no move is reverted
}

// look returns how far the clock went ahead by itself since the last look, 0 if it did not jump,
// and for how long to wait with reverts.
func (j *Jumps) look(now time.Time) (by, wait time.Duration) {
	ran := j.Ran()
	now = now.Round(0) // by the clock alone
	if !j.at.IsZero() {
		by = now.Sub(j.at) - (ran - j.ran)
	}
	j.at, j.ran = now, ran
	switch {
	case by >= leastJump:
		j.until = ran + jumpGrace
	case by <= -leastJump: // it was set back
		by, j.until = 0, ran
	default:
		by = 0
	}
	return by, max(j.until-ran, 0)
}
