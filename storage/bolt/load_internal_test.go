package bolt

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// hostile is a record that panics when it is added to a cloud.
type hostile struct{}

func (hostile) RecordKind() versioned.Kind { panic("no kind") }
func (hostile) RecordKey() []byte          { return []byte("vm1") }

// A panic while a record is added is an error that names the record and its bucket, and
// nothing is added after it.
func TestPanicWhileAdding(t *testing.T) {
	t.Parallel()
	l := &loader{into: cloud.NewLoader()}
	l.add(placement.KindConsumer, hostile{})
	l.add(placement.KindConsumer, nil)
	if l.misfit == nil || !strings.Contains(l.misfit.Error(), "consumer "+versioned.KeyText([]byte("vm1"))) ||
		!strings.Contains(l.misfit.Error(), `"`+recordBucket(placement.KindConsumer)+`": no kind`) {
		t.Errorf("error %v", l.misfit)
	}
}
