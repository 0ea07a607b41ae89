package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/shared"
)

// Store is a cloud in etcd, of a process that works on it for long.
type Store struct {
	*shared.Store
	log    *log
	me     engine.Peer
	others atomic.Pointer[[]engine.Peer]
	stop   context.CancelFunc
	work   sync.WaitGroup
}

var _ engine.Attended = (*Store)(nil)

// attend returns a store that tells others of this process, and this process of them.
func attend(store *shared.Store, l *log, me engine.Peer) *Store {
	if host, err := os.Hostname(); err == nil {
		me.From = fmt.Sprintf("%s, pid %d", host, me.PID)
	}
	s := &Store{Store: store, log: l, me: me}
	s.others.Store(&[]engine.Peer{})
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.work.Go(func() {
		for ; ctx.Err() == nil; _ = storage.Pause(ctx, dutyPause) {
			s.meet(ctx)
		}
	})
	return s
}

// Peers implements engine.Attended: this process is first.
func (s *Store) Peers() []engine.Peer { return append([]engine.Peer{s.me}, *s.others.Load()...) }

// Close implements storage.Store.
func (s *Store) Close() error {
	s.stop()
	s.work.Wait()
	return s.Store.Close()
}

// meet says who this process is, and keeps up with who the others are, until etcd no longer knows
// of it. One who may not write is not listed.
func (s *Store) meet(ctx context.Context) {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	switch h, err := s.log.hold(ctx, "who/"+uuid.NewString(), marshal(s.me), whoTime); {
	case err == nil:
		defer s.log.revoke(ctx, h.id)
		s.work.Go(func() {
			<-h.over
			cancel()
		})
	case !errors.Is(err, rpctypes.ErrPermissionDenied): // such as NOSPACE, which ends
		return
	}
	for answer := range s.log.client.Watch(ctx, s.log.key("who/"), clientv3.WithPrefix(), clientv3.WithCreatedNotify()) {
		resp, err := s.log.read(ctx, "who is here", 0, clientv3.OpGet(s.log.key("who/"), clientv3.WithPrefix()))
		if err != nil || answer.Err() != nil {
			return
		}
		var others []engine.Peer
		for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
			var of engine.Peer
			if wire.Unmarshal(kv.Value, &of) == nil && of != s.me {
				others = append(others, of)
			}
		}
		slices.SortFunc(others, func(a, b engine.Peer) int { return cmp.Compare(a.SinceMS, b.SinceMS) })
		s.others.Store(&others)
	}
}
