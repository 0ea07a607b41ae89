package ops

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/versioned"
)

// RecordDiff is a record of Nova's, Cyborg's or the operators' ledger before and
// after.
type RecordDiff struct {
	versioned.Change
	Fields []FieldDiff // that differ; none of one that goes
	Called string      // its usual name, if its name is a uuid; "" for its name
}

// FieldDiff is a field of a record that differs; "" is a field that is not set.
type FieldDiff struct {
	Name   string `json:"name"` // as in exports, with the key after a dot if it is a map
	Before string `json:"before"`
	After  string `json:"after"`
	Time   bool   `json:"-"` // it says when something was done
}

// recordDiff returns the diff of a change of a record.
func recordDiff(c versioned.Change) RecordDiff {
	d := RecordDiff{Change: c}
	if c.After == nil {
		return d
	}
	was, is := recordFields(c.Before), recordFields(c.After)
	was, is = slices.DeleteFunc(was, hidden), slices.DeleteFunc(is, hidden)
	for _, f := range is {
		i := slices.IndexFunc(was, func(w recordField) bool { return w.name == f.name })
		switch {
		case i < 0:
			d.Fields = append(d.Fields, fieldDiff(f, "", f.value))
		case was[i].value != f.value:
			d.Fields = append(d.Fields, fieldDiff(f, was[i].value, f.value))
		}
	}
	for _, f := range was {
		if !slices.ContainsFunc(is, func(i recordField) bool { return i.name == f.name }) {
			d.Fields = append(d.Fields, fieldDiff(f, f.value, ""))
		}
	}
	if c.Before != nil && slices.ContainsFunc(d.Fields, func(f FieldDiff) bool { return !bookkeeping(f) }) {
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
func bookkeeping(f FieldDiff) bool { return f.Name == "updated_at" || f.Name == "object_version" }

// hidden reports whether a field is not shown: the digests of columns that are stored
// with the kept fields of an object.
func hidden(f recordField) bool { return strings.HasPrefix(f.name, "kept.was.") }

// fieldDiff returns the diff of a field, with the names of flavors.
func fieldDiff(f recordField, before, after string) FieldDiff {
	switch f.name {
	case "flavor", "old_flavor", "new_flavor":
		before, after = nova.FlavorNames(before, after)
	}
	return FieldDiff{Name: f.name, Before: before, After: after, Time: f.time}
}

// recordField is a field of a record as text.
type recordField struct {
	name, value string
	time        bool
}

// recordFields returns the fields of a record that are set, in the order of an export,
// with an entry for each key of a map.
func recordFields(r versioned.Record) []recordField {
	if r == nil {
		return nil
	}
	doc, err := json.Marshal(r)
	if err != nil {
		return nil // a record always marshals
	}
	return appendFields(nil, "", doc)
}

// appendFields appends the members of a JSON object, and those of objects in it.
func appendFields(out []recordField, under string, doc []byte) []recordField {
	dec := json.NewDecoder(bytes.NewReader(doc))
	if _, err := dec.Token(); err != nil { // the brace that opens it
		return out
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return out
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return out
		}
		name := under + cmp.Or(fmt.Sprint(key), `""`)
		if value[0] == '{' {
			out = appendFields(out, name+".", value)
			continue
		}
		out = append(out, fieldText(name, value))
	}
	return out
}

// fieldText returns a field as shown: texts without quotes, times as times.
func fieldText(name string, value json.RawMessage) recordField {
	if plain, ok := strings.CutSuffix(name, "_ms"); ok {
		var ms int64
		if json.Unmarshal(value, &ms) == nil {
			return recordField{plain, time.UnixMilli(ms).UTC().Format(time.RFC3339), true}
		}
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		if nova.HasUnknownRevision(text) {
			text = nova.FlavorName(text) + " (revision unknown)"
		}
		return recordField{name: name, value: text}
	}
	return recordField{name: name, value: string(value)}
}

// deleted returns what goes with a record that is deleted, "" for any other: its fields,
// but no times and counters, which change without anybody's doing.
func (d RecordDiff) deleted() string {
	if d.After != nil {
		return ""
	}
	var out []string
	for _, f := range slices.DeleteFunc(recordFields(d.Before), hidden) {
		if !f.time && f.name != "report_count" && f.name != "generation" {
			out = append(out, f.name+" "+f.value)
		}
	}
	return strings.Join(out, ", ")
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
			out = append(out, fmt.Sprintf("  %s %s > %s", f.Name, orNone(f.Before), orNone(f.After)))
		}
	}
	return out
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
