package ops

import (
	"regexp"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Diffs returns changes field by field; of new and deleted records, all fields but the
// uuid. Uuids that s has a name for are replaced by it. Records that only count
// changes to something else come last.
func Diffs(s *cloud.Snapshot, changes []versioned.Change) []RecordDiff {
	out := make([]RecordDiff, 0, len(changes))
	for _, c := range changes {
		if c.Before == nil && c.After == nil {
			continue
		}
		d := recordDiff(c)
		if c.After == nil {
			d.Fields = fieldTexts(c)
		}
		d.Called = withNames(s, d.Name())
		if c.Before == nil || c.After == nil {
			d.Fields = slices.DeleteFunc(d.Fields, func(f delta.Text) bool { return f.Name == "uuid" })
		}
		for i := range d.Fields {
			f := &d.Fields[i]
			f.Name, f.Before, f.After = withNames(s, f.Name), withNames(s, f.Before), withNames(s, f.After)
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b RecordDiff) int {
		switch x, y := a.counted(), b.counted(); {
		case x == y:
			return 0
		case x:
			return 1
		}
		return -1
	})
	return out
}

// counted reports whether only the generation and times of a record changed.
func (d RecordDiff) counted() bool {
	return d.Before != nil && d.After != nil && !slices.ContainsFunc(d.Fields, func(f delta.Text) bool { return !f.Time && f.Name != "generation" })
}

// uuidText matches uuids as written in records.
var uuidText = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// withNames replaces the uuids in a text for which s has a name.
func withNames(s *cloud.Snapshot, text string) string {
	if len(text) < len(uuid.UUID{}.String()) {
		return text
	}
	return uuidText.ReplaceAllStringFunc(text, func(found string) string {
		id, err := uuid.Parse(found)
		if err != nil {
			return found
		}
		if p, ok := s.Placement().Provider(placement.ProviderID(id)); ok {
			return p.Name()
		}
		if a, ok := s.Nova().Aggregate(placement.AggregateID(id)); ok && a.Name != "" {
			return a.Name
		}
		return ConsumerName(s, placement.ConsumerID(id))
	})
}
