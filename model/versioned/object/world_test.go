package object_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

// Mood is a word that a Lamp may have.
type Mood string

// Bulb is a small object that a Lamp holds.
type Bulb struct {
	object.Header
	Watts object.Field[int64]              `field:"watts"`
	Tags  object.Field[map[string]*string] `field:"tags"`
	Hue   object.Field[string]             `field:"hue,null"`
}

// NewBulb returns a Bulb with nothing set.
func NewBulb() *Bulb { return object.Make[Bulb]() }

// BulbList is a list of Bulbs.
type BulbList struct{ object.Sequence[*Bulb] }

// NewBulbList returns an empty list.
func NewBulbList() *BulbList { return object.MakeList[BulbList]() }

// Lamp has a field of each type.
type Lamp struct {
	object.Header
	object.Persistent
	ID     object.Field[int64]      `field:"id,once"`
	UUID   object.Field[uuid.UUID]  `field:"uuid,once"`
	Label  object.Field[string]     `field:"label,null"`
	Dim    object.Field[float64]    `field:"dim"`
	Lit    object.Field[bool]       `field:"lit,default=true"`
	Mood   object.Field[Mood]       `field:"mood,null"`
	Since  object.Field[time.Time]  `field:"since,null"`
	IP     object.Field[netip.Addr] `field:"ip,null"`
	Colors object.Field[[]string]   `field:"colors"`
	Bulb   object.Field[*Bulb]      `field:"bulb,null"`
	Spare  object.Field[[]*Bulb]    `field:"spare"`
	Box    object.Field[*BulbList]  `field:"box,null"`
	Owner  object.Field[int64]      `field:"owner,null"`
}

// NewLamp returns a Lamp with nothing set.
func NewLamp() *Lamp {
	l := new(Lamp)
	l.Mood.Of(object.OneOf[Mood]("warm", "cold"))
	return object.Bind(l, "Lamp")
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
		{Why: "first version", Pins: []object.Pin{{"Bulb", "1.0"}}},
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
		{Why: "bulbs have a hue", Pins: []object.Pin{{"Bulb", "1.1"}, {"BulbList", "1.1"}}},
	}
}

// registry returns a release that knows Lamp up to 1.lamp and Bulb up to 1.bulb.
func registry(lamp, bulb int) *object.Registry {
	list := []object.Note{
		{Why: "first version", Pins: []object.Pin{{"Bulb", "1.0"}}},
		{Why: "Bulb 1.1", Pins: []object.Pin{{"Bulb", "1.1"}}},
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
	must.Succeed(t, object.Fill(b, object.Values{"watts": watts, "hue": hue, "tags": map[string]any{}}))
	return b
}
