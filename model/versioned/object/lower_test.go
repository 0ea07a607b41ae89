package object_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

// version returns the version of an envelope in p, given the fields and indexes that lead
// to it.
func version(t *testing.T, p any, path ...any) string {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			p = p.(map[string]any)["lamp_object.data"].(map[string]any)[step]
		case int:
			p = p.([]any)[step]
		}
	}
	return p.(map[string]any)["lamp_object.version"].(string)
}

func data(p object.Primitive) map[string]any { return p["lamp_object.data"].(map[string]any) }

func TestLowerByPins(t *testing.T) {
	t.Parallel()
	r := newest()
	for _, c := range []struct {
		target     uint16
		bulb, list string
		hasIP      bool
		owner      any
	}{
		{3, "1.1", "1.1", true, nil},
		{2, "1.0", "1.1", true, nil}, // no older version of the list is pinned, so it stays
		{1, "1.0", "1.1", true, int64(-1)},
		{0, "1.0", "1.1", false, int64(-1)},
	} {
		p, err := r.EncodeFor(lamp(t), object.Target{Version: v(c.target)})
		must.Succeed(t, err)
		if got := version(t, p); got != v(c.target).String() {
			t.Errorf("target 1.%d: version %s", c.target, got)
		}
		if got := version(t, p, "bulb") + version(t, p, "spare", 0); got != c.bulb+c.bulb {
			t.Errorf("target 1.%d: bulbs of version %s", c.target, got)
		}
		if got := version(t, p, "box"); got != c.list {
			t.Errorf("target 1.%d: list of version %s", c.target, got)
		}
		if _, ok := data(p)["ip"]; ok != c.hasIP {
			t.Errorf("target 1.%d: ip is there: %v", c.target, ok)
		}
		if got := data(p)["owner"]; got != c.owner {
			t.Errorf("target 1.%d: owner is %v", c.target, got)
		}
	}
}

func TestLowerByManifest(t *testing.T) {
	t.Parallel()
	r := newest()
	for name, c := range map[string]struct {
		manifest         object.Manifest
		bulb, list, deep string
	}{
		"what it names":          {object.Manifest{"Bulb": "1.0", "BulbList": "1.0"}, "1.0", "1.0", "1.0"},
		"a list alone":           {object.Manifest{"BulbList": "1.0"}, "1.1", "1.0", "1.1"},
		"nothing: left as it is": {object.Manifest{}, "1.1", "1.1", "1.1"},
		"newer than there is":    {object.Manifest{"Bulb": "1.9", "BulbList": "1.9"}, "1.1", "1.1", "1.1"},
	} {
		p, err := r.EncodeFor(lamp(t), object.Target{Version: v(3), Manifest: c.manifest})
		must.Succeed(t, err)
		got := []string{version(t, p, "bulb"), version(t, p, "box"), version(t, p, "box", "objects", 0)}
		if diff := cmp.Diff([]string{c.bulb, c.list, c.deep}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestLowerDropsChanges(t *testing.T) {
	t.Parallel()
	l := lamp(t)
	must.Succeed(t, l.IP.SetAny("10.0.0.2"))
	p, err := newest().EncodeFor(l, object.Target{Version: v(0)})
	must.Succeed(t, err)
	if diff := cmp.Diff([]any{"dim"}, p["lamp_object.changes"]); diff != "" {
		t.Error(diff)
	}
	l.ResetChanges("dim")
	p, err = newest().EncodeFor(l, object.Target{Version: v(0)})
	must.Succeed(t, err)
	if _, ok := p["lamp_object.changes"]; ok {
		t.Error("changes are there with none left")
	}
}

func TestLowerRefuses(t *testing.T) {
	t.Parallel()
	r := newest()
	var invalid *object.InvalidTargetVersionError
	for name, target := range map[string]object.Target{
		"a newer version":       {Version: v(4)},
		"a newer major version": {Version: versioned.Version{Major: 2}},
		"a nested major":        {Version: v(3), Manifest: object.Manifest{"Bulb": "2.0"}},
		"a nested word":         {Version: v(3), Manifest: object.Manifest{"Bulb": "one"}},
	} {
		if _, err := r.EncodeFor(lamp(t), target); !errors.As(err, &invalid) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	cold := lamp(t)
	must.Succeed(t, cold.Mood.Set("cold"))
	var refused *object.NotExpressibleError
	if _, err := r.EncodeFor(cold, object.Target{Version: v(1)}); !errors.As(err, &refused) || refused.Field != "mood" {
		t.Errorf("a value that the target cannot say: error is %v", err)
	}
	for name, m := range map[string]object.Manifest{"no version": {}, "a word": {"Lamp": "x"}, "another major": {"Lamp": "2.0"}} {
		if _, err := r.EncodeUpTo(lamp(t), m); !errors.As(err, &invalid) {
			t.Errorf("a manifest with %s of the object: error is %v", name, err)
		}
	}
}

// TestReadVersionStays shows that an object from an older writer keeps its version when
// it is sent on, until it is upgraded.
func TestReadVersionStays(t *testing.T) {
	t.Parallel()
	r := newest()
	old, err := r.EncodeFor(lamp(t), object.Target{Version: v(1)})
	must.Succeed(t, err)
	o, err := r.Decode(roundTrip(t, old))
	must.Succeed(t, err)
	p, err := r.Encode(o)
	must.Succeed(t, err)
	if got := version(t, p); got != "1.1" {
		t.Errorf("it went out as %s", got)
	}
	var invalid *object.InvalidTargetVersionError
	if _, err := r.EncodeFor(o, object.Target{Version: v(2)}); !errors.As(err, &invalid) || invalid.Own != v(1) {
		t.Errorf("error is %v", err)
	}
	p, err = r.EncodeUpTo(o, r.Manifest("Lamp"))
	must.Succeed(t, err)
	if got := version(t, p); got != "1.1" {
		t.Errorf("for a newer peer it went out as %s", got)
	}
	for knows, want := range map[versioned.Version]string{v(0): "1.0", v(1): "1.1", v(2): "1.1", v(3): "1.1"} {
		p, err = r.EncodeUpToVersion(o, knows)
		must.Succeed(t, err)
		if got := version(t, p); got != want {
			t.Errorf("for a peer that knows %s it went out as %s", knows, got)
		}
	}
	for name, knows := range map[string]versioned.Version{"of another major version": {Major: 2}, "newer than the class": v(4)} {
		if _, err := r.EncodeUpToVersion(o, knows); !errors.As(err, &invalid) {
			t.Errorf("for a peer %s: error is %v", name, err)
		}
	}
	o.ObjectHeader().Upgrade()
	p, err = r.Encode(o)
	must.Succeed(t, err)
	if got := version(t, p); got != "1.3" {
		t.Errorf("upgraded it went out as %s", got)
	}
}

// roundTrip returns p as it comes out of JSON.
func roundTrip(t testing.TB, p object.Primitive) any {
	t.Helper()
	got, err := object.ParseJSON([]byte(encoded(t, p, nil)))
	must.Succeed(t, err)
	return got
}

// TestTagsThatLookLikeObjects shows that only fields that hold objects are
// searched for them.
func TestTagsThatLookLikeObjects(t *testing.T) {
	t.Parallel()
	l := lamp(t)
	must.Succeed(t, l.Bulb.Get().Tags.SetAny(map[string]any{"lamp_object.name": "Bulb"}))
	must.Get(newest().EncodeFor(l, object.Target{Version: v(0)}))(t)
}
