package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/view"
)

// atFlag adds the flag of reading commands that makes them print the cloud as it was.
func (p *program) atFlag(cmd *cobra.Command) {
	cmd.Flags().Func("at", "the cloud as it was at a `REVISION` or time: 48102, -1, 10m, 13:58 or '2026-11-23 13:58' (UTC)", func(at string) error {
		if strings.TrimSpace(at) == "" {
			return errors.New("is not a revision or a time; leave it out for now")
		}
		p.at = at
		return nil
	})
}

// asItWas returns a store as of the time in the flag, with the clock at that time.
func (p *program) asItWas(ctx context.Context, store storage.Store) (storage.Store, error) {
	if p.at == "" {
		return store, nil
	}
	now := store.Snapshot()
	rev, err := cloud.FindRevision(ctx, store, now, p.at, p.now())
	if err != nil {
		return nil, p.notThen(store, err)
	}
	then, err := cloud.NewRecall(store).At(ctx, now, rev)
	if err != nil {
		return nil, p.notThen(store, err)
	}
	if at := then.At(); !at.IsZero() {
		p.now = func() time.Time { return at }
	}
	return view.Then(store, then), nil
}

// notThen returns why the cloud cannot be read as it was.
func (p *program) notThen(store storage.Store, err error) error {
	var gone *cloud.ForgottenError
	switch {
	case errors.As(err, &gone) && distant(store):
		return failed(err, "OpenStack keeps no history: placetop keeps only what it sees while it is open")
	case errors.As(err, &gone):
		return failed(err, `list what is known with "placetop get events"`)
	case errors.Is(err, placement.ErrInvalid):
		return usageErrorf("", "--at: %w", err)
	}
	return err
}
