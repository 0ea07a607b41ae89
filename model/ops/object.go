package ops

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// PlanObjects plans to apply versioned objects that Nova's services of any release have
// sent, in order: each is created or saved as a conductor does it; Placement's at the
// generations that their writer saw. Fields that an object does not set stay as they are.
// It warns of a version newer than all known ones, of a host without a compute node, and of
// a flavor whose extra specs name what Placement does not know.
//
// Errors, with the number of the object: those of object.Row and of object.Writes,
// such as placement.ErrConflict; placement.ErrExists
// for a flavor that is there and is another, as flavors are not saved but revised;
// *nova.ServiceTooOldError; *nova.ExtraSpecError for an extra spec that is no request.
//
// Source: nova/conductor/manager.py, object_action.
func PlanObjects(s *cloud.Snapshot, sent []*object.Object) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c := cloud.Change{Note: "take over " + words.Count(len(sent), "object")}
		writes := object.NewWrites()
		last := map[string]int{} // the last object for a row
		take := func(n int, o *object.Object) error {
			ops, ofPlacement, err := writes.Ops(s.Placement(), s.Nova(), o)
			if !ofPlacement {
				var row ledger.Row
				row, ops, err = takeOver(s, o)
				if err == nil {
					last[string(row.RecordKind())+" "+string(row.RecordKey())] = n
				}
			}
			if err == nil {
				s, _, err = s.Apply(cloud.Change{Ops: ops})
			}
			if err != nil {
				return fmt.Errorf("object %d, %s: %w", n+1, o.Class, err)
			}
			c.Ops = append(c.Ops, ops...)
			return nil
		}
		for n, o := range sent {
			if err := take(n, o); err != nil {
				return cloud.Change{}, err
			}
		}
		// What an object says can be told from what follows from others, such as the
		// instances of its host, once all of them are applied.
		for _, n := range slices.Sorted(maps.Values(last)) {
			if err := take(n, sent[n]); err != nil {
				return cloud.Change{}, err
			}
		}
		return c, nil
	}).With(rowRemarks).Plan(s)
}

// onlyKept reports whether a flavor differs from the ledger's only in Kept, and so not in
// the columns that instances depend on.
func onlyKept(was versioned.Record, f *nova.Flavor) bool {
	stored, ok := was.(*nova.Flavor)
	if !ok {
		return false
	}
	same := versioned.Clone(f)
	same.Kept = stored.Kept
	return ledger.Equal(stored, same)
}

// takeOver returns the row of an object, and the operations that store it.
func takeOver(s *cloud.Snapshot, o *object.Object) (ledger.Row, []cloud.Op, error) {
	row, err := object.Row(s.Nova(), o)
	if err != nil {
		return nil, nil, err
	}
	was := s.Nova().Held(row)
	if was != nil && ledger.Equal(was, row) {
		return row, nil, nil
	}
	if f, ok := row.(*nova.Flavor); ok && !onlyKept(was, f) {
		create := []cloud.Op{nova.CreateFlavor{Flavor: f}}
		err := s.Nova().Allows(create...)
		if errors.Is(err, placement.ErrExists) {
			err = fmt.Errorf("%w, and is another; set its extra specs instead, which makes a revision", err)
		}
		return row, create, err
	}
	return row, []cloud.Op{nova.PutRecords{Records: []versioned.Change{{Before: was, After: row}}}}, nil
}
