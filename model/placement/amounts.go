package placement

import "maps"

// Amounts is what a claim takes, or a consumer holds: units by class, by provider.
type Amounts map[ProviderID]map[ResourceClass]int64

// Add adds units of a class on a provider; none leave a as it is.
func (a Amounts) Add(p ProviderID, c ResourceClass, n int64) {
	if n == 0 {
		return
	}
	if a[p] == nil {
		a[p] = map[ResourceClass]int64{}
	}
	a[p][c] += n
}

// Move moves all units of a class from one provider to another, and returns how many.
func (a Amounts) Move(c ResourceClass, from, to ProviderID) int64 {
	n := a[from][c]
	delete(a[from], c)
	if len(a[from]) == 0 {
		delete(a, from)
	}
	a.Add(to, c, n)
	return n
}

// Sum returns the units of each class, over all providers.
func (a Amounts) Sum() map[ResourceClass]int64 {
	sum := map[ResourceClass]int64{}
	for _, amounts := range a {
		for class, n := range amounts {
			sum[class] += n
		}
	}
	return sum
}

// Equal reports whether a and b are the same units of the same providers.
func (a Amounts) Equal(b Amounts) bool {
	return maps.EqualFunc(a, b, maps.Equal[map[ResourceClass]int64])
}

// HeldBy returns what a consumer holds, nil for nothing, and what its next write must expect.
func (s *state) HeldBy(id ConsumerID) (Amounts, Expect) {
	c, ok := s.Consumer(id)
	if !ok {
		return nil, NewConsumer()
	}
	return s.ConsumerRecord(c).Allocations, c.Expect()
}
