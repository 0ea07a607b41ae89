package component

import (
	"slices"
	"strings"
)

// What a match is worth. A run of letters and the start of a word count most:
// that is what people type when they mean a name.
const (
	scoreLetter = 16
	scoreRun    = 12
	scoreWord   = 10
	scoreStart  = 6
	costGap     = 1
	maxGapCost  = 12
)

// FuzzyScore reports whether every word of the pattern stands in key as a
// subsequence, and how good the match is; higher is better. Both are in lower
// case.
func FuzzyScore(pattern, key string) (score int, ok bool) {
	for pattern != "" {
		var word string
		word, pattern, _ = strings.Cut(pattern, " ")
		if word == "" {
			continue
		}
		s, ok := scoreOf(word, key)
		if !ok {
			return 0, false
		}
		score += s
	}
	return score, true
}

// maxEnds is how many matches of a word are tried: the first need not be the
// best.
const maxEnds = 4

// scoreOf scores one word. From each place where a match ends it goes back, so
// that the letters stand as close as they can.
func scoreOf(word, key string) (score int, ok bool) {
	from := 0
	for range maxEnds {
		end, more := matchEnd(word, key, from)
		if !more {
			break
		}
		if s := scoreBack(word, key, end); !ok || s > score {
			score, ok = s, true
		}
		from = end
	}
	return score, ok
}

// matchEnd returns where the first match of word ends whose last letter stands
// at from or later.
func matchEnd(word, key string, from int) (int, bool) {
	at := 0
	for i := range len(word) {
		if i == len(word)-1 && at < from {
			at = from
		}
		if at > len(key) {
			return 0, false
		}
		n := strings.IndexByte(key[at:], word[i])
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	return at, true
}

// scoreBack scores the match of word that ends at end, taking each letter as
// late as it can be.
func scoreBack(word, key string, end int) int {
	score, at, prev := 0, end, -1
	for i := len(word) - 1; i >= 0; i-- {
		n := strings.LastIndexByte(key[:at], word[i])
		if n < 0 {
			return 0
		}
		score += scoreLetter
		switch {
		case n == 0:
			score += scoreWord + scoreStart
		case !isWordByte(key[n-1]):
			score += scoreWord
		}
		if prev >= 0 {
			if gap := prev - n - 1; gap == 0 {
				score += scoreRun
			} else {
				score -= min(gap*costGap, maxGapCost)
			}
		}
		prev, at = n, n
	}
	return score
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// FuzzyMatch is a key that FuzzyFind found.
type FuzzyMatch struct {
	Index int // into the keys
	Score int
}

// FuzzyFind returns the best matches of pattern among keys, at most limit of
// them, the best first; keys of one score stand by length, then in their own
// order. The keys are in lower case, the pattern need not be. An empty pattern
// finds the first keys.
func FuzzyFind(pattern string, keys []string, limit int) []FuzzyMatch {
	pattern = strings.ToLower(pattern)
	if limit <= 0 {
		return nil
	}
	better := func(a, b FuzzyMatch) int {
		if a.Score != b.Score {
			return b.Score - a.Score
		}
		if la, lb := len(keys[a.Index]), len(keys[b.Index]); la != lb && pattern != "" {
			return la - lb
		}
		return a.Index - b.Index
	}
	var out []FuzzyMatch
	for i, k := range keys {
		s, ok := FuzzyScore(pattern, k)
		if !ok {
			continue
		}
		m := FuzzyMatch{Index: i, Score: s}
		if len(out) == limit && better(m, out[limit-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(out, m, better)
		out = slices.Insert(out, at, m)
		if len(out) > limit {
			out = out[:limit]
		}
	}
	return out
}

// FuzzyPositions returns the bytes of key that the pattern's letters matched,
// in rising order, for showing them; nil when it does not match.
func FuzzyPositions(pattern, key string) []int {
	var out []int
	for _, word := range strings.Fields(strings.ToLower(pattern)) {
		if i := strings.Index(key, word); i >= 0 {
			for k := range len(word) {
				out = append(out, i+k)
			}
			continue
		}
		at, ok := matchEnd(word, key, 0)
		if !ok {
			return nil
		}
		for i := len(word) - 1; i >= 0; i-- {
			at = strings.LastIndexByte(key[:at], word[i])
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
