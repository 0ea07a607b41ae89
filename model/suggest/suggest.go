// Package suggest finds the known names that somebody who mistyped one may have meant.
package suggest

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns up to three of names that look most like name, the most alike first:
// for the hint of an error about an unknown name. Equally similar names come in
// alphabetical order. A common namespace, such as CUSTOM_, makes two names no more
// alike.
func Nearest(name string, names []string) []string {
	type scored struct {
		name string
		dist int
	}
	space := name[:strings.IndexByte(name, '_')+1]
	var best []scored
	for _, n := range names {
		limit := 1 + len(name)/3
		if strings.HasPrefix(n, space) {
			limit = 1 + (len(name)-len(space))/3
		}
		if d := distance(name, n, limit); d >= 0 {
			best = append(best, scored{n, d})
		}
	}
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Or(a.dist-b.dist, strings.Compare(a.name, b.name)) })
	var out []string
	for _, s := range best[:min(3, len(best))] {
		out = append(out, s.name)
	}
	return out
}

// OneOff reports whether a and b differ by one slip at most: a letter too many, missing,
// or wrong, or two swapped.
func OneOff(a, b string) bool { return distance(a, b, 1) >= 0 }

// distance is the Levenshtein distance between a and b, in which two swapped neighbours
// count as one edit; -1 if it is above limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return -1
	}
	last := make([]int, len(b)+1) // the row before prev
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		low := cur[0]
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], last[j-2]+1)
			}
			low = min(low, cur[j])
		}
		if low > limit {
			return -1
		}
		last, prev, cur = prev, cur, last
	}
	if d := prev[len(b)]; d <= limit {
		return d
	}
	return -1
}
