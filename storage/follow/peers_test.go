package follow_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestPeers has followers come and go: whoever says who they are is seen by the owner and by
// the others, and whoever stays for a moment is not.
func TestPeers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := memory.New(memory.Options{Clock: storagetest.Clock()})
		peers := new(follow.Peers)
		peers.Join(engine.Peer{As: "owner", PID: 1})
		serving, stop := context.WithCancel(t.Context())
		defer stop()
		join := func(as, readOnly string) *follow.Store {
			here, there := net.Pipe()
			go func() { _ = follow.Serve(serving, there, own, follow.Owner{Peers: peers}) }()
			return must.Get(follow.Follow(serving, here, follow.Options{Clock: storagetest.Clock(), As: as, ReadOnly: readOnly}))(t)
		}
		names := func(all []engine.Peer) (out []string) {
			for _, p := range all {
				name := p.As
				if p.Looks {
					name += " looks"
				}
				out = append(out, name)
			}
			return out
		}
		first, second, passing := join("first", ""), join("second", "it only looks"), join("", "")
		synctest.Wait()
		all := []string{"owner", "first", "second looks"}
		must.Match(t, all, names(peers.List()))
		must.Match(t, all, names(first.Peers()))
		must.Match(t, all, names(second.Peers()))
		must.Match(t, []string(nil), names(passing.Peers()))
		must.Succeed(t, first.Close())
		synctest.Wait()
		must.Match(t, []string{"owner", "second looks"}, names(second.Peers()))
		stop()
		synctest.Wait()
		must.Match(t, []string(nil), names(second.Peers())) // the owner has gone
		must.Succeed(t, second.Close())
		must.Succeed(t, passing.Close())
		synctest.Wait()
		must.Match(t, []string{"owner"}, names(peers.List()))
		must.Succeed(t, own.Close())
	})
}
