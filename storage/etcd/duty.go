package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/shared"
)

// point is the newest checkpoint.
type point struct {
	Revision cloud.Revision `cbor:"1,keyasint"`
	Total    int64          `cbor:"2,keyasint"`
	Parts    parts          `cbor:"3,keyasint"`
}

// checkpoint returns what is known of the newest checkpoint; false if there is none.
func (l *log) checkpoint(ctx context.Context) (point, bool, error) {
	resp, err := l.read(ctx, "the newest checkpoint", 0, clientv3.OpGet(l.key("checkpoint")))
	if err != nil {
		return point{}, false, err
	}
	p, _, there, err := valueOf[point](resp, 0)
	return p, there, err
}

// Checkpoint implements shared.Log.
func (l *log) Checkpoint(ctx context.Context, read func(shared.Checkpoint, io.Reader) error) error {
	p, there, err := l.checkpoint(ctx)
	switch {
	case err != nil:
		return err
	case !there:
		return shared.ErrForgotten
	}
	return read(shared.Checkpoint{Revision: p.Revision, Total: p.Total, Size: int64(p.Parts.Size)}, &partReader{log: l, ctx: ctx, kind: "point", parts: p.Parts})
}

// partReader reads what is in parts: a checkpoint, or the body of an entry. It fails with
// ErrForgotten once they were removed.
type partReader struct {
	*log
	parts

	ctx  context.Context //nolint:containedctx // of the call that reads
	kind string
	next int
	done int // bytes
	here []byte
}

func (r *partReader) Read(p []byte) (int, error) {
	for len(r.here) == 0 {
		if r.next == r.Count {
			return 0, io.EOF
		}
		resp, err := r.read(r.ctx, fmt.Sprintf("part %d of %d of something large", r.next+1, r.Count), mostValue, clientv3.OpGet(r.partKey(r.kind, r.ID, r.next)))
		if err != nil {
			return 0, err
		}
		found := resp.Responses[0].GetResponseRange().Kvs
		if len(found) == 0 {
			return 0, shared.ErrForgotten
		}
		r.here = found[0].Value
		r.next++
		r.done += len(r.here)
		r.mu.Lock()
		if r.opens != nil {
			r.opens(r.done, r.parts.Size)
		}
		r.mu.Unlock()
	}
	n := copy(p, r.here)
	r.here = r.here[n:]
	return n, nil
}

// duty is the duty of this process.
type duty struct {
	*log
	since int64 // revision of the key in etcd
}

// Duty implements shared.Unattended.
func (l *log) Duty(ctx context.Context, do func(context.Context, shared.Duty) error) error {
	for {
		resp, err := l.read(ctx, "who has the duty", 0, clientv3.OpGet(l.key("duty"), clientv3.WithKeysOnly()))
		if err != nil {
			return err
		}
		if len(resp.Responses[0].GetResponseRange().Kvs) == 0 {
			break
		}
		if err := storage.Pause(ctx, dutyPause); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	held, err := l.hold(ctx, "duty", "", dutyTime)
	if err != nil {
		return err
	}
	defer l.revoke(ctx, held.id)
	go func() {
		defer cancel()
		<-held.over
	}()
	return do(ctx, &duty{l, held.since})
}

// held is a key that this process has for as long as its lease lives.
type held struct {
	id    clientv3.LeaseID
	since int64         // revision of the key in etcd
	over  chan struct{} // closed when the lease has ended
}

// errHeld says that another process has a key.
var errHeld = errors.New("another process has it")

// hold makes a key with a lease of some seconds, which is kept alive until ctx ends, unless
// somebody has the key already.
func (l *log) hold(ctx context.Context, key, value string, seconds int64) (held, error) {
	one, cancel := context.WithTimeout(ctx, shared.Patience(0))
	defer cancel()
	lease, err := l.client.Grant(one, seconds)
	if err != nil {
		return held{}, unavailable(err)
	}
	resp, err := l.client.Txn(one).
		If(clientv3.Compare(clientv3.CreateRevision(l.key(key)), "=", 0)).
		Then(clientv3.OpPut(l.key(key), value, clientv3.WithLease(lease.ID))).
		Commit()
	if err == nil && !resp.Succeeded {
		err = errHeld
	}
	var alive <-chan *clientv3.LeaseKeepAliveResponse
	if err == nil {
		alive, err = l.client.KeepAlive(ctx, lease.ID)
	}
	if err != nil {
		l.revoke(ctx, lease.ID)
		return held{}, unavailable(err)
	}
	h := held{lease.ID, resp.Header.Revision, make(chan struct{})}
	go func() {
		defer close(h.over)
		for range alive { // it ends with the lease
		}
	}()
	return h, nil
}

// revoke ends a lease, which else ends by itself.
func (l *log) revoke(ctx context.Context, id clientv3.LeaseID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shared.Patience(0))
	defer cancel()
	_, _ = l.client.Revoke(ctx, id)
}

// commit does what only the process on duty may.
func (d *duty) commit(ctx context.Context, ops ...clientv3.Op) error {
	resp, err := d.client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(d.key("duty")), "=", d.since)).
		Then(ops...).
		Commit()
	switch {
	case err != nil:
		return unavailable(err)
	case !resp.Succeeded:
		return unavailable(errors.New("another process has the duty"))
	}
	return nil
}

// Checkpoint implements shared.Duty.
func (d *duty) Checkpoint(ctx context.Context, c shared.Checkpoint, write func(io.Writer) error) error {
	was, there, err := d.checkpoint(ctx)
	if err != nil {
		return err
	}
	if there && c.Revision <= was.Revision {
		return nil // a newer one is there
	}
	if err := d.sweep(ctx, was); err != nil {
		return err
	}
	w := &partWriter{duty: d, ctx: ctx, parts: parts{ID: uuid.NewString()}}
	if err := write(w); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	return d.commit(ctx, clientv3.OpPut(d.key("checkpoint"), marshal(point{c.Revision, c.Total, w.parts})))
}

// sweep removes checkpoints that nobody reads any more, and those that were left unfinished.
func (d *duty) sweep(ctx context.Context, is point) error {
	resp, err := d.read(ctx, "old checkpoints", 0, clientv3.OpGet(d.key("point/"), clientv3.WithPrefix(), clientv3.WithKeysOnly()))
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
		id, _, _ := strings.Cut(strings.TrimPrefix(string(kv.Key), d.key("point/")), "/")
		if id == is.Parts.ID || gone[id] {
			continue
		}
		gone[id] = true
		if err := d.commit(ctx, clientv3.OpDelete(d.partsOf("point", id), clientv3.WithPrefix())); err != nil {
			return err
		}
	}
	return nil
}

// partWriter writes a checkpoint.
type partWriter struct {
	*duty
	parts

	ctx  context.Context //nolint:containedctx // of the call that writes
	here []byte
}

func (w *partWriter) Write(p []byte) (int, error) {
	w.here = append(w.here, p...)
	for len(w.here) >= partSize {
		rest := w.here[partSize:]
		w.here = w.here[:partSize]
		if err := w.flush(); err != nil {
			return 0, err
		}
		w.here = append([]byte(nil), rest...)
	}
	return len(p), nil
}

func (w *partWriter) flush() error {
	if len(w.here) == 0 {
		return nil
	}
	err := w.commit(w.ctx, clientv3.OpPut(w.partKey("point", w.ID, w.Count), string(w.here)))
	w.Count++
	w.Size += len(w.here)
	w.here = w.here[:0]
	return err
}

// Trim implements shared.Duty.
func (d *duty) Trim(ctx context.Context, drop func(*shared.Entry) bool) error {
	from := cloud.Revision(0)
	for most := int64(page); ; {
		all, _, more, err := d.entries(ctx, from, 1<<63, clientv3.SortAscend, &most)
		if err != nil {
			return err
		}
		var ops []clientv3.Op
		for _, e := range all {
			if !drop(e) {
				more = false
				break
			}
			from = e.Last + 1
			if e.Parts != "" { // first: nobody would find them without their entry
				p, err := partsOf(e.Parts)
				if err != nil {
					return fmt.Errorf("revision %d: %w", e.First, err)
				}
				ops = append(ops, clientv3.OpDelete(d.partsOf("part", p.ID), clientv3.WithPrefix()))
			}
			ops = append(ops, clientv3.OpDelete(d.entryKey(e.First)))
		}
		for len(ops) > 0 {
			n := min(len(ops), mostParts)
			if err := d.commit(ctx, ops[:n]...); err != nil {
				return err
			}
			ops = ops[n:]
		}
		if !more {
			return nil
		}
	}
}
