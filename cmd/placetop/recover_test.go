package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/tuitest"
)

// partial opens a cloud in which an instance is being booted.
type partial struct {
	memory.Engine
	storage.Store
	nova bool // whether the cloud has its own Nova
}

func (h partial) Open(context.Context, string, engine.Options) (storage.Store, error) { return h, nil }

func (h partial) Capabilities() cloud.Capabilities {
	can := h.Store.Capabilities()
	if h.nova {
		can.Servers = &cloud.Servers{}
	}
	return can
}

// TestLeavesToNovaWhatItDoes reports what is unfinished, unless a Nova of the cloud's own
// is doing it.
func TestLeavesToNovaWhatItDoes(t *testing.T) {
	t.Parallel()
	const boot = "the boot of infer-2 stopped at spawning"
	for name, tell := range map[string]func(context.Context, *program, storage.Store) error{
		"recover --list": func(ctx context.Context, p *program, _ storage.Store) error { return p.listInterrupted(ctx) },
		"recover": func(ctx context.Context, p *program, _ storage.Store) error {
			return p.recoverAll(ctx, &writing{DryRun: true}, false)
		},
		"check": func(ctx context.Context, p *program, s storage.Store) error {
			p.sayUnfinished(s, s.Snapshot())
			return nil
		},
		"overview": func(ctx context.Context, p *program, s storage.Store) error {
			return p.printOverview(ctx, s, "here")
		},
	} {
		for _, nova := range []bool{false, true} {
			store := partial{Store: memory.New(memory.Options{Clock: tuitest.Now, Start: tuitest.Fleet(t).Snapshot()}), nova: nova}
			var out bytes.Buffer
			p := &program{stdout: &out, stderr: &out, env: map[string]string{}, now: tuitest.Now, log: slog.New(slog.DiscardHandler), format: print.Table}
			p.settings.DB, p.settings.Engine = "mem:", store
			if err := tell(t.Context(), p, store); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got := strings.Contains(out.String(), boot); got == nova {
				t.Errorf("%s, with a Nova: %v, prints\n%s", name, nova, &out)
			}
			if err := p.close(); err != nil {
				t.Error(err)
			}
		}
	}
}
