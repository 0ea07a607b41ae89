package sorted_test

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/sorted"
)

type row struct {
	key, number int
	_           [6]int // about as large as a row
}

func byKey(a, b row) int { return cmp.Compare(a.key, b.key) }

func TestAgainstSlices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 60).Draw(t, "keys")
		rows := make([]row, len(keys))
		for i, k := range keys {
			rows[i] = row{key: k, number: i}
		}
		want := slices.Clone(rows)
		slices.SortStableFunc(want, byKey)
		seq := sorted.Seq(slices.Values(rows), byKey)
		sorted.By(rows, byKey)
		if !slices.Equal(rows, want) || !slices.Equal(seq, want) {
			t.Fatalf("got %v and %v, want %v", rows, seq, want)
		}
		m := make(map[string]int)
		for _, k := range keys {
			m[strconv.Itoa(k)] = k
		}
		if got, want := sorted.Keys(m), slices.Sorted(maps.Keys(m)); !slices.Equal(got, want) {
			t.Fatalf("got keys %v, want %v", got, want)
		}
	})
}

// A few rows are sorted without allocating.
func TestFewAllocateNothing(t *testing.T) {
	rows := []row{{key: 3}, {key: 1}, {key: 2}}
	if n := testing.AllocsPerRun(100, func() { sorted.By(rows, byKey) }); n > 0 {
		t.Errorf("%v allocations for three rows, want none", n)
	}
}

func BenchmarkSort(b *testing.B) {
	for _, n := range []int{10, 100, 32_000} {
		rows := make([]row, n)
		var pointers []*row
		for i := range rows {
			rows[i] = row{key: i * 7919 % (n + 1), number: i}
			pointers = append(pointers, &rows[i])
		}
		work, p := make([]row, n), make([]*row, n)
		byPointer := func(a, b *row) int { return cmp.Compare(a.key, b.key) }
		for name, sort := range map[string]func(){
			"rows/here":       func() { copy(work, rows); sorted.By(work, byKey) },
			"rows/slices":     func() { copy(work, rows); slices.SortFunc(work, byKey) },
			"pointers/here":   func() { copy(p, pointers); sorted.By(p, byPointer) },
			"pointers/slices": func() { copy(p, pointers); slices.SortFunc(p, byPointer) },
		} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				for b.Loop() {
					sort()
				}
			})
		}
	}
}
