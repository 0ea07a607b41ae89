package main

import (
	"context"
	"fmt"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/storage/remote"
)

// several is the annotation of commands to which --cloud may name several clouds.
const several = "several"

// getSeveral prints the rows of several clouds as one list. One that cannot be read is
// told of, and the others are printed.
func (p *program) getSeveral(ctx context.Context, out *printer, k *kinds.Kind, q kinds.Query) error {
	var names []string
	var parts []listing
	lost := 0
	for _, name := range p.settings.Clouds {
		p.settings.Engine, p.settings.DB = remote.Cloud{Settings: p.settings.Elsewhere}, name
		store, err := p.openToRead(ctx)
		if err == nil {
			q.At = kinds.At{Snap: store.Snapshot(), Now: p.now()}
			var a kinds.Answer
			if a, err = answer(ctx, store, k, q); err == nil {
				names, parts = append(names, name), append(parts, out.listingOf(a))
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.say("cloud %s: %v", name, ofFlag(err))
			lost++
		}
	}

	if err := out.list(together(names, parts)); err != nil {
		return err
	}
	if lost > 0 {
		return failed(fmt.Errorf("%d of %s could not be asked", lost, counted(len(p.settings.Clouds), "cloud")), "")
	}
	return nil
}

// together returns listings of one kind as one, with the cloud that each row is of.
func together(names []string, parts []listing) listing {
	type at struct{ part, row int }
	var rows []at
	var doc []any
	for i, part := range parts {
		for row := range part.rows {
			rows = append(rows, at{i, row})
		}
		doc = append(doc, map[string]any{"cloud": names[i], "rows": part.doc})
	}
	cloud := func(row int) string { return names[rows[row].part] }
	out := listing{doc: doc, rows: len(rows), columns: []listColumn{{name: "cloud", value: cloud, cell: func(row int) cell { return cell{text: cloud(row)} }}}}
	if len(parts) == 0 {
		return out
	}
	for i, c := range parts[0].columns {
		for _, part := range parts[1:] {
			c.wide = c.wide && part.columns[i].wide
		}
		c.value = func(row int) string { return parts[rows[row].part].columns[i].value(rows[row].row) }
		c.cell = func(row int) cell { return parts[rows[row].part].columns[i].cell(rows[row].row) }
		out.columns = append(out.columns, c)
	}
	return out
}
