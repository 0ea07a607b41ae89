package insight

import (
	"time"
)

// Forecast says when something will be full if its use goes on growing as before. The
// zero value means unknown.
type Forecast struct {
	Known bool
	Never bool          // it does not fill up
	In    time.Duration // from now; 0 if it is full
}

// leastLevels is how many levels a trend needs.
const leastLevels = 8

// FullIn returns when levels will reach capacity by their trend, the least-squares
// line. They are what was used at the end of equal intervals, the last of which is
// now.
func FullIn(levels []float64, step time.Duration, capacity float64) Forecast {
	n := len(levels)
	switch {
	case n > 0 && levels[n-1] > 0 && levels[n-1] >= capacity:
		return Forecast{Known: true}
	case n < leastLevels || capacity <= 0:
		return Forecast{}
	}
	var sum, along float64
	middle := float64(n-1) / 2
	for i, level := range levels {
		sum += (float64(i) - middle) * level
		along += (float64(i) - middle) * (float64(i) - middle)
	}
	rise := sum / along // per step
	if rise <= 0 || (capacity-levels[n-1])/rise > float64(farthest)/float64(step) {
		return Forecast{Known: true, Never: true}
	}
	return Forecast{Known: true, In: time.Duration((capacity - levels[n-1]) / rise * float64(step))}
}

// farthest is how far ahead a trend is followed.
const farthest = 10 * 365 * 24 * time.Hour
