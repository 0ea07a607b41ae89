package object_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

func lamp(t testing.TB) *Lamp {
	t.Helper()
	l := NewLamp()
	must.Succeed(t, object.Fill(l, object.Values{
		"id": 7, "uuid": "8e4b5a7e-02a7-4a4a-a0ee-3d5d9d4a1c11", "dim": 0.5, "mood": "warm", "label": nil,
		"since": "2015-06-30T12:00:00Z", "ip": "10.0.0.1", "colors": []string{"red"}, "owner": nil,
		"bulb": bulb(t, 40, "red"), "spare": []*Bulb{bulb(t, 60, "blue")},
	}))
	box := NewBulbList()
	must.Succeed(t, box.Append(bulb(t, 9, "green")))
	must.Succeed(t, l.Box.Set(box))
	l.ResetAllChanges()
	must.Succeed(t, l.Dim.Set(0.25))
	return l
}

func encoded(t testing.TB, p object.Primitive, err error) string {
	t.Helper()
	must.Succeed(t, err)
	b := must.Get(json.Marshal(p))(t)
	return string(b)
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	b := bulb(t, 40, "red")
	b.ResetChanges()
	p, err := newest().Encode(b)
	want := `{"lamp_object.data":{"hue":"red","tags":{},"watts":40},"lamp_object.name":"Bulb",` +
		`"lamp_object.namespace":"lamps","lamp_object.version":"1.1"}`
	if got := encoded(t, p, err); got != want {
		t.Errorf("without changes:\n%s\nwant\n%s", got, want)
	}
	must.Succeed(t, b.Watts.Set(60))
	must.Succeed(t, b.Hue.SetNull())
	p, err = newest().Encode(b)
	if got := encoded(t, p, err); !strings.Contains(got, `"lamp_object.changes":["hue","watts"]`) || !strings.Contains(got, `"hue":null`) {
		t.Errorf("with changes: %s", got)
	}
	only := NewBulb()
	must.Succeed(t, only.Watts.Set(1))
	p, err = object.NewRegistry("", object.Class{
		Name: "Bulb", Namespace: "x", Major: 1, History: bulbHistory(), New: func() object.Object { return NewBulb() },
	}).Encode(only)
	if got := encoded(t, p, err); !strings.Contains(got, `"versioned_object.data":{"watts":1}`) {
		t.Errorf("unset fields, or the default prefix: %s", got)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := newest()
	text := must.Get(r.EncodeJSON(lamp(t)))(t)
	o := must.Get(r.DecodeJSON(text))(t)
	again := must.Get(r.EncodeJSON(o))(t)
	must.Match(t, string(text), string(again))
	l := o.(*Lamp)
	wants(t, l.WhatChanged(), "dim")
	if !l.Label.IsNull() || l.Lit.IsSet() || l.Box.Get().All()[0].Watts.Get() != 9 {
		t.Error("null, unset or a nested value did not survive")
	}
}

func TestDecodeVersions(t *testing.T) {
	t.Parallel()
	reader := registry(1, 0)
	const envelope = `{"lamp_object.name":"Lamp","lamp_object.namespace":"lamps","lamp_object.version":"VERSION",
		"lamp_object.data":{"dim":1,"younger":5},"lamp_object.changes":["dim","younger","label"]}`
	for version, accepted := range map[string]bool{
		"1.0": true, "1.1": true, "1.1.4": true, "1.0.9": true,
		"1.2": false, "1.2.1": false, "2.0": false,
	} {
		o, err := reader.DecodeJSON([]byte(strings.Replace(envelope, "VERSION", version, 1)))
		var tooNew *object.IncompatibleObjectVersionError
		switch {
		case accepted && err != nil:
			t.Errorf("version %s: %v", version, err)
		case accepted:
			wants(t, o.ObjectHeader().WhatChanged(), "dim")
			if got, _ := o.ObjectHeader().ReadVersion(); !strings.HasPrefix(version, got.String()) {
				t.Errorf("version %s was read as %s", version, got)
			}
		case !errors.As(err, &tooNew) || !errors.Is(err, versioned.ErrNewer):
			t.Errorf("version %s: error %v", version, err)
		case tooNew.Object != "Lamp" || tooNew.Has != version || tooNew.Knows != v(1):
			t.Errorf("version %s: error is %+v", version, tooNew)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	r := newest()
	for name, c := range map[string]struct {
		text        string
		unsupported bool
	}{
		"no JSON":               {"{", false},
		"two values":            {"{} {}", false},
		"no envelope":           {"[]", false},
		"no name":               {`{"lamp_object.namespace":"lamps"}`, false},
		"an unknown class":      {`{"lamp_object.name":"Sun","lamp_object.namespace":"lamps","lamp_object.version":"1.0","lamp_object.data":{}}`, true},
		"an unknown namespace":  {`{"lamp_object.name":"Bulb","lamp_object.namespace":"sky","lamp_object.version":"1.0","lamp_object.data":{}}`, true},
		"another prefix":        {`{"sun_object.name":"Bulb"}`, false},
		"no version":            {`{"lamp_object.name":"Bulb","lamp_object.namespace":"lamps","lamp_object.data":{}}`, false},
		"a version of words":    {`{"lamp_object.name":"Bulb","lamp_object.namespace":"lamps","lamp_object.version":"one","lamp_object.data":{}}`, false},
		"no data":               {`{"lamp_object.name":"Bulb","lamp_object.namespace":"lamps","lamp_object.version":"1.0"}`, false},
		"a wrong value":         {`{"lamp_object.name":"Bulb","lamp_object.namespace":"lamps","lamp_object.version":"1.0","lamp_object.data":{"watts":"x"}}`, false},
		"null for no null":      {`{"lamp_object.name":"Bulb","lamp_object.namespace":"lamps","lamp_object.version":"1.0","lamp_object.data":{"watts":null}}`, false},
		"a nested object's gap": {`{"lamp_object.name":"Lamp","lamp_object.namespace":"lamps","lamp_object.version":"1.0","lamp_object.data":{"bulb":{}}}`, false},
		"no list of objects":    {`{"lamp_object.name":"Lamp","lamp_object.namespace":"lamps","lamp_object.version":"1.0","lamp_object.data":{"spare":{}}}`, false},
	} {
		_, err := r.DecodeJSON([]byte(c.text))
		var unsupported *object.UnsupportedObjectError
		if !errors.Is(err, versioned.ErrMalformed) || errors.As(err, &unsupported) != c.unsupported {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	want := object.Manifest{"Lamp": "1.3", "Bulb": "1.1", "BulbList": "1.1"}
	must.Match(t, want, newest().Manifest("Lamp"))
	if m := newest().Manifest("Sun"); len(m) > 0 {
		t.Errorf("an unknown class has the manifest %v", m)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	class := func(o object.Object) object.Class {
		return object.Class{Name: "X", Major: 1, History: bulbHistory(), New: func() object.Object { return object.Bind(o, "X") }}
	}
	type required struct {
		object.Header
		Watts object.Field[int64] `field:"watts"`
	}
	type orNull struct {
		object.Header
		Watts object.Field[int64] `field:"watts,null"`
	}
	plain := class(new(required)).Fingerprint()
	if again := class(new(required)).Fingerprint(); again != plain {
		t.Errorf("one class has the fingerprints %s and %s", plain, again)
	}
	if plain == class(new(orNull)).Fingerprint() {
		t.Error("a rule changed and the fingerprint did not")
	}
	if !strings.HasPrefix(plain, "1.1-") {
		t.Error("the fingerprint lacks the version")
	}
}

// TestIllDefined shows that mistakes in classes are found when a program starts.
func TestIllDefined(t *testing.T) {
	t.Parallel()
	good := object.Class{Name: "Bulb", Major: 1, History: bulbHistory(), New: func() object.Object { return NewBulb() }}
	renamed, unknown, pinned, lonely := good, good, good, good
	renamed.Name = "Bulp"
	unknown.History = []object.Note{{Adds: []string{"glow"}}}
	pinned.History = []object.Note{{Pins: []object.Pin{{"Bulb", "one"}}}}
	lonely.Name, lonely.New = "Lamp", func() object.Object { return NewLamp() }
	for name, classes := range map[string][]object.Class{
		"twice": {good, good}, "another name": {renamed}, "an unknown field": {unknown},
		"a pin that is not a version": {pinned}, "a class that is missing": {lonely}, "no history": {{Name: "Bulb"}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing was said", name)
				}
			}()
			object.NewRegistry("", classes...)
		}()
	}
}

// FuzzDecodeJSON shows that any bytes are either an error or an object that encodes to
// what it was decoded from.
func FuzzDecodeJSON(f *testing.F) {
	r := newest()
	text := must.Get(r.EncodeJSON(lamp(f)))(f)
	f.Add(text)
	f.Add([]byte(`{"lamp_object.name":"Bulb","lamp_object.namespace":"lamps","lamp_object.version":"1.0","lamp_object.data":{"tags":{"a":null,"b":1e2}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := r.DecodeJSON(b)
		if err != nil {
			return
		}
		once := must.Get(r.EncodeJSON(o))(t)
		again := must.Get(r.DecodeJSON(once))(t)
		twice := must.Get(r.EncodeJSON(again))(t)
		if string(once) != string(twice) {
			t.Errorf("%s\nis read as\n%s", once, twice)
		}
		if _, err := r.EncodeFor(o, object.Target{Version: v(0)}); err != nil {
			if _, ok := errors.AsType[*object.NotExpressibleError](err); !ok {
				t.Errorf("lower: %v", err)
			}
		}
	})
}
