// Package etcd keeps a cloud in etcd, where several processes on several machines work on
// it: it is the log of a store of package shared.
//
//	PREFIX/format            which program writes here, and which formats of records
//	PREFIX/head              where the log ends; its revision in etcd is what Append compares
//	PREFIX/log/REVISION      an entry, by the first revision in it
//	PREFIX/part/ID/N         the body of an entry that is too large for one request
//	PREFIX/stage/DIGEST      which parts have a body that is not in the log yet
//	PREFIX/checkpoint        the newest checkpoint
//	PREFIX/point/ID/N        its bytes
//	PREFIX/duty              who makes checkpoints, with a lease
//	PREFIX/wait/ID           a process that others were faster than, and how long it needs; with a lease if that is long
//	PREFIX/lives/ID          a process that needs long for its turn, with a lease
//	PREFIX/who/ID            a process that works here for long, with a lease
//
// An entry is appended by one transaction that compares the revision of head, and so of all
// that was decided on, and that of format, so that a release which knows less stops
// writing. etcd acknowledges it once most members have it on disk.
//
// Whether an append without an answer was done is settled by another transaction on the
// same revision of head, which writes head as it is: if it succeeds, the first one never
// will; if not, the entry is there, or that of somebody faster.
//
// Parts are staged with a lease before the transaction, which takes them off it: nobody
// reads them before an entry names them, and those of a writer that died vanish with it. Until
// then whoever is to write the same body takes them up: the key below stage, whose revision each
// put of a part compares, and the transaction, belongs to the last who did.
//
// Sources: etcd's API guarantees, https://etcd.io/docs/v3.5/learning/api_guarantees/
// (operations are linearizable, but for watches and serializable reads; a client that is
// not told of success does not know); limits of requests and the size of a database,
// https://etcd.io/docs/v3.5/dev-guide/limit/; go doc go.etcd.io/etcd/client/v3 (requests
// that change something are sent at most once).
package etcd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/shared"
)

const scheme = "etcd"

// Limits of requests. etcd's own are 1.5 MiB and 128 operations, unless its members are set
// to other ones.
const (
	mostValue = 1 << 20   // bytes of a value
	partSize  = 256 << 10 // bytes of a part, which is sent and asked for as one, unless there would be too many
	mostParts = 120       // of one entry, whose transaction has to take each off its lease
	page      = 64        // entries of one request, on a link that is fast enough
)

// How long etcd is waited for.
const (
	dialTime  = 5 * time.Second
	asks      = 4   // of members, one after the other, for the same
	stageTime = 900 // seconds that staged parts stay after somebody has sent some
	dutyTime  = 10  // seconds until somebody else has the duty of a process that has died
	waitTime  = 60  // seconds, at least, that a process is known to wait which holds up others for more than longWait
	longWait  = time.Second
	whoTime   = 10 // seconds until a process that has died is no longer listed, nor waited for
	dutyPause = 3 * time.Second
)

// log is a cloud's log in etcd.
type log struct {
	place
	client *clientv3.Client
	format int64 // revision of the format in etcd

	sends func(done, of int) // as engine.Options.Writing

	staged *staged // of an append that somebody else was faster than; nil if there is none
	lives  held    // the key that says that this process lives, once it has needed long

	mu    sync.Mutex
	opens func(done, of int) // as engine.Options.Progress, while the cloud is being opened; nil after that
}

var _ shared.Unattended = (*log)(nil)

// head is where the log ends.
type head struct {
	Revision cloud.Revision `cbor:"1,keyasint"`
	Total    int64          `cbor:"2,keyasint"`
	ID       string         `cbor:"3,keyasint,omitempty"` // of the newest entry: an etcd that was restored gives out its revisions again
}

// entry is the value of an entry.
type entry struct {
	ID    string         `cbor:"1,keyasint"`
	Last  cloud.Revision `cbor:"2,keyasint"`
	Total int64          `cbor:"3,keyasint"`
	Head  []byte         `cbor:"4,keyasint"`
	Body  []byte         `cbor:"5,keyasint,omitempty"`
	Parts *parts         `cbor:"6,keyasint,omitempty"` // of the body, where it is not here
	After string         `cbor:"7,keyasint,omitempty"` // ID of the entry before
	Turn  *shared.Turn   `cbor:"8,keyasint,omitempty"` // that is next
}

// parts are where something long is.
type parts struct {
	ID    string `cbor:"1,keyasint"`
	Count int    `cbor:"2,keyasint"`
	Size  int    `cbor:"3,keyasint"`
}

func (p parts) String() string { return fmt.Sprintf("%s %d %d", p.ID, p.Count, p.Size) }

// partsOf is the inverse of String.
func partsOf(text string) (p parts, err error) {
	_, err = fmt.Sscanf(text, "%s %d %d", &p.ID, &p.Count, &p.Size)
	return p, err
}

// staged are parts that are not in the log yet.
type staged struct {
	parts
	key   string // that says where they are
	mark  int64  // its revision; with any other they belong to somebody else
	sent  int    // of the parts
	lease clientv3.LeaseID
	doubt bool // they may be in the log
}

func (l *log) key(of string) string { return l.prefix + of }
func (l *log) entryKey(first cloud.Revision) string {
	return fmt.Sprintf("%slog/%016x", l.prefix, uint64(first))
}

func (l *log) partKey(kind, id string, n int) string {
	return fmt.Sprintf("%s%s/%s/%06x", l.prefix, kind, id, n)
}
func (l *log) partsOf(kind, id string) string { return fmt.Sprintf("%s%s/%s/", l.prefix, kind, id) }
func untouched(key string, revision int64) clientv3.Cmp {
	return clientv3.Compare(clientv3.ModRevision(key), "=", revision)
}
func marshal(message any) string { return string(must(wire.Marshal(message))) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // a message of this package can be encoded
	}
	return v
}

// again has a member do something, and the next one if it does not answer, which is done
// another time then. The time that it has is that for so many bytes, and grows: the link may
// be slow.
func (l *log) again(ctx context.Context, what string, do func(ctx context.Context, try int) error, size func(try int) int) error {
	for n := 1; ; n++ {
		one, cancel := context.WithTimeout(ctx, time.Duration(n)*shared.Patience(size(n)))
		err := do(one, n)
		cancel()
		if err == nil {
			return nil
		}
		told := &answerError{err: err, doing: what + ", " + strings.Join(l.hosts, ",")}
		switch {
		case ctx.Err() != nil:
			told.err = errors.Join(err, ctx.Err())
			return told
		case n == asks || definite(err):
			return told
		}
	}
}

// read asks etcd for several things as of one moment, which have so many bytes.
func (l *log) read(ctx context.Context, what string, size int, ops ...clientv3.Op) (resp *clientv3.TxnResponse, err error) {
	err = l.again(ctx, what, func(ctx context.Context, _ int) (err error) {
		resp, err = l.client.Txn(ctx).Then(ops...).Commit()
		return err
	}, func(int) int { return size })
	return resp, err
}

// valueOf decodes the value of a key; false if there is none.
func valueOf[T any](resp *clientv3.TxnResponse, n int) (v T, revision int64, there bool, err error) {
	found := (*clientv3.GetResponse)(resp.Responses[n].GetResponseRange())
	if len(found.Kvs) == 0 {
		return v, 0, false, nil
	}
	kv := found.Kvs[0]
	if err := wire.Unmarshal(kv.Value, &v); err != nil {
		return v, 0, true, fmt.Errorf("%s: %w: %w", kv.Key, wire.ErrMalformed, err)
	}
	return v, kv.ModRevision, true, nil
}

// endOf returns the end of the log from an answer that has head.
func (l *log) endOf(resp *clientv3.TxnResponse, n int) (shared.End, error) {
	h, revision, there, err := valueOf[head](resp, n)
	if err == nil && !there {
		err = l.lost()
	}
	return shared.End{Revision: h.Revision, Total: h.Total, Mark: revision, Seen: resp.Header.GetRevision(), ID: h.ID}, err
}

// End implements shared.Log.
func (l *log) End(ctx context.Context) (shared.End, error) {
	resp, err := l.read(ctx, "where the journal ends", 0, clientv3.OpGet(l.key("head")))
	if err != nil {
		return shared.End{}, err
	}
	return l.endOf(resp, 0)
}

// Append implements shared.Log.
func (l *log) Append(ctx context.Context, on shared.End, e *shared.Entry) (shared.End, error) {
	value := entry{ID: e.ID, Last: e.Last, Total: e.Total, Head: e.Head, Body: e.Body, After: e.After}
	ops := []clientv3.Op{clientv3.OpPut(l.key("head"), marshal(head{e.Last, e.Total, e.ID})), {}}
	ours := untouched(l.key("format"), l.format)
	conditions := []clientv3.Cmp{
		ours, untouched(l.key("head"), on.Mark), clientv3.Compare(clientv3.Value(l.key("head")), "=", marshal(head{on.Revision, on.Total, on.ID})),
	}
	if len(e.Head)+len(e.Body) > mostValue {
		s, err := l.stage(ctx, e.Body)
		if err != nil {
			return shared.End{}, err
		}
		value.Body, value.Parts = nil, &s.parts
		conditions = append(conditions, untouched(s.key, s.mark))
		ops = append(ops, clientv3.OpDelete(s.key))
		for n := range s.Count {
			ops = append(ops, clientv3.OpPut(l.partKey("part", s.ID, n), "", clientv3.WithIgnoreValue())) // off its lease
		}
	}
	line, wait := l.key("wait/"), l.waits(ctx, e.By)
	if e.Turn.Of == "" {
		ops = append(ops, clientv3.OpDelete(line+e.By.Of), clientv3.OpGet(line, clientv3.WithFirstCreate()...))
	} else {
		value.Turn = &e.Turn
		ops = append(ops, clientv3.OpDelete(line+e.Turn.Of), wait)
	}
	ops[1] = clientv3.OpPut(l.entryKey(e.First), marshal(value))
	resp, err := l.client.Txn(ctx).
		If(conditions...).
		Then(ops...).
		Else(clientv3.OpGet(l.entryKey(e.First)), clientv3.OpGet(l.key("format")), clientv3.OpGet(l.key("head")), clientv3.OpTxn([]clientv3.Cmp{ours}, []clientv3.Op{wait}, nil)).
		Commit()
	if err != nil {
		if definite(err) {
			l.unstage(ctx, value.Parts) // they may be in the way
		}
		err = l.writing(err)
		l.doubt(value.Parts, errors.Is(err, shared.ErrUnknown))
		return shared.End{}, err
	}
	if resp.Succeeded {
		l.unstage(ctx, value.Parts)
		end := shared.End{Revision: e.Last, Total: e.Total, Mark: resp.Header.Revision, ID: e.ID}
		if e.Turn.Of == "" {
			end.Next, _, _, _ = valueOf[shared.Turn](resp, len(ops)-1) // a courtesy
		}
		return end, nil
	}
	found, mark, there, err := valueOf[entry](resp, 0)
	switch {
	case err != nil:
		return shared.End{}, err
	case there && found.ID == e.ID: // it arrived twice
		l.unstage(ctx, value.Parts)
		return shared.End{Revision: e.Last, Total: e.Total, Mark: mark, ID: e.ID}, nil
	}
	f, revision, has, err := valueOf[format](resp, 1)
	switch {
	case err == nil && !has:
		err = l.lost()
	case err == nil && revision != l.format:
		if err = l.newer(f); err == nil {
			err = unavailable(errors.New("another release has begun to write here: open it again"))
		}
	}
	if err == nil && !there && l.trimmed(resp, 2, e) {
		err = shared.ErrUnknown
	}
	if err != nil {
		return shared.End{}, err
	}
	return shared.End{}, shared.ErrMoved
}

// waits returns the operation that notes that a process waits. Others may be held up for long by one
// that is killed while it waits, even by its key of last week: such a key vanishes after some time.
// That takes longer than any append, which fails once its lease has ended.
func (l *log) waits(ctx context.Context, t shared.Turn) clientv3.Op {
	var until []clientv3.OpOption
	if t.For > longWait {
		l.live(ctx, t.Of)
		ctx, cancel := context.WithTimeout(ctx, shared.Patience(0))
		defer cancel()
		if lease, err := l.client.Grant(ctx, max(waitTime, int64(2*t.For/time.Second))); err == nil {
			until = append(until, clientv3.WithLease(lease.ID))
		}
	}
	return clientv3.OpPut(l.key("wait/"+t.Of), marshal(t), until...)
}

// live says that this process lives, until it does not.
func (l *log) live(ctx context.Context, process string) {
	select {
	case <-l.lives.over:
	default:
		if l.lives.over != nil {
			return
		}
	}
	l.lives, _ = l.hold(context.WithoutCancel(ctx), "lives/"+process, "", whoTime) // if it fails others wait less
}

// Lives implements shared.Unattended.
func (l *log) Lives(ctx context.Context, process string) (bool, error) {
	resp, err := l.read(ctx, "whether the process lives whose turn it is", 0, clientv3.OpGet(l.key("lives/"+process), clientv3.WithCountOnly()))
	return err == nil && resp.Responses[0].GetResponseRange().Count > 0, err
}

// Settle implements shared.Log.
func (l *log) Settle(ctx context.Context, on shared.End, e *shared.Entry) (bool, error) {
	resp, err := l.client.Txn(ctx).
		If(untouched(l.key("head"), on.Mark)).
		Then(clientv3.OpPut(l.key("head"), "", clientv3.WithIgnoreValue())).
		Else(clientv3.OpGet(l.entryKey(e.First)), clientv3.OpGet(l.key("head"))).
		Commit()
	if err != nil {
		return false, unavailable(err)
	}
	if l.staged != nil {
		l.staged.doubt = false
	}
	if resp.Succeeded {
		return false, nil
	}
	found, _, there, err := valueOf[entry](resp, 0)
	added := err == nil && there && found.ID == e.ID
	switch {
	case added:
		l.unstage(ctx, found.Parts)
	case err == nil && !there && l.trimmed(resp, 1, e):
		err = unavailable(errors.New("the journal no longer has that revision"))
	}
	return added, err
}

// trimmed reports whether the log has gone past an entry that is not there: it may have been
// added and dropped since. The head is the n-th part of the answer.
func (l *log) trimmed(resp *clientv3.TxnResponse, n int, e *shared.Entry) bool {
	h, _, there, err := valueOf[head](resp, n)
	return err == nil && there && h.Revision >= e.First
}

// doubt notes whether staged parts may be in the log.
func (l *log) doubt(p *parts, is bool) {
	if p != nil && l.staged != nil && l.staged.ID == p.ID {
		l.staged.doubt = is
	}
}

// stage puts a body into parts that nobody reads yet, as far as they are not there already: they
// stay for a while, so that an append which somebody else was faster than need not send them
// again, nor a program that goes on with it.
func (l *log) stage(ctx context.Context, body []byte) (*staged, error) {
	each := max(partSize, (len(body)+mostParts-1)/mostParts)
	if each > mostValue {
		return nil, &tooLargeError{size: len(body)}
	}
	s, err := l.takeUp(ctx, body, each)
	if err != nil {
		return nil, err
	}
	keep, stop := context.WithCancel(ctx)
	defer stop()
	_, _ = l.client.KeepAlive(keep, s.lease) // if it fails they are gone at worst, which is seen
	for s.sent < s.Count {
		part := body[s.sent*each : min((s.sent+1)*each, len(body))]
		var resp *clientv3.TxnResponse
		err := l.again(ctx, fmt.Sprintf("part %d of %d of a change", s.sent+1, s.Count), func(ctx context.Context, _ int) (err error) {
			resp, err = l.client.Txn(ctx).If(untouched(s.key, s.mark)).
				Then(clientv3.OpPut(l.partKey("part", s.ID, s.sent), string(part), clientv3.WithLease(s.lease))).Commit()
			return err
		}, func(int) int { return len(part) })
		switch {
		case err != nil:
			if err = errors.Unwrap(err); definite(err) {
				l.drop(ctx, s) // it may be in the way
			}
			return nil, l.before(err)
		case !resp.Succeeded:
			return nil, shared.ErrMoved // somebody else has taken them up
		}
		if s.sent++; l.sends != nil {
			l.sends(min(s.sent*each, len(body)), len(body))
		}
	}
	return s, nil
}

// takeUp returns where the parts of a body are to be. Those that this process has sent before, or
// one that has died since, are there already. One that still lives has to begin again elsewhere.
func (l *log) takeUp(ctx context.Context, body []byte, each int) (*staged, error) {
	s := &staged{
		parts: parts{ID: uuid.NewString(), Count: (len(body) + each - 1) / each, Size: len(body)},
		key:   l.key(fmt.Sprintf("stage/%x-%d", sha256.Sum256(body), each)),
	}
	had := l.staged
	same := had != nil && strings.HasPrefix(had.key, s.key)
	if same {
		s.key = had.key
	}
	resp, err := l.read(ctx, "what was sent before", 0, clientv3.OpGet(s.key))
	if err != nil {
		return nil, err
	}
	was, mark, there, err := valueOf[parts](resp, 0)
	if err != nil {
		return nil, err
	}
	if same && mark == had.mark && !had.doubt {
		return had, nil
	}
	if had != nil {
		l.drop(ctx, had)
	}
	switch {
	case same && there:
		s.key, mark = s.key+"/"+s.ID, 0
	case there:
		resp, err := l.read(ctx, "what was sent before", 0, clientv3.OpGet(l.partsOf("part", was.ID), clientv3.WithPrefix(), clientv3.WithCountOnly()))
		if err != nil {
			return nil, err
		}
		s.ID, s.sent = was.ID, int(resp.Responses[0].GetResponseRange().Count)
	}
	lease, err := l.client.Grant(ctx, stageTime)
	if err != nil {
		return nil, l.before(err)
	}
	s.lease = lease.ID
	ops := []clientv3.Op{clientv3.OpPut(s.key, marshal(s.parts), clientv3.WithLease(s.lease))}
	for n := range s.sent {
		ops = append(ops, clientv3.OpPut(l.partKey("part", s.ID, n), "", clientv3.WithIgnoreValue(), clientv3.WithLease(s.lease)))
	}
	taken, err := l.client.Txn(ctx).If(untouched(s.key, mark)).Then(ops...).Commit()
	switch {
	case err != nil:
		err = l.before(err)
	case !taken.Succeeded:
		err = shared.ErrMoved
	}
	if err != nil {
		l.drop(ctx, s)
		return nil, err
	}
	s.mark = taken.Header.Revision
	l.staged = s
	return s, nil
}

// before is the error of a request that comes before the one which commits: whatever became
// of it, nothing is in the log.
func (l *log) before(err error) error {
	if told := l.writing(err); !errors.Is(told, shared.ErrUnknown) {
		return told
	}
	return unavailable(err)
}

// unstage forgets parts that are in the log now.
func (l *log) unstage(ctx context.Context, p *parts) {
	if p != nil && l.staged != nil && l.staged.ID == p.ID {
		l.drop(ctx, l.staged)
	}
}

// drop removes what of staged parts is not in the log.
func (l *log) drop(ctx context.Context, s *staged) {
	l.staged = nil
	l.revoke(ctx, s.lease)
}

// entryOf decodes an entry.
func (l *log) entryOf(key, value []byte, mark int64) (*shared.Entry, error) {
	var first uint64
	var v entry
	if _, err := fmt.Sscanf(strings.TrimPrefix(string(key), l.key("log/")), "%16x", &first); err != nil {
		return nil, fmt.Errorf("%s: %w", key, wire.ErrMalformed)
	}
	if err := wire.Unmarshal(value, &v); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", key, wire.ErrMalformed, err)
	}
	e := &shared.Entry{ID: v.ID, First: cloud.Revision(first), Last: v.Last, Total: v.Total, Mark: mark, Head: v.Head, Body: v.Body, After: v.After}
	if v.Turn != nil {
		e.Turn = *v.Turn
	}
	if v.Parts != nil {
		e.Parts = v.Parts.String()
	}
	return e, nil
}

// entries returns the entries that begin between two revisions, the oldest first or the
// newest, and where the log ended at that moment; more if there are others after them. Most is
// how many at a time: fewer once the link was too slow for so many.
func (l *log) entries(ctx context.Context, from, until cloud.Revision, order clientv3.SortOrder, most *int64) (all []*shared.Entry, end shared.End, more bool, err error) {
	var resp *clientv3.TxnResponse
	few := func(try int) int64 { return max(1, *most>>(3*(try-1))) }
	err = l.again(ctx, fmt.Sprintf("the journal from revision %d", from), func(ctx context.Context, try int) (err error) {
		resp, err = l.client.Txn(ctx).Then(clientv3.OpGet(l.key("head")),
			clientv3.OpGet(l.entryKey(from), clientv3.WithRange(l.entryKey(until)+"\x00"), clientv3.WithLimit(few(try)), clientv3.WithSort(clientv3.SortByKey, order))).Commit()
		if err == nil {
			*most = few(try)
		}
		return err
	}, func(try int) int {
		if few(try) == 1 {
			return mostValue
		}
		return 0
	})
	if err != nil {
		return nil, end, false, err
	}
	if end, err = l.endOf(resp, 0); err != nil {
		return nil, end, false, err
	}
	found := resp.Responses[1].GetResponseRange()
	for _, kv := range found.Kvs {
		e, err := l.entryOf(kv.Key, kv.Value, kv.ModRevision)
		if err != nil {
			return nil, end, false, err
		}
		all = append(all, e)
	}
	return all, end, found.More, nil
}

// Read implements shared.Log.
func (l *log) Read(ctx context.Context, from cloud.Revision, take func(*shared.Entry) error) (shared.End, error) {
	for most := int64(page); ; {
		all, end, more, err := l.entries(ctx, from, 1<<63, clientv3.SortAscend, &most)
		if err != nil {
			return end, err
		}
		for _, e := range all {
			if err := take(e); err != nil {
				return end, err
			}
			from = e.Last + 1
		}
		if !more {
			return end, nil
		}
	}
}

// Watch implements shared.Log.
func (l *log) Watch(ctx context.Context, after shared.End, take func(*shared.Entry) error) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx)) // a member that is cut off says so
	defer cancel()
	for answer := range l.client.Watch(ctx, l.key("log/"), clientv3.WithPrefix(), clientv3.WithRev(max(after.Mark, after.Seen)+1), clientv3.WithFilterDelete()) {
		if err := answer.Err(); err != nil {
			return unavailable(err) // such as that this revision was compacted: what is missing is read
		}
		for _, ev := range answer.Events {
			e, err := l.entryOf(ev.Kv.Key, ev.Kv.Value, ev.Kv.ModRevision)
			if err != nil {
				return err
			}
			if err := take(e); err != nil {
				return err
			}
		}
	}
	return unavailable(errors.Join(errors.New("the watch has ended"), ctx.Err()))
}

// Back implements shared.Log. etcd sorts backwards only after it has read everything, so
// that a span of revisions is asked for in which an entry has to begin.
func (l *log) Back(ctx context.Context, until cloud.Revision, limit int) ([]*shared.Entry, error) {
	most := int64(min(limit, page))
	for span := cloud.Revision(most); ; span *= 8 { //nolint:gosec // a small number
		from := max(until, span) - span + 1
		all, _, _, err := l.entries(ctx, from, until, clientv3.SortDescend, &most)
		if err != nil || len(all) > 0 || from <= 1 || span >= mostSpan {
			return all, err
		}
	}
}

// mostSpan is more revisions than there are in any entry.
const mostSpan = 4096

// Body implements shared.Log.
func (l *log) Body(ctx context.Context, e *shared.Entry) ([]byte, error) {
	if e.Parts == "" {
		return e.Body, nil
	}
	p, err := partsOf(e.Parts)
	if err != nil {
		return nil, fmt.Errorf("revision %d: %w: %w", e.First, wire.ErrMalformed, err)
	}
	body, err := io.ReadAll(&partReader{log: l, ctx: ctx, kind: "part", parts: p})
	if err == nil && len(body) != p.Size {
		err = fmt.Errorf("revision %d: %w: %d of %d bytes", e.First, wire.ErrMalformed, len(body), p.Size)
	}
	return body, err
}

// Close implements shared.Log.
func (l *log) Close() error {
	if s := l.staged; s != nil && s.sent == s.Count {
		l.drop(context.Background(), s) // it was refused in the end
	}
	if l.lives.over != nil {
		l.revoke(context.Background(), l.lives.id)
	}
	if err := l.client.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// tooLargeError reports a change that etcd cannot take as one.
type tooLargeError struct{ size int }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the change has %d MiB, and at most %d MiB of one can be kept in etcd", e.size>>20, mostParts*mostValue>>20)
}
