package versioned_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/versioned"
)

// inner is a part of a record.
type inner struct {
	A int            `json:"a"`
	M map[string]int `json:"m,omitempty"`
}

// outer is a record with parts of every kind.
type outer struct {
	Name  string           `json:"name"`
	Parts []inner          `json:"parts"`
	By    map[string]inner `json:"by"`
	One   *inner           `json:"one"`
	Plain string
	None  string `json:"-"`
}

func (*outer) RecordKind() versioned.Kind { return "outer" }
func (*outer) RecordKey() []byte          { return []byte{1} }

func outers() *versioned.Codec {
	return versioned.NewCodec(versioned.Schema{
		Kind: "outer", Version: versioned.Version{Major: 1, Minor: 2}, New: func() versioned.Record { return new(outer) },
	})
}

// What encoding/json would drop silently is refused, with its path.
func TestStrictJSON(t *testing.T) {
	t.Parallel()
	codec := outers()
	for _, tc := range []struct{ name, data, want string }{
		{"all in order", `{"name":"a","parts":[{"a":1},{"a":2,"m":{"x":1,"y":2}}],"by":{"k":{"a":1}},"one":{"a":1},"Plain":"p"}`, ""},
		{"spaces", " { \"name\" : \"a\" ,\t\"parts\" : [ { \"a\" : 1 } , { } ] , \"by\" : { } , \"one\" : null } ", ""},
		{"escapes", `{"name":"\u00e9\"\\u\n\ud83d\ude00é😀","n\u0061me2":1}`, "name2: unknown field"},
		{"a name in escapes", `{"n\u0061me":"a"}`, ""},
		{"an unknown field", `{"nam":"a"}`, "nam: unknown field"},
		{"another case", `{"Name":"a"}`, "Name: unknown field"},
		{"a field that is none", `{"None":"a"}`, "None: unknown field"},
		{"in a list", `{"parts":[{"a":1},{"b":2}]}`, "parts.1.b: unknown field"},
		{"in a map", `{"by":{"k":{"c":{"x":[1]}}}}`, "by.k.c: unknown field"},
		{"behind a pointer", `{"one":{"q":1}}`, "one.q: unknown field"},
		{"twice", `{"name":"a","name":"b"}`, "name: is given twice"},
		{"twice in a map", `{"one":{"m":{"x":1,"x":2}}}`, "one.m.x: is given twice"},
		{"twice by an escape", `{"one":{"m":{"x":1,"\u0078":2}}}`, "one.m.x: is given twice"},
		{"twice among many", `{"one":{"m":{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"10":1,"11":1,"12":1,"13":1,"14":1,"15":1,"16":1,"17":1,"18":1,"3":2}}}`, "one.m.3: is given twice"},
		{"no UTF-8", "{\"name\":\"a\xff\"}", "name: has text that is not valid UTF-8"},
		{"a key that is not valid UTF-8", "{\"by\":{\"a\xff\":{}}}", "by: has text that is not valid UTF-8"},
		{"half a character", `{"name":"\ud83d"}`, `name: has a \u escape that is half of a character`},
		{"the other half", `{"name":"x\ude00"}`, `name: has a \u escape that is half of a character`},
		{"two first halves", `{"name":"\ud83d\ud83d"}`, `name: has a \u escape that is half of a character`},
		{"no escape", `{"name":"\\ud83d"}`, ""},
	} {
		_, how, err := codec.ReadJSON([]byte(`{"kind":"outer","version":"1.2","data":` + tc.data + `}`))
		switch {
		case tc.want == "" && (err != nil || how.Newer || how.Lost != nil):
			t.Errorf("%s: %v, %+v", tc.name, err, how)
		case tc.want != "" && (!errors.Is(err, versioned.ErrMalformed) || !strings.HasSuffix(err.Error(), ": "+tc.want)):
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
	for _, envelope := range []string{
		`{"kind":"outer","version":"1.2","data":{},"note":1}`, `{"kind":"outer","version":"1.2","version":"1.2","data":{}}`,
		`{"Kind":"outer","version":"1.2","data":{}}`, `{"kind":"outer","version":"1.7","Data":{},"data":{}}`,
	} {
		if _, _, err := codec.ReadJSON([]byte(envelope)); !errors.Is(err, versioned.ErrMalformed) {
			t.Errorf("%s: %v", envelope, err)
		}
	}
}

// The unknown fields of a newer minor version are returned; an older one may have none.
func TestNewerJSON(t *testing.T) {
	t.Parallel()
	codec := outers()
	r, how, err := codec.ReadJSON([]byte(`{"kind":"outer","version":"1.3","data":{"name":"a","mood":{"x":1},"parts":[{"a":1,"b":2}]}}`))
	if err != nil || !how.Newer || !slices.Equal(how.Lost, []string{"mood", "parts.0.b"}) || r.(*outer).Name != "a" {
		t.Errorf("%v, %+v, %v", r, how, err)
	}
	for _, data := range []string{`{"name":"a","mood":1,"name":"b"}`, "{\"mood\":\"\xff\"}"} {
		if _, _, err := codec.ReadJSON([]byte(`{"kind":"outer","version":"1.3","data":` + data + `}`)); !errors.Is(err, versioned.ErrMalformed) {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, _, err := codec.ReadJSON([]byte(`{"kind":"outer","version":"1.1","data":{"mood":1}}`)); !errors.Is(err, versioned.ErrMalformed) {
		t.Errorf("an older version: %v", err)
	}
}
