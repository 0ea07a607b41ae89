package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// writing holds the flags of a command that changes the cloud, and how such commands differ.
type writing struct {
	DryRun     bool  `flag:"dry-run" help:"print what would be written, before and after, and write nothing"`
	generation int64 // that the provider must have; below zero for any
	makes      bool  // the command makes the file if it does not exist yet
	force      bool  // claims are released without asking their owners; see cloud.Change
}

// writeFlags adds the flags of a write to cmd, and its own.
func (p *program) writeFlags(cmd *cobra.Command, own ...any) *writing {
	w := &writing{generation: -1}
	bindFlags(cmd, append(own, w)...)
	p.outputFlag(cmd, print.Documents())
	return w
}

// makingFlags is writeFlags for a command that makes the file if it does not exist yet.
func (p *program) makingFlags(cmd *cobra.Command, own ...any) *writing {
	w := p.writeFlags(cmd, own...)
	w.makes = true
	return w
}

// generationFlag adds to cmd the flag with which a script makes sure that nobody has changed
// the provider since it looked.
func (w *writing) generationFlag(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&w.generation, "generation", -1, "do it only if the provider is still at generation `N`")
	cmd.Flags().Lookup("generation").DefValue = "0" // which help does not tell: any
}

// guard refuses a provider whose generation is not that of the flag.
func (w *writing) guard(p *placement.ResourceProvider) error {
	if w.generation < 0 || p.Generation() == w.generation {
		return nil
	}
	return &placement.ConflictError{
		What: "resource provider", ID: p.ID().String(), Name: p.Name(), Expect: placement.Generation(w.generation), Has: p.Generation(),
	}
}

// consequences are the problems that a change clears and causes, in the words of check.
type consequences struct {
	Clears []string `json:"clears"`
	Brings []string `json:"brings"`

	raised []string // Brings, in sentences
}

// judged returns an outcome with the problems that it clears and causes.
func (p *program) judged(did outcome) outcome {
	if did.of[0] == nil {
		return did
	}
	clears, brings := audit.Consequences(did.of[0], did.of[1], p.now())
	for _, f := range clears {
		did.problems.Clears = append(did.problems.Clears, f.String())
	}
	for _, f := range brings {
		did.problems.Brings, did.problems.raised = append(did.problems.Brings, f.String()), append(did.problems.raised, f.Raised())
	}
	return did
}

// lines returns c for people.
func (c consequences) lines() []string {
	var out []string
	for _, f := range c.Clears {
		out = append(out, "clears "+f)
	}
	out = append(out, c.raised...)
	return out
}

// planner plans a write on the current state of the cloud.
type planner = func(finder) (ops.Plan, error)

// write carries out what plan plans, and prints the result and what made returns, as operate
// does. If somebody else writes in between it plans again, unless the generation is guarded.
func (p *program) write(ctx context.Context, w *writing, plan planner, made func(outcome) any) error {
	return p.operate(ctx, w, func(f finder) (operation, error) { return planned(f.Snapshot, plan) }, made)
}

// changes makes cmd, which has the flags of a write, write what plan plans for its arguments.
func (p *program) changes(cmd *cobra.Command, w *writing, plan func(f finder, args []string) (ops.Plan, error)) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) { return plan(f, args) }, nil)
	}
	return cmd
}

// planned returns the operation for what plan plans. The user has not seen it, so after
// a race it is planned again on the new state, and written unless it gives up something
// else than what was asked for.
func planned(s *cloud.Snapshot, plan planner) (operation, error) {
	u := operation{plan: &ops.Plan{}}
	first, err := ops.Planner(func(s *cloud.Snapshot) (ops.Plan, error) {
		made, err := plan(finderOf(s))
		*u.plan = made
		return made, err
	}).Plan(s)
	*u.plan = first
	u.note, u.task, u.shown = first.Change.Note, first, first.Decided()
	return u, err
}

// openForWrite opens the store that a write goes to, or that --dry-run tries it on. It makes
// a file only if try accepts the write; nil accepts any.
func (p *program) openForWrite(ctx context.Context, w *writing, try func(finder) error) (storage.Store, error) {
	there, err := p.fileThere()
	if err != nil {
		return nil, err
	}
	if !there && !w.makes {
		return p.openToRead(ctx) // the error says how to make one
	}
	if w.DryRun {
		return p.openToTry(ctx)
	}
	if err := p.mayWrite(); err != nil {
		return nil, err
	}
	if !there && try != nil {
		if err := try(finderOf(cloud.Empty())); err != nil {
			return nil, err
		}
	}
	_, missing := os.Lstat(p.settings.DB)
	store, err := p.openToWrite(ctx)
	if err == nil && !there {
		p.madeHere(store, missing == nil, false)
	}
	return store, err
}

// runner returns the Runner that carries out writes as the user.
func (p *program) runner(ctx context.Context) ops.Runner {
	return ops.Runner{Actor: p.actor(), Now: p.now, Again: func(try int, why error) {
		p.log.LogAttrs(ctx, slog.LevelWarn, "refused; planning again", slog.Int("try", try), slog.String("error", why.Error()))
	}}
}

// planReport is the JSON of a plan.
type planReport struct {
	Note      string             `json:"note"`
	DryRun    bool               `json:"dry_run"`
	Changed   bool               `json:"changed"` // or would be, with DryRun
	Revision  cloud.Revision     `json:"revision"`
	Providers []ops.ProviderDiff `json:"resource_providers"`
	Consumers []ops.ConsumerDiff `json:"consumers"`
	Names     []string           `json:"names"`   // custom classes and traits that are added or removed
	Records   []kinds.Change     `json:"records"` // of Nova and Cyborg
	Warnings  []string           `json:"warnings"`
	Requests  []requestRow       `json:"requests"`
	Commands  []string           `json:"commands"`
	consequences
}

// requestRow is an API call to a service.
type requestRow struct {
	Service      api.Service     `json:"service"`
	Method       string          `json:"method"`
	Path         string          `json:"path"`
	Microversion string          `json:"microversion"`
	Body         json.RawMessage `json:"body"`
	Status       int             `json:"status"` // of the answer
}

func newPlanReport(o outcome) planReport {
	v := o.preview
	r := planReport{
		Note: o.note, DryRun: o.dryRun, Changed: !v.Empty(), Revision: o.revision,
		Providers: filled(v.Providers), Consumers: filled(v.Consumers), Names: filled(v.Names), Warnings: filled(v.Warnings),
		Records: []kinds.Change{}, Requests: []requestRow{}, Commands: filled(v.Commands()),
		consequences: consequences{Clears: filled(o.problems.Clears), Brings: filled(o.problems.Brings)},
	}
	for _, d := range v.Ledgers {
		r.Records = append(r.Records, kinds.Change{Kind: d.Kind(), Title: d.Title(), Before: d.Before, After: d.After})
	}
	for _, q := range v.Requests() {
		row := requestRow{Service: q.Service, Method: q.Method, Path: q.Path, Microversion: q.Microversion(), Status: q.Answer.Status}
		if q.Body != "" {
			row.Body = json.RawMessage(q.Body)
		}
		r.Requests = append(r.Requests, row)
	}
	return r
}
