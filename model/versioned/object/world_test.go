package object_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

// Mood is a word that a Lamp may have.
type Mood string

// Bulb is a small object that a Lamp holds.
type Bulb struct {
	object.Header
	Watts object.Field[int64]
	Tags  object.Field[map[string]*string]
	Hue   object.Field[string]
}

// NewBulb returns a Bulb with nothing set.
func NewBulb() *Bulb {
	b := new(Bulb)
	b.Bind("Bulb",
		b.Watts.As("watts", object.Integer{}),
		b.Tags.As("tags", object.Dict(object.OrNull(object.String{}))),
		b.Hue.As("hue", object.String{}, object.Nullable))
	return b
}

// BulbList is a list of Bulbs.
type BulbList struct{ object.Sequence[*Bulb] }

// NewBulbList returns an empty list.
func NewBulbList() *BulbList { return object.NewList[*BulbList]("Bulb") }

// Lamp has a field of each type.
type Lamp struct {
	object.Header
	object.Persistent
	ID     object.Field[int64]
	UUID   object.Field[uuid.UUID]
	Label  object.Field[string]
	Dim    object.Field[float64]
	Lit    object.Field[bool]
	Mood   object.Field[Mood]
	Since  object.Field[time.Time]
	IP     object.Field[netip.Addr]
	Colors object.Field[[]string]
	Bulb   object.Field[*Bulb]
	Spare  object.Field[[]*Bulb]
	Box    object.Field[*BulbList]
	Owner  object.Field[int64]
}

// NewLamp returns a Lamp with nothing set.
func NewLamp() *Lamp {
	l := new(Lamp)
	l.Bind("Lamp", l.Members(
		l.ID.As("id", object.Integer{}, object.ReadOnly),
		l.UUID.As("uuid", object.UUID{}, object.ReadOnly),
		l.Label.As("label", object.String{}, object.Nullable),
		l.Dim.As("dim", object.Float{}),
		l.Lit.AsDefault("lit", object.Boolean{}, true),
		l.Mood.As("mood", object.OneOf[Mood]("warm", "cold"), object.Nullable),
		l.Since.As("since", object.DateTime{}, object.Nullable),
		l.IP.As("ip", object.IPAddress{}, object.Nullable),
		l.Colors.As("colors", object.List(object.String{})),
		l.Bulb.As("bulb", object.Instance[*Bulb]("Bulb"), object.Nullable),
		l.Spare.As("spare", object.ListOf[*Bulb]("Bulb")),
		l.Box.As("box", object.Instance[*BulbList]("BulbList"), object.Nullable),
		l.Owner.As("owner", object.Integer{}, object.Nullable),
	)...)
	return l
}

// bulbHistory and lampHistory end at the versions of the newest release;
// registry cuts them for older ones.
func bulbHistory() []object.Note {
	return []object.Note{
		{Why: "first version"},
		{Why: "hue", Adds: []string{"hue"}},
	}
}

func lampHistory() []object.Note {
	return []object.Note{
		{Why: "first version", Pins: object.Manifest{"Bulb": "1.0"}},
		{Why: "ip", Adds: []string{"ip"}},
		{Why: "owner may be null", Lower: func(data map[string]any, l object.Lowering) error {
			if data["mood"] == "cold" {
				return l.Refuse("mood", "cold")
			}
			if data["owner"] == nil {
				data["owner"] = int64(-1)
			}
			return nil
		}},
		{Why: "bulbs have a hue", Pins: object.Manifest{"Bulb": "1.1", "BulbList": "1.1"}},
	}
}

// registry returns a release that knows Lamp up to 1.lamp and Bulb up to 1.bulb.
func registry(lamp, bulb int) *object.Registry {
	list := []object.Note{
		{Why: "first version", Pins: object.Manifest{"Bulb": "1.0"}},
		{Why: "Bulb 1.1", Pins: object.Manifest{"Bulb": "1.1"}},
	}
	return object.NewRegistry("lamp_object",
		object.Class{Name: "Bulb", Namespace: "lamps", Major: 1, History: bulbHistory()[:bulb+1], New: func() object.Object { return NewBulb() }},
		object.Class{Name: "BulbList", Namespace: "lamps", Major: 1, History: list[:bulb+1], New: func() object.Object { return NewBulbList() }},
		object.Class{Name: "Lamp", Namespace: "lamps", Major: 1, History: lampHistory()[:lamp+1], New: func() object.Object { return NewLamp() }},
	)
}

func newest() *object.Registry { return registry(3, 1) }

func v(minor uint16) versioned.Version { return versioned.Version{Major: 1, Minor: minor} }

func bulb(t testing.TB, watts int64, hue string) *Bulb {
	t.Helper()
	b := NewBulb()
	must(t, object.Fill(b, object.Values{"watts": watts, "hue": hue, "tags": map[string]any{}}))
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
