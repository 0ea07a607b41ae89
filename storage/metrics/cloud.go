package metrics

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/figures"
)

// cloudFigures makes the figures of the cloud, and keeps them while nothing has changed.
type cloudFigures struct {
	o       Options
	indexer candidates.Indexer
	turn    chan struct{} // held while they are made or taken

	text  text
	of    *cloud.Snapshot // that they are of; nil before there are any
	at    time.Time
	until time.Time // when the rules may find something else although nothing has changed; zero for never
}

func newCloudFigures(o Options) *cloudFigures {
	return &cloudFigures{o: o, turn: make(chan struct{}, 1)}
}

// staleAfter is how long figures of an unchanged cloud are kept: some depend on the time.
const staleAfter = time.Minute

// get returns the figures of the newest Snapshot. Where they cannot be made, as ctx ends or there
// is a fault, it returns the last ones, and the error.
func (f *cloudFigures) get(ctx context.Context) (text, error) {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s, now := f.o.Cloud.Snapshot(), f.o.Clock()
	holds := f.of == s && now.Sub(f.at) < staleAfter && (f.until.IsZero() || now.Before(f.until))
	if holds || f.o.Ready != nil && !f.o.Ready() {
		return f.text, nil
	}
	err := f.make(ctx, s, now)
	return f.text, err
}

// make makes the figures of a Snapshot. A panic is an error: the server continues without them.
func (f *cloudFigures) make(ctx context.Context, s *cloud.Snapshot, now time.Time) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("figures: panic: %v", v)
			if f.o.Failed != nil {
				f.o.Failed(err, debug.Stack())
			}
		}
	}()
	in := figures.Input{Snapshot: s, Now: now, Each: f.o.Each}
	var until time.Time
	if f.o.Inspect != nil {
		if in.Found = f.o.Inspect(ctx, s); in.Found != nil {
			until = in.Found.Until
		}
	}
	in.Room = figures.RoomOf(s, figures.RoomOptions{
		Index: f.indexer.Index(s.Placement()), Trees: f.o.Each, Stop: func() bool { return ctx.Err() != nil },
	})
	var made text
	for _, series := range figures.Of(in) {
		made.series(series)
	}
	if ctx.Err() == nil {
		f.text, f.of, f.at, f.until = made, s, now, until
	}
	return ctx.Err()
}
