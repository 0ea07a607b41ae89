package placement

import (
	"iter"
	"math/bits"
	"slices"
)

// owner marks a piece of a Snapshot with the edit that made it and may still change it in
// place. Once the edit has become a Snapshot, its owner is gone, and every later edit
// copies the piece before changing it.
type owner struct{ _ byte }

// chunkWords is how many words of 64 provider numbers a chunk of a Set covers.
const chunkWords = 64

// chunkBits is how many provider numbers a chunk of a Set covers.
const chunkBits = chunkWords * 64

// chunk is a run of chunkBits provider numbers.
type chunk struct {
	by    *owner
	words [chunkWords]uint64
}

// Set is a set of provider numbers: those that ResourceProvider.Number returns.
// It is an immutable value; the zero Set is empty. Sets of one Snapshot can be
// combined word by word, 64 providers at a time.
type Set struct {
	chunks []*chunk // nil for a chunk with no number set
	by     *owner   // who may change the slice in place
	count  int
}

// Len returns how many numbers are in the set.
func (s Set) Len() int { return s.count }

// Has reports whether number n is in the set.
func (s Set) Has(n int) bool {
	i := n / chunkBits
	if i >= len(s.chunks) || s.chunks[i] == nil {
		return false
	}
	return s.chunks[i].words[n%chunkBits/64]>>(n%64)&1 != 0
}

// Words returns how many words of 64 numbers the set spans.
func (s Set) Words() int { return len(s.chunks) * chunkWords }

// Word returns the numbers from 64*i up to 64*i+63 as bits, lowest first. Words
// beyond the set are zero.
func (s Set) Word(i int) uint64 {
	c := i / chunkWords
	if c >= len(s.chunks) || s.chunks[c] == nil {
		return 0
	}
	return s.chunks[c].words[i%chunkWords]
}

// All yields the numbers of the set in ascending order.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ci, c := range s.chunks {
			if c == nil {
				continue
			}
			for wi, w := range c.words {
				for w != 0 {
					if !yield(ci*chunkBits + wi*64 + bits.TrailingZeros64(w)) {
						return
					}
					w &= w - 1
				}
			}
		}
	}
}

// edit returns the word that holds n, ready to be changed by the edit that is by.
func (s *Set) edit(n int, by *owner) *uint64 {
	i := n / chunkBits
	if s.by != by {
		s.chunks, s.by = slices.Clone(s.chunks), by
	}
	for i >= len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	c := s.chunks[i]
	switch {
	case c == nil:
		c = &chunk{by: by}
	case c.by != by:
		c = &chunk{by: by, words: c.words}
	}
	s.chunks[i] = c
	return &c.words[n%chunkBits/64]
}

func (s *Set) add(n int, by *owner) {
	if !s.Has(n) {
		*s.edit(n, by) |= 1 << (n % 64)
		s.count++
	}
}

func (s *Set) remove(n int, by *owner) {
	if s.Has(n) {
		*s.edit(n, by) &^= 1 << (n % 64)
		s.count--
	}
}

// leafSize is how many providers a leaf of a table holds.
const leafSize = 128

type leaf struct {
	by   *owner
	rows [leafSize]*ResourceProvider
}

// table holds the providers by number, copied leaf by leaf on write.
type table struct {
	leaves []*leaf
	by     *owner
}

// bound returns a number above every number in use.
func (t table) bound() int { return len(t.leaves) * leafSize }

func (t table) at(n uint32) *ResourceProvider {
	return t.leaves[n/leafSize].rows[n%leafSize]
}

func (t *table) set(n uint32, p *ResourceProvider, by *owner) {
	i := int(n / leafSize)
	if t.by != by {
		t.leaves, t.by = slices.Clone(t.leaves), by
	}
	for i >= len(t.leaves) {
		t.leaves = append(t.leaves, nil)
	}
	l := t.leaves[i]
	switch {
	case l == nil:
		l = &leaf{by: by}
	case l.by != by:
		l = &leaf{by: by, rows: l.rows}
	}
	l.rows[n%leafSize] = p
	t.leaves[i] = l
}
