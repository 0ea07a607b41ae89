package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/open"
	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// diffCommand returns "placetop diff".
func (p *program) diffCommand() *cobra.Command {
	cmd := command(`diff A B
Print what differs between two clouds

Print how cloud B differs from A: providers, inventories, traits (and so owners),
aggregates, allocations, and the records of Nova and Cyborg. A and B are each the path
of a file, cloud:NAME with a name from clouds.yaml, or the URL of a Placement.
Generations and times are not compared, as a copy has its own, nor is the order of lists.
Of lists such as traits a table shows only the differences, and JSON shows all.

Exit code 0: they are the same; 3: they differ; 1: they could not be compared, or
only in part, and do not differ in that.

Examples:
  placetop diff yesterday.db cloud:prod
  placetop diff one.db two.db -o json`)
	p.outputFlag(cmd, print.Lists())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var sides [2]*cloud.Snapshot
		for i, place := range args {
			var err error
			if sides[i], err = p.readPlace(cmd.Context(), place); err != nil {
				return err
			}
		}
		diffs := ops.Compare(sides[0], sides[1])
		var gaps []string
		for i, place := range args {
			var of []cloud.Part
			diffs, of = p.withoutGaps(diffs, sides[i], place, i == 0)
			for _, r := range sides[i].Readings() { // the other side may lack the same
				if slices.Contains(of, r.Part) || !r.Without && r.GapOfHolders() != "" {
					gaps = append(gaps, fmt.Sprintf("%s of %s", r.Part, place))
				}
			}
		}
		rows := diffRows(diffs)
		list := print.Columns("kind", "name", "field", "a", "b")
		for _, r := range rows {
			list.Row(r.Kind.Words(), r.Name, r.Field, onlyIn(r.A, r.B), onlyIn(r.B, r.A))
		}
		p.printer().List(rows, list)
		switch {
		case len(rows) > 0:
			return exitErrorf(exitProblems, "", "%s and %s differ: %s", args[0], args[1], counted(len(rows), "difference"))
		case len(gaps) > 0:
			return exitErrorf(exitFailed, "", "%s and %s could not be compared as a whole: not all is known of %s", args[0], args[1], strings.Join(gaps, ", "))
		}
		return nil
	}
	return cmd
}

// withoutGaps leaves out the differences that are no more than what one side may lack because
// it was not read, or not as a whole. It warns of the parts of which it left something out, and
// returns them.
func (p *program) withoutGaps(diffs []ops.RecordDiff, s *cloud.Snapshot, place string, isBefore bool) (left []ops.RecordDiff, gaps []cloud.Part) {
	left = slices.DeleteFunc(diffs, func(d ops.RecordDiff) bool {
		if isBefore && d.Before != nil || !isBefore && d.After != nil {
			return false
		}
		for _, part := range cloud.PartsOf(d.Kind()) {
			gap := s.Gap(part)
			if gap != "" && !slices.Contains(gaps, part) {
				p.say("warning: %s: %s are only compared as far as they are known: %s", place, part, gap)
				gaps = append(gaps, part)
			}
			if gap != "" {
				return true
			}
		}
		return false
	})
	return left, gaps
}

// readPlace reads the cloud at a place, even one that another process has open.
func (p *program) readPlace(ctx context.Context, place string) (_ *cloud.Snapshot, err error) {
	if p.settings.Engine, p.settings.DB, err = open.Engines(p.settings.Elsewhere).Parse(place); err != nil {
		return nil, badPlace(err)
	}
	store, err := p.openOrCopy(ctx)
	if err != nil {
		return nil, err
	}
	return store.Snapshot(), nil
}

// diffRow is a differing field, or a record that only one side has.
type diffRow struct {
	Kind  versioned.Kind `json:"kind"`
	Name  string         `json:"name"`
	Field string         `json:"field,omitempty"` // "" for the record itself
	A     *string        `json:"a"`               // null where it is not there
	B     *string        `json:"b"`
}

// diffRows returns a row for each differing field, and one for each record that only one
// side has.
func diffRows(diffs []ops.RecordDiff) []diffRow {
	var rows []diffRow
	for _, d := range diffs {
		row := diffRow{Kind: d.Kind(), Name: d.Called}
		there := "there"
		_, traits := cmp.Or(d.Before, d.After).(*placement.ProviderTraitsRecord) // of a provider that both sides may have
		switch {
		case d.Before == nil && !traits:
			row.B = &there
			rows = append(rows, row)
		case d.After == nil && !traits:
			row.A = &there
			rows = append(rows, row)
		default:
			for _, f := range d.Fields {
				if f.Name == "resource_provider_uuid" {
					continue
				}
				row.Field, row.A, row.B = f.Name, orNull(f.Before), orNull(f.After)
				rows = append(rows, row)
			}
		}
	}
	return rows
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// onlyIn returns the value of a field on one side; of a list only the words that the
// other side lacks, each as often as it lacks it.
func onlyIn(one, other *string) string {
	if one == nil {
		return ""
	}
	var has, lacks []string
	if other == nil || json.Unmarshal([]byte(*one), &has) != nil || json.Unmarshal([]byte(*other), &lacks) != nil {
		return *one
	}
	there := map[string]int{}
	for _, s := range lacks {
		there[s]++
	}
	var only []string
	for _, s := range has {
		if there[s]--; there[s] < 0 {
			only = append(only, s)
		}
	}
	return strings.Join(only, " ")
}
