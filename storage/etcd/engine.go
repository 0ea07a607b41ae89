package etcd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/shared"
)

// Engine opens "etcd://HOST,HOST/PREFIX": a cloud below a prefix of an etcd.
type Engine struct{}

var (
	_ engine.Opener    = Engine{}
	_ engine.Compacter = Engine{}
)

// Scheme implements engine.Opener.
func (Engine) Scheme() string { return scheme }

// Limits implements engine.Limited.
func (Engine) Limits() []string {
	return append(shared.Limits(),
		fmt.Sprintf("A change: %d MiB, compressed, which is a cloud of many tens of thousands of hosts.", mostParts*mostValue>>20),
		fmt.Sprintf("A member may take %s to be reached.", dialTime),
		fmt.Sprintf("A process that has died is listed for another %d s, and its duties are taken over after %d s.", whoTime, dutyTime+int(dutyPause.Seconds())),
		fmt.Sprintf("Of a copy that was interrupted, etcd keeps what it has got for %d minutes at least.", stageTime*2/3/60), // a lease is renewed when a third of it is over
	)
}

// magic is what a cloud's format begins with.
const magic = "placetop cloud"

// layout is the version of the keys and of what stands below them.
const layout = 1

// format says who writes below a prefix, and what.
type format struct {
	Magic   string   `cbor:"1,keyasint"`
	Layout  int      `cbor:"2,keyasint"`
	Release string   `cbor:"3,keyasint"`
	Formats []string `cbor:"4,keyasint"` // of all records: kind and version
}

// dial connects to the etcd of a place.
func dial(text string) (*log, error) {
	p, err := parse(text)
	if err != nil {
		return nil, err
	}
	c, err := p.config(os.Getenv)
	if err != nil {
		return nil, err
	}
	p.secure = c.TLS != nil
	client, err := clientv3.New(c)
	if err != nil {
		return nil, p.opening(err)
	}
	return &log{place: p, client: client}, nil
}

// look returns the format below the prefix, and its revision in etcd; nil if nothing is
// there. It is an error if something else is.
func (l *log) look(ctx context.Context) (*format, int64, error) {
	resp, err := l.read(ctx, "what is there", 0, clientv3.OpGet(l.key("format")), clientv3.OpGet(l.prefix, clientv3.WithPrefix(), clientv3.WithLimit(1), clientv3.WithKeysOnly()))
	if err != nil {
		return nil, 0, l.opening(errors.Unwrap(err))
	}
	f, revision, there, err := valueOf[format](resp, 0)
	others := resp.Responses[1].GetResponseRange().Kvs
	switch {
	case err == nil && there && f.Magic == magic:
		return &f, revision, nil
	case len(others) > 0:
		return nil, 0, l.cannot(fmt.Sprintf("there are keys of something else, such as %q", others[0].Key), "Name another prefix", err)
	default:
		return nil, 0, nil
	}
}

// within returns an error if the prefix is inside that of another cloud, as far as this user
// may look there.
func (l *log) within(ctx context.Context) error {
	for i, c := range l.prefix[:len(l.prefix)-1] {
		if c != '/' || i == 0 {
			continue
		}
		outer := &log{place: place{hosts: l.hosts, prefix: l.prefix[:i+1]}, client: l.client}
		resp, err := l.read(ctx, "what is around it", 0, clientv3.OpGet(outer.key("format")))
		if errors.Is(err, rpctypes.ErrPermissionDenied) {
			continue
		}
		if err != nil {
			return l.opening(errors.Unwrap(err))
		}
		if f, _, there, err := valueOf[format](resp, 0); err == nil && there && f.Magic == magic {
			return l.cannot("it is inside the cloud "+outer.String(), "Name another prefix", nil)
		}
	}
	return nil
}

// newer returns the error about a format that this release does not know, nil if it does.
func (l *log) newer(f format) error {
	e := &storage.NewerError{Path: l.String(), By: f.Release}
	if f.Layout > layout {
		e.What = "the layout of its keys"
		e.Has, e.Knows = versioned.Version{Major: uint16(f.Layout)}, versioned.Version{Major: layout} //nolint:gosec // a small number
		return e
	}
	knows := map[versioned.Kind]versioned.Version{}
	for _, s := range cloud.Schemas() {
		knows[s.Kind] = s.Version
	}
	for _, text := range f.Formats {
		kind, version, _ := strings.Cut(text, " ")
		has, err := versioned.ParseVersion(version)
		known, there := knows[versioned.Kind(kind)]
		if err != nil || !there || has.Major > known.Major || has.Major == known.Major && has.Minor > known.Minor {
			e.What, e.Has, e.Knows = "a record of kind "+kind, has, known
			return e
		}
	}
	return nil
}

// lost is the error that a cloud has no head.
func (l *log) lost() error {
	return &storage.DamagedError{
		Path: l.String(), What: "the key that says where its journal ends was removed",
		Hint: "Restore the members of etcd from a snapshot, or copy a backup to another prefix",
	}
}

// Has implements engine.Opener.
func (Engine) Has(place string) (bool, error) {
	l, err := dial(place)
	if err != nil {
		return false, err
	}
	defer l.Close() //nolint:errcheck // it was only looked at
	f, _, err := l.look(context.Background())
	return f != nil, err
}

// Open implements engine.Opener.
func (Engine) Open(ctx context.Context, place string, o engine.Options) (storage.Store, error) {
	l, err := dial(place)
	if err != nil {
		return nil, err
	}
	l.opens, l.sends = o.Progress, o.Writing
	if o.Asking != nil {
		o.Asking(l.String())
	}
	if err := l.prepare(ctx, o); err != nil {
		return nil, errors.Join(err, l.Close()) //nolint:contextcheck // it is closed whether ctx has ended or not
	}
	s := shared.Options{Clock: o.Clock, Place: l.String(), Scheme: scheme, Committed: o.Committed, Failing: o.Failing}
	if o.ReadOnly {
		s.ReadOnly = l.String() + " was opened read-only"
	}
	store, err := shared.Open(ctx, l, s)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.opens = nil
	l.mu.Unlock()
	if o.As == "" {
		return store, nil
	}
	return attend(store, l, engine.Peer{As: o.As, PID: os.Getpid(), SinceMS: versioned.Millis(o.Clock()), Looks: o.ReadOnly}), nil //nolint:contextcheck // it ends with the store
}

// prepare makes sure that below the prefix is a cloud that this release may work on, and
// makes an empty one where nothing is.
func (l *log) prepare(ctx context.Context, o engine.Options) error {
	own := format{Magic: magic, Layout: layout, Release: o.Version, Formats: wire.Formats()}
	for {
		f, revision, err := l.look(ctx)
		if err != nil {
			return err
		}
		l.format = revision
		put := clientv3.OpPut(l.key("format"), marshal(own))
		var txn clientv3.Txn
		switch {
		case f == nil && o.ReadOnly:
			return l.cannot("there is no cloud", "Name another place "+o.NamedBy, nil)
		case f == nil:
			if err := l.within(ctx); err != nil {
				return err
			}
			empty := clientv3.Compare(clientv3.CreateRevision(l.prefix), "=", 0).WithPrefix()
			txn = l.client.Txn(ctx).If(empty).Then(put, clientv3.OpPut(l.key("head"), marshal(head{})))
		default:
			if err := l.newer(*f); err != nil {
				return err
			}
			if o.ReadOnly || slices.Equal(f.Formats, own.Formats) {
				return nil
			}
			txn = l.client.Txn(ctx).If(untouched(l.key("format"), revision)).Then(put) // older releases stop writing
		}
		if _, err := txn.Commit(); err != nil {
			return l.opening(err)
		}
	}
}

// mostAlarms is how often NOSPACE alarms are ended that are raised anew each time: what is left
// is more than the quota then.
const mostAlarms = 5

// Compact implements engine.Compacter: etcd forgets what its keys held earlier, the members give
// back the space, those that the place names first, and alarms that they have none end. A member
// that cannot be reached does not keep the others from it.
func (Engine) Compact(ctx context.Context, place string, _ engine.Options) (done engine.CompactResult, err error) {
	l, err := dial(place)
	if err != nil {
		return done, err
	}
	defer l.Close() //nolint:errcheck,contextcheck // whether ctx has ended or not
	resp, err := l.read(ctx, "what is there", 0, clientv3.OpGet(l.key("format")))
	if err != nil {
		return done, l.opening(errors.Unwrap(err))
	}
	if _, err := l.client.Compact(ctx, resp.Header.Revision, clientv3.WithCompactPhysical()); err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return done, l.writing(err)
	}
	known := map[uint64]bool{}
	var failed error
	for _, host := range l.client.Endpoints() {
		failed = errors.Join(failed, l.defragment(ctx, host, 0, known, &done))
	}
	members, err := l.client.MemberList(ctx)
	if err != nil {
		return done, l.writing(err)
	}
	for _, m := range members.Members {
		if !known[m.ID] && len(m.ClientURLs) > 0 && !slices.Contains(l.client.Endpoints(), m.ClientURLs[0]) {
			failed = errors.Join(failed, l.defragment(ctx, m.ClientURLs[0], m.ID, known, &done))
		}
	}
	again := true
	for tries := 0; again; tries++ { // a write that was refused before may still raise one
		if tries == mostAlarms {
			return done, errors.Join(failed, l.writing(rpctypes.ErrNoSpace))
		}
		alarms, err := l.client.AlarmList(ctx)
		if err != nil {
			return done, l.writing(err)
		}
		again = false
		for _, a := range alarms.Alarms {
			if a.Alarm != etcdserverpb.AlarmType_NOSPACE {
				continue
			}
			if _, err := l.client.AlarmDisarm(ctx, (*clientv3.AlarmMember)(a)); err != nil {
				return done, l.writing(err)
			}
			again = true
		}
		if again {
			err = storage.Pause(ctx, time.Second)
		}
		if err != nil {
			return done, err
		}
	}
	return done, failed
}

// defragment has the member at an address give back space, unless it is known, and notes how much.
// With an ID it has to be that member: the address is what it says of itself, which may mean
// something else here.
func (l *log) defragment(ctx context.Context, host string, id uint64, known map[uint64]bool, done *engine.CompactResult) error {
	size := func() (int64, error) {
		one, cancel := context.WithTimeout(ctx, shared.Patience(0))
		defer cancel()
		is, err := l.client.Status(one, host)
		switch {
		case err != nil:
			return 0, err
		case id != 0 && is.Header.MemberId != id:
			return 0, errors.New("somebody else answers there: name that member, too")
		}
		id = is.Header.MemberId
		return is.DbSize, nil
	}
	before, err := size()
	if err == nil && known[id] {
		return nil
	}
	known[id] = true
	if err == nil {
		_, err = l.client.Defragment(ctx, host)
	}
	var after int64
	if err == nil {
		after, err = size()
	}
	if err != nil {
		return fmt.Errorf("the member %s: %w", host, l.writing(err))
	}
	done.Before, done.After = done.Before+before, done.After+after
	return nil
}
