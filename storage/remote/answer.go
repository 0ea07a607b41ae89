package remote

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// streamDecoder decodes an answer piece by piece, so that a long one is not in memory both as
// text and decoded. It may be called again after an answer that broke off.
type streamDecoder interface{ take(in *json.Decoder) error }

// list is an answer with rows under a key. It is not generic, as it would be compiled for
// each type of rows: encoding/json, which decodes them, uses reflection anyway.
type list struct {
	key  string
	most int           // most rows; 0 means mostRows
	into reflect.Value // the slice that gets the rows of a complete answer
	rows reflect.Value // those of this answer
	more bool          // the service says that the list continues
	// early says of a list of pages that it ended with an empty one, which whatever is in
	// between may have made.
	early bool
	size  int64 // of the answer, in bytes
}

// listOf returns the list under a key, which is read into a slice.
func listOf[T any](key string, into *[]T) *list { return newList(key, into) }

func newList(key string, into any) *list {
	return &list{key: key, into: reflect.ValueOf(into).Elem()}
}

func (l *list) take(in *json.Decoder) error {
	l.rows, l.more = reflect.New(l.into.Type()).Elem(), false
	most, has := l.most, false
	if most == 0 {
		most = mostRows
	}
	err := eachField(in, func(name string) error {
		switch name {
		case l.key:
			has = true
			return eachRow(in, func() error {
				n := l.rows.Len()
				if n == most {
					return &FaultError{Why: fmt.Sprintf("the answer has more than %d %s; it was not read", most, l.key), Hint: hintLong, final: true}
				}
				l.rows.Grow(1)
				l.rows.SetLen(n + 1)
				return in.Decode(l.rows.Index(n).Addr().Interface())
			})
		case l.key + "_links": // most lists lack it
			var links []struct {
				Rel string `json:"rel"`
			}
			if err := in.Decode(&links); err != nil {
				return err
			}
			for _, to := range links {
				l.more = l.more || to.Rel == "next"
			}
			return nil
		}
		return skip(in)
	})
	l.size = in.InputOffset()
	switch {
	case err != nil:
		return err
	case !has:
		return shapeErrorf("%s is missing", l.key)
	}
	l.into.Set(l.rows)
	return nil
}

// shapeError says that an answer is JSON, but not what was asked for: it will be the same
// the next time.
type shapeError string

func (e shapeError) Error() string { return string(e) }

func shapeErrorf(format string, args ...any) error { return shapeError(fmt.Sprintf(format, args...)) }

// eachField calls do with the name of each field of the next object; do decodes its
// value. A null has no fields.
func eachField(in *json.Decoder, do func(name string) error) error {
	return eachOf(in, '{', func() error {
		name, err := in.Token()
		if err != nil {
			return err
		}
		text, _ := name.(string) // a token in this place is always a string
		return do(text)
	})
}

// eachRow calls do for each element of the next array; do decodes it. A null is an error:
// it says nothing about what there is.
func eachRow(in *json.Decoder, do func() error) error { return eachOf(in, '[', do) }

func eachOf(in *json.Decoder, open json.Delim, do func() error) error {
	switch began, err := in.Token(); {
	case err != nil:
		return err
	case began == nil:
		return shapeErrorf("null instead of %v", open)
	case began != open:
		return shapeErrorf("%v instead of %v", began, open)
	}
	for in.More() {
		if err := do(); err != nil {
			return err
		}
	}
	_, err := in.Token()
	return err
}

// skip skips the next value.
func skip(in *json.Decoder) error {
	for depth := 0; ; {
		switch t, err := in.Token(); {
		case err != nil:
			return err
		case t == json.Delim('{'), t == json.Delim('['):
			depth++
		case t == json.Delim('}'), t == json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
