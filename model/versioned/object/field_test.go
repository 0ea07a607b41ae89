package object_test

import (
	"encoding/json"
	"errors"
	"math"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

func TestCoercion(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("8e4b5a7e-02a7-4a4a-a0ee-3d5d9d4a1c11")
	noon := time.Date(2015, 6, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		field string
		set   any
		want  any // nil for an error
	}{
		{"an integer takes its text", "id", " 5 ", int64(5)},
		{"an integer takes a JSON number", "id", json.Number("-7"), int64(-7)},
		{"an integer cuts a float off", "id", json.Number("5.9"), int64(5)},
		{"an integer takes a boolean", "id", true, int64(1)},
		{"an integer takes any kind of integer", "id", uint16(9), int64(9)},
		{"an integer refuses other text", "id", "x", nil},
		{"an integer refuses text of a float", "id", "5.9", nil},
		{"an integer refuses what needs more than 64 bits", "id", json.Number("1e30"), nil},
		{"an integer refuses an unsigned one above its range", "id", uint64(math.MaxUint64), nil},
		{"an integer refuses a list", "id", []any{}, nil},
		{"a float takes its text", "dim", "0.5", 0.5},
		{"a float takes an integer", "dim", 2, 2.0},
		{"a float refuses infinity", "dim", math.Inf(1), nil},
		{"a float refuses not-a-number in text", "dim", "nan", nil},
		{"a boolean is false for zero", "lit", json.Number("0"), false},
		{"a boolean is true for the text False, as in Python", "lit", "False", true},
		{"a boolean is false for empty text", "lit", "", false},
		{"a string takes an integer", "label", json.Number("8086"), "8086"},
		{"a string takes a float and shows that it is one", "label", 1.0, "1.0"},
		{"a string takes a JSON float", "label", json.Number("1e2"), "100.0"},
		{"a string takes a boolean as Python prints it", "label", true, "True"},
		{"a string refuses a list", "label", []any{"a"}, nil},
		{"a uuid takes text without dashes", "uuid", "8E4B5A7E02A74A4AA0EE3D5D9D4A1C11", id},
		{"a uuid takes a uuid", "uuid", id, id},
		{"a uuid refuses braces", "uuid", "{" + id.String() + "}", nil},
		{"a uuid refuses a number", "uuid", 5, nil},
		{"a time takes ISO text", "since", "2015-06-30T12:00:00Z", noon},
		{"a time takes an offset", "since", "2015-06-30T14:00:00+02:00", noon},
		{"a time without a zone is UTC", "since", "2015-06-30 12:00:00", noon},
		{"a time refuses a number", "since", 5, nil},
		{"a time refuses a year with five digits", "since", noon.AddDate(9000, 0, 0), nil},
		{"an address takes text", "ip", "10.0.0.1", netip.MustParseAddr("10.0.0.1")},
		{"an address refuses a zone", "ip", "fe80::1%eth0", nil},
		{"an address refuses a name", "ip", "compute1", nil},
		{"a word is one of its words", "mood", "warm", Mood("warm")},
		{"a word refuses all others", "mood", "hot", nil},
		{"a list coerces each element", "colors", []any{json.Number("1"), "b"}, []string{"1", "b"}},
		{"a list refuses null elements", "colors", []any{nil}, nil},
		{"a list refuses text", "colors", "ab", nil},
		{"an object refuses other classes", "bulb", NewBulbList(), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := NewLamp()
			err := l.Set(c.field, c.set)
			if c.want == nil {
				var wrong *object.ValueError
				if !errors.As(err, &wrong) || wrong.Field != c.field || !errors.Is(err, versioned.ErrMalformed) {
					t.Fatalf("error is %v, want a ValueError of %s", err, c.field)
				}
				if l.IsSet(c.field) {
					t.Error("the refused value was set")
				}
				return
			}
			must.Succeed(t, err)
			if got := fieldValue(l, c.field); !cmp.Equal(got, c.want, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func fieldValue(l *Lamp, field string) any {
	return map[string]func() any{
		"id":     func() any { return l.ID.Get() },
		"uuid":   func() any { return l.UUID.Get() },
		"label":  func() any { return l.Label.Get() },
		"dim":    func() any { return l.Dim.Get() },
		"lit":    func() any { return l.Lit.Get() },
		"mood":   func() any { return l.Mood.Get() },
		"since":  func() any { return l.Since.Get() },
		"ip":     func() any { return l.IP.Get() },
		"colors": func() any { return l.Colors.Get() },
	}[field]()
}

func TestNull(t *testing.T) {
	t.Parallel()
	l := NewLamp()
	var wrong *object.ValueError
	if err := l.Dim.SetNull(); !errors.As(err, &wrong) || l.Dim.IsSet() {
		t.Errorf("null in a field that is not nullable: error %v", err)
	}
	if l.Label.IsSet() || l.Label.IsNull() {
		t.Error("a field is set before anything was")
	}
	must.Succeed(t, l.Label.SetNull())
	if !l.Label.IsSet() || !l.Label.IsNull() || !l.Label.Changed() {
		t.Error("null does not count as set and changed")
	}
	if _, ok := l.Label.Lookup(); ok {
		t.Error("null has a value")
	}
	must.Succeed(t, l.Bulb.Set(nil))
	if !l.Bulb.IsNull() {
		t.Error("the nil object is not null")
	}
	must.Succeed(t, l.Lit.Set(false))
	must.Succeed(t, l.Lit.SetNull())
	if !l.Lit.Get() {
		t.Error("null in a field with a default is not the default")
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	l := NewLamp()
	must.Succeed(t, l.ID.Set(5))
	must.Succeed(t, l.ID.SetAny("5")) // the same value, as rows that are read again have
	var readOnly *object.ReadOnlyFieldError
	if err := l.ID.Set(6); !errors.As(err, &readOnly) || readOnly.Field != "id" || l.ID.Get() != 5 {
		t.Errorf("a second value: error %v, id %d", err, l.ID.Get())
	}
}

func TestWhatChanged(t *testing.T) {
	t.Parallel()
	l := NewLamp()
	must.Succeed(t, l.Spare.Set([]*Bulb{bulb(t, 40, "red")}))
	must.Succeed(t, l.Box.Set(NewBulbList()))
	must.Succeed(t, l.Dim.Set(1))
	wants(t, l.WhatChanged(), "box", "dim", "spare")
	l.ResetChanges("dim")
	wants(t, l.WhatChanged(), "box", "spare")
	l.ResetChanges()
	wants(t, l.WhatChanged(), "spare") // the bulb in it has changed
	l.ResetAllChanges()
	wants(t, l.WhatChanged())
	must.Succeed(t, l.Spare.Get()[0].Watts.Set(60))
	wants(t, l.WhatChanged(), "spare")
	must.Succeed(t, l.Box.Get().Append(bulb(t, 1, "blue")))
	wants(t, l.WhatChanged(), "box", "spare")
}

func TestMapsAreCopies(t *testing.T) {
	t.Parallel()
	b := NewBulb()
	must.Succeed(t, b.Tags.SetAny(map[string]any{"a": json.Number("1"), "b": nil}))
	b.ResetChanges()
	tags := b.Tags.Get()
	if *tags["a"] != "1" || tags["b"] != nil {
		t.Errorf("tags are %v", tags)
	}
	tags["c"] = nil
	if _, ok := b.Tags.Get()["c"]; ok || b.Tags.Changed() {
		t.Error("filling a map in place went past the field")
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	l := NewLamp()
	must.Succeed(t, l.SetDefaults())
	wants(t, l.WhatChanged(), "deleted", "lit")
	must.Succeed(t, l.Lit.Set(false))
	if must.Succeed(t, l.SetDefaults()); l.Lit.Get() || l.Dim.IsSet() {
		t.Error("a default was set over a value, or where there is none")
	}
}

func TestFillReportsAll(t *testing.T) {
	t.Parallel()
	l := NewLamp()
	err := object.Fill(l, object.Values{"dim": "x", "id": 5, "zeal": 1, "color": 2})
	want := "Lamp.dim: could not convert \"x\" to a float\nLamp.color: there is no such field\nLamp.zeal: there is no such field"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if l.ID.Get() != 5 {
		t.Error("the good value was not set")
	}
	must.Succeed(t, l.Label.SetNull())
	wants(t, object.Missing(l, "id", "label", "dim"), "label", "dim")
}

func wants(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
