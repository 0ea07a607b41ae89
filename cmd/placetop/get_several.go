package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
)

// several is the annotation of commands to which --cloud may name several clouds.
const several = "several"

// asked is the answer of one of several clouds.
type asked struct {
	of     *program // the part of the run for this cloud
	said   bytes.Buffer
	answer kinds.Answer
	err    error
}

// getSeveral prints the rows of several clouds as one list, with a column for the cloud.
// It reads them at once; it reports those that cannot be read, and prints the others.
func (p *program) getSeveral(ctx context.Context, out *printer, k *kinds.Kind, q kinds.Query) error {
	each := q
	if each.Where, each.Sort = "", ""; q.Where != "" || q.Sort != "" {
		each.Limit = 0
	}
	if k.Name == kinds.Events {
		q.Sort = cmp.Or(q.Sort, "-at") // as in each journal: newest first
	}
	all := p.askSeveral(ctx, k, each)
	if !slices.ContainsFunc(all, func(a asked) bool { return a.of.opened == nil || exitCode(a.err) != exitUsage }) {
		return all[0].err // the request is wrong for any cloud, and all of these are open
	}
	names, parts, lost, none := p.answers(ctx, all)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(parts) == 0 && lost == 0:
		return none
	case len(parts) == 0:
		names, parts = []string{""}, []kinds.Answer{{Kind: k}}
	}
	a, err := kinds.Together(q, names, parts)
	if err != nil {
		return ofFlag(err)
	}
	if err := p.printAnswer(out, a.Kind, a); err != nil {
		return err
	}
	if k.Name == kinds.Projects && q.Name != "" {
		p.say("quotas are shown for one cloud at a time: name it alone with --cloud")
	}
	if lost > 0 {
		return failed(fmt.Errorf("%d of %s could not be asked", lost, counted(len(all), "cloud")), "")
	}
	return nil
}

// askSeveral asks the clouds of --cloud, all at once.
func (p *program) askSeveral(ctx context.Context, k *kinds.Kind, q kinds.Query) []asked {
	p.reads = true
	all := make([]asked, len(p.settings.Clouds))
	var wait sync.WaitGroup
	for i, name := range p.settings.Clouds {
		a := &all[i]
		if a.of, a.err = p.elsewhere(name, &a.said); a.err == nil {
			wait.Go(func() { a.ask(ctx, k, q) })
		}
	}
	wait.Wait()
	for i := range all {
		p.opened = append(p.opened, all[i].of.opened...)
	}
	return all
}

// answers returns the answers of the clouds, with their names. It reports the clouds that
// could not be asked; lost is their number. None is the error of a cloud that has nothing
// of the requested name.
func (p *program) answers(ctx context.Context, all []asked) (names []string, parts []kinds.Answer, lost int, none error) {
	for i := range all {
		a, name := &all[i], p.settings.Clouds[i]
		for line := range strings.Lines(a.said.String()) {
			p.say("cloud %s: %s", name, line)
		}
		switch {
		case ctx.Err() != nil:
		case a.err == nil:
			names, parts = append(names, name), append(parts, a.answer)
		case errors.Is(a.err, placement.ErrNotFound) && a.of.opened != nil:
			none = a.err
		default:
			p.say("cloud %s: %v", name, a.err)
			lost++
		}
	}
	return names, parts, lost, none
}

// elsewhere returns the part of a run for another cloud, by its name in --cloud. It
// prints its messages to said.
func (p *program) elsewhere(name string, said io.Writer) (*program, error) {
	one := *p
	one.opened, one.alone, one.stderr, one.watch = nil, false, said, p.stderr
	s := &one.settings
	var err error
	s.Engine, s.DB, err = engines(s.Elsewhere).Parse(placeOf(name))
	return &one, err
}

// ask opens a cloud and gets its rows.
func (a *asked) ask(ctx context.Context, k *kinds.Kind, q kinds.Query) {
	store, err := a.of.openToRead(ctx)
	if err != nil {
		a.err = err
		return
	}
	q.At = kinds.At{Snap: store.Snapshot(), Now: a.of.now()}
	if a.answer, a.err = answer(ctx, store, k, q); a.err == nil {
		a.err = untold(store, a.answer)
	}
}
