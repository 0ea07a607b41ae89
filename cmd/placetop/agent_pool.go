package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// measure writes the size of each pool that has changed. A pool that cannot be measured, or
// is none, stays as it is and does not keep the others from being written.
func (p *program) measure(ctx context.Context, store storage.Store, o agentOptions) (ticked, error) {
	var done ticked
	var failed []error
	for _, text := range o.pools {
		name, path, _ := strings.Cut(text, "=")
		change, err := p.measureOne(ctx, store, o, name, path)
		switch {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case err != nil:
			failed = append(failed, fmt.Errorf("pool %s: %w", name, err))
		case change != "":
			done.changes = append(done.changes, change)
		}
	}
	return done, errors.Join(failed...)
}

// measureOne writes the size of one pool, and returns what it changed; "" for nothing.
func (p *program) measureOne(ctx context.Context, store storage.Store, o agentOptions, name, path string) (string, error) {
	const gib = 1 << 30
	size, err := hw.MeasureFilesystem(ctx, o.root, path)
	if err != nil {
		return "", err
	}
	total := int64(size.Total / gib)
	if total == 0 {
		return "", fmt.Errorf("the file system of %s has less than 1 GiB: %w", path, placement.ErrInvalid)
	}
	change := ""
	plan, err := ops.Planner(func(s *cloud.Snapshot) (ops.Plan, error) {
		change = ""
		pool, err := finderOf(s).Provider(name)
		if err != nil {
			return ops.Plan{}, err
		}
		plan, err := ops.PlanPool(s, pool.ID(), ops.PoolWish{Class: placement.DiskGB, Total: total})
		if err == nil && !plan.Empty() {
			class, _ := s.Placement().ClassID(placement.DiskGB)
			was, _ := pool.Inventory(class)
			change = fmt.Sprintf("%s: %s total %d -> %d", pool.Name(), placement.DiskGB, was.Total, total)
		}
		return plan, err
	}).Plan(store.Snapshot())
	if err == nil && !o.dryRun && !plan.Empty() {
		_, err = p.runner(ctx).Write(ctx, store, plan)
	}
	return change, err
}
