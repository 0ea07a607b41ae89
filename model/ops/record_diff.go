package ops

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// RecordDiff is a record of Nova's, Cyborg's or the operators' ledger before and
// after.
type RecordDiff struct {
	versioned.Change
	Fields []delta.Text // that differ; a Preview has none of one that goes
	Called string       // its usual name, if its name is a uuid; "" for its name
}

// recordDiff returns the diff of a change of a record.
func recordDiff(c versioned.Change) RecordDiff {
	d := RecordDiff{Change: c}
	for _, f := range delta.Of(c.Before, c.After) {
		if t := f.Text(); !strings.HasPrefix(t.Name, "kept.was.") { // digests of columns that an object keeps
			d.Fields = append(d.Fields, t)
		}
	}
	if c.Before != nil && c.After != nil && slices.ContainsFunc(d.Fields, func(f delta.Text) bool { return !bookkeeping(f) }) {
		d.Fields = slices.DeleteFunc(d.Fields, bookkeeping)
	}
	return d
}

// wayBack warns of a service that is forced down and could not be brought up again.
func (b both) wayBack(ch versioned.Change) []string {
	is, ok := ch.After.(*nova.Service)
	if was, had := ch.Before.(*nova.Service); !ok || !is.ForcedDown || had && was.ForcedDown {
		return nil
	}
	if err := b.after.Nova().CheckBack(is); err != nil {
		return []string{"until the service is upgraded, this cannot be undone, nor the service brought up again: " + err.Error()}
	}
	return nil
}

// bookkeeping reports whether a field changes with any other field, and so means nothing
// by itself.
func bookkeeping(f delta.Text) bool { return f.Name == "updated_at" || f.Name == "object_version" }

// title names d and says what happens to it as a whole.
func (d RecordDiff) title() string {
	s := d.Title()
	switch {
	case d.Before == nil:
		s += "  new"
	case d.After == nil:
		s += "  deleted"
	}
	return s
}

// lines returns d as plain text.
func (d RecordDiff) lines() []string {
	out := []string{d.title()}
	for _, f := range d.Fields {
		switch {
		case f.Elements != "":
			out = append(out, fmt.Sprintf("  %s %s", f.Name, f.Elements))
		case d.Before == nil:
			out = append(out, fmt.Sprintf("  %s %s", f.Name, f.After))
		default:
			out = append(out, fmt.Sprintf("  %s %s > %s", f.Name, cmp.Or(f.Before, "none"), cmp.Or(f.After, "none")))
		}
	}
	return out
}

// Diffs returns changes field by field; of new and deleted records, all fields but the
// uuid. Uuids that s has a name for are replaced by it. Records that only count
// changes to something else come last.
func Diffs(s *cloud.Snapshot, changes []versioned.Change) []RecordDiff {
	return both{s, s}.diffs(changes)
}

// diffs is Diffs with the names of both clouds.
func (b both) diffs(changes []versioned.Change) (out []RecordDiff) {
	var counted []RecordDiff
	for _, c := range changes {
		if c.Record() == nil {
			continue
		}
		d := recordDiff(c)
		d.Called = b.named(d.Name())
		whole := c.Before == nil || c.After == nil
		d.Fields = slices.DeleteFunc(d.Fields, func(f delta.Text) bool { return whole && f.Name == "uuid" })
		for i := range d.Fields {
			f := &d.Fields[i]
			f.Name, f.Before, f.After, f.Elements = b.named(f.Name), b.named(f.Before), b.named(f.After), b.named(f.Elements)
		}
		if whole || slices.ContainsFunc(d.Fields, func(f delta.Text) bool { return !f.Time && f.Name != "generation" }) {
			out = append(out, d)
		} else {
			counted = append(counted, d)
		}
	}
	return append(out, counted...)
}

// named replaces the uuids in a text for which the cloud has a name, after or before.
func (b both) named(text string) string { return withNames(b.before, withNames(b.after, text)) }

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
