package placement

// Offers lists the providers of one tree that have a class and belong to one owner, in
// the order of Tree.
type Offers struct {
	All  []*ResourceProvider
	Room []*ResourceProvider // those of All whose capacity is not used up
}

// offersKey is the key of the Offers of a tree, by owner.
type offersKey struct {
	root  uint32
	class ClassID
}

// offersCache caches the Offers of the trees that were asked for, *[OwnedByBoth + 1]Offers
// by offersKey. It is a sync.Map, behind an interface so that packages which hold a
// Snapshot need not compile its generics.
type offersCache interface {
	Load(key any) (value any, ok bool)
	LoadOrStore(key, value any) (actual any, loaded bool)
}

// Offers returns the providers in the tree of p that have a class and belong to owner.
// A Snapshot walks a tree once for all callers that ask about a class: looking for
// another card for each card of a tree would otherwise walk it once for each. The
// lists must not be changed.
func (s *Snapshot) Offers(p *ResourceProvider, class ClassID, owner Owner) Offers {
	key := offersKey{root: p.root, class: class}
	has, ok := s.offers.Load(key)
	if !ok {
		of := new([OwnedByBoth + 1]Offers)
		for _, q := range s.Tree(s.Root(p)) {
			iu, ok := q.Inventory(class)
			if !ok {
				continue
			}
			o := &of[s.Owner(q)]
			o.All = append(o.All, q)
			if iu.Used < iu.Capacity() {
				o.Room = append(o.Room, q)
			}
		}
		has, _ = s.offers.LoadOrStore(key, of)
	}
	return has.(*[OwnedByBoth + 1]Offers)[owner]
}
