package shared

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/storagetest"
)

// whole is a log whose entries have their bodies.
type whole struct{ Log }

func (whole) Body(_ context.Context, e *Entry) ([]byte, error) { return e.Body, nil }

// FuzzLog reads whatever stands in a log: what was written leads to the same cloud, and
// anything else is refused, or leads to a cloud.
func FuzzLog(f *testing.F) {
	s := &Store{codec: cloud.NewCodec(), log: whole{}}
	next, ev, err := cloud.Empty().Apply(cloud.Change{Actor: "tester", At: storagetest.Start, Ops: storagetest.Host(1, 8, 4)})
	must.Succeed(f, err)
	changes := body{codec: s.codec}
	must.Succeed(f, changes.add(ev))
	head, err := wire.Marshal([]wire.Event{wire.EventOf(ev)})
	must.Succeed(f, err)
	var point bytes.Buffer
	must.Succeed(f, WriteCloud(s.codec, &point, next))
	is, err := s.after(f.Context(), cloud.Empty(), &Entry{First: 1, Last: 1, Head: head, Body: s2.Encode(nil, changes.plain)})
	must.Succeed(f, err)
	storagetest.Same(f, next, is)
	is, err = readCloud(s.codec, bytes.NewReader(point.Bytes()))
	must.Succeed(f, err)
	storagetest.Same(f, next, is)
	f.Add(head, changes.plain, point.Bytes())
	f.Add(head[1:], changes.plain[1:], point.Bytes()[1:])
	f.Fuzz(func(t *testing.T, head, plain, point []byte) {
		e := &Entry{First: 1, Last: 1, Head: head, Body: s2.Encode(nil, plain)}
		if is, err := s.after(t.Context(), cloud.Empty(), e); err == nil {
			if is.Revision() != 1 {
				t.Errorf("revision %d", is.Revision())
			}
		}
		if is, err := readCloud(s.codec, bytes.NewReader(point)); err == nil {
			must.Succeed(t, WriteCloud(s.codec, io.Discard, is))
		}
	})
}
