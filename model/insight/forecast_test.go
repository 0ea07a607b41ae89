package insight_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/insight"
)

func TestFullIn(t *testing.T) {
	t.Parallel()
	line := func(n int, from, by float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = from + by*float64(i)
		}
		return out
	}
	for name, tt := range map[string]struct {
		levels   []float64
		capacity float64
		want     insight.Forecast
	}{
		"nothing known":  {nil, 100, insight.Forecast{}},
		"too little":     {line(7, 0, 1), 100, insight.Forecast{}},
		"no inventory":   {line(24, 0, 0), 0, insight.Forecast{}},
		"rises":          {line(11, 0, 5), 100, insight.Forecast{Known: true, In: 10 * time.Hour}},
		"full":           {line(11, 90, 1), 100, insight.Forecast{Known: true}},
		"over, and new":  {[]float64{110}, 100, insight.Forecast{Known: true}},
		"stands":         {line(24, 50, 0), 100, insight.Forecast{Known: true, Never: true}},
		"falls":          {line(24, 50, -1), 100, insight.Forecast{Known: true, Never: true}},
		"in a long time": {line(24, 50, 1e-9), 100, insight.Forecast{Known: true, Never: true}},
	} {
		if got := insight.FullIn(tt.levels, time.Hour, tt.capacity); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestFullInIsSane tries arbitrary levels: a larger capacity is never full earlier, and
// nothing is full in the past.
func TestFullInIsSane(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SliceOfN(rapid.Float64Range(0, 1e9), 0, 40).Draw(t, "levels")
		capacity := rapid.Float64Range(0, 1e9).Draw(t, "capacity")
		a, b := insight.FullIn(levels, time.Hour, capacity), insight.FullIn(levels, time.Hour, capacity*2)
		if a.In < 0 || b.In < 0 {
			t.Fatalf("in %s and %s", a.In, b.In)
		}
		if a.Known && b.Known && !b.Never && (a.Never || b.In < a.In) {
			t.Fatalf("with more room it is full earlier: %+v, %+v", a, b)
		}
	})
}
