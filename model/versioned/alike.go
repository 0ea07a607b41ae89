package versioned

import (
	"bytes"
	"reflect"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// Alike reports whether two records say the same; nil is like nil. They need not be
// equal: an empty list in a new record may be missing from the same record once it was
// written and read.
func Alike(a, b Record) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if reflect.DeepEqual(a, b) {
		return true
	}
	if a.RecordKind() != b.RecordKind() {
		return false
	}
	x, err := deterministic().Marshal(a)
	if err != nil {
		return false
	}
	y, err := deterministic().Marshal(b)
	return err == nil && bytes.Equal(x, y)
}

// deterministic encodes equal values alike, as a Codec does.
//
//nolint:gochecknoglobals // made once, and never changed
var deterministic = sync.OnceValue(func() cbor.EncMode {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
})
