package candidates

import (
	"iter"
	"math/bits"
)

// bitmap is a set of slots, 64 to a word. All bitmaps of a layout have the same
// number of words, so that they combine word by word.
type bitmap []uint64

func (b bitmap) has(slot int32) bool { return b[slot>>6]>>(slot&63)&1 != 0 }

func (b bitmap) set(slot int32) { b[slot>>6] |= 1 << (slot & 63) }

func (b bitmap) clear(slot int32) { b[slot>>6] &^= 1 << (slot & 63) }

// setRange adds the slots in [from, to).
func (b bitmap) setRange(from, to int32) {
	for w := from >> 6; w <= (to-1)>>6 && from < to; w++ {
		b[w] |= rangeMask(w, from, to)
	}
}

// rangeMask returns the bits of word w that are in [from, to).
func rangeMask(w, from, to int32) uint64 {
	mask := ^uint64(0)
	if low := from - w<<6; low > 0 {
		mask <<= low
	}
	if high := to - w<<6; high < 64 {
		mask &= 1<<high - 1
	}
	return mask
}

// anyIn reports whether b has a slot in [from, to).
func (b bitmap) anyIn(from, to int32) bool {
	if from >= to {
		return false
	}
	last := (to - 1) >> 6
	for w := from >> 6; w <= last; w++ {
		if b[w]&rangeMask(w, from, to) != 0 {
			return true
		}
	}
	return false
}

// appendIn appends the slots of b in [from, to), ascending.
func (b bitmap) appendIn(out []int32, from, to int32) []int32 {
	if from >= to {
		return out
	}
	last := (to - 1) >> 6
	for w := from >> 6; w <= last; w++ {
		for word := b[w] & rangeMask(w, from, to); word != 0; word &= word - 1 {
			out = append(out, w<<6+int32(bits.TrailingZeros64(word)))
		}
	}
	return out
}

// all yields the slots of b, ascending.
func (b bitmap) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for w, word := range b {
			for ; word != 0; word &= word - 1 {
				if !yield(int32(w<<6 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

func (b bitmap) count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// countIn returns how many slots b and o have in common.
func (b bitmap) countIn(o bitmap) int {
	n := 0
	for i, word := range b {
		n += bits.OnesCount64(word & o[i])
	}
	return n
}

func (b bitmap) empty() bool {
	for _, word := range b {
		if word != 0 {
			return false
		}
	}
	return true
}

func (b bitmap) and(o bitmap) {
	for i := range b {
		b[i] &= o[i]
	}
}

func (b bitmap) andNot(o bitmap) {
	for i := range b {
		b[i] &^= o[i]
	}
}

func (b bitmap) or(o bitmap) {
	for i := range b {
		b[i] |= o[i]
	}
}

func (b bitmap) clone() bitmap { return append(bitmap(nil), b...) }
