package main

import (
	"context"
	"time"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/metrics"
)

// openElsewhere opens a live cloud for serving: it is polled at its own interval, however
// many requests come. With soon it does not wait until everything has been read once.
func (p *program) openElsewhere(ctx context.Context, soon bool) (storage.Store, error) {
	o := p.openOptions(p.settings.ReadOnly)
	o.Soon, o.Progress = true, p.sayTenths(time.Second)
	store, err := p.openWith(ctx, o)
	if err != nil {
		return nil, err
	}
	far, _ := engine.Far(store)
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

// linkMetrics adds the state of the link to a live cloud to m.
func linkMetrics(m *metrics.Metrics, far engine.Distant) {
	of := func(name, help string, value func(l engine.Link) float64) metrics.Number {
		return metrics.Number{Name: name, Help: help, Value: func() float64 { return value(far.Link()) }}
	}
	sent := of("placetop_cloud_requests_total", "Requests that were sent to the cloud, as of the last reading.",
		func(l engine.Link) float64 { return float64(l.Sent) })
	sent.Counter = true
	m.Register(
		of("placetop_cloud_up", "Whether the last reading of the cloud succeeded.", func(l engine.Link) float64 {
			if l.Lost != "" || l.At.IsZero() {
				return 0
			}
			return 1
		}),
		of("placetop_cloud_read_timestamp_seconds", "When the whole cloud was last read; 0 for never.", func(l engine.Link) float64 {
			if l.At.IsZero() {
				return 0
			}
			return float64(l.At.UnixMilli()) / 1e3
		}),
		of("placetop_cloud_read_duration_seconds", "How long the last reading took.", func(l engine.Link) float64 { return l.Took.Seconds() }),
		of("placetop_cloud_read_requests", "How many requests the last reading took.", func(l engine.Link) float64 { return float64(l.Requests) }),
		sent,
	)
}
