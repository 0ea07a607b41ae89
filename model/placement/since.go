package placement

import "iter"

// ChangedSince yields the providers that differ between old and s, each as it is in
// old and as it is in s, by number: nil if it does not exist. A provider differs
// when anything about it was written in between, even if only its usage or its place
// in a tree. What the two share costs one comparison per leafSize providers, so the
// Snapshots before and after a claim are compared in microseconds.
func (s *Snapshot) ChangedSince(old *Snapshot) iter.Seq2[*ResourceProvider, *ResourceProvider] {
	return func(yield func(was, is *ResourceProvider) bool) {
		for i := range max(len(old.providers.leaves), len(s.providers.leaves)) {
			was, is := old.providers.leaf(i), s.providers.leaf(i)
			if was == is {
				continue
			}
			for row := range leafSize {
				a, b := was.row(row), is.row(row)
				if a != b && !yield(a, b) {
					return
				}
			}
		}
	}
}

// leaf returns leaf i, or nil if there is none.
func (t table) leaf(i int) *leaf {
	if i >= len(t.leaves) {
		return nil
	}
	return t.leaves[i]
}

// row returns row i of l, or nil if there is none.
func (l *leaf) row(i int) *ResourceProvider {
	if l == nil {
		return nil
	}
	return l.rows[i]
}
