package placement

import "sort"

// CountConsumersOf returns how many consumers have allocations on p. It takes
// the same time for a pool with 100,000 consumers as for a card with one.
func (s *state) CountConsumersOf(p *ResourceProvider) int {
	return s.holdingsBefore(p.number+1) - s.holdingsBefore(p.number)
}

// holdingsBefore returns how many holdings are on providers with a lower number.
func (s *state) holdingsBefore(number uint32) int {
	return sort.Search(s.holdings.Len(), func(i int) bool {
		h, _ := s.holdings.GetAt(i)
		return h.number >= number
	})
}
