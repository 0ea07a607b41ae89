package nova

import "github.com/placetop/placetop/model/versioned"

// admit checks a record that c changes from s to next against the other records.
func (s *Snapshot) admit(next *Snapshot, c versioned.Change) error {
	switch c.Kind() {
	case KindService:
		return s.admitService(sides[*Service](c))
	case KindFlavor:
		return next.admitFlavor(sides[*Flavor](c))
	case KindAggregate:
		return next.admitAggregate(sides[*HostAggregate](c))
	default:
		return nil
	}
}

// sides returns the record before and after c, nil if there is none.
func sides[R versioned.Record](c versioned.Change) (was, is R) {
	was, _ = c.Before.(R)
	is, _ = c.After.(R)
	return was, is
}
