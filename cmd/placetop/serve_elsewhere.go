package main

import (
	"context"
	"time"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/metrics"
)

// openElsewhere opens a cloud elsewhere to be served: it is read again and again, however
// often somebody asks. Soon does not wait until all was read once.
func (p *program) openElsewhere(ctx context.Context, soon bool) (storage.Store, error) {
	o := p.openOptions(p.settings.ReadOnly)
	o.Soon, o.Doing = true, p.sayTenths()
	store, err := p.openWith(ctx, o)
	if err != nil {
		return nil, err
	}
	far := store.(engine.Distant)
	linked := far.Linked(ctx)
	wait := func() bool {
		for read := unread(store); read() != ""; {
			if _, open := <-linked; !open {
				return false
			}
		}
		l := far.Link()
		p.say("%s was read: %s, %s in %s", p.settings.DB, counted(store.Snapshot().Placement().ProviderCount(), "provider"), counted(int(l.Requests), "request"), l.Took.Round(time.Millisecond))
		return true
	}
	if soon {
		go wait()
	} else if !wait() {
		return nil, ctx.Err()
	}
	return store, nil
}

// linkMetrics adds to m how the link to a cloud elsewhere stands.
func linkMetrics(m *metrics.Metrics, far engine.Distant) {
	m.Register(
		metrics.Other{Name: "placetop_cloud_up", Help: "Whether the last reading of the cloud succeeded.", Value: func() float64 {
			if l := far.Link(); l.Lost != "" || l.At.IsZero() {
				return 0
			}
			return 1
		}},
		metrics.Other{Name: "placetop_cloud_read_timestamp_seconds", Help: "When the cloud was read last as a whole; 0 for never.", Value: func() float64 {
			if l := far.Link(); !l.At.IsZero() {
				return float64(l.At.UnixMilli()) / 1e3
			}
			return 0
		}},
		metrics.Other{Name: "placetop_cloud_read_duration_seconds", Help: "How long the last reading took.", Value: func() float64 { return far.Link().Took.Seconds() }},
		metrics.Other{Name: "placetop_cloud_read_requests", Help: "How many requests the last reading took.", Value: func() float64 { return float64(far.Link().Requests) }},
		metrics.Other{Name: "placetop_cloud_requests_total", Help: "Requests that were sent to the cloud, as of the last reading.", Counter: true, Value: func() float64 { return float64(far.Link().Sent) }},
	)
}
