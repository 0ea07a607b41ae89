package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/versioned"
)

// RecordDiff is a record of Nova's, Cyborg's or the operators' ledger before and
// after.
type RecordDiff struct {
	versioned.Change
	Fields []delta.Text // that differ; none of one that goes
	Called string       // its usual name, if its name is a uuid; "" for its name
}

// recordDiff returns the diff of a change of a record.
func recordDiff(c versioned.Change) RecordDiff {
	d := RecordDiff{Change: c}
	if c.After == nil {
		return d
	}
	d.Fields = fieldTexts(c)
	if c.Before != nil && slices.ContainsFunc(d.Fields, func(f delta.Text) bool { return !bookkeeping(f) }) {
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

// fieldTexts returns the fields that c changes, without the digests of columns that are
// stored with the kept fields of an object.
func fieldTexts(c versioned.Change) (out []delta.Text) {
	for _, f := range delta.Of(c.Before, c.After) {
		if t := f.Text(); !strings.HasPrefix(t.Name, "kept.was.") {
			out = append(out, t)
		}
	}
	return out
}

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
		case d.Before == nil:
			out = append(out, fmt.Sprintf("  %s %s", f.Name, f.After))
		default:
			out = append(out, fmt.Sprintf("  %s %s > %s", f.Name, cmp.Or(f.Before, "none"), cmp.Or(f.After, "none")))
		}
	}
	return out
}
