package kinds

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
)

// OfCloud is a row of one of several clouds.
type OfCloud struct {
	Cloud string
	Snap  *cloud.Snapshot // of that cloud
	Row   Row
}

// Across returns k for rows of several clouds, which are *OfCloud: with the fields of
// k, and the cloud of each row. They are a flat list.
func Across(k *Kind) *Kind {
	out := &Kind{Name: k.Name, Things: k.Things, Columns: "cloud " + k.Columns, Told: k.Told, said: across(k.text)}
	out.Fields = []*Field{text("cloud", func(r *OfCloud) string { return r.Cloud })}
	for _, of := range k.Fields {
		f := *of
		f.part = "" // it may be read of one cloud and not of another
		f.open, f.json, f.shown, f.asked = across(f.open), across(f.json), across(f.shown), across(f.asked)
		if grade := f.grade; grade != nil {
			f.grade = func(row Row, v Value) Grade { return grade(ofCloud(row).Row, v) }
		}
		out.Fields = append(out.Fields, &f)
	}
	if check := k.Check; check != nil {
		out.Check = func(row Row) error { return check(ofCloud(row).Row) }
	}
	return out
}

// across makes a getter for rows of one cloud work for rows of several, each with its own
// Snapshot; nil for nil.
func across[V any](open func(At) func(Row) V) func(At) func(Row) V {
	if open == nil {
		return nil
	}
	return func(at At) func(Row) V {
		gets := map[*cloud.Snapshot]func(Row) V{}
		return func(row Row) V {
			r := ofCloud(row)
			get := gets[r.Snap]
			if get == nil {
				at.Snap = r.Snap
				get = open(at)
				gets[r.Snap] = get
			}
			return get(r.Row)
		}
	}
}

func ofCloud(row Row) *OfCloud { return row.(*OfCloud) } // the rows of a kind have one type

// Together merges Answers to one Query in several clouds, with the names of the
// clouds. Filter, order and limit of the Query then apply to all rows.
//
// Errors: *WhereError, *SortError.
func Together(q Query, clouds []string, parts []Answer) (Answer, error) {
	out := Answer{At: q.At}
	more := 0 // rows that parts leave out
	for i, part := range parts {
		if i == 0 {
			out.Kind, out.At = Across(part.Kind), part.At
		}
		more += part.All - len(part.Rows)
		for _, row := range part.Rows {
			out.Rows = append(out.Rows, &OfCloud{clouds[i], part.At.Snap, row})
		}
	}
	out, err := out.narrow(q)
	out.All += more
	return out, err
}

// ID returns a function that gets the identity of a row for as long as it exists: its
// uuid, or else the fields that tell rows apart.
func (k *Kind) ID(at At) func(Row) string {
	naming := strings.Fields("name ref host binary cell address project_id user_id consumer_uuid resource_provider_uuid resource_class host_uuid pool_uuid")
	var gets []func(Row) Value
	for _, f := range k.Fields {
		switch {
		case f.Name == "uuid":
			get := f.Get(at)
			return func(row Row) string { return get(row).String() }
		case slices.Contains(naming, f.Name):
			gets = append(gets, f.Get(at))
		}
	}
	return func(row Row) string {
		var id strings.Builder
		for _, get := range gets {
			id.WriteString(get(row).String())
			id.WriteByte(0)
		}
		return id.String()
	}
}
