package object

import (
	"encoding/json"
	"maps"
	"reflect"
	"time"

	"github.com/placetop/placetop/model/versioned"
)

// column is a field of an object that a row has a column for.
type column struct {
	field string
	of    any // points to the column, in a type that reads and writes it as the object has it
}

// fieldsOf returns the fields that columns have, and more.
func fieldsOf(columns []column, more Fields) Fields {
	out := Fields{}
	for _, c := range columns {
		if z, ok := c.of.(interface{ unset() bool }); !ok || !z.unset() {
			out[c.field] = c.of
		}
	}
	maps.Copy(out, more)
	return out
}

// take sets the columns that an object has fields for; null is the zero value.
func take(o *Object, columns []column) error {
	for _, c := range columns {
		v, ok := o.Data[c.field]
		if !ok {
			continue
		}
		if v == nil {
			reflect.ValueOf(c.of).Elem().SetZero()
			continue
		}
		text, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(text, c.of)
		}
		if err != nil {
			return &ValueError{o.Class, c.field, err}
		}
	}
	return nil
}

// orNull is a text that objects have as null if it is empty.
type orNull string

func (t orNull) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// ratio is an allocation ratio, which objects do not have if it is 0.
type ratio float64

func (r *ratio) unset() bool { return *r == 0 }

// not is a truth of which objects have the opposite.
type not bool

func (n not) MarshalJSON() ([]byte, error) { return json.Marshal(!bool(n)) }

func (n *not) UnmarshalJSON(text []byte) error {
	err := json.Unmarshal(text, (*bool)(n))
	*n = !*n
	return err
}

// dict is a map that objects always have. One that is equal stays as it is.
type dict map[string]string

func (d dict) MarshalJSON() ([]byte, error) {
	if d == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]string(d))
}

func (d *dict) UnmarshalJSON(text []byte) error {
	var is map[string]string
	err := json.Unmarshal(text, &is)
	if !maps.Equal(is, *d) {
		*d = is
	}
	return err
}

// millis is a time in milliseconds since 1970, null for 0. Objects have whole seconds: a time
// within the same second stays.
type millis int64

func (m millis) MarshalJSON() ([]byte, error) {
	t := versioned.Time(int64(m)).Truncate(time.Second)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t)
}

func (m *millis) UnmarshalJSON(text []byte) error {
	var t time.Time
	err := json.Unmarshal(text, &t)
	if ms := versioned.Millis(t); ms/1000 != int64(*m)/1000 {
		*m = millis(ms)
	}
	return err
}
