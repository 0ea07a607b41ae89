//go:build etcd

package etcd_test

import (
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/etcd"
)

// TestWhoIsHere lists those who work on a cloud for long: itself first, not who is only passing,
// nor who has left, and again who was forgotten.
func TestWhoIsHere(t *testing.T) {
	t.Parallel()
	c := begin(t)
	place, now := c.place("who"), time.Now()
	come := func(as string, readOnly bool) storage.Store {
		now = now.Add(time.Minute)
		came := now
		return must.Get(etcd.Engine{}.Open(t.Context(), place, engine.Options{Clock: func() time.Time { return came }, Version: "test", As: as, ReadOnly: readOnly}))(t)
	}
	peers := func(s storage.Store) []engine.Peer { return s.(engine.Attended).Peers() } //nolint:forcetypeassert // it has a name
	if _, is := come("", false).(engine.Attended); is {
		t.Error("who is only passing is here")
	}
	ann, ben := come("ann", false), come("ben", true)
	must.Be(t, peers(ben)[0].As, "ben")
	await(t, "two", func() bool { return len(peers(ann)) == 2 && len(peers(ben)) == 2 })
	is := peers(ann)[1]
	if is.As != "ben" || !is.Looks || !strings.Contains(is.From, ", pid ") || is.PID == 0 || is.SinceMS != now.UnixMilli() {
		t.Errorf("%+v", is)
	}
	client := c.client()
	for key := range keys(t, client, "/who/who/") {
		kv := must.Get(client.Get(t.Context(), key))(t).Kvs[0]
		must.Get(client.Revoke(t.Context(), clientv3.LeaseID(kv.Lease)))(t)
	}
	await(t, "nobody", func() bool { return len(peers(ann)) == 1 })
	await(t, "two again", func() bool { return len(peers(ann)) == 2 })
	must.Succeed(t, ben.Close())
	await(t, "one", func() bool { return len(peers(ann)) == 1 })
	must.Succeed(t, ann.Close())
	must.Be(t, len(keys(t, client, "/who/who/")), 0)
}
