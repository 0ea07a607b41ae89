package versioned_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
)

// A host record as three releases wrote it. The first kept memory in GiB, the second in
// MiB, the third renamed the field and has tags.
type (
	hostV1 struct {
		ID  uint32 `json:"id" cbor:"1,keyasint"`
		GiB int64  `json:"memory_gb" cbor:"2,keyasint"`
	}
	hostV2 struct {
		ID  uint32 `json:"id" cbor:"1,keyasint"`
		MiB int64  `json:"memory_mb" cbor:"2,keyasint"`
	}
	host struct {
		ID     uint32           `json:"id" cbor:"1,keyasint"`
		Memory int64            `json:"memory" cbor:"3,keyasint"`
		Tags   map[string]int64 `json:"tags,omitempty" cbor:"4,keyasint,omitempty"`
	}
)

func (h *host) RecordKind() versioned.Kind { return "host" }
func (h *host) RecordKey() []byte          { return binary.BigEndian.AppendUint32(nil, h.ID) }

// hosts is the schema of host, now at 3.1.
func hosts() versioned.Schema {
	return versioned.Schema{
		Kind: "host", Version: versioned.Version{Major: 3, Minor: 1},
		New: func() versioned.Record { return new(host) },
		Steps: []versioned.Step{
			{Major: 1, New: func() any { return new(hostV1) }, Up: func(v any) (any, error) {
				old := v.(*hostV1)
				if old.GiB < 0 {
					return nil, errors.New("less than no memory")
				}
				return &hostV2{ID: old.ID, MiB: old.GiB * 1024}, nil
			}},
			{Major: 2, New: func() any { return new(hostV2) }, Up: func(v any) (any, error) {
				old := v.(*hostV2)
				return &host{ID: old.ID, Memory: old.MiB}, nil
			}},
		},
	}
}

func newCodec() *versioned.Codec { return versioned.NewCodec(hosts()) }

// packed returns a record as a file has it: data in CBOR after the header of a version.
// It is written here byte by byte, as the format says.
func packed(t testing.TB, major, minor uint16, data any) []byte {
	t.Helper()
	body := must.Get(cbor.Marshal(data))(t)
	b := binary.BigEndian.AppendUint16([]byte{1}, major)
	b = binary.BigEndian.AppendUint16(b, minor)
	sum := crc32.Checksum(append(bytes.Clone(b), body...), crc32.MakeTable(crc32.Castagnoli))
	return append(binary.BigEndian.AppendUint32(b, sum), body...)
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	c := newCodec()
	in := &host{ID: 7, Memory: 2048, Tags: map[string]int64{"b": 1, "a": -2}}
	b := must.Get(c.Encode(in))(t)
	// Header: format 1, version 3.1, checksum. Data: a map of 1, 3 and 4, the
	// map inside by key, too.
	const want = "01" + "0003" + "0001" + "03b68e7e" + "a3" + "0107" + "03190800" + "04a2616121616201"
	must.Be(t, hex.EncodeToString(b), want)
	out, err := c.Decode("host", b)
	if d := cmp.Diff(versioned.Record(in), out); d != "" || err != nil {
		t.Errorf("%v (-in +out):\n%s", err, d)
	}
	clear(b) // the record does not hold on to it
	if d := cmp.Diff(versioned.Record(in), out); d != "" {
		t.Errorf("after the bytes are gone (-in +out):\n%s", d)
	}
	j, err := c.EncodeJSON(in)
	if want := `{"kind":"host","version":"3.1","data":{"id":7,"memory":2048,"tags":{"a":-2,"b":1}}}`; string(j) != want || err != nil {
		t.Errorf("JSON is %s, %v, want %s", j, err, want)
	}
	out, err = c.DecodeJSON(j)
	if d := cmp.Diff(versioned.Record(in), out); d != "" || err != nil {
		t.Errorf("%v (-in +out):\n%s", err, d)
	}
}

// Records of other versions are read.
func TestVersions(t *testing.T) {
	t.Parallel()
	type hostV32 struct {
		host
		New string `cbor:"5,keyasint"`
	}
	now := &host{ID: 7, Memory: 2048}
	for _, tt := range []struct {
		name         string
		major, minor uint16
		data         any
		want         *host
		err          error
	}{
		{name: "its own", major: 3, minor: 1, data: now, want: now},
		{name: "an older minor", major: 3, minor: 0, data: now, want: now},
		{name: "a newer minor, with a field that is not known here", major: 3, minor: 9, data: hostV32{host: *now, New: "x"}, want: now},
		{name: "one major older", major: 2, minor: 0, data: hostV2{ID: 7, MiB: 2048}, want: now},
		{name: "two majors older", major: 1, minor: 0, data: hostV1{ID: 7, GiB: 2}, want: now},
		{name: "a step that cannot be made", major: 1, data: hostV1{ID: 7, GiB: -2}, err: versioned.ErrMalformed},
		{name: "an older one with a bad body", major: 1, data: map[int]string{2: "x"}, err: versioned.ErrMalformed},
		{name: "a newer major", major: 4, data: now, err: versioned.ErrNewer},
		{name: "version 0", major: 0, minor: 1, data: now, err: versioned.ErrMalformed},
		{name: "a bad body", major: 3, data: map[int]string{3: "x"}, err: versioned.ErrMalformed},
		{name: "no map", major: 3, data: nil, err: versioned.ErrMalformed},
		{name: "a key twice", major: 3, data: cbor.RawMessage{0xa2, 1, 7, 1, 8}, err: versioned.ErrMalformed},
		{name: "text that is not valid UTF-8", major: 3, data: cbor.RawMessage{0xa1, 4, 0xa1, 0x61, 0xff, 1}, err: versioned.ErrMalformed},
		{name: "no end", major: 3, data: cbor.RawMessage{0xbf, 1, 7, 0xff}, err: versioned.ErrMalformed},
		{name: "a tag", major: 3, data: cbor.RawMessage{0xa1, 1, 0xc2, 0x41, 7}, err: versioned.ErrMalformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := newCodec().Decode("host", packed(t, tt.major, tt.minor, tt.data))
			wantRecord(t, got, err, tt.want, tt.err)
		})
	}
	_, err := newCodec().Decode("host", packed(t, 4, 2, now))
	var newer *versioned.NewerError
	if !errors.As(err, &newer) {
		t.Fatalf("%v is no NewerError", err)
	}
	want := versioned.NewerError{Kind: "host", Has: versioned.Version{Major: 4, Minor: 2}, Knows: versioned.Version{Major: 3, Minor: 1}}
	if *newer != want || newer.Error() != "host record of version 4.2: this placetop reads versions up to 3.1; use a newer one" {
		t.Errorf("%+v: %v", *newer, newer)
	}
}

// wantRecord fails unless the result is want, or an error of this kind and no other.
func wantRecord(t *testing.T, got versioned.Record, err error, want *host, kind error) {
	t.Helper()
	for _, k := range []error{versioned.ErrChecksum, versioned.ErrMalformed, versioned.ErrNewer} {
		if is := errors.Is(err, k); is != (k == kind) { //nolint:errorlint // kinds are compared as such
			t.Errorf("error %v: is %q %t, want %v", err, k, is, kind)
		}
	}
	if kind != nil {
		if err == nil || got != nil {
			t.Errorf("record %v, error %v", got, err)
		}
		return
	}
	must.Succeed(t, err)
	must.Match(t, versioned.Record(want), got)
}

// Every bit of a record is part of its format number or covered by its checksum.
func TestEveryBitCounts(t *testing.T) {
	t.Parallel()
	c := newCodec()
	good := packed(t, 3, 1, &host{ID: 7, Memory: 2048})
	for i := range len(good) * 8 {
		b := bytes.Clone(good)
		b[i/8] ^= 1 << (i % 8)
		want := versioned.ErrChecksum
		if i < 8 {
			want = versioned.ErrNewer
		}
		got, err := c.Decode("host", b)
		wantRecord(t, got, err, nil, want)
	}
	for n := range good {
		if _, err := c.Decode("host", good[:n]); err == nil {
			t.Errorf("cut off after %d bytes, and read", n)
		}
	}
	if _, err := c.Decode("host", append(bytes.Clone(good), 0)); err == nil {
		t.Error("a byte too many, and read")
	}
}

func TestBadJSON(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		err  error
	}{
		"older":          {text: `{"kind":"host","version":"1.0","data":{"id":7,"memory_gb":2}}`},
		"newer minor":    {text: `{"kind":"host","version":"3.7","data":{"id":7,"memory":2048,"new":1}}`},
		"white space":    {text: " {\"kind\":\"host\",\n\"version\":\"3.1\",\"data\":{\"id\":7,\"memory\":2048}} \n"},
		"newer major":    {text: `{"kind":"host","version":"4.0","data":{}}`, err: versioned.ErrNewer},
		"version 0":      {text: `{"kind":"host","version":"0.1","data":{}}`, err: versioned.ErrMalformed},
		"version 3":      {text: `{"kind":"host","version":"3","data":{}}`, err: versioned.ErrMalformed},
		"version -1":     {text: `{"kind":"host","version":"3.-1","data":{}}`, err: versioned.ErrMalformed},
		"version high":   {text: `{"kind":"host","version":"3.65536","data":{}}`, err: versioned.ErrMalformed},
		"no version":     {text: `{"kind":"host","data":{}}`, err: versioned.ErrMalformed},
		"no data":        {text: `{"kind":"host","version":"3.1"}`, err: versioned.ErrMalformed},
		"data null":      {text: `{"kind":"host","version":"3.1","data":null}`, err: versioned.ErrMalformed},
		"data a list":    {text: `{"kind":"host","version":"3.1","data":[]}`, err: versioned.ErrMalformed},
		"data too big":   {text: `{"kind":"host","version":"3.1","data":{"id":4294967296}}`, err: versioned.ErrMalformed},
		"unknown kind":   {text: `{"kind":"guest","version":"3.1","data":{}}`, err: versioned.ErrNewer},
		"unknown member": {text: `{"kind":"host","version":"3.1","data":{},"x":1}`, err: versioned.ErrMalformed},
		"nothing":        {text: ``, err: versioned.ErrMalformed},
		"no object":      {text: `[]`, err: versioned.ErrMalformed},
		"cut off":        {text: `{"kind":"host","version":"3.1","data":{"id":7`, err: versioned.ErrMalformed},
		"two in a line":  {text: `{"kind":"host","version":"3.1","data":{}} {}`, err: versioned.ErrMalformed},
		"rest":           {text: `{"kind":"host","version":"3.1","data":{}}}`, err: versioned.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newCodec().DecodeJSON([]byte(tt.text))
			wantRecord(t, got, err, &host{ID: 7, Memory: 2048}, tt.err)
		})
	}
}

func TestUnknownKinds(t *testing.T) {
	t.Parallel()
	c := newCodec()
	must.Fail(t, must.Err(c.Decode("guest", packed(t, 1, 0, &host{}))), versioned.ErrMalformed)
	other := versioned.NewCodec()
	if _, err := other.Encode(&host{}); err == nil {
		t.Error("encoded")
	}
	if _, err := other.EncodeJSON(&host{}); err == nil {
		t.Error("encoded as JSON")
	}
	if _, ok := other.Schema("host"); ok {
		t.Error("a schema of nothing")
	}
	if sc, ok := c.Schema("host"); !ok || sc.Version.String() != "3.1" || len(c.Kinds()) != 1 {
		t.Errorf("%+v, %t, %v", sc, ok, c.Kinds())
	}
}

// A wrong schema stops this program when it starts, not when it reads a user's file.
func TestSchemasAreChecked(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("two schemas of one kind are taken")
		}
	}()
	versioned.NewCodec(hosts(), hosts())
}

// A chain that ends in something else is an error, not a crash.
func TestBrokenChain(t *testing.T) {
	t.Parallel()
	sc := hosts()
	sc.Steps = sc.Steps[:1]
	_, err := versioned.NewCodec(sc).Decode("host", packed(t, 1, 0, hostV1{}))
	must.Fail(t, err, versioned.ErrMalformed)
	sc = hosts()
	sc.Steps[1].Up = func(v any) (any, error) { return v, nil }
	if _, err := versioned.NewCodec(sc).Decode("host", packed(t, 2, 0, hostV2{})); err == nil {
		t.Error("the chain ends in version 2, and is read")
	}
}

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for _, v := range []versioned.Version{{Major: 1}, {Major: 1, Minor: 39}, {Major: 65535, Minor: 65535}} {
		if got, err := versioned.ParseVersion(v.String()); got != v || err != nil {
			t.Errorf("%s becomes %s, %v", v, got, err)
		}
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	a := &host{ID: 7}
	made := versioned.Change{After: a}
	if made.Kind() != "host" || made.Title() != "host 7" || made.Reverse() != (versioned.Change{Before: a}) || made.Reverse().Title() != made.Title() {
		t.Errorf("%s", made.Title())
	}
	if got, want := (versioned.Change{After: long{}}).Title(), "long 01020304-0506-0708-090a-0b0c0d0e0f10"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// long has a key of the length of a uuid.
type long struct{}

func (long) RecordKind() versioned.Kind { return "long" }
func (long) RecordKey() []byte {
	return []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
}

// Whatever can be decoded encodes to something that decodes to the same.
func FuzzDecode(f *testing.F) {
	c := newCodec()
	f.Add(packed(f, 3, 1, &host{ID: 7, Memory: 2048, Tags: map[string]int64{"a": 1}}))
	f.Add(packed(f, 2, 0, hostV2{ID: 7, MiB: 2048}))
	f.Add(packed(f, 1, 0, hostV1{ID: 7, GiB: 2}))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := c.Decode("host", modeltest.Resum(b))
		if err != nil {
			return
		}
		again := must.Get(c.Encode(r))(t)
		twin, err := c.Decode("host", again)
		if d := cmp.Diff(r, twin); d != "" || err != nil {
			t.Errorf("%v (-first +second):\n%s", err, d)
		}
	})
}

func FuzzDecodeJSON(f *testing.F) {
	c := newCodec()
	f.Add([]byte(`{"kind":"host","version":"3.1","data":{"id":7,"memory":2048,"tags":{"a":1}}}`))
	f.Add([]byte(`{"kind":"host","version":"1.0","data":{"id":7,"memory_gb":2}}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := c.DecodeJSON(b)
		if err != nil {
			return
		}
		again := must.Get(c.EncodeJSON(r))(t)
		twin, err := c.DecodeJSON(again)
		if d := cmp.Diff(r, twin); d != "" || err != nil {
			t.Errorf("%v (-first +second):\n%s", err, d)
		}
	})
}
